"""One dialogue: the loop that everything else listens to."""

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, TypeVar

from duologue.agents.deeds import act
from duologue.agents.ending import Ending, Failure, Reason, Role, ending
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    Event,
    EventBase,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.agents.guard import faults, looping
from duologue.agents.ledger import disclosures
from duologue.agents.message import ToolCall, sound
from duologue.agents.secrets import redact
from duologue.agents.speaker import Said, Speaker
from duologue.agents.transcript import SKIMMED, Transcript, skimmed, transcript
from duologue.folding import fold, named
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain
from duologue.tasks.world import World

__all__ = ["Talk", "converse"]

DRAFTS = 3
"""How often the user is asked for one turn before it counts as broken."""
EMPTY_TURNS = 3
"""How many empty turns of the assistant running end the dialogue."""
STEPS = 12
"""How often running the assistant may have tools called before it says a word to the user."""
CALLS = 64
"""How many tools the assistant may have called at once. More is no service to a user, and would keep every other
dialogue waiting."""
FAULT = 200
"""Letters of a tool's answer that are told of in an ending."""

Noted = TypeVar("Noted", bound=EventBase)


@dataclass(frozen=True, slots=True)
class Talk:
    """One dialogue to be held: who sits where, about what, for how long."""

    cell: str
    attempt: int
    scenario: Scenario
    assistant_name: str
    trial: int
    user: Speaker
    assistant: Speaker
    turns: int
    """How many times the user may speak."""
    domains: Mapping[str, Domain] = field(default_factory=dict)
    halted: Callable[[], Reason | None] = lambda: None
    """Why the dialogue should stop between two turns or steps, if it should."""
    world: World | None = None
    """As it is before the dialogue. Without one, tool calls are answered with that there are no tools."""


async def converse(talk: Talk, so_far: Sequence[Event] = ()) -> AsyncIterator[Event]:
    """Hold a dialogue and yield its events, the last of which is its one ending.

    `so_far` are the events of the same attempt up to where it was interrupted, the last step `whole`: it goes on from
    there.
    Raises BadInput where the world no longer answers as it did in them.
    """
    pen, script, heard = _Pen(talk, so_far[-1].seq if so_far else 0), transcript(so_far), _last_user_turn(so_far)
    fold(talk.world, so_far)
    seat: Role = "user"
    try:
        async for event in _beginning(talk, so_far, script, pen):
            yield event
            script = script.and_heard(event)
        while (end := _over(talk, script, heard)) is None:
            seat = "user" if len(script.messages) % 2 == 0 else "assistant"
            async for event in _hear_user(talk, script, pen) if seat == "user" else _hear_assistant(talk, script, pen):
                yield event
                script = script.and_heard(event)
                heard = event if isinstance(event, UserTurn) else heard
        yield pen.ended(end)
    except Failure as failure:
        yield pen.ended(ending(failure.reason, seat, failure.detail))
    except Exception as fault:  # noqa: BLE001 - the one edge: a fault of ours loses this dialogue only
        yield pen.ended(ending("internal", seat, _described(fault)))


async def _beginning(talk: Talk, so_far: Sequence[Event], script: Transcript, pen: "_Pen") -> AsyncIterator[Event]:
    """What stands before the first turn to come: the start, or what was cut off from the last event: its ledger, or
    the answers to its calls."""
    if not so_far:
        yield pen.started()
    elif isinstance(last := so_far[-1], UserTurn):
        before = Transcript(script.messages[:-1], script.actions)
        said = Said(last.text, source=last.source, declared=last.declared)
        said = await talk.user.speak(before) if said.source == "agenda" else said
        for noted in _ledger(talk, before, said, last.text, pen):
            yield noted
    for action in (action for action in script.actions if action.answer is None):
        yield pen.answered(action.turn, action.call)


async def _hear_assistant(talk: Talk, script: Transcript, pen: "_Pen") -> AsyncIterator[Event]:
    """The assistant's next step: its words, or the calls that it makes before them and their answers."""
    said = await talk.assistant.speak(script)
    if not said.calls:
        yield pen.note(AssistantTurn, script.turn, "assistant", **_words(said))
        return
    if len(said.calls) > CALLS:
        raise Failure("loop", f"asked for {len(said.calls)} tool calls at once; {CALLS} are the most that are made")
    calls, words = named(said.calls, script), _words(said)
    for call in calls:
        yield pen.called(script, call, len(calls), words)
        words = {}
    for call in calls:
        yield pen.answered(script.turn, call)


async def _hear_user(talk: Talk, script: Transcript, pen: "_Pen") -> AsyncIterator[Event]:
    """The user's next turn, with the drafts that the guard discarded before it."""
    while len(script.drafts) < DRAFTS:
        said = await talk.user.speak(script, script.drafts[-1] if script.drafts else ())
        text = sound(said.text)
        found = faults(talk.scenario, skimmed(script), text[:SKIMMED]) if _is_checked(talk.user, said) else ()
        if not found:
            yield pen.delivered(script, said)
            for noted in _ledger(talk, script, said, text, pen):
                yield noted
            return
        draft = pen.note(UserDraft, script.turn, "user", faults=found, **_words(said))
        yield draft
        script = script.and_heard(draft)
    found = script.drafts[-1]
    reason: Reason = "loop" if "repeats" in found else "user_broken"
    raise Failure(reason, f"{DRAFTS} drafts discarded, the last one: {', '.join(found)}")


