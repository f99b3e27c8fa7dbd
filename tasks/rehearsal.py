"""A rehearsal: a task done once in a world of its own, to see that it can be done at all."""

from collections.abc import Mapping
from typing import Any

from duologue.tasks.aim import Aim, fits, keeps_to, shortfalls
from duologue.tasks.catalogue import Entity
from duologue.tasks.domain import Domain, RecordField
from duologue.tasks.faults import BadInput
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Bound, Fact, Task
from duologue.tasks.tool import Verb
from duologue.tasks.world import Result, World

__all__ = ["obstacle"]


def obstacle(task: Task, domains: Mapping[str, Domain]) -> str:
    """Why what `task` requires cannot be reached in the world; empty where it can, or where nothing is required."""
    try:
        world = World(set_stage(task, domains, (), "rehearsal"))
    except BadInput as fault:
        return fault.what
    if world.stage.aims and not shortfalls(world.stage.aims, world.records):
        return "what it requires is there at the start"
    for aim in world.stage.aims:
        for _ in range(aim.count):
            if why := _hindrance(world, aim):
                return why
    return next(iter(shortfalls(world.stage.aims, world.records)), "")


def _hindrance(world: World, aim: Aim) -> str:
    """What hinders one record of the aim; empty once it is made, changed or cancelled."""
    if aim.gone or aim.changes:
        held = [each for each in world.records if each.given and not each.touched and each.kind == aim.record.name]
        likely = sorted(held, key=lambda each: -sum(keeps_to(each.view.get(n), fact) for n, fact in aim.where.items()))
        found = next((each for each in likely if not aim.gone or aim.met_by(each)), None)
        if found is None:
            return f"no given {aim.record.name} is there to be {'cancelled' if aim.gone else 'changed'}"
        arguments = {} if aim.gone else _arguments(aim, None, changing=True)
        return _told(_call(world, aim, "cancel" if aim.gone else "change", {"id": found.id, **arguments}))
    entity = _first(world, aim) if aim.entity_field else None
    if aim.entity_field and aim.entity_field not in aim.where and entity is None:
        return f"nothing in the catalogue of {aim.domain.name} fits what it requires"
    return _told(_call(world, aim, "create", _arguments(aim, entity)))


def _first(world: World, aim: Aim) -> Entity | None:
    """The first entity that can be had and fits what the aim settles: the rest of a long catalogue is not looked at."""
    stage, name = world.stage, aim.domain.name
    return next(
        (each for each in stage.entities.get(name, ()) if stage.available(name, each) and fits(aim, each)), None
    )


def _arguments(aim: Aim, entity: Entity | None, *, changing: bool = False) -> dict[str, Any]:
    """What the aim settles, and something for whatever else must be said."""
    fields = {field.name: field for field in aim.record.fields}
    settled = {name: _value(fact) for name, fact in aim.where.items() if name in fields}
    if changing:
        return settled
    if entity and aim.entity_field not in settled:
        settled[aim.entity_field] = entity.name
    for name, field in fields.items():
        if field.required and name not in settled:
            among = entity.values.get(field.among) if entity and field.among else None
            settled[name] = next(iter(among), None) if among else _anything(aim.domain, field)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settled.items()}


def _value(fact: Fact | Bound) -> Any:
    if not isinstance(fact, Bound):
        return fact
    return next(iter(fact.any), fact.most if fact.most is not None else fact.least)


def _anything(domain: Domain, field: RecordField) -> Any:
    """A value that the field may hold; None where only the one who needs it can know one."""
    if field.kind == "number":
        return field.least if field.least is not None else min(1, field.most or 1)
    if field.kind == "truth":
        return True
    if field.kind in ("choice", "choices"):
        return next(iter(domain.values(field.name)), None)
    return None if field.pattern else "anything"


def _call(world: World, aim: Aim, verb: Verb, arguments: dict[str, Any]) -> Result:
    tool = next((t for t in world.tools if (t.record, t.verb) == (aim.record.name, verb)), None)
    if tool is None:
        return Result(False, {"error": f"there is no tool to {verb} a {aim.record.name}"})
    return world.call(tool.name, arguments)


def _told(result: Result) -> str:
    return "" if result.ok else str(result.value["error"])
