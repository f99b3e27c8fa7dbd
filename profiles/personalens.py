"""A checkout of PersonaLens as a dataset, read user by user; the data themselves stay where they are."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from duologue.profiles.personalens_profile import Vocabulary, learn_domains, profile_of
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import ScenarioKey
from duologue.profiles.tally import Tally, Tallying
from duologue.tasks.domain import Domain
from duologue.tasks.personalens import (
    Note,
    Template,
    domains_in,
    is_multi_domain,
    read_json,
    read_wording,
    task_of,
    templates_in,
)
from duologue.tasks.personalens_situation import read_situation
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, nearest

__all__ = ["PersonaLens", "open_personalens"]

LAYOUT = "data/profile/user*/profile.json and data/task/*/task.jsonl"
TASK_FILES = ("tasks.json", "tasks_md.json")


def open_personalens(path: Path) -> "PersonaLens":
    """The PersonaLens data in a checkout, or in its `data` folder. Raises BadInput where there are none."""
    if not path.is_dir():
        raise BadInput("no such folder", path, f"Give the folder of a PersonaLens checkout: it holds {LAYOUT}")
    for home in (path / "data", path):
        if _is_home(home):
            return PersonaLens(home, f"personalens:{path}")
    above = next((folder for folder in (path.parent, path.parent.parent) if _is_home(folder)), None)
    then = f"Give {above}" if above else "Give the folder of a clone of github.com/amazon-science/PersonaLens"
    raise BadInput(f"is no PersonaLens checkout: expected {LAYOUT} in it", path, then)


def _is_home(folder: Path) -> bool:
    return (folder / "task").is_dir() and any((folder / "profile").glob("user*/"))


class _Found(NamedTuple):
    """What the task files of one user hold; the scenarios by the task ids of the source."""

    keys: dict[str, ScenarioKey]
    variants: list[Task]
    notes: list[Note]


class PersonaLens:
    """PersonaLens as a Dataset.

    A user whose profile cannot be used is left out with the scenarios; a task file or task that cannot be
    used is left out alone. `tally` tells what was, and why: it is whole once the three streams were read.
    """

    def __init__(self, home: Path, source: str) -> None:
        self._home = home
        self._source = source
        self._users = {folder.name: folder for folder in sorted((home / "profile").glob("user*/"), key=_by_number)}
        self._interests: dict[str, tuple[str, ...]] = {}
        self._tallying = Tallying()
        self._recent = lru_cache(maxsize=32)(self._read_profile)
        self._keys = lru_cache(maxsize=4)(lambda user: self._read_tasks(user).keys)

    @property
    def source(self) -> str:
        """How a campaign names these data."""
        return self._source

    @property
    def tally(self) -> Tally:
        """What was read, repaired, kept and dropped until now."""
        return self._tallying.tally()

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The domains of `res/schema.json`; without that file, what the profiles themselves show."""
        domains = self._schema() or self._learnt()
        types = sum(len(domain.preferences) for domain in domains.values())
        self._tallying.add(
            "domains", [Note("read", "domains", "", len(domains)), Note("read", "preference types", "", types)]
        )
        return domains

    def profiles(self) -> Iterator[Profile]:
        """Every sound profile, in the order of the users' numbers."""
        for user in self._users:
            try:
                yield self._read_profile(user)
            except BadInput:
                continue

    def tasks(self) -> Iterator[Task]:
        """Every template, then every task that a user has in words of its own."""
        for template in self._templates.values():
            yield template.task
        for user in self._users:
            yield from self._read_tasks(user).variants

    def scenarios(self) -> Iterator[ScenarioKey]:
        """Every scenario, user by user."""
        for user in self._users:
            yield from self._read_tasks(user).keys.values()

    def key(self, user: str, task: str) -> ScenarioKey:
        """The scenario of a user and a task by the source's own ids. Raises BadInput where there is none."""
        found = self._keys(user) if user in self._users else {}
        if task not in found:
            near = nearest(task, found) if found else nearest(user, self._users)
            raise BadInput(f"no task {task!r} of {user!r}{near}", self._home)
        return found[task]

    def profile(self, id: str) -> Profile:
        """The profile of that user, read now. Raises BadInput for an unknown user or a damaged file."""
        if id not in self._users:
            raise BadInput(f"no profile {id!r}{nearest(id, self._users)}", self._home)
        return self._recent(id)

    def task(self, id: str) -> Task:
        """The task of that id. Raises BadInput for an unknown one."""
        if id in self._templates:
            return self._templates[id].task
        user = id.rpartition("~")[2]
        variants = self._read_tasks(user).variants if user in self._users else []
        for task in variants:
            if task.id == id:
                return task
        raise BadInput(f"no task {id!r}{nearest(id, self._templates)}", self._home)

    @cached_property
    def _templates(self) -> Mapping[str, Template]:
        templates, notes = templates_in(self._home / "task", self.domains)
        self._tallying.add("templates", [Note("read", "task templates", number=len(templates)), *notes])
        return templates

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.domains)

    def _schema(self) -> Mapping[str, Domain]:
        for path in (self._home.parent / "res" / "schema.json", self._home / "res" / "schema.json"):
            try:
                return domains_in(read_json(path, list), path) if path.exists() else {}
            except BadInput as error:
                self._tallying.add("schema", [Note("dropped", "schemas", str(error))])
        return {}

    def _learnt(self) -> Mapping[str, Domain]:
        names = sorted(path.name for path in (self._home / "task").glob("*/") if not is_multi_domain(path.name))
        return learn_domains((folder / "profile.json" for folder in self._users.values()), names)

    def _read_profile(self, user: str) -> Profile:
        path = self._users[user] / "profile.json"
        try:
            profile, notes = profile_of(user, read_json(path, dict), self._vocabulary, path)
        except BadInput as error:
            self._tallying.add(f"{user}/profile", [Note("dropped", "users", str(error))])
            raise
        self._tallying.add(f"{user}/profile", notes)
        self._interests[user] = profile.interests
        return profile

    def _read_tasks(self, user: str) -> _Found:
        found = _Found({}, [], [])
        try:
            interests = self._interests.get(user) or self._read_profile(user).interests
        except BadInput:
            return found
        for name in TASK_FILES:
            path = self._users[user] / name
            if path.exists():
                self._read_task_file(user, path, found)
            else:
                self._rebuild(user, interests, path, found)
        self._tallying.add(f"{user}/tasks", found.notes)
        return found

    def _read_task_file(self, user: str, path: Path, found: _Found) -> None:
        try:
            entries = read_json(path, dict)
        except BadInput as error:
            found.notes.append(Note("dropped", "task files", str(error)))
            return
        for label, entry in entries.items():
            try:
                self._read_task(user, entry, f"{path}, {label!r}", found)
            except BadInput as error:
                found.notes.append(Note("dropped", "tasks of a user", str(error)))

    def _read_task(self, user: str, entry: Any, where: str, found: _Found) -> None:
        id = entry.get("task_id") if isinstance(entry, dict) else None
        if not isinstance(id, str) or not id:
            raise BadInput("lacks a task_id", where)
        if id in found.keys:
            raise BadInput(f"repeats the task {id!r}", where)
        template = self._templates.get(id)
        wording = read_wording(entry, template.wording.domains if template else (), where)
        situation, notes = read_situation(entry.get("situations"))
        if template is None or wording != template.wording:
            kind = "tasks worded otherwise than their template" if template else "tasks without a template"
            template = task_of(f"{id}~{user}", wording, self.domains, where)
            found.variants.append(template.task)
            found.notes.append(Note("kept", kind, template.task.id))
        found.keys[id] = _key(user, template.task, situation)
        found.notes.extend((_counted(template.task), *template.notes, *notes))

    def _rebuild(self, user: str, interests: tuple[str, ...], path: Path, found: _Found) -> None:
        """The scenarios of a task file that is absent: they follow from the interests, but for the situation."""
        for id, template in self._templates.items():
            many = len(template.task.domains) > 1
            of_file = many == (path.name == TASK_FILES[1])
            if of_file and id not in found.keys and set(template.task.domains) <= set(interests):
                kind = "scenarios rebuilt from the templates, without a situation"
                found.keys[id] = _key(user, template.task, Situation())
                found.notes.extend((_counted(template.task), *template.notes, Note("repaired", kind, f"no {path}")))


def _key(user: str, task: Task, situation: Situation) -> ScenarioKey:
    return ScenarioKey(user, task.id, task.domains, situation)


def _counted(task: Task) -> Note:
    return Note("read", "multi-domain scenarios" if len(task.domains) > 1 else "single-domain scenarios")


def _by_number(folder: Path) -> tuple[int, str]:
    digits = re.search(r"\d+$", folder.name)
    return int(digits[0]) if digits else 0, folder.name
