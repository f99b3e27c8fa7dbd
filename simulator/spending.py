"""What dialogues cost: tokens and seconds by role, in the order user, assistant, judge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from duologue.agents.events import AssistantTurn, ToolCalled, UserDraft, UserTurn
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.record import Dialogue

__all__ = ["ROLES", "Spent", "replies", "spent"]

ROLES = ("user", "assistant", "judge")
WRITTEN = ("agenda", "script", "person", "reused", "task")
"""Where a user's words come from when no model is called for them."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Of some dialogues: tokens, calls that told none, and seconds, by role; user drafts that were discarded."""

    usage: dict[str, Usage]
    unreported: dict[str, int]
    seconds: dict[str, float]
    discarded: int


def spent(dialogues: Iterable[Dialogue], silent: Sequence[str] = ()) -> Spent:
    """What `dialogues` cost, drafts and retries included. Roles in `silent` call no model."""
    usage: dict[str, Usage] = {}
    unreported: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    discarded = 0
    for dialogue in dialogues:
        for role, one in _calls(dialogue):
            seconds[role] += one.seconds
            discarded += isinstance(one, UserDraft)
            if role in silent or (one.usage is None and _uncalled(one)):
                continue
            used = one.usage or Usage()
            unreported[role] += used.input is None or used.output is None
            usage[role] = usage[role] + used if role in usage else used
    there = [role for role in ROLES if role in usage]
    missing = {role: unreported[role] for role in there if unreported[role]}
    return Spent({role: usage[role] for role in there}, missing, dict(seconds), discarded)


def replies(dialogue: Dialogue) -> Iterator[AssistantTurn | ToolCalled]:
    """Each time that the assistant was asked: its turns, and the first call of each step, which bears the usage and
    the seconds of the whole step."""
    steps: set[tuple[int, int]] = set()
    for event in dialogue.events:
        if isinstance(event, ToolCalled):
            if (event.turn, event.step) not in steps:
                steps.add((event.turn, event.step))
                yield event
        elif isinstance(event, AssistantTurn):
            yield event


def _calls(dialogue: Dialogue) -> Iterator[tuple[str, UserDraft | UserTurn | AssistantTurn | ToolCalled | Verdict]]:
    for event in dialogue.events:
        if isinstance(event, UserDraft | UserTurn):
            yield "user", event
    for reply in replies(dialogue):
        yield "assistant", reply
    for verdict in dialogue.verdicts:
        yield "judge", verdict


def _uncalled(one: UserDraft | UserTurn | AssistantTurn | ToolCalled | Verdict) -> bool:
    """Whether no model was called for it: written words, or a verdict to which no answer came."""
    return isinstance(one, Verdict) or (isinstance(one, UserTurn) and one.source in WRITTEN)
