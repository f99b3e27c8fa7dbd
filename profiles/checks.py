"""Checks of written profiles and tasks: what is wrong, where, and the nearest right name; and their figures."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from duologue.profiles.consistency import faults_in_history, faults_in_preferences
from duologue.profiles.dataset import Dataset
from duologue.profiles.domain_faults import faults_in_domain, faults_in_hints, shared_names
from duologue.profiles.figures import Figures, Figuring
from duologue.profiles.finding import Fault, Finding, refused
from duologue.profiles.inclination import Inclined, shipped_inclined
from duologue.profiles.leaks import leaks
from duologue.profiles.library import PEOPLE, SHIPPED, Library
from duologue.profiles.profile import Profile
from duologue.profiles.shipped import COMMAND, departure
from duologue.profiles.task_faults import faults_in_task
from duologue.profiles.task_figures import TaskFigures, task_figures
from duologue.tasks.domain import Domain
from duologue.tasks.library import Entry
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput

__all__ = ["Finding", "ProfileCheck", "TaskCheck", "check_profiles", "check_tasks", "examine_profiles", "examine_tasks"]

Record = TypeVar("Record")
NAMED = 20
"""How many profiles without a scenario are named one by one: imported people may all be without."""


@dataclass(frozen=True, slots=True)
class ProfileCheck:
    """What is wrong with the profiles of a dataset, and what they are like."""

    findings: list[Finding]
    figures: Figures


@dataclass(frozen=True, slots=True)
class TaskCheck:
    """What is wrong with the tasks of a dataset, and what they are like."""

    findings: list[Finding]
    figures: TaskFigures
    shipped: bool


def check_profiles(data: Dataset, today: datetime.date | None = None) -> list[Finding]:
    """What is wrong with the profiles of `data`, file by file. `today` bounds the history's dates."""
    return examine_profiles(data, today).findings


def check_tasks(data: Dataset) -> list[Finding]:
    """What is wrong with the tasks, domains and scenarios of `data`, file by file."""
    return examine_tasks(data).findings


def examine_profiles(data: Dataset, today: datetime.date | None = None) -> ProfileCheck:
    """What is wrong with the profiles of `data`, file by file, and their figures. Reads them once, keeps none."""
    today = today or datetime.datetime.now().astimezone().date()
    found: list[Finding] = []
    domains = {name: domain for name, (_, domain) in _known(_domain_entries(data), found).items()}
    busy = _profiles_in_scenarios(data)
    seen: dict[str, str] = {}
    figuring, contradictions, idle = Figuring(domains), 0, 0
    for where, profile in _profile_entries(data):
        if isinstance(profile, BadInput):
            found.append(refused(profile))
            continue
        found += _repeated("profile", profile.id, where, seen)
        wrong = [*faults_in_preferences(profile, domains), *faults_in_history(profile, domains, today)]
        contradictions += len(wrong)
        found += (Finding(where, what) for what in wrong)
        if busy is not None and profile.id not in busy:
            idle += 1
            if idle <= NAMED:
                what = f"profile {profile.id!r} is in no scenario"
                found.append(Finding(where, what, "Give it preferences in the domains of a task.", "note"))
        figuring.add(profile)
    if idle > NAMED:
        then = "Give them preferences in the domains of a task, or write tasks to which none matters."
        found.append(Finding(data.source, f"{idle - NAMED:,} more profiles are in no scenario", then, "note"))
    lacking = tuple(_faults_in_people(domains, found)) if data.source == SHIPPED else ()
    if isinstance(data, Library):
        _inclined(data.inclined_entries(), found)
    return ProfileCheck(_once(found), figuring.figures(contradictions, lacking))


def examine_tasks(data: Dataset) -> TaskCheck:
    """What is wrong with the tasks, domains and scenarios of `data`, file by file, and the tasks' figures."""
    found: list[Finding] = []
    placed = _known(_domain_entries(data), found)
    domains = {name: domain for name, (_, domain) in placed.items()}
    for where, domain in placed.values():
        if not isinstance(data, Library) or data.brings(where):
            found += (Finding(where, *fault) for fault in faults_in_domain(domain))
    found += (Finding(placed[name][0], *fault) for name, fault in shared_names(domains))
    tasks: list[tuple[str, Task]] = []
    seen: dict[str, str] = {}
    for where, task in _task_entries(data):
        if isinstance(task, BadInput):
            found.append(refused(task))
            continue
        tasks.append((where, task))
        found += _repeated("task", task.id, where, seen)
        faults = list(faults_in_task(task, domains))
        if all(fault.level == "note" for fault in faults) and (why := obstacle(task, domains)):
            faults.append(Fault(f"cannot be done: {why}"))
        for what, then, level in faults:
            told = f"task {task.id!r} {what}" if what.startswith("has no") else f"task {task.id!r}: {what}"
            found.append(Finding(where, told, then, level))
    profiles = (profile for _, profile in _profile_entries(data) if isinstance(profile, Profile))
    found += (Finding(where, what, then, "note") for where, what, then in leaks(tasks, profiles))
    figures = task_figures((task for _, task in tasks), domains)
    return TaskCheck(_once(found + _faults_in_scenarios(data)), figures, data.source == SHIPPED)


def _faults_in_people(domains: Iterable[str], found: list[Finding]) -> Iterator[str]:
    """The domains without any inclinations of people; what is wrong with those that are there, or with the people
    that should have been made of them, goes to `found`."""
    held = _inclined(shipped_inclined(), found)
    if what := departure(held):
        found.append(Finding(PEOPLE, f"is not what the generator makes: {what}", f"In a checkout, type: {COMMAND}"))
    hinted = {inclined.domain.name for inclined in held}
    yield from (f"no hints in {name}" for name in domains if name not in hinted)


def _inclined(entries: Iterable[Entry[Inclined]], found: list[Finding]) -> list[Inclined]:
    """The inclinations that can be read; what is wrong with any goes to `found`."""
    held: list[Inclined] = []
    for where, inclined in entries:
        if isinstance(inclined, BadInput):
            found.append(refused(inclined))
            continue
        held.append(inclined)
        found += (Finding(where, *fault) for fault in faults_in_hints(inclined))
    return held


def _profiles_in_scenarios(data: Dataset) -> set[str] | None:
    """The ids of profiles that some scenario has; None where the data is too broken to tell."""
    try:
        return {key.profile for key in data.scenarios()}
    except BadInput:
        return None


def _faults_in_scenarios(data: Dataset) -> list[Finding]:
    entries = data.scenario_entries() if isinstance(data, Library) else _guarded(data.scenarios(), data.source)
    try:
        return [refused(key) for _, key in entries if isinstance(key, BadInput)]
    except BadInput as fault:
        return [refused(fault)]


def _known(entries: Iterable[Entry[Domain]], found: list[Finding]) -> dict[str, tuple[str, Domain]]:
    """The domains that can be read, each with where it stands; what is wrong with any goes to `found`."""
    domains: dict[str, tuple[str, Domain]] = {}
    for where, domain in entries:
        if isinstance(domain, BadInput):
            found.append(refused(domain))
            continue
        domains[domain.name] = (where, domain)
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


def _once(found: list[Finding]) -> list[Finding]:
    """Without repetitions: one unreadable file is met on several ways."""
    return list(dict.fromkeys(found))
