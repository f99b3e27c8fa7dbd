"""How a dialogue ends: exactly one reason, and each reason has an owner.

| owner | reasons | counts as |
|---|---|---|
| user | satisfied, gave_up | scored |
| limits | turn_limit | scored, marked as cut short |
| assistant | refused, error, content_filter, context_overflow, loop, empty | task success failed, all else unscored |
| simulator | user_broken, and loop, content_filter, context_overflow at the user | not scored |
| infrastructure | timeout, rate_limit, provider_error, internal | not scored; run again by `resume --failed` |
| limits | budget, interrupted | not finished; `resume` goes on |
| outside | held_elsewhere: the dialogue was brought in, and nobody tells why it ended | scored |
"""

from typing import Literal

from duologue.agents.message import sound
from duologue.tasks.written import Written

__all__ = ["Ending", "Failure", "Owner", "Reason", "Role", "ending"]

Owner = Literal["user", "limits", "assistant", "simulator", "infrastructure", "outside"]
Role = Literal["user", "assistant", "judge", "simulator"]
Reason = Literal[
    "satisfied", "gave_up", "turn_limit",
    "refused", "error", "content_filter", "context_overflow", "loop", "empty",
    "user_broken",
    "timeout", "rate_limit", "provider_error", "internal",
    "budget", "interrupted",
    "held_elsewhere",
]  # fmt: skip

_OWNERS: dict[Reason, Owner] = {
    "satisfied": "user",
    "gave_up": "user",
    "turn_limit": "limits",
    "budget": "limits",
    "interrupted": "limits",
    "refused": "assistant",
    "error": "assistant",
    "empty": "assistant",
    "user_broken": "simulator",
    "timeout": "infrastructure",
    "rate_limit": "infrastructure",
    "provider_error": "infrastructure",
    "internal": "infrastructure",
    "held_elsewhere": "outside",
}
_OWNED_BY_SPEAKER: dict[Role, Owner] = {
    "assistant": "assistant",
    "user": "simulator",
    "judge": "infrastructure",
    "simulator": "simulator",
}


class Ending(Written):
    """Why a dialogue ended, whose doing that was, and at whose turn."""

    reason: Reason
    owner: Owner
    role: Role
    detail: str = ""

    @property
    def scored(self) -> bool:
        """Whether a judge reads the transcript."""
        return self.reason in ("satisfied", "gave_up", "turn_limit", "held_elsewhere")

    @property
    def cut_short(self) -> bool:
        return self.scored and self.owner == "limits"

    @property
    def finished(self) -> bool:
        """False where `resume` goes on with the dialogue."""
        return self.reason not in ("budget", "interrupted")


class Failure(Exception):
    """A call that gave nothing to go on with. The loop turns it into an Ending.

    Raised by the models door without a role; whoever speaks is blamed by the loop.
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: Reason = reason
        self.detail = detail


def ending(reason: Reason, role: Role, detail: str = "") -> Ending:
    """The Ending for `reason` at `role`, with its owner."""
    if role == "judge":
        return Ending(reason=reason, owner="infrastructure", role=role, detail=detail)
    detail = sound(detail)
    owner = _OWNERS.get(reason) or _OWNED_BY_SPEAKER[role]
    return Ending(reason=reason, owner=owner, role=role, detail=detail)
