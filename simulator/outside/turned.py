"""A dialogue from outside as the events of a record: turns that alternate, the user first."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from duologue.agents.ending import Ending
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    Event,
    ToolAnswered,
    ToolCalled,
    UserTurn,
)
from duologue.agents.message import ToolCall
from duologue.outside.spoken import Answered, Part, Words
from duologue.profiles.scenario import Scenario
from duologue.tasks.written import BadInput

__all__ = ["Turn", "as_events", "turns_of"]


@dataclass(slots=True)
class Made:
    """A call with an id of its own in the dialogue, the id that was written, and what was answered."""

    call: ToolCall
    written: str
    result: dict[str, Any] | None = None


@dataclass(slots=True)
class Turn:
    """What the user said, what the assistant had done then, and what it said."""

    user: list[str] = field(default_factory=list)
    steps: list[list[Made]] = field(default_factory=list)
    assistant: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)

    @property
    def taken(self) -> bool:
        """Whether the assistant said or did something in it."""
        return bool(self.assistant or self.steps)


def turns_of(parts: Sequence[Part], where: str) -> list[Turn]:
    """The turns that `parts` make: several messages of one side in a row are one turn, and what the assistant says
    beside its calls is said. Raises BadInput for a tool's answer to no call, and where neither side says a word."""
    turns: list[Turn] = []
    used: set[str] = set()
    calling = False
    for part in parts:
        if isinstance(part, Words) and part.role == "system":
            continue
        by_user = isinstance(part, Words) and part.role == "user"
        if not turns or (by_user and turns[-1].taken):
            turns.append(Turn())
        turn = turns[-1]
        if isinstance(part, ToolCall):
            if not calling:
                turn.steps.append([])
            turn.steps[-1].append(Made(_unlike(part, used), part.id))
        elif isinstance(part, Answered):
            _asked(turn, part, where).result = part.result
        elif by_user:
            turn.user.append(part.text)
        else:
            turn.assistant.append(part.text)
            turn.reasoning.append(part.reasoning)
        calling = isinstance(part, ToolCall)
    if not any(text.strip() for turn in turns for text in (*turn.user, *turn.assistant)):
        raise BadInput("nobody says anything in it", where)
    return turns


def _unlike(call: ToolCall, used: set[str]) -> ToolCall:
    """`call` with an id that no other call of the dialogue has."""
    stem = call.id or "call"
    names = itertools.chain([call.id] if call.id else [], (f"{stem}-{n}" for n in itertools.count(2 if call.id else 1)))
    id = next(name for name in names if name not in used)
    used.add(id)
    return ToolCall(id, call.name, call.arguments)


def _asked(turn: Turn, answer: Answered, where: str) -> Made:
    """The call of that turn which was answered: the one that is named or, where none is, the first that waits."""
    for made in itertools.chain.from_iterable(turn.steps):
        named = answer.call == made.written if answer.call else answer.name in ("", made.call.name)
        if made.result is None and named:
            return made
    raise BadInput(f"a tool answers{' ' + repr(answer.call) if answer.call else ''}, but was not called", where)


def as_events(
    turns: Sequence[Turn], scenario: Scenario, cell: str, assistant: str, trial: int, end: Ending, time: float
) -> Iterator[Event]:
    """The events of the dialogue `cell`. When each thing was said is not known: all bear the `time` of bringing in."""
    seq = itertools.count(1)

    def at(turn: int, role: str = "simulator") -> dict[str, Any]:
        return {"cell": cell, "seq": next(seq), "turn": turn, "role": role, "time": time}

    yield CellStarted(
        **at(0),
        scenario=scenario.id,
        profile=scenario.profile.id,
        task=scenario.task.id,
        situation=scenario.situation,
        assistant=assistant,
        trial=trial,
    )
    for number, turn in enumerate(turns, 1):
        yield UserTurn(**at(number, "user"), text=_joined(turn.user), source="elsewhere")
        for step, calls in enumerate(turn.steps, 1):
            for call in (made.call for made in calls):
                asked: dict[str, Any] = {"call": call.id, "name": call.name, "arguments": call.arguments}
                yield ToolCalled(**at(number, "assistant"), **asked, step=step, of=len(calls))
            for made in calls:
                if made.result is not None:
                    ok = not made.result.get("error")
                    yield ToolAnswered(**at(number), call=made.call.id, ok=ok, result=made.result)
        if turn.assistant or number < len(turns):
            text, reasoning = _joined(turn.assistant), _joined(turn.reasoning)
            yield AssistantTurn(**at(number, "assistant"), text=text, reasoning=reasoning)
    yield CellEnded(**at(len(turns)), ending=end)


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(filter(None, texts))
