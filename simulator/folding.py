"""Bringing a world back to where a recorded dialogue left it, and naming calls so that this works."""

from collections.abc import Iterable
from itertools import count

from duologue.agents.deeds import Unreproduced, again
from duologue.agents.events import EventBase
from duologue.agents.message import ToolCall
from duologue.agents.secrets import known, masked
from duologue.agents.transcript import Transcript
from duologue.agents.wire import call_in
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

__all__ = ["fold", "named"]


def fold(world: World | None, events: Iterable[EventBase]) -> None:
    """Do in `world` what is recorded as answered. Raises BadInput where it answers otherwise than it did then."""
    try:
        for _ in again(world, events):
            pass
    except Unreproduced as fault:
        if (asked := fault.asked) is None:
            raise BadInput(str(fault)) from None
        raise BadInput(
            f"tool call {asked.call} ({asked.name}, turn {asked.turn}) of dialogue {asked.cell} gives "
            "another answer now than when it was recorded",
            then="Restore the tasks and the version of Duologue that it was run with, or run it anew",
        ) from None


def _nothing(key: str) -> bool:
    return False


def named(calls: Iterable[ToolCall], script: Transcript) -> tuple[ToolCall, ...]:
    """`calls` as plain JSON and as the record will hold them, so that done again they do the same.

    Each is under an id that no other call of the dialogue has: the assistant's own where it is one.
    """
    taken, secrets = {action.call.id for action in script.actions}, known()
    fresh = (id for number in count(len(taken) + 1) if (id := f"call{number:05}") not in taken)
    found = []
    for call in map(call_in, calls):
        own = call.id and call.id not in taken and masked(call.id, secrets) == call.id
        id = call.id if own else next(fresh)
        taken.add(id)
        found.append(ToolCall(id, masked(call.name, secrets), masked(call.arguments, secrets, keeps=_nothing)))
    return tuple(found)
