"""A dialogue as its turns, and as each side sees it. Pure functions over the record."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from duologue.agents.events import AssistantTurn, CellEnded, EventBase, ToolAnswered, ToolCalled, UserDraft, UserTurn
from duologue.agents.message import Message, Seat, ToolCall

__all__ = ["Action", "Transcript", "as_seen_by", "as_text", "skimmed", "transcript"]

SKIMMED = 20_000
"""Letters of a turn that the loop's own checks look at. More would keep every other dialogue waiting."""


@dataclass(frozen=True, slots=True)
class Action:
    """A tool call in the assistant's turn of that number, and its answer; None where it has none yet."""

    turn: int
    step: int
    call: ToolCall
    answer: Mapping[str, Any] | None = None
    text: str = ""
    """What was said beside the first call of the step."""

    @property
    def result(self) -> str:
        """The answer as the assistant reads it; empty where there is none yet."""
        return "" if self.answer is None else as_text(self.answer)


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said, in order: user and assistant alternate, the user first. `actions` are what was done between.

    `drafts` are what was wrong with each draft of the user's turn to come that was discarded, `state` the records that
    the world holds at the end, by kind; None where there is no world, or no end yet.
    """

    messages: tuple[Message, ...] = ()
    actions: tuple[Action, ...] = ()
    drafts: tuple[tuple[str, ...], ...] = ()
    state: Mapping[str, Any] | None = field(default=None, compare=False)

    def and_then(self, role: Seat, text: str) -> "Transcript":
        return Transcript((*self.messages, Message(role, text)), self.actions)

    def and_done(self, action: Action) -> "Transcript":
        """With `action` too, in place of the same call without an answer."""
        place = self._place(action.call.id) if action.answer is not None else None
        if place is None:
            return Transcript(self.messages, (*self.actions, action))
        return Transcript(self.messages, (*self.actions[:place], action, *self.actions[place + 1 :]))

    def _place(self, call: str) -> int | None:
        """Where the call of that id stands that has no answer yet: in the last step, if anywhere."""
        for place in range(len(self.actions) - 1, -1, -1):
            if self.actions[place].call.id == call:
                return place if self.actions[place].answer is None else None
            if self.actions[place].turn != self.actions[-1].turn or self.actions[place].step != self.actions[-1].step:
                return None
        return None

    def and_heard(self, event: EventBase) -> "Transcript":
        """With what `event`, the next one of the same attempt, adds to it."""
        if isinstance(event, UserTurn):
            return self.and_then("user", event.text)
        if isinstance(event, AssistantTurn):
            return self.and_then("assistant", event.text)
        if isinstance(event, UserDraft):
            return replace(self, drafts=(*self.drafts, event.faults))
        if isinstance(event, ToolCalled):
            call = ToolCall(event.call, event.name, event.arguments)
            return self.and_done(Action(event.turn, event.step, call, text=event.text))
        if isinstance(event, ToolAnswered):
            place = self._place(event.call)
            return self if place is None else self.and_done(replace(self.actions[place], answer=event.result))
        return replace(self, state=event.state) if isinstance(event, CellEnded) else self

    @property
    def turn(self) -> int:
        """The number of the turn under way or, between turns, of the one to come."""
        return len(self.messages) // 2 + 1

    @property
    def step(self) -> int:
        """The number of the assistant's step to come in the turn under way: one more than those that called tools."""
        last = self.actions[-1] if self.actions else None
        return last.step + 1 if last and last.turn == self.turn else 1

    def said_by(self, seat: Seat) -> tuple[str, ...]:
        return tuple(message.text for message in self.messages if message.role == seat)


def transcript(events: Iterable[EventBase]) -> Transcript:
    """The turns and calls among `events`, which belong to one attempt of one cell."""
    script = Transcript()
    for event in events:
        script = script.and_heard(event)
    return script


def as_text(result: Mapping[str, Any]) -> str:
    """What a tool answered, as the assistant reads it: JSON on one line."""
    return json.dumps(result, ensure_ascii=False)


def skimmed(script: Transcript) -> Transcript:
    """The dialogue with overlong turns cut, for checks that look for telling words."""
    if all(len(message.text) <= SKIMMED for message in script.messages):
        return script
    return Transcript(tuple(Message(m.role, m.text[:SKIMMED]) for m in script.messages), script.actions)


def as_seen_by(seat: Seat, script: Transcript) -> tuple[Message, ...]:
    """The dialogue with that side's own words under `assistant`, as a chat model expects its own.

    The assistant sees its calls and their answers too, the user only words.
    """
    if seat == "assistant":
        return tuple(_with_actions(script)) if script.actions else script.messages
    other = {"user": "assistant", "assistant": "user"}
    return tuple(Message(other[m.role], m.text) for m in script.messages)  # type: ignore[arg-type]


def _with_actions(script: Transcript) -> Iterator[Message]:
    for number, message in enumerate(script.messages):
        yield message
        if message.role == "user":
            done = (action for action in script.actions if action.turn == number // 2 + 1)
            for _, step in groupby(done, key=lambda action: action.step):
                actions = tuple(step)
                yield Message("assistant", actions[0].text, calls=tuple(action.call for action in actions))
                yield from (Message("tool", action.result, call=action.call.id) for action in actions)
