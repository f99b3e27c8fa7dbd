"""Taking goals over: equal ones once, with domains for their services, and all that was done told of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from duologue.tasks.domain import Domain
from duologue.tasks.imports.domains import Place, make_domain, spelt
from duologue.tasks.imports.files import Tell
from duologue.tasks.imports.goal import Goal
from duologue.tasks.imports.making import make_task
from duologue.tasks.imports.naming import kind_names
from duologue.tasks.imports.schema import Service
from duologue.tasks.imports.seen import Seen
from duologue.tasks.personalens import Note
from duologue.tasks.task import Task
from duologue.tasks.written import canonical

__all__ = ["Goals", "Taken"]


@dataclass(frozen=True)
class Taken:
    """What an import took over: the domains by name, and the tasks."""

    domains: Mapping[str, Domain]
    tasks: tuple[Task, ...]


class Goals:
    """The goals of dialogues, equal ones counted."""

    def __init__(self) -> None:
        self._held: dict[Goal, tuple[str, int]] = {}

    def add(self, id: str, goal: Goal) -> list[Note]:
        """Takes a goal in, and notes what it is or why it is left out."""
        if not goal:
            return [Note("read", "dialogues"), Note("dropped", "dialogues whose goal has no intent", id)]
        first, number = self._held.get(goal, (id, 0))
        self._held[goal] = (first, number + 1)
        return [Note("read", "dialogues")]

    def taken(self, label: str, services: Mapping[str, Service], seen: Seen, tell: Tell) -> Taken:
        """The goals as tasks. Of those that come out as the same task, the first gives it its id."""
        places = self._places(label, services, seen, tell)
        found: dict[str, tuple[Task, int]] = {}
        ids: set[str] = set()
        for goal, (id, number) in self._held.items():
            task, notes = make_task(f"{label.lower()}-{id}", goal, places)
            tell(notes)
            content = canonical(task.changed(id="-"))
            if content not in found:
                task = _renamed(task, ids)
                ids.add(task.id)
            kept, before = found.get(content, (task, 0))
            found[content] = (kept, before + number)
        tasks = tuple(_described(task, number) for task, number in found.values())
        tell(_counted(tasks, sum(number for _, number in found.values())))
        used = {name for task in tasks for name in task.domains}
        return Taken({p.domain.name: p.domain for p in places.values() if p.domain.name in used}, tasks)

    def _places(self, label: str, services: Mapping[str, Service], seen: Seen, tell: Tell) -> dict[str, Place]:
        asked: dict[str, dict[str, set[str]]] = {}
        for want in (want for goal in self._held for want in goal):
            for value in want.values:
                held = asked.setdefault(want.service, {}).setdefault(value.slot, set())
                held.add(_put(services[want.service], value.slot, value.forms))
        kinds = kind_names(services.values())
        places: dict[str, Place] = {}
        for name, values in ((name, asked.get(name, {})) for name in services):
            own = {intent: kind for (service, intent), kind in kinds.items() if service == name}
            places[name], notes = make_domain(services[name], label, seen.rows.get(name), values, own)
            tell([*notes, *_unlisted(services[name], values)])
        return places


def _put(service: Service, slot: str, forms: tuple[str, ...]) -> str:
    """The form that the schema lists, else the first."""
    listed = service.slots[slot].values
    return next((put for form in forms if (put := spelt(service, slot, form)) in listed), forms[0])


def _unlisted(service: Service, asked: Mapping[str, set[str]]) -> Iterator[Note]:
    for slot, values in asked.items():
        for value in sorted(values - set(service.slots[slot].values)) if service.slots[slot].values else ():
            what = "values that the schema does not list (records may hold them)"
            yield Note("kept", what, f"{service.name}: {slot} = {value!r}")


def _renamed(task: Task, ids: set[str]) -> Task:
    number = 2
    id = task.id
    while id in ids:
        id, number = f"{task.id}~{number}", number + 1
    return task.changed(id=id)


def _described(task: Task, number: int) -> Task:
    several = f"{number:,} dialogues have this goal." if number > 1 else "One dialogue has this goal."
    return task.changed(description=several)


def _counted(tasks: tuple[Task, ...], goals: int) -> list[Note]:
    checked = sum(bool(task.require) for task in tasks)
    return [
        Note("read", "goals", number=goals),
        Note("read", "tasks checked in the world", number=checked),
        Note("read", "tasks judged by a model", number=len(tasks) - checked),
        Note("repaired", "goals equal to one before (one task for all)", number=goals - len(tasks)),
    ]
