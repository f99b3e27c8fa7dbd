"""Checks of written profiles and tasks: what is wrong, where, and the nearest right name."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeVar

from duologue.profiles.consistency import faults_in_history, faults_in_preferences
from duologue.profiles.dataset import Dataset
from duologue.profiles.leaks import leaks
from duologue.profiles.library import Library
from duologue.profiles.profile import Profile
from duologue.tasks.domain import Domain
from duologue.tasks.library import Entry
from duologue.tasks.task import Relevance, Task
from duologue.tasks.written import BadInput, nearest

__all__ = ["Finding", "check_profiles", "check_tasks"]

Record = TypeVar("Record")


class Finding(NamedTuple):
    """Something that is wrong (`error`) or probably not meant (`note`)."""

    where: str
    what: str
    then: str = ""
    level: Literal["error", "note"] = "error"


def check_profiles(data: Dataset, today: datetime.date | None = None) -> list[Finding]:
    """What is wrong with the profiles of `data`, file by file. `today` bounds the history's dates."""
    today = today or datetime.datetime.now().astimezone().date()
    found: list[Finding] = []
    domains = _known(_domain_entries(data), found)
    busy = _profiles_in_scenarios(data)
    seen: dict[str, str] = {}
    for where, profile in _profile_entries(data):
        if isinstance(profile, BadInput):
            found.append(_refused(profile))
            continue
        found += _repeated("profile", profile.id, where, seen)
        found += (Finding(where, what) for what in faults_in_preferences(profile, domains))
        found += (Finding(where, what) for what in faults_in_history(profile, domains, today))
        if busy is not None and profile.id not in busy:
            what = f"profile {profile.id!r} is in no scenario"
            found.append(Finding(where, what, "Give it preferences in the domains of a task.", "note"))
    return _once(found)


def check_tasks(data: Dataset) -> list[Finding]:
    """What is wrong with the tasks, domains and scenarios of `data`, file by file."""
    found: list[Finding] = []
    domains = _known(_domain_entries(data), found)
    tasks: list[tuple[str, Task]] = []
    seen: dict[str, str] = {}
    for where, task in _task_entries(data):
        if isinstance(task, BadInput):
            found.append(_refused(task))
            continue
        tasks.append((where, task))
        found += _repeated("task", task.id, where, seen)
        found += _faults_in_task(where, task, domains)
    profiles = (profile for _, profile in _profile_entries(data) if isinstance(profile, Profile))
    found += (Finding(where, what, then, "note") for where, what, then in leaks(tasks, profiles))
    return _once(found + _faults_in_scenarios(data))


def _faults_in_task(where: str, task: Task, domains: Mapping[str, Domain]) -> Iterator[Finding]:
    for name in task.domains:
        if name not in domains:
            yield Finding(where, f"task {task.id!r}: no domain {name!r}{nearest(name, domains)}")
    for relevance in task.relevant:
        if what := _fault_in_pair(relevance, task, domains):
            yield Finding(where, f"task {task.id!r}: {what}")
    if not task.relevant:
        what = f"task {task.id!r} has no relevant preferences, so there is nothing to personalise"
        yield Finding(where, what, 'Add e.g. relevant = [["Restaurants", "cuisine"]].', "note")


def _fault_in_pair(pair: Relevance, task: Task, domains: Mapping[str, Domain]) -> str:
    if pair.domain not in domains:
        return f"relevant: no domain {pair.domain!r}{nearest(pair.domain, domains)}"
    domain = domains[pair.domain]
    if domain.type(pair.type) is None:
        names = [type.name for type in domain.preferences]
        return f"relevant: no preference type {pair.type!r} in {domain.name}{nearest(pair.type, names)}"
    if pair.domain not in task.domains:
        return f"relevant: {pair.domain!r} is not among the task's domains"
    return ""


def _profiles_in_scenarios(data: Dataset) -> set[str] | None:
    """The ids of profiles that some scenario has; None where the data is too broken to tell."""
    try:
        return {key.profile for key in data.scenarios()}
    except BadInput:
        return None


def _faults_in_scenarios(data: Dataset) -> list[Finding]:
    entries = data.scenario_entries() if isinstance(data, Library) else _guarded(data.scenarios(), data.source)
    try:
        return [_refused(key) for _, key in entries if isinstance(key, BadInput)]
    except BadInput as fault:
        return [_refused(fault)]


def _known(entries: Iterable[Entry[Domain]], found: list[Finding]) -> dict[str, Domain]:
    """The domains that can be read; what is wrong with any goes to `found`."""
    domains: dict[str, Domain] = {}
    for where, domain in entries:
        if isinstance(domain, BadInput):
            found.append(_refused(domain))
            continue
        domains[domain.name] = domain
        seen: dict[str, str] = {}
        for type in domain.preferences:
            found += _repeated("preference type", type.name, where, seen)
    return domains


def _domain_entries(data: Dataset) -> Iterator[Entry[Domain]]:
    if isinstance(data, Library):
        return data.domain_entries()
    return ((data.source, domain) for domain in data.domains.values())


def _profile_entries(data: Dataset) -> Iterator[Entry[Profile]]:
    return data.profile_entries() if isinstance(data, Library) else _guarded(data.profiles(), data.source)


def _task_entries(data: Dataset) -> Iterator[Entry[Task]]:
    return data.task_entries() if isinstance(data, Library) else _guarded(data.tasks(), data.source)


def _guarded(records: Iterator[Record], source: str) -> Iterator[Entry[Record]]:
    try:
        yield from ((source, record) for record in records)
    except BadInput as fault:
        yield source, fault


def _repeated(kind: str, name: str, where: str, seen: dict[str, str]) -> Iterator[Finding]:
    if name in seen:
        yield Finding(where, f"{kind} {name!r} was already written in {seen[name]}", "Rename one of them.")
    seen.setdefault(name, where)


def _refused(fault: BadInput) -> Finding:
    return Finding(fault.where, fault.what, fault.then)


def _once(found: list[Finding]) -> list[Finding]:
    """Without repetitions: one unreadable file is met on several ways."""
    return list(dict.fromkeys(found))
