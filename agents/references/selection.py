"""Selection: what fits an aim, as far as is known, and which of it is worth most by some taste. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duologue.agents.references.taste import Marks, Taste, dearest, valued
from duologue.tasks.aim import Aim, keeps_to
from duologue.tasks.catalogue import Entity, several
from duologue.tasks.chance import number
from duologue.tasks.domain import Attribute, RecordField, key
from duologue.tasks.task import Bound, Fact

__all__ = ["Found", "Selection"]

Found = Mapping[str, Any]
"""An entity as a search lists it: its name and its attributes."""


@dataclass(frozen=True)
class Selection:
    """How what an aim wants is chosen.

    `facts` are the required values as far as they are known. `open` names what is to be chosen where a record that
    stands is changed; where one is made, everything is. `seed` decides between what is worth the same.
    """

    aim: Aim
    facts: Mapping[str, Fact | Bound]
    taste: Taste
    open: frozenset[str]
    seed: tuple[Any, ...]

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes of what the record is about, by name."""
        return self.aim.attributes

    @property
    def own(self) -> Mapping[str, RecordField]:
        """The record's own fields, by name."""
        return self.aim.own

    def is_meant(self, record: Mapping[str, Any]) -> bool:
        """Whether everything that is known holds of a record, as far as its own fields tell."""
        return all(keeps_to(record[name], fact) for name, fact in self.facts.items() if name in record)

    def agreement(self, record: Mapping[str, Any]) -> int:
        """With how much of what is known a record agrees."""
        return sum(keeps_to(record.get(name), fact) for name, fact in self.facts.items())

    def chooses_entity(self, before: Mapping[str, Any]) -> bool:
        """Whether the entity of a record that stands is to be chosen anew."""
        about = self.facts.keys() | self.open
        return not before or any(name in self.attributes and name not in self.own for name in about)

    def leaves_open(self, name: str) -> bool:
        """Whether what is known leaves more than one value for the attribute or field of that name, as far as the
        catalogue tells."""
        field = self.own.get(name)
        if field and field.settled_by in self.facts:
            return False
        source = field.among if field else name
        if source not in self.attributes:
            return True
        found = (value for entity in self._fitting() for value in several(entity.values[source]))
        first = next(found, None)
        return first is None or any(value != first for value in found)

    def filters(self) -> dict[str, Any]:
        """The known facts as a search takes them: those of attributes, and those that an attribute bounds."""
        filters: dict[str, Any] = {}
        for name, fact in self.facts.items():
            field = self.own.get(name)
            bounding = (field.among, field.at_most) if field else ()
            for attribute in filter(None, map(self.attributes.get, (name, *bounding))):
                if (wanted := _filter(attribute, fact)) is not None:
                    filters[attribute.name] = wanted
        return filters

    def ranked(self, found: Iterable[Found], before: Mapping[str, Any]) -> Iterator[Found]:
        """Of what a search found, what can be had and fits, the one that is worth most first."""
        bounds = self._bounds({**before, **self._plain_facts})
        worths: dict[float, list[Found]] = {}
        for entity in found:
            if entity.get("available", True) and self._fits(entity, bounds):
                worths.setdefault(self._worth(entity), []).append(entity)
        for worth in sorted(worths, reverse=True):
            yield from sorted(worths[worth], key=lambda each: number(*self.seed, str(each["name"])))

    def fields(
        self, before: Mapping[str, Any], entity: Found | None, dropped: AbstractSet[str] = frozenset()
    ) -> dict[str, Any]:
        """What a record is to hold: what is known, what is chosen by taste, and what its tool needs beside.

        Fields that were `dropped` are chosen no more.
        """
        fields: dict[str, Any] = {}
        for field in self.own.values():
            value = self._value(field, before, entity, dropped)
            if value is not None:
                fields[field.name] = [value] if field.kind == "choices" and not isinstance(value, list) else value
        return fields

    def _value(
        self, field: RecordField, before: Mapping[str, Any], entity: Found | None, dropped: AbstractSet[str]
    ) -> Any:
        if field.kind == "entity":
            return entity["name"] if entity else self.facts.get(field.name)
        if field.name in self.facts:
            return _settled(self.facts[field.name], before.get(field.name))
        unsaid = field.name in self.aim.where or (not field.required and field.settled_by in self.facts)
        if unsaid or (field.name in dropped and not field.required):
            return None
        return self._chosen(field, before, entity)

    def _chosen(self, field: RecordField, before: Mapping[str, Any], entity: Found | None) -> Any:
        held = before.get(field.name)
        if before and field.name not in self.open:
            return held
        possible = several(entity[field.among]) if field.among and entity and field.among in entity else None
        value = dearest(self.taste, self.aim.domain, field.name, possible)
        if value is None and held is None and field.required:
            return self._needed(field, possible)
        return held if value is None else value

    def _needed(self, field: RecordField, possible: Sequence[Any] | None) -> Any:
        """Something for a field that the tool wants and nobody has spoken of."""
        if field.kind in ("choice", "choices"):
            values = possible or self.aim.domain.values(field.name)
            return values[number(*self.seed, field.name) % len(values)]
        if field.kind == "number":
            return field.least if field.least is not None else 1
        return False if field.kind == "truth" else key(field.name)

    def _fits(self, entity: Found, bounds: Sequence[tuple[RecordField, Any]]) -> bool:
        """Whether an entity keeps to the facts, and lets the fields in `bounds` hold what they are to hold."""
        for name, fact in self._facts_of_entities:
            if not keeps_to(entity[name], fact):
                return False
        return all(_allows(entity, field, value) for field, value in bounds) if bounds else True

    def _bounds(self, held: Mapping[str, Any]) -> list[tuple[RecordField, Any]]:
        """The fields that the entity bounds, with what they are to hold."""
        return [(each, held[each.name]) for each in self._bounded if held.get(each.name) is not None]

    def _worth(self, entity: Found) -> float:
        """What its attributes are worth, and the best that they let the record's own fields be."""
        worth = 0.0
        for name, marks in self._prized:
            worth += valued(marks, entity.get(name))
        for field, marks in self._open_prized:
            worth += max((valued(marks, each) for each in several(entity[field.among])), default=0.0)
        return worth

    @cached_property
    def _prized(self) -> list[tuple[str, Marks]]:
        """The attributes of which some value is worth something, with what."""
        return [(name, marks) for name in self.attributes if (marks := self._marks(name))]

    @cached_property
    def _open_prized(self) -> list[tuple[RecordField, Marks]]:
        """The record's fields of the kind that are to be one of what the entity has, and are no facts."""
        free = (field for field in self._bounded if field.among and field.name not in self.facts)
        return [(field, marks) for field in free if (marks := self._marks(field.name))]

    def _marks(self, name: str) -> Marks:
        return self.taste.get((self.aim.domain.name, name), {})

    def _fitting(self) -> Iterator[Entity]:
        """What of the catalogue fits all that is known."""
        named, bounds = self.facts.get(self.aim.entity_field), self._bounds(self._plain_facts)
        for each in self.aim.domain.entities:
            if (named is None or keeps_to(each.name, named)) and self._fits(each.values, bounds):
                yield each

    @cached_property
    def _plain_facts(self) -> dict[str, Fact]:
        """The facts that are one value each."""
        return {name: fact for name, fact in self.facts.items() if not isinstance(fact, Bound)}

    @cached_property
    def _facts_of_entities(self) -> list[tuple[str, Fact | Bound]]:
        return [(n, fact) for n, fact in self.facts.items() if n in self.attributes and n not in self.own]

    @cached_property
    def _bounded(self) -> list[RecordField]:
        """The record's fields that the entity bounds."""
        return [field for field in self.own.values() if field.among or field.at_most]


def _settled(fact: Fact | Bound, before: Any) -> Any:
    """A value that keeps to `fact`: the one before where it does, else an end of it, or the first of several."""
    if not isinstance(fact, Bound):
        return fact
    if before is not None and fact.holds(before):
        return before
    return next((end for end in (*fact.any, fact.least, fact.most) if end is not None and fact.holds(end)), None)


def _filter(attribute: Attribute, fact: Fact | Bound) -> Any:
    """`fact` as the filter of a search by that attribute; None where the search cannot be narrowed so."""
    if attribute.search == "none":
        return None
    if not isinstance(fact, Bound):
        return fact
    return {"at_least": fact.least, "at_most": fact.most}.get(attribute.search)


def _allows(entity: Found, field: RecordField, value: Any) -> bool:
    within = not field.among or set(several(value)) <= set(several(entity[field.among]))
    return within and (not field.at_most or bool(value <= entity[field.at_most]))
