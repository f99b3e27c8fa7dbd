"""Deeds: what an assistant did in a world, told again from the record by doing it again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from duologue.agents.events import CellEnded, EventBase, ToolAnswered, ToolCalled
from duologue.agents.message import ToolCall
from duologue.agents.secrets import masked
from duologue.agents.transcript import as_text
from duologue.tasks.stage import Stage
from duologue.tasks.tool import Tool
from duologue.tasks.world import World
from duologue.tasks.written import canonical

__all__ = ["Deed", "Unreproduced", "act", "again", "redone"]

NO_TOOLS = "There are no tools here. Say what you can in words."
UNREADABLE = "This is no call that can be read. Write one JSON object with the tool's name and its arguments."
_WRITING = ("create", "change", "cancel")


class Unreproduced(Exception):
    """A recorded answer, or the recorded end, is not what the world gives when the calls are made again.

    `asked` is the call that it is about, if it is about one.
    """

    def __init__(self, told: str, asked: ToolCalled | None = None) -> None:
        super().__init__(told)
        self.asked = asked


@dataclass(frozen=True)
class Deed:
    """A call that did something: made, changed or cancelled a record. `view` is what the record held after it."""

    turn: int
    tool: Tool
    passed: Mapping[str, Any] | str
    """The arguments as recorded."""
    record: str
    """The record's id."""
    view: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def arguments(self) -> str:
        """What was passed, as text."""
        return self.passed if isinstance(self.passed, str) else as_text(self.passed)


def is_same(recorded: Mapping[str, Any], done: Mapping[str, Any]) -> bool:
    """Whether what is `recorded`, where it may be masked, is what doing it again gives."""
    return recorded == done or canonical(masked(recorded)) == canonical(masked(done))


def act(world: World | None, call: ToolCall) -> tuple[bool, dict[str, Any]]:
    """Do what `call` asks for; whether that went well, and the answer."""
    if world is None:
        return False, {"error": NO_TOOLS}
    if not call.name:
        return False, {"error": UNREADABLE}
    result = world.call(call.name, call.arguments)
    return result.ok, result.value


def again(world: World | None, events: Iterable[EventBase]) -> Iterator[tuple[ToolCalled, ToolAnswered]]:
    """Make the recorded calls that were answered again in `world`; gives each with its answer once it is made.

    Raises Unreproduced at the first that is answered otherwise than it was.
    """
    called: dict[str, ToolCalled] = {}
    for event in events:
        if isinstance(event, ToolCalled):
            called[event.call] = event
        elif isinstance(event, ToolAnswered):
            if (asked := called.get(event.call)) is None:
                raise Unreproduced(f"event {event.seq} of dialogue {event.cell} answers no tool call")
            ok, value = act(world, ToolCall(event.call, asked.name, asked.arguments))
            if ok != event.ok or not is_same(event.result, value):
                told = f"{event.call} ({asked.name}) in turn {asked.turn} is answered otherwise now"
                raise Unreproduced(told, asked)
            yield asked, event


def redone(stage: Stage, events: Iterable[EventBase]) -> tuple[World, tuple[Deed, ...]]:
    """The world after the recorded calls, and the deeds among them. Raises Unreproduced, which names the call."""
    world, kept = World(stage), list(events)
    tools = {tool.name: tool for tool in world.tools if tool.verb in _WRITING}
    deeds = tuple(
        _deed(world, asked, tools[asked.name], answer.result)
        for asked, answer in again(world, kept)
        if answer.ok and asked.name in tools
    )
    last = next((event.state for event in reversed(kept) if isinstance(event, CellEnded)), None)
    if last is not None and not is_same(last, world.state()):
        raise Unreproduced("the recorded state is not what the recorded calls lead to")
    return world, deeds


def _deed(world: World, event: ToolCalled, tool: Tool, value: Mapping[str, Any]) -> Deed:
    id = str(value[tool.record]["id"])
    record = next(record for record in world.records if record.id == id)
    return Deed(event.turn, tool, event.arguments, id, record.view)
