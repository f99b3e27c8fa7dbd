"""Services as domains: transactions are records, and what searches were seen to find is the catalogue.

There are no preference types: what a dialogue settles is a demand, and tells nothing of anybody's taste.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duologue.tasks.domain import Domain, key
from duologue.tasks.imports.naming import named, snake, tool_name, words
from duologue.tasks.imports.schema import DONT_CARE, Intent, Service
from duologue.tasks.imports.seen import Rows
from duologue.tasks.personalens import Note
from duologue.tasks.written import parse

__all__ = ["CLOCK", "DAY", "Place", "make_domain", "spelt"]

DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_FORMS = ((DAY, "YYYY-MM-DD"), (CLOCK, "HH:MM on the 24-hour clock"))
_REACHED = {"arriveby": "at_most", "leaveat": "at_least"}
"""The slots that bound a time and do not name one."""
MOST = 0.9
"""The share of days or times from which on a field takes nothing that is spelt otherwise."""
VARIES, LACKS = 0.2, 0.2
"""The shares of rows, told otherwise or not at all, from which on a slot is no property of what is found."""


@dataclass(frozen=True)
class Place:
    """A service in the world: its domain, and under which names its slots stand there."""

    service: Service
    domain: Domain
    records: Mapping[str, str]
    """The kind of record by transactional intent."""

    @cached_property
    def attributes(self) -> Mapping[str, str]:
        """By slot, how a search narrows by it, where it is known of what the catalogue lists."""
        entity = self.domain.entity
        held = {each.name: each.search for each in entity.attributes} if entity else {}
        return {slot: held[name] for slot in self.service.slots if (name := named(self.service, slot)) in held}

    def holds(self, intent: str, slot: str) -> bool:
        """Whether a record of `intent`, or what it is about, holds `slot`."""
        kind = self.domain.record(self.records.get(intent, ""))
        return kind is not None and any(each.name == named(self.service, slot) for each in self.domain.borne_by(kind))


def make_domain(
    service: Service, label: str, rows: Rows | None, asked: Mapping[str, set[str]], kinds: Mapping[str, str]
) -> tuple[Place, list[Note]]:
    """The domain of a service. `asked` are, by slot, the values that goals have; `kinds` are the names of the kinds of
    record, by transactional intent; `label` names the data set."""
    about: dict[str, Any] = {"name": f"{label} {service.name}", "description": service.description}
    if not service.transactions:
        return Place(service, parse(Domain, about, label), {}), []
    notes: list[Note] = []
    catalogue = _catalogue(service, rows, notes) if rows and service.naming else []
    attributes = [_attribute(service, slot, catalogue) for slot in _known(catalogue)]
    entity = _entity(service, attributes) if catalogue and attributes else None
    records = [_record(service, intent, kinds[intent.name], entity, asked) for intent in service.transactions]
    data = {**about, "records": [record for record in records if record["fields"]]}
    if entity:
        data |= {"entity": entity, "catalogue": [_row(service, row, attributes) for row in catalogue]}
        notes.append(Note("read", "entities", number=len(catalogue)))
    domain = parse(Domain, data, f"{label}, {service.name}")
    return Place(service, domain, {name: kind for name, kind in kinds.items() if domain.record(kind)}), notes


def spelt(service: Service, slot: str, value: str) -> str:
    """`value` as the schema spells it, where it lists it."""
    listed = service.slots[slot].values
    return next((each for each in listed if each.casefold() == value.casefold()), value)


def _row(service: Service, row: Mapping[str, Any], attributes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A row of the catalogue with the attributes' names, and its values in their forms."""
    kinds = {each["name"]: each["kind"] for each in attributes}
    told: dict[str, Any] = {"name": row["name"]}
    for slot, value in row.items():
        if slot != "name":
            name = named(service, slot)
            told[name] = value if kinds[name] == "text" else service.slots[slot].fact(value)
    return told


def _catalogue(service: Service, rows: Rows, notes: list[Note]) -> list[dict[str, Any]]:
    """A row for each name, with the slots that are properties of what bears it."""
    total = len(rows.first)
    kept = list(_properties(service, rows, notes))
    blank = {slot: "" for slot in kept if service.slots[slot].form == "text"}
    whole = {name: {**blank, **row} for name, row in rows.first.items() if all(s in row or s in blank for s in kept)}
    unique = {name.casefold(): name for name in reversed(whole)}
    lost = {
        "search results that lack what others tell": total - len(whole),
        "search results whose name another one has in other letters": len(whole) - len(unique),
    }
    notes += (Note("dropped", what, service.name, number) for what, number in lost.items() if number)
    if told := sum(count for slot, count in rows.otherwise.items() if slot in kept):
        what = "values of search results told otherwise later (the first counts)"
        notes.append(Note("repaired", what, service.name, told))
    named_once = {name: row for name, row in whole.items() if unique[name.casefold()] == name}
    return [{"name": name, **{s: spelt(service, s, row[s]) for s in kept}} for name, row in named_once.items()]


