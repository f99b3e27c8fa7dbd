"""Events: the record of a dialogue. File, replay and the judge's input are these and nothing else."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from duologue.agents.ending import Ending, Role
from duologue.agents.usage import Usage
from duologue.tasks.task import Situation
from duologue.tasks.written import Written

__all__ = [
    "AssistantTurn", "CellEnded", "CellStarted", "Disclosure", "Event", "EventBase",
    "LedgerNoted", "ToolAnswered", "ToolCalled", "UserDraft", "UserTurn", "acted",
]  # fmt: skip


class EventBase(Written):
    """What every event carries. `turn` counts from 1; a user turn and its reply share a number."""

    v: Literal[1] = 1
    cell: str
    attempt: int = 1
    seq: int
    turn: int = 0
    role: Role = "simulator"
    time: float
    """Seconds since the epoch, UTC."""


class CellStarted(EventBase):
    """A dialogue begins: who talks to which assistant about what."""

    kind: Literal["cell_started"] = "cell_started"
    scenario: str
    profile: str
    task: str
    situation: Situation = Situation()
    assistant: str
    trial: int


class Disclosure(Written):
    """One thing that the user let out: a preference value or a fact."""

    what: Literal["preference", "fact"]
    domain: str = ""
    type: str = ""
    value: str
    how: Literal["unasked", "asked", "corrected", "invented", "contradicts"]
    """`corrected` is told by turning a proposal down."""
    source: Literal["declared", "matched", "judge", "exact"]


class UserDraft(EventBase):
    """A user turn that the guard discarded."""

    kind: Literal["user_draft"] = "user_draft"
    text: str
    faults: tuple[str, ...]
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0


class UserTurn(EventBase):
    """What the user said. With `stop`, the last thing it says."""

    kind: Literal["user_turn"] = "user_turn"
    text: str
    stop: bool = False
    reason: Literal["", "satisfied", "gave_up"] = ""
    source: Literal["model", "agenda", "script", "person", "task", "reused", "elsewhere"] = "model"
    """Where the words come from; `reused` is an opener shared with another assistant's dialogue, `elsewhere` is one
    that was brought in."""
    declared: tuple[Disclosure, ...] = ()
    """What a model itself said that it discloses; what an agenda discloses is in its ledger alone."""
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0


class AssistantTurn(EventBase):
    """What the assistant under test said."""

    kind: Literal["assistant_turn"] = "assistant_turn"
    text: str
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0


class ToolCalled(EventBase):
    """The assistant has a tool called in its turn. Calls made in one breath share a `step`, which counts from 1."""

    kind: Literal["tool_call"] = "tool_call"
    call: str
    """Names the call within the dialogue."""
    name: str
    arguments: dict[str, Any] | str
    """Text where it is no JSON object, as it came."""
    step: int = 1
    of: int = 1
    """How many calls the step has; 1 in older records, whatever it has."""
    text: str = ""
    """What was said beside the first call of a step; the user does not hear it."""
    reasoning: str = ""
    usage: Usage | None = None
    """Of the whole step, with its first call."""
    seconds: float = 0


class ToolAnswered(EventBase):
    """What the world answered to a call."""

    kind: Literal["tool_result"] = "tool_result"
    call: str
    ok: bool
    result: dict[str, Any]
    """Holds `error`, a sentence, where it is not `ok`."""


class LedgerNoted(EventBase):
    """What the user turn of the same number disclosed."""

    kind: Literal["ledger"] = "ledger"
    entries: tuple[Disclosure, ...]


class CellEnded(EventBase):
    """The dialogue is over, for exactly one reason."""

    kind: Literal["cell_ended"] = "cell_ended"
    ending: Ending
    state: dict[str, Any] | None = None
    """The records that the world holds at the end, by kind; None where there is no world."""


Event = Annotated[
    CellStarted | UserDraft | UserTurn | AssistantTurn | ToolCalled | ToolAnswered | LedgerNoted | CellEnded,
    Field(discriminator="kind"),
]


def acted(events: Sequence[EventBase]) -> bool:
    """Whether a world took some call: without one, every call is refused. What was called elsewhere acted on none."""
    last = events[-1] if events else None
    if isinstance(last, CellEnded) and last.ending.reason == "held_elsewhere":
        return False
    return any(isinstance(event, ToolAnswered) and event.ok for event in events)
