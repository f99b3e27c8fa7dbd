"""Deeds: what an assistant did in a world, told again from the record by doing it again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from duologue.agents.events import CellEnded, EventBase, ToolAnswered, ToolCalled
from duologue.agents.secrets import masked
from duologue.agents.transcript import as_text
from duologue.tasks.stage import Stage
from duologue.tasks.tool import Tool
from duologue.tasks.world import World
from duologue.tasks.written import canonical

__all__ = ["Deed", "Unreproduced", "is_same", "redone"]

_WRITING = ("create", "change", "cancel")


class Unreproduced(Exception):
    """A recorded answer, or the recorded end, is not what the world gives when the calls are made again."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A call that did something: made, changed or cancelled a record. `view` is what the record held after it."""

    turn: int
    tool: Tool
    arguments: str
    """As recorded, as text."""
    record: str
    """The record's id."""
    view: Mapping[str, Any] = field(default_factory=dict)


def is_same(recorded: Mapping[str, Any], done: Mapping[str, Any]) -> bool:
    """Whether what is `recorded`, where it may be masked, is what doing it again gives."""
    return recorded == done or canonical(masked(recorded)) == canonical(masked(done))


def redone(stage: Stage, events: Iterable[EventBase]) -> tuple[World, tuple[Deed, ...]]:
    """The world after the recorded calls, and the deeds among them. Raises Unreproduced, which names the call."""
    world, deeds, last = World(stage), list[Deed](), None
    kept = list(events)
    answers = {event.call: event for event in kept if isinstance(event, ToolAnswered)}
    tools = {tool.name: tool for tool in world.tools}
    for event in kept:
        if isinstance(event, ToolCalled) and event.name:
            result = world.call(event.name, event.arguments)
            answer = answers.get(event.call)
            if answer is not None and (answer.ok != result.ok or not is_same(answer.result, result.value)):
                raise Unreproduced(f"{event.call} ({event.name}) in turn {event.turn} is answered otherwise now")
            tool = tools.get(event.name)
            if answer is not None and result.ok and tool is not None and tool.verb in _WRITING:
                deeds.append(_deed(world, event, tool, result.value))
        elif isinstance(event, CellEnded):
            last = event.state
    if last is not None and not is_same(last, world.state()):
        raise Unreproduced("the recorded state is not what the recorded calls lead to")
    return world, tuple(deeds)


def _deed(world: World, event: ToolCalled, tool: Tool, value: Mapping[str, Any]) -> Deed:
    id = str(value[tool.record]["id"])
    record = next(record for record in world.records if record.id == id)
    arguments = event.arguments if isinstance(event.arguments, str) else as_text(event.arguments)
    return Deed(event.turn, tool, arguments, id, record.view)
