"""Acting on the world, and bringing a world back to where a recorded dialogue left it."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from duologue.agents.deeds import is_same
from duologue.agents.events import EventBase, ToolAnswered, ToolCalled
from duologue.agents.message import ToolCall
from duologue.agents.secrets import known, masked
from duologue.agents.transcript import Transcript
from duologue.agents.wire import call_in
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

__all__ = ["act", "fold", "named"]

NO_TOOLS = "There are no tools here. Say what you can in words."
UNREADABLE = "This is no call that can be read. Write one JSON object with the tool's name and its arguments."


def act(world: World | None, call: ToolCall) -> tuple[bool, dict[str, Any]]:
    """Do what `call` asks for; whether that went well, and the answer."""
    if world is None:
        return False, {"error": NO_TOOLS}
    if not call.name:
        return False, {"error": UNREADABLE}
    result = world.call(call.name, call.arguments)
    return result.ok, result.value


def fold(world: World | None, events: Iterable[EventBase]) -> None:
    """Do in `world` what is recorded as answered. Raises BadInput where it answers otherwise than it did then."""
    called = {event.call: event for event in events if isinstance(event, ToolCalled)}
    for event in events:
        if isinstance(event, ToolAnswered):
            if (asked := called.get(event.call)) is None:
                raise BadInput(f"event {event.seq} of dialogue {event.cell} answers no tool call")
            ok, value = act(world, ToolCall(event.call, asked.name, asked.arguments))
            if ok != event.ok or not is_same(value, event.result):
                raise BadInput(
                    f"tool call {event.call} ({asked.name}, turn {asked.turn}) of dialogue {event.cell} gives "
                    "another answer now than when it was recorded",
                    then="Restore the tasks and the version of Duologue that it was run with, or run it anew",
                )


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
