"""Datasets in files: the one that ships with the package, and folders of the user's own."""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from duologue.profiles.inclination import Inclined, inclined, shipped_inclined
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import ScenarioKey, ScenarioLine
from duologue.profiles.shelf import ProfileFiles, ProfileLines
from duologue.tasks.domain import Domain
from duologue.tasks.library import (
    Entry,
    certain,
    domain_entries,
    line_entries,
    shipped_domains,
    shipped_situations,
    shipped_tasks,
    toml_entries,
    toml_files,
)
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, Written, nearest

__all__ = ["PEOPLE", "SHIPPED", "Library"]

SHIPPED = "shipped"
PEOPLE = "people.jsonl"
"""The shipped people, as the generator made them."""

RECENT = 256
"""How many profiles are kept beside those in use, 60 kB each: assistants meet a scenario one soon after the other."""

Form = TypeVar("Form", bound=Written)
Shelf = ProfileFiles | ProfileLines
PARTS = ("profiles", "tasks", "domains", "scenarios")


class Library:
    """Profiles, tasks and domains from a folder, each from the package where the folder has none.

    Nothing is read before it is asked for, and each file of the folder is parsed once; only of `profiles.jsonl`
    no more than some profiles are kept, so that it may be larger than memory.
    """

    def __init__(self, source: str, folder: Path | None = None) -> None:
        """`folder` None stands for the shipped data alone. Raises BadInput where the folder holds no data."""
        self.source = source
        self._folder = folder
        self._recent = lru_cache(maxsize=RECENT)(self._read_profile)
        self._in_use: WeakValueDictionary[str, Profile] = WeakValueDictionary()
        if folder is not None:
            _refuse_empty(folder)

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The shipped domains and the folder's own, which take precedence."""
        return {domain.name: domain for domain in certain(self.domain_entries())}

    def profiles(self) -> Iterator[Profile]:
        """The profiles, one at a time. Raises BadInput at the first that cannot be read."""
        return certain(self.profile_entries())

    def tasks(self) -> Iterator[Task]:
        """The tasks in the order written. Raises BadInput where one cannot be read."""
        return iter(self._tasks.values())

    def scenarios(self) -> Iterator[ScenarioKey]:
        """Those of `scenarios.jsonl`; else each profile with each task in whose domains it has preferences."""
        return certain(self.scenario_entries())

    def profile(self, id: str) -> Profile:
        """The profile of that id. Raises BadInput, naming the nearest known one, where there is none."""
        if id not in self._shelves:
            raise BadInput(f"no profile {id!r}{nearest(id, self._shelves)}", self.source)
        return self._recent(id)

    def task(self, id: str) -> Task:
        """The task of that id. Raises BadInput, naming the nearest known one, where there is none."""
        if id not in self._tasks:
            raise BadInput(f"no task {id!r}{nearest(id, self._tasks)}", self.source)
        return self._tasks[id]

    def profile_entries(self) -> Iterator[Entry[Profile]]:
        """Every profile and where it stands, those that cannot be read as BadInput."""
        return chain.from_iterable(shelf.entries() for shelf in self._profile_shelves)

    def task_entries(self) -> Iterator[Entry[Task]]:
        """Every task and where it stands, those that cannot be read as BadInput."""
        beside = (folder / "tasks.toml" for folder in self._domain_folders())
        written = chain.from_iterable(toml_entries(file, Task, "task") for file in beside if file.is_file())
        own = [*self._own("tasks", Task, "task"), *written]
        return iter(own) if own else shipped_tasks()

    def domain_entries(self) -> Iterator[Entry[Domain]]:
        """Every domain and where it stands, the shipped ones first."""
        folders = chain.from_iterable(domain_entries(each) for each in self._domain_folders())
        return chain(shipped_domains(), folders, self._own("domains", Domain, "domain"))

    def inclined_entries(self) -> Iterator[Entry[Inclined]]:
        """The folder's own domains with how people are inclined in them, where a `people.toml` says so."""
        return chain.from_iterable(inclined(each) for each in self._domain_folders())

    def shared_entries(self) -> Iterator[Entry[Inclined]]:
        """The shipped domains with how people are inclined, but for those in whose place the folder has its own."""
        own = self.own_domains()
        return (each for each in shipped_inclined() if isinstance(each[1], BadInput) or each[1].domain.name not in own)

    def own_domains(self) -> frozenset[str]:
        """The names of the folder's own domains. Raises BadInput where one cannot be read."""
        own = (entry for entry in self.domain_entries() if self._folder and self.brings(entry[0]))
        return frozenset(domain.name for domain in certain(own))

    def brings(self, where: str) -> bool:
        """Whether what stands at `where` is this dataset's own: for the shipped data everything, else its folder's."""
        return self._folder is None or where.startswith(str(self._folder))

    def scenario_entries(self) -> Iterator[Entry[ScenarioKey]]:
        """Every scenario and where it stands; BadInput for one whose profile or task is not there."""
        path = self._folder / "scenarios.jsonl" if self._folder else None
        if path and path.is_file():
            return ((where, self._key(where, line)) for where, line in line_entries(path, ScenarioLine))
        return ((self.source, key) for key in self._combined())

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        found: dict[str, Task] = {}
        for task in certain(self.task_entries()):
            if task.id in found:
                raise _twice("task", task.id, self.source)
            found[task.id] = task
        return found

    @cached_property
    def _profile_shelves(self) -> tuple[Shelf, ...]:
        own: list[Shelf] = []
        if self._folder:
            if written := toml_files(self._folder / "profiles"):
                own.append(ProfileFiles(written))
            if (lines := self._folder / "profiles.jsonl").is_file():
                own.append(ProfileLines(lines))
        return tuple(own) or (ProfileLines(files("duologue.profiles") / PEOPLE),)

    @cached_property
    def _shelves(self) -> dict[str, tuple[Shelf, frozenset[str]]]:
        """By profile id, where the profile stands and in which domains it has preferences."""
        found: dict[str, tuple[Shelf, frozenset[str]]] = {}
        for shelf in self._profile_shelves:
            for id, domains in shelf.index():
                if id in found:
                    raise _twice("profile", id, self.source)
                found[id] = (shelf, domains)
        return found

    def _read_profile(self, id: str) -> Profile:
        found = self._in_use.get(id) or self._shelves[id][0].read(id)
        self._in_use[id] = found
        return found

    def _own(self, part: str, form: type[Form], table: str) -> Iterator[Entry[Form]]:
        if not self._folder:
            return
        for file in toml_files(self._folder / part):
            yield from toml_entries(file, form, table)
        if (lines := self._folder / f"{part}.jsonl").is_file():
            yield from line_entries(lines, form)

    def _domain_folders(self) -> list[Path]:
        """The folder's own domains that stand in folders, each with a `domain.toml`, as the shipped ones do."""
        held = self._folder / "domains" if self._folder else None
        return sorted(each for each in held.iterdir() if each.is_dir()) if held and held.is_dir() else []

    def _combined(self) -> Iterator[ScenarioKey]:
        """Everybody with every task that fits, in situations dealt out so that each comes about as often.

        Profiles and tasks that are added behind the others leave those in the situations that they had.
        """
        situations = shipped_situations()
        tasks = [(task, _needed(task), _possible(task) or situations) for task in self._tasks.values()]
        for rank, (id, (_, known)) in enumerate(self._shelves.items()):
            for place, (task, needed, possible) in enumerate(tasks):
                if needed <= known:
                    yield ScenarioKey(id, task.id, task.domains, possible[(rank + place) % len(possible)])

    def _key(self, where: str, line: ScenarioLine | BadInput) -> ScenarioKey | BadInput:
        if isinstance(line, BadInput):
            return line
        if line.profile not in self._shelves:
            return BadInput(f"no profile {line.profile!r}{nearest(line.profile, self._shelves)}", where)
        if line.task not in self._tasks:
            return BadInput(f"no task {line.task!r}{nearest(line.task, self._tasks)}", where)
        return ScenarioKey(line.profile, line.task, self._tasks[line.task].domains, line.situation)


def _needed(task: Task) -> frozenset[str]:
    """The domains in which somebody must have preferences for the task to be personal."""
    return frozenset(relevance.domain for relevance in task.relevant)


def _possible(task: Task) -> tuple[Situation, ...]:
    """The situations that the task tells apart, if it does."""
    return tuple(case.situation for case in task.cases)


def _twice(kind: str, id: str, source: str) -> BadInput:
    return BadInput(f"two {kind}s have the id {id!r}", source, f"Run `duologue {kind}s check` to see where.")


def _refuse_empty(folder: Path) -> None:
    then = "Write `shipped`, `personalens:PATH`, or a folder with profiles/*.toml or tasks/*.toml in it."
    if not folder.is_dir():
        raise BadInput("is a file, not a folder" if folder.exists() else "no such folder", folder, then)
    folders = folder.glob("domains/*/domain.toml")
    if not any(folders) and not any(toml_files(folder / p) or (folder / f"{p}.jsonl").is_file() for p in PARTS):
        raise BadInput("holds no profiles, tasks, domains or scenarios", folder, then)
