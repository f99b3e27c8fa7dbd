"""Whether a task hangs together: its slots with its requests, what it requires with its domains' records."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from duologue.profiles.finding import Fault
from duologue.tasks.domain import Domain, RecordKind, key
from duologue.tasks.task import Bound, Relevance, Requirement, Task
from duologue.tasks.written import nearest

__all__ = ["faults_in_task", "unknown"]

PLACE = re.compile(r"\{(\w*)\}")


def faults_in_task(task: Task, domains: Mapping[str, Domain]) -> Iterator[Fault]:
    """What is wrong with `task`, one fault at a time."""
    for name in task.domains:
        if name not in domains:
            yield Fault(f"no domain {name!r}{nearest(name, domains)}")
    yield from _faults_in_pairs(task, domains)
    yield from _faults_in_slots(task)
    yield from _faults_in_requests(task)
    kept = {
        kind.name: (domains[name], kind) for name in task.domains if name in domains for kind in domains[name].records
    }
    if kept:
        yield from _faults_in_records(task, kept)
        yield from _undecided(task, kept)
    yield from _faults_in_cases(task, domains)
    if task.staged and kept and not any(domain.entity for domain, _ in kept.values()):
        yield Fault(f"staged: {task.staged!r}, but its domains have no entities to choose from")
    if not task.relevant:
        what = "has no relevant preferences, so there is nothing to personalise"
        yield Fault(what, 'Add e.g. relevant = [["Restaurants", "cuisine"]].', "note")


def _faults_in_pairs(task: Task, domains: Mapping[str, Domain]) -> Iterator[Fault]:
    for part, pairs in (("relevant", task.relevant), ("irrelevant", task.irrelevant)):
        for pair in pairs:
            if what := _fault_in_pair(pair, task, domains):
                yield Fault(f"{part}: {what}")
    matters = {(pair.domain, pair.type) for pair in task.relevant}
    for pair in task.irrelevant:
        if (pair.domain, pair.type) in matters:
            yield Fault(f"{pair.domain}: {pair.type} is both relevant and irrelevant")


def unknown(pair: Relevance, domains: Mapping[str, Domain]) -> str:
    """What of a domain and preference type there is not; empty where both are known."""
    if pair.domain not in domains:
        return f"no domain {pair.domain!r}{nearest(pair.domain, domains)}"
    domain = domains[pair.domain]
    if domain.type(pair.type) is None:
        names = [type.name for type in domain.preferences]
        return f"no preference type {pair.type!r} in {domain.name}{nearest(pair.type, names)}"
    return ""


def _fault_in_pair(pair: Relevance, task: Task, domains: Mapping[str, Domain]) -> str:
    if what := unknown(pair, domains):
        return what
    if pair.domain not in task.domains:
        return f"{pair.domain!r} is not among the task's domains"
    return ""


def _faults_in_slots(task: Task) -> Iterator[Fault]:
    for name in task.withheld:
        if name not in task.slots:
            yield Fault(f"withheld: no slot {name!r}{nearest(name, task.slots)}")
    tables: list[Mapping[str, Any]] = [each.where for each in task.require]
    tables += [each.fields for each in task.given]
    for value in (value for table in tables for value in table.values()):
        if isinstance(value, str) and value.startswith("$") and value[1:] not in task.slots:
            yield Fault(f"{value!r} stands for no slot{nearest(value[1:], task.slots)}")
    if not task.require:
        return
    settled = [(name, value) for each in task.require for name, value in each.where.items()]
    for name in task.withheld:
        if name in task.slots and not any(_is_slot(task, name, at, value) for at, value in settled):
            yield Fault(f"withheld: nothing that is required depends on {name!r}", level="note")


def _is_slot(task: Task, slot: str, name: str, value: Any) -> bool:
    if isinstance(value, Bound):
        return task.slots[slot] in (value.least, value.most, *value.any)
    return bool(value == f"${slot}" or (name == slot and value == task.slots[slot]))


def _faults_in_requests(task: Task) -> Iterator[Fault]:
    for number, request in enumerate(task.requests, 1):
        named = set(PLACE.findall(request))
        for name in sorted(named - set(task.slots)):
            yield Fault(f"request {number}: no slot {name!r}{nearest(name, task.slots)}")
        for name in task.slots:
            if name in named and name in task.withheld:
                yield Fault(f"request {number} names the slot {name!r}, which is withheld")
            if name not in named and name not in task.withheld:
                yield Fault(f"request {number} leaves out the slot {name!r}", f"Name it as {{{name}}}, or withhold it.")
        for name in task.withheld:
            value = str(task.slots.get(name, ""))
            if len(value) > 1 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", request, re.IGNORECASE):
                yield Fault(f"request {number} says {value!r}, the slot {name!r}, which is withheld")


def _faults_in_records(task: Task, kept: Mapping[str, tuple[Domain, RecordKind]]) -> Iterator[Fault]:
    tables: list[tuple[str, str, Mapping[str, Any]]] = []
    tables += [("require", each.record, each.where) for each in task.require]
    tables += [("given", each.record, each.fields) for each in task.given]
    for part, record, table in tables:
        if record not in kept:
            yield Fault(f"{part}: its domains keep no {record!r}{nearest(record, kept)}")
            continue
        domain, kind = kept[record]
        held = domain.borne_by(kind) if part == "require" else kind.fields
        known = [each.name for each in held]
        for name, value in table.items():
            if name not in known:
                yield Fault(f"{part}: {record} has no {name!r}{nearest(name, known)}")
            elif wrong := _out_of_list(task, domain, name, value):
                yield Fault(f"{part}: {record}: {wrong}")
    matters = {(pair.domain, key(pair.type)) for pair in task.relevant}
    for each in task.require:
        for name in each.where:
            if each.record in kept and (kept[each.record][0].name, name) in matters:
                yield Fault(f"require: settles {name!r}, which is left to the user's taste as relevant")
        yield from _settled_beside(each, kept, matters)


def _settled_beside(
    need: Requirement, kept: Mapping[str, tuple[Domain, RecordKind]], matters: Set[tuple[str, str]]
) -> Iterator[Fault]:
    """The relevant preferences that leave nothing to choose because of what is required beside them."""
    if need.record in kept:
        domain, kind = kept[need.record]
        for field in kind.fields:
            if field.settled_by in need.where and (domain.name, field.name) in matters:
                yield Fault(f"require: {field.settled_by!r} settles {field.name!r}, which is relevant")


def _out_of_list(task: Task, domain: Domain, name: str, value: Any) -> str:
    """Why a required value cannot stand in the field or attribute of that name."""
    if isinstance(value, str) and value.startswith("$"):
        value = task.slots.get(value[1:])
    values = value.any if isinstance(value, Bound) else (value,)
    listed = domain.values(name)
    for each in values:
        if listed and isinstance(each, str) and each not in listed:
            return f"{name!r} has no value {each!r}{nearest(each, listed)}"
    return ""


def _undecided(task: Task, kept: Mapping[str, tuple[Domain, RecordKind]]) -> Iterator[Fault]:
    """The relevant preferences that no required record would show."""
    decided: set[tuple[str, str]] = set()
    for each in task.require:
        if each.record in kept and not each.gone:
            domain, kind = kept[each.record]
            decided |= {(domain.name, each.name) for each in domain.borne_by(kind)}
    keeping = {domain.name for domain, _ in kept.values()}
    for pair in task.relevant:
        if task.require and pair.domain in keeping and (pair.domain, key(pair.type)) not in decided:
            yield Fault(f"relevant: no required record decides {pair.domain}: {pair.type}")


def _faults_in_cases(task: Task, domains: Mapping[str, Domain]) -> Iterator[Fault]:
    matters = {(pair.domain, pair.type) for pair in task.relevant}
    if len({case.situation for case in task.cases}) < len(task.cases):
        yield Fault("cases: two of them have the same situation")
    for number, case in enumerate(task.cases, 1):
        for want in case.wants:
            type = domains[want.domain].type(want.type) if want.domain in domains else None
            if (want.domain, want.type) not in matters:
                yield Fault(f"case {number}: {want.domain}: {want.type} is not among the relevant preferences")
            elif type and type.values and not type.open and want.value not in type.values:
                yield Fault(f"case {number}: {want.type} has no value {want.value!r}{nearest(want.value, type.values)}")
