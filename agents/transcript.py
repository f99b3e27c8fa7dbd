"""A dialogue as its turns, and as each side sees it. Pure functions over the record."""

from collections.abc import Iterable
from dataclasses import dataclass

from duologue.agents.events import AssistantTurn, EventBase, UserTurn
from duologue.agents.message import Message, Seat

__all__ = ["Transcript", "as_seen_by", "skimmed", "transcript"]

SKIMMED = 20_000
"""Letters of a turn that the loop's own checks look at. More would keep every other dialogue waiting."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said, in order: user and assistant alternate, the user first."""

    messages: tuple[Message, ...] = ()

    def and_then(self, role: Seat, text: str) -> "Transcript":
        return Transcript((*self.messages, Message(role, text)))

    @property
    def turn(self) -> int:
        """The number of the turn under way or, between turns, of the one to come."""
        return len(self.messages) // 2 + 1

    def said_by(self, seat: Seat) -> tuple[str, ...]:
        return tuple(message.text for message in self.messages if message.role == seat)


def transcript(events: Iterable[EventBase]) -> Transcript:
    """The turns among `events`, which belong to one attempt of one cell."""
    seats: dict[type, Seat] = {UserTurn: "user", AssistantTurn: "assistant"}
    return Transcript(tuple(Message(seats[type(e)], e.text) for e in events if isinstance(e, UserTurn | AssistantTurn)))


def skimmed(script: Transcript) -> Transcript:
    """The dialogue with overlong turns cut, for checks that look for telling words."""
    if all(len(message.text) <= SKIMMED for message in script.messages):
        return script
    return Transcript(tuple(Message(message.role, message.text[:SKIMMED]) for message in script.messages))


def as_seen_by(seat: Seat, script: Transcript) -> tuple[Message, ...]:
    """The dialogue with that side's own words under `assistant`, as a chat model expects its own."""
    if seat == "assistant":
        return script.messages
    other = {"user": "assistant", "assistant": "user"}
    return tuple(Message(other[m.role], m.text) for m in script.messages)  # type: ignore[arg-type]