def _is_checked(user: Speaker, said: Said) -> bool:
    """What the task or an agenda has the user say stands as it is, and so does leaving without a word."""
    return user.guarded and said.source not in ("task", "agenda") and not (said.stop and not said.text.strip())


def _ledger(talk: Talk, before: Transcript, said: Said, text: str, pen: "_Pen") -> Iterator[LedgerNoted]:
    """What the user's words, delivered as `text`, let out. An agenda knows it exactly."""
    entries = said.declared
    if said.source != "agenda":
        entries = disclosures(talk.scenario, skimmed(before), text[:SKIMMED], said.declared, talk.domains)
    if entries:
        yield pen.note(LedgerNoted, before.turn, "user", entries=entries)


def _over(talk: Talk, script: Transcript, heard: UserTurn | None) -> Ending | None:
    """The ending that the dialogue has reached after its last turn, if it has."""
    if heard is None or not script.messages:
        return None
    answered = script.messages[-1].role == "assistant"
    if heard.stop and (answered or not heard.text.strip()):
        return ending(heard.reason or "satisfied", "user")
    if (step := script.step) > STEPS:
        told = f"called tools {STEPS} times running without a word to the user{_refused(script)}"
        return ending("loop", "assistant", told)
    if step == 1 and (seat := looping(skimmed(script))) is not None:
        return ending("loop", seat, "said nearly the same three times running")
    if answered and not script.messages[-1].text.strip() and _fell_silent(script):
        return ending("empty", "assistant", f"{EMPTY_TURNS} empty turns running")
    if answered and len(script.messages) >= 2 * talk.turns:
        return ending("turn_limit", "simulator", f"{talk.turns} user turns")
    reason = talk.halted()
    return ending(reason, "simulator") if reason else None


def _refused(script: Transcript) -> str:
    """What the last calls were told if they went wrong, as a clause."""
    wrong = takewhile(lambda action: "error" in (action.answer or {}), reversed(script.actions))
    errors = [str((action.answer or {})["error"]) for action in wrong if action.turn == script.turn]
    if not errors:
        return ""
    last = errors[0] if len(errors[0]) <= FAULT else errors[0][:FAULT] + "…"
    if len(errors) == 1:
        return f"; the last answer was an error: {last}"
    return f"; the last {len(errors)} answers were errors, in the end: {last}"


def _fell_silent(script: Transcript) -> bool:
    last = script.said_by("assistant")[-EMPTY_TURNS:]
    return len(last) == EMPTY_TURNS and not any(text.strip() for text in last)


def _words(said: Said) -> dict[str, Any]:
    return {
        "text": sound(said.text),
        "reasoning": sound(said.reasoning),
        "usage": said.usage,
        "seconds": round(said.seconds, 3),
    }


def _last_user_turn(events: Sequence[Event]) -> UserTurn | None:
    return next((event for event in reversed(events) if isinstance(event, UserTurn)), None)


def _described(fault: Exception) -> str:
    frame = fault.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = f" ({frame.tb_frame.f_globals.get('__name__', '?')}:{frame.tb_lineno})" if frame else ""
    return redact(f"{type(fault).__name__}: {fault}{place}")


class _Pen:
    """Numbers and dates the events of one dialogue."""

    def __init__(self, talk: Talk, seq: int) -> None:
        self._talk, self._seq = talk, seq

    def note(self, kind: type[Noted], turn: int, role: Role, **fields: Any) -> Noted:
        self._seq += 1
        return kind(
            cell=self._talk.cell,
            attempt=self._talk.attempt,
            seq=self._seq,
            turn=turn,
            role=role,
            time=time.time(),
            **fields,
        )

    def started(self) -> CellStarted:
        talk, scenario = self._talk, self._talk.scenario
        return self.note(
            CellStarted, 0, "simulator",
            scenario=scenario.id, profile=scenario.profile.id, task=scenario.task.id, situation=scenario.situation,
            assistant=talk.assistant_name, trial=talk.trial,
        )  # fmt: skip

    def called(self, script: Transcript, call: ToolCall, of: int, words: dict[str, Any]) -> ToolCalled:
        return self.note(
            ToolCalled, script.turn, "assistant",
            call=call.id, name=call.name, arguments=call.arguments, step=script.step, of=of, **words,
        )  # fmt: skip

    def delivered(self, script: Transcript, said: Said) -> UserTurn:
        return self.note(
            UserTurn, script.turn, "user", stop=said.stop, reason=said.reason, source=said.source,
            declared=() if said.source == "agenda" else said.declared, **_words(said),
        )  # fmt: skip

    def answered(self, turn: int, call: ToolCall) -> ToolAnswered:
        ok, value = act(self._talk.world, call)
        return self.note(ToolAnswered, turn, "simulator", call=call.id, ok=ok, result=value)

    def ended(self, end: Ending) -> CellEnded:
        world = self._talk.world
        return self.note(CellEnded, 0, end.role, ending=end, state=world.state() if world else None)