def _properties(service: Service, rows: Rows, notes: list[Note]) -> Iterator[str]:
    """The slots that belong to what is found and not to the search for it."""
    given = {slot for i in service.intents.values() for slot, value in i.optional.items() if value != DONT_CARE}
    total = len(rows.first)
    for slot in service.slots:
        lacking = sum(slot not in row for row in rows.first.values())
        if lacking == total or slot == "name" or slot in given or slot.startswith("book"):
            continue
        if rows.otherwise.get(slot, 0) > VARIES * rows.again or lacking > LACKS * total:
            what = "slots of search results that differ between searches, or that many lack (left out)"
            notes.append(Note("dropped", what, f"{service.name}: {slot}"))
        else:
            yield slot


def _known(catalogue: list[dict[str, Any]]) -> list[str]:
    return [slot for slot in catalogue[0] if slot != "name"] if catalogue else []


def _attribute(service: Service, slot: str, catalogue: list[dict[str, Any]]) -> dict[str, Any]:
    held = {row[slot] for row in catalogue}
    narrows = any(slot in intent.takes for intent in service.searches)
    search = _REACHED.get(slot, "same") if narrows or service.slots[slot].values else "none"
    known = service.slots[slot]
    fits = all(known.fact(value) is not None for value in held)
    kind = known.form if fits else "text"
    values = known.values if kind == "choice" else ()
    return {**_told(service, slot), "kind": kind, "values": values, "search": search}


def _told(service: Service, slot: str) -> dict[str, Any]:
    """How a slot is described, asked for and said."""
    about = service.slots[slot].description.strip(" .?").replace("{", "(").replace("}", ")")
    asking = re.match(r"(whether|what|how|which|if)\b", about, re.IGNORECASE)
    plain = re.sub(r"^(the|an?) ", "", about[:1].lower() + about[1:])
    called = words(named(service, slot)) if asking else plain
    question = f"What do you want there: {about[:1].lower()}{about[1:]}?" if asking else f"What is the {plain}?"
    return {
        "name": named(service, slot),
        "description": about,
        "ask": question,
        "say": f"{{value}} as the {called}",
    }


def _entity(service: Service, attributes: list[dict[str, Any]]) -> dict[str, Any]:
    noun = re.sub(r"_?(name|title)$", "", service.naming) or service.name
    noun = key(noun.removesuffix("id")) or key(service.name)
    search = service.searches[0] if service.searches else None
    return {
        "name": noun.replace("_", " "),
        "plural": f"{noun.replace('_', ' ')}{'es' if noun.endswith('s') else 's'}",
        "description": service.description,
        "attributes": attributes,
        "search": tool_name(search.name if search else f"search_{noun}", service),
        "get": tool_name(f"get_{noun}", service),
    }


def _record(
    service: Service, intent: Intent, kind: str, entity: dict[str, Any] | None, asked: Mapping[str, set[str]]
) -> dict[str, Any]:
    """A record with what the intent takes, but for what is known of the entity that it is about."""
    name, told = snake(intent.name), set()
    takes = intent.takes
    if entity and (service.naming in takes or not intent.results):
        told = {each["name"] for each in entity["attributes"]}
        takes = tuple(dict.fromkeys((service.naming, *takes)))
    else:
        entity = None
    fields = [_field(service, slot, intent, entity, asked) for slot in takes if named(service, slot) not in told]
    verbs = ("change", "cancel", "list")
    return {
        "name": kind,
        "description": intent.description,
        "tools": {"create": tool_name(name, service), **{verb: tool_name(f"{verb}_{name}", service) for verb in verbs}},
        "fields": fields,
    }


def _field(
    service: Service, slot: str, intent: Intent, entity: dict[str, Any] | None, asked: Mapping[str, set[str]]
) -> dict[str, Any]:
    told, wanted = _told(service, slot), asked.get(slot, set())
    if entity and slot == service.naming:
        return {**told, "kind": "entity", "required": True}
    listed, kind = service.slots[slot].values, service.slots[slot].form
    if kind == "choice":
        return {**told, "kind": kind, "values": tuple(dict.fromkeys((*listed, *sorted(wanted))))}
    if kind == "number":
        numbers = [int(each) for each in (*listed, *wanted) if each.isdecimal()]
        return {**told, "kind": kind, "least": min(numbers), "most": max(numbers)}
    for pattern, form in _FORMS:
        if wanted and sum(bool(re.fullmatch(pattern, each)) for each in wanted) >= MOST * len(wanted):
            return {**told, "kind": kind, "pattern": pattern, "description": f"{told['description']}, as {form}"}
    return {**told, "kind": kind, "required": slot in intent.required}
