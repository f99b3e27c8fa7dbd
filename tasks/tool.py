"""Tools: what an assistant can have done in a world, told as JSON Schema. Derived from the domains."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from duologue.tasks.domain import Attribute, Domain, EntityKind, RecordField, RecordKind, key
from duologue.tasks.noun import article

__all__ = ["PAGE", "Tool", "Verb", "as_function", "tools"]

Verb = Literal["search", "get", "create", "change", "cancel", "list"]

PAGE = 10
"""How many entities a search lists where it is not told."""
_JSON = {"number": "number", "truth": "boolean"}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its name, what it does, and its parameters as the JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    domain: str
    verb: Verb
    record: str = ""
    """The kind of record that it works on; empty for search and get."""


def as_function(tool: Tool) -> dict[str, Any]:
    """`tool` in the function-calling form that chat endpoints share."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def tools(domains: Iterable[Domain]) -> tuple[Tool, ...]:
    """The tools of `domains`, in their order."""
    return tuple(tool for domain in domains for tool in _tools_of(domain))


@cache
def _tools_of(domain: Domain) -> tuple[Tool, ...]:
    catalogue = _catalogue_tools(domain, domain.entity) if domain.entity else ()
    return (*catalogue, *(tool for record in domain.records for tool in _record_tools(domain, record)))


def _catalogue_tools(domain: Domain, entity: EntityKind) -> Iterator[Tool]:
    filters = {each.name: _filter(domain, each) for each in entity.attributes if each.search != "none"}
    paging = {
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "description": f"How many to list; {PAGE} if left out.",
        },
        "offset": {"type": "integer", "minimum": 0, "description": "How many to pass over, to see the next ones."},
    }
    name = entity.search or f"search_{key(entity.plural)}"
    yield Tool(
        name,
        f"Find {entity.plural}. Every filter may be left out.",
        _object({**filters, **paging}),
        domain.name,
        "search",
    )
    named = {"name": {"type": "string", "description": f"The name of the {entity.name}."}}
    name = entity.get or f"get_{key(entity.name)}"
    yield Tool(name, f"Tell everything about one {entity.name}.", _object(named, ["name"]), domain.name, "get")


def _record_tools(domain: Domain, record: RecordKind) -> Iterator[Tool]:
    fields = {field.name: _parameter(domain, field) for field in record.fields}
    required = [field.name for field in record.fields if field.required]
    about = f" {record.description}" if record.description else ""
    called = record.name.replace("_", " ")
    named = {"id": {"type": "string", "description": f"The id of the {called}, such as {record.name}-1."}}
    made: tuple[tuple[Verb, str, str, dict[str, Any]], ...] = (
        ("create", record.tools.create, f"Make {article(called)} {called}.{about}", _object(fields, required)),
        (
            "change",
            record.tools.change,
            f"Change {article(called)} {called}; what is left out stays.",
            _object({**named, **fields}, ["id"]),
        ),
        ("cancel", record.tools.cancel, f"Cancel {article(called)} {called}.", _object(named, ["id"])),
        ("list", record.tools.list, f"List every {called} that there is.", _object({})),
    )
    for verb, name, description, parameters in made:
        if name:
            yield Tool(name, description, parameters, domain.name, verb, record.name)


def _filter(domain: Domain, attribute: Attribute) -> dict[str, Any]:
    told = {"at_least": "At least this.", "at_most": "At most this.", "same": ""}[attribute.search]
    description = _joined(attribute.description, attribute.unit and f"In {attribute.unit}.", told)
    kind: dict[str, Any] = {"type": _JSON.get(attribute.kind, "string")}
    if attribute.kind in ("choice", "choices"):
        kind["enum"] = list(domain.values(attribute.name))
    return {**kind, **({"description": description} if description else {})}


def _parameter(domain: Domain, field: RecordField) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": _JSON.get(field.kind, "string")}
    if field.kind in ("choice", "choices"):
        kind["enum"] = list(domain.values(field.name))
    if field.kind == "choices":
        kind = {"type": "array", "items": kind, "minItems": 1}
    bounds = {"minimum": field.least, "maximum": field.most, "pattern": field.pattern or None}
    kind |= {name: bound for name, bound in bounds.items() if bound is not None}
    entity = domain.entity
    naming = f"The name of the {entity.name}." if entity and field.kind == "entity" else ""
    description = _joined(field.description or naming, field.unit and f"In {field.unit}.")
    return {**kind, **({"description": description} if description else {})}


def _object(properties: Mapping[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _joined(*parts: str) -> str:
    """The parts that say something, each as a sentence."""
    return " ".join(f"{part[:1].upper()}{part[1:]}{'' if part[-1] in '.!?' else '.'}" for part in parts if part)
