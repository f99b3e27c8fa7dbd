"""The profiles and tasks of the dialogues that were brought in: put together from what each of them tells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duologue.profiles.profile import Profile
from duologue.profiles.scenario import ScenarioKey
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput

__all__ = ["Gathered", "SmallData"]


@dataclass(slots=True)
class Gathered:
    """What several dialogues tell of one user adds up, and so do the preferences that matter to one task."""

    _profiles: dict[str, tuple[Profile, str]] = field(default_factory=dict)
    """By id, with where it was told first."""
    _tasks: dict[str, tuple[Task, str]] = field(default_factory=dict)

    def take(self, profile: Profile, task: Task, where: str) -> None:
        """Note both. Raises BadInput, and notes neither, where one of them was told otherwise before."""
        profiles, tasks = self._profiles.get(profile.id), self._tasks.get(task.id)
        user = _with(profiles[0], profile, profiles[1], where) if profiles else profile
        errand = _and(tasks[0], task, tasks[1], where) if tasks else task
        self._profiles[profile.id] = (user, profiles[1] if profiles else where)
        self._tasks[task.id] = (errand, tasks[1] if tasks else where)

    def data(self, source: str, keys: Sequence[ScenarioKey]) -> "SmallData":
        """All that was taken as a dataset, with the scenarios `keys`."""
        profiles = {id: profile for id, (profile, _) in self._profiles.items()}
        tasks = {id: task for id, (task, _) in self._tasks.items()}
        return SmallData(source, _domains(tasks.values()), profiles, tasks, tuple(keys))


@dataclass(frozen=True, slots=True)
class SmallData:
    """A dataset that is held as a whole."""

    source: str
    domains: Mapping[str, Domain]
    _profiles: Mapping[str, Profile]
    _tasks: Mapping[str, Task]
    _keys: tuple[ScenarioKey, ...]

    def profiles(self) -> Iterator[Profile]:
        return iter(self._profiles.values())

    def tasks(self) -> Iterator[Task]:
        return iter(self._tasks.values())

    def scenarios(self) -> Iterator[ScenarioKey]:
        return iter(self._keys)

    def profile(self, id: str) -> Profile:
        return self._profiles[id]

    def task(self, id: str) -> Task:
        return self._tasks[id]


def _domains(tasks: Iterable[Task]) -> dict[str, Domain]:
    """The domains of the tasks, with no more in them than the preferences that matter: whatever domain of such a name
    ships, now or later, changes nothing about these dialogues."""
    types: dict[str, dict[str, None]] = {}
    for task in tasks:
        for domain in task.domains:
            types.setdefault(domain, {})
        for pair in task.relevant:
            types.setdefault(pair.domain, {})[pair.type] = None
    return {
        name: Domain(
            name=name, description="", preferences=tuple(PreferenceType(name=type, open=True) for type in held)
        )
        for name, held in types.items()
    }


def _with(before: Profile, now: Profile, first: str, where: str) -> Profile:
    """`before` with what `now`, told of the same user, adds to it."""
    if before == now:
        return before
    bare, told = Profile(id=before.id), dict[str, Any]()
    for name in Profile.model_fields:
        old, new = getattr(before, name), getattr(now, name)
        if name == "preferences":
            told[name] = _preferences(old, new, before.id, first, where)
        else:
            told[name] = old if new == getattr(bare, name) else new
            if old not in (told[name], getattr(bare, name)):
                raise _otherwise(f"{name} of {before.id!r}", first, where)
    return Profile.model_validate(told)


def _preferences(old: Mapping[str, Any], new: Mapping[str, Any], id: str, first: str, where: str) -> dict[str, Any]:
    found = {domain: dict(types) for domain, types in old.items()}
    for domain, type, values in _each(new):
        if found.setdefault(domain, {}).setdefault(type, values) != values:
            raise _otherwise(f"what {id!r} likes ({domain}, {type})", first, where)
    return found


def _each(preferences: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    return ((domain, type, values) for domain, types in preferences.items() for type, values in types.items())


def _and(before: Task, now: Task, first: str, where: str) -> Task:
    """`before` with the preferences that `now`, the same task, adds to those that matter."""
    if before == now:
        return before
    bare = dict.fromkeys(_ADDS_UP, ())
    if before.model_copy(update=bare) != now.model_copy(update=bare):
        raise _otherwise(f"the task {before.id!r}", first, where)
    return before.model_copy(
        update={name: tuple(dict.fromkeys((*getattr(before, name), *getattr(now, name)))) for name in _ADDS_UP}
    )


_ADDS_UP = ("relevant", "domains")


def _otherwise(what: str, first: str, where: str) -> BadInput:
    return BadInput(f"says otherwise of {what} than {first}", where, "Give them ids of their own")
