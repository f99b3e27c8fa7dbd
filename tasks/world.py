"""A world: the simulated services of one dialogue. An assistant acts on it through tools; what it holds in the end is
what was done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from duologue.tasks.arguments import Refusal, checked
from duologue.tasks.catalogue import Entity, several
from duologue.tasks.domain import Domain, RecordField, RecordKind
from duologue.tasks.record import Record
from duologue.tasks.stage import Stage
from duologue.tasks.task import Given
from duologue.tasks.tool import PAGE, Tool
from duologue.tasks.written import BadInput, nearest

__all__ = ["Result", "World"]


@dataclass(frozen=True, slots=True)
class Result:
    """What the world answers to a call. `value` is plain JSON and not to be changed; where it is not `ok` it holds
    `error`, a sentence."""

    ok: bool
    value: dict[str, Any]


class World:
    """The services of a stage, with the records that calls have made."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.tools, self._tools = stage.tools, stage.tool_named
        self._records: dict[str, Record] = {}
        for given in stage.task.given:
            self._give(given)

    @property
    def records(self) -> tuple[Record, ...]:
        """Every record in the order made, the given ones first, cancelled ones too."""
        return tuple(self._records.values())

    def state(self) -> dict[str, list[dict[str, Any]]]:
        """The records by kind, as JSON holds them."""
        state: dict[str, list[dict[str, Any]]] = {}
        for record in self._records.values():
            state.setdefault(record.kind, []).append(record.plain)
        return state

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> Result:
        """Do what a tool does. A call that cannot be done changes nothing and says why."""
        tool = self._tools.get(name)
        if tool is None:
            hint = nearest(name, self._tools) or "."
            return Result(
                False, {"error": f"There is no tool {name!r}{hint} There are: {', '.join(self._tools) or 'none'}."}
            )
        act: Mapping[str, Callable[[Tool, dict[str, Any]], dict[str, Any]]] = {
            "search": self._search,
            "get": self._get,
            "create": self._create,
            "change": self._change,
            "cancel": self._cancel,
            "list": self._list,
        }
        try:
            return Result(True, act[tool.verb](tool, checked(tool, arguments)))
        except Refusal as refusal:
            return Result(False, {"error": str(refusal)})

    def _search(self, tool: Tool, filters: dict[str, Any]) -> dict[str, Any]:
        """What is found. Kept with the stage, on which it depends alone."""
        key, kept = (tool.name, *filters.items()), self.stage.searched
        if key not in kept:
            kept[key] = self._found(tool, filters)
        return kept[key]

    def _found(self, tool: Tool, filters: dict[str, Any]) -> dict[str, Any]:
        limit, offset = filters.pop("limit", PAGE), filters.pop("offset", 0)
        domain = self.stage.domains[tool.domain]
        assert domain.entity is not None
        how = {attribute.name: attribute.search for attribute in domain.entity.attributes}
        found = [
            entity
            for entity in self.stage.entities[tool.domain]
            if all(_passes(entity.values[name], wanted, how[name]) for name, wanted in filters.items())
        ]
        listed = [self._shown(domain, entity) for entity in found[offset : offset + limit]]
        more = offset + limit < len(found)
        return {"total": len(found), domain.entity.plural: listed, "more": more}

    def _get(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        domain = self.stage.domains[tool.domain]
        return self._shown(domain, self._entity(domain, arguments["name"]))

    def _create(self, tool: Tool, fields: dict[str, Any]) -> dict[str, Any]:
        return _answer(self._keep(tool.domain, tool.record, fields))

    def _change(self, tool: Tool, fields: dict[str, Any]) -> dict[str, Any]:
        record = self._standing(tool, fields.pop("id"))
        if not fields:
            raise Refusal("Name what is to be changed.")
        domain, kind = self._kind(tool)
        merged = {**record.fields, **fields}
        stays = merged.get(kind.entity_field) == record.fields.get(kind.entity_field)
        entity = self._chosen(domain, kind, merged, stays=stays)
        record.fields, record.attributes = merged, entity.values if entity else {}
        return _answer(record)

    def _cancel(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        record = self._standing(tool, arguments["id"])
        record.status = "cancelled"
        return _answer(record)

    def _list(self, tool: Tool, _: dict[str, Any]) -> dict[str, Any]:
        held = [record.plain for record in self._records.values() if record.kind == tool.record]
        return {"total": len(held), "records": held}

    def _kind(self, tool: Tool) -> tuple[Domain, RecordKind]:
        domain = self.stage.domains[tool.domain]
        kind = domain.record(tool.record)
        assert kind is not None
        return domain, kind

    def _standing(self, tool: Tool, id: str) -> Record:
        held = {r.id: r for r in self._records.values() if r.kind == tool.record}
        record = held.get(id.strip().casefold().replace(" ", "-"))
        if record is None:
            raise Refusal(f"There is no {tool.record} {id!r}. There are: {', '.join(held) or 'none'}.")
        if record.status == "cancelled":
            raise Refusal(f"{record.id} is cancelled already.")
        return record

    def _keep(self, domain_name: str, kind_name: str, fields: dict[str, Any], *, given: bool = False) -> Record:
        domain = self.stage.domains[domain_name]
        kind = domain.record(kind_name)
        assert kind is not None
        entity = self._chosen(domain, kind, fields, stays=given)
        number = 1 + sum(record.kind == kind.name for record in self._records.values())
        record = Record(
            f"{kind.name}-{number}", kind.name, domain.name, fields, entity.values if entity else {}, given=given
        )
        self._records[record.id] = record
        return record

    def _give(self, given: Given) -> None:
        """Keep a record that is there at the start. Raises BadInput where no tool would allow it."""
        task, where = self.stage.task, f"task {self.stage.task.id!r}"
        tool = next((t for t in self.tools if (t.record, t.verb) == (given.record, "create")), None)
        if tool is None:
            raise BadInput(f"given: its domains keep no {given.record!r}", where)
        try:
            fields = checked(tool, {name: task.meant(fact) for name, fact in given.fields.items()}, whole=False)
            record = self._keep(tool.domain, tool.record, fields, given=True)
        except Refusal as refusal:
            raise BadInput(f"given: {given.record}: {refusal}", where) from None
        record.start = record.view

    def _chosen(self, domain: Domain, kind: RecordKind, fields: dict[str, Any], *, stays: bool) -> Entity | None:
        """The entity that a record's fields name. Raises Refusal where it cannot be had so; one that `stays` is had
        already."""
        name = kind.entity_field
        if name not in fields:
            return None
        entity = self._entity(domain, fields[name])
        fields[name] = entity.name
        if not stays and not self.stage.available(domain.name, entity):
            raise Refusal(f"{entity.name} is sold out. Choose another one.")
        for field in kind.fields:
            if field.name in fields:
                _check_offered(entity, field, fields[field.name])
        return entity

    def _entity(self, domain: Domain, name: str) -> Entity:
        wanted = name.strip().casefold()
        if (found := self.stage.by_name[domain.name].get(wanted)) is not None:
            return found
        assert domain.entity is not None
        hint = nearest(name, [entity.name for entity in self.stage.entities[domain.name]]) or "."
        raise Refusal(f"There is no {domain.entity.name} {name!r}{hint}")

    def _shown(self, domain: Domain, entity: Entity) -> dict[str, Any]:
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in entity.values.items()}
        sold = {} if self.stage.available(domain.name, entity) else {"available": False}
        return {"name": entity.name, **values, **sold}


def _passes(value: Any, wanted: Any, how: str) -> bool:
    if how == "at_least":
        return bool(value >= wanted)
    if how == "at_most":
        return bool(value <= wanted)
    if isinstance(value, str) and isinstance(wanted, str):
        return value.casefold() == wanted.casefold()
    return wanted in value if isinstance(value, tuple) else bool(value == wanted)


def _check_offered(entity: Entity, field: RecordField, value: Any) -> None:
    """Raises Refusal where the entity does not allow the field to be `value`."""
    if field.among:
        offered = several(entity.values[field.among])
        if not set(several(value)) <= set(offered):
            possible = ", ".join(map(str, offered))
            raise Refusal(f"{entity.name} does not have {field.name} {_plain(value)}. It has: {possible}.")
    if field.at_most and value > entity.values[field.at_most]:
        raise Refusal(f"{entity.name} takes {field.name} up to {entity.values[field.at_most]}, not {value}.")


def _answer(record: Record) -> dict[str, Any]:
    return {record.kind: record.plain}


def _plain(value: Any) -> str:
    return ", ".join(map(str, several(value)))
