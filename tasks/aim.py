"""Aims: what a task requires of the world in the end, and in what an end falls short of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from duologue.tasks.catalogue import Entity
from duologue.tasks.domain import Attribute, Domain, PreferenceType, RecordField, RecordKind, key
from duologue.tasks.record import Record
from duologue.tasks.task import Bound, Fact, Requirement, Task
from duologue.tasks.written import BadInput, nearest

__all__ = ["Aim", "aims", "fits", "keeps_to", "shortfalls"]


@dataclass(frozen=True)
class Aim:
    """One requirement of a task, with what its words stand for."""

    domain: Domain
    record: RecordKind
    where: Mapping[str, Fact | Bound]
    slots: Mapping[str, str]
    """By the names of `where`, the slot that the user knows the value by."""
    count: int = 1
    changes: bool = False
    gone: bool = False

    @property
    def entity_field(self) -> str:
        """The field that names the chosen entity; empty where the record is about none."""
        return self.record.entity_field

    @cached_property
    def own(self) -> Mapping[str, RecordField]:
        """The record's own fields, by name."""
        return {each.name: each for each in self.record.fields}

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes of what the record is about, by name; none where it is about nothing."""
        entity = self.domain.entity if self.entity_field else None
        return {each.name: each for each in entity.attributes} if entity else {}

    @cached_property
    def undecided(self) -> tuple[PreferenceType, ...]:
        """The preference types that it leaves to be chosen, by the record's own fields or by its entity."""
        if self.gone:
            return ()
        settled = self.entity_field in self.where
        names = (self.own.keys() | (set() if settled else self.attributes.keys())) - self.where.keys()
        return tuple(type for type in self.domain.preferences if key(type.name) in names)

    @cached_property
    def bearings(self) -> tuple[tuple[Literal["is", "reaches"], str, Fact | Bound], ...]:
        """What the facts ask of the chosen entity, by attribute: to be or to list a value, or to reach a number."""
        known = {each.name for each in self.domain.entity.attributes} if self.domain.entity else set()
        found: list[tuple[Literal["is", "reaches"], str, Fact | Bound]] = []
        found += [("is", n, fact) for n, fact in self.where.items() if n in known or n == self.entity_field]
        for field in self.record.fields:
            fact = self.where.get(field.name)
            if fact is None or isinstance(fact, Bound):
                continue
            if field.among:
                found.append(("is", field.among, fact))
            if field.at_most and isinstance(fact, int | float):
                found.append(("reaches", field.at_most, fact))
        return tuple(found)

    def met_by(self, record: Record) -> bool:
        """Whether `record` is of that kind, stands, and holds every required value."""
        return record.kind == self.record.name and record.status == "active" and self.holds(record.view)

    def holds(self, view: Mapping[str, Any]) -> bool:
        """Whether what a record or entity holds keeps to every required value."""
        return all(keeps_to(view.get(name), fact) for name, fact in self.where.items())


def aims(task: Task, domains: Mapping[str, Domain]) -> tuple[Aim, ...]:
    """An aim for each requirement of `task`. Raises BadInput where it names a kind of record or a slot that is not
    there."""
    return _aims(task, tuple(domains[name] for name in task.domains if name in domains))


@lru_cache(maxsize=1024)
def _aims(task: Task, held: tuple[Domain, ...]) -> tuple[Aim, ...]:
    """Kept for a while: the world of a dialogue, its user and its judge look at the same aims."""
    return tuple(_aim(task, need, held) for need in task.require)


def fits(aim: Aim, entity: Entity) -> bool:
    """Whether choosing `entity` keeps to what the task settles, its attributes and what they allow for the fields."""
    values = entity.values
    return all(
        keeps_to(entity.name if name == aim.entity_field else values[name], fact)
        if how == "is"
        else fact <= values[name]
        for how, name, fact in aim.bearings
    )


def keeps_to(value: Any, fact: Fact | Bound) -> bool:
    """Whether a held value is the required one, or has it among several; case does not count."""
    if isinstance(value, str) and isinstance(fact, str):
        return value == fact or value.casefold() == fact.casefold()
    if isinstance(fact, Bound):
        return fact.holds(value)
    if isinstance(value, tuple | list):
        return any(keeps_to(each, fact) for each in value)
    return bool(value == fact) and isinstance(value, bool) == isinstance(fact, bool)


def shortfalls(aimed: Sequence[Aim], records: Sequence[Record]) -> tuple[str, ...]:
    """In what `records` fall short of the aims, a sentence each; empty where the end is what the task requires.

    Of each required record there must be as many as required; nothing else of those kinds may have been made, and
    what stood at the start must be as it was unless an aim is to change or cancel it.
    """
    return (*_unmet(aimed, records), *_beside(aimed, records))


def _unmet(aimed: Sequence[Aim], records: Sequence[Record]) -> Iterator[str]:
    for aim in aimed:
        meeting = [record for record in records if aim.met_by(record)]
        told = _told(aim)
        if aim.gone:
            if meeting:
                yield f"{meeting[0].id} still stands: {told}"
        elif aim.changes and not any(record.given for record in meeting):
            yield f"what stood at the start was not changed to {told}"
        elif len(meeting) != aim.count:
            yield f"{len(meeting) or 'no'} {told}" + (f" instead of {aim.count}" if aim.count > 1 or meeting else "")


def _beside(aimed: Sequence[Aim], records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        wanted = any(aim.met_by(record) for aim in aimed if not aim.gone)
        if record.given:
            undone = any(aim.gone and aim.record.name == record.kind and aim.holds(record.start) for aim in aimed)
            changed = wanted and any(aim.changes and aim.met_by(record) for aim in aimed)
            if record.touched and not changed and not (undone and record.status == "cancelled"):
                done = "cancelled" if record.status == "cancelled" else "changed"
                yield f"{record.id} was {done}, which was not asked"
        elif record.status == "active" and not wanted:
            yield f"{record.id} is not what was asked"


def _aim(task: Task, need: Requirement, domains: Sequence[Domain]) -> Aim:
    for domain in domains:
        if kind := domain.record(need.record):
            where = {name: _fact(task, name, value) for name, value in need.where.items()}
            slots = {name: slot for name, value in need.where.items() if (slot := _slot(task, name, value))}
            return Aim(domain, kind, where, slots, need.count, need.changes, need.gone)
    known = [kind.name for domain in domains for kind in domain.records]
    raise BadInput(
        f"task {task.id!r} requires a {need.record!r}, which none of its domains keeps{nearest(need.record, known)}"
    )


def _fact(task: Task, name: str, value: Fact | Bound) -> Fact | Bound:
    meant = task.meant(value)
    if isinstance(meant, str) and meant.startswith("$"):
        raise BadInput(f"task {task.id!r}: {name} = {meant!r} names no slot{nearest(meant[1:], task.slots)}")
    return meant


def _slot(task: Task, name: str, value: Fact | Bound) -> str:
    """The slot that a required value stands for; empty where it is nothing that the user knows by name."""
    if isinstance(value, str) and value.startswith("$"):
        return value[1:]
    slot = task.slots.get(name)
    same = slot is not None and (value.holds(slot) if isinstance(value, Bound) else keeps_to(slot, value))
    return name if same else ""


def _told(aim: Aim) -> str:
    facts = ", ".join(f"{name} {fact}" for name, fact in aim.where.items())
    return f"{aim.record.name} with {facts}" if facts else aim.record.name
