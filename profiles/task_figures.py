"""Figures of a dataset's tasks: how many there are of each sort, and which preferences matter in none."""

from collections.abc import Iterable, Mapping

from duologue.profiles.finding import Bounded
from duologue.tasks.domain import Domain
from duologue.tasks.task import Task
from duologue.tasks.written import Written

__all__ = ["TaskFigures", "task_figures"]

DOMAINS, TYPES, ENTITIES, TASKS, CROSSING = 20, 90, 60, 130, 30
WITHHOLDING, CHANGING = 0.2, 0.1
"""What the shipped tasks must reach: counts and shares."""


class TaskFigures(Written):
    """What a dataset's tasks are like. Only domains in which there are tasks count."""

    domains: int
    types: int
    entities: int
    fewest_entities: int
    """Of a domain that has any."""
    tasks: int
    crossing: int
    """Tasks over several domains."""
    withholding: int
    """Tasks in which the assistant has to ask."""
    changing: int
    """Tasks with a change, a cancellation or a conflict."""
    for_others: int
    """Tasks in which a preference of the user's must not be applied."""
    cases: int
    """Tasks in which the situation decides."""
    checkable: int
    """Tasks whose success the world shows."""
    unused: tuple[str, ...]
    """Preference types that matter in no task."""

    def bounds(self, bounded: bool) -> tuple[Bounded, ...]:
        """The figures, and where `bounded` the numbers that they must reach."""
        share = self.tasks or 1
        found = [
            ("domains", str(self.domains), f"at least {DOMAINS}", self.domains >= DOMAINS),
            ("preference types", str(self.types), f"at least {TYPES}", self.types >= TYPES),
            ("entities", f"{self.entities}, at least {self.fewest_entities} where there are any",
             f"at least {ENTITIES}", self.fewest_entities >= ENTITIES),
            ("tasks", f"{self.tasks}, {self.checkable} of them checked in the world", f"at least {TASKS}",
             self.tasks >= TASKS),
            ("over several domains", str(self.crossing), f"at least {CROSSING}", self.crossing >= CROSSING),
            ("the assistant has to ask", f"{self.withholding} ({self.withholding / share:.0%})",
             f"at least {WITHHOLDING:.0%}", self.withholding >= WITHHOLDING * share),
            ("change or conflict", f"{self.changing} ({self.changing / share:.0%})",
             f"at least {CHANGING:.0%}", self.changing >= CHANGING * share),
            ("for somebody else", str(self.for_others), "", True),
            ("the situation decides", str(self.cases), "", True),
            ("types that matter in no task", "; ".join(self.unused) or "none", "none", not self.unused),
        ]  # fmt: skip
        return tuple(
            Bounded(name=name, value=value, bound=bound, met=met)
            if bounded and bound
            else Bounded(name=name, value=value)
            for name, value, bound, met in found
        )


def task_figures(tasks: Iterable[Task], domains: Mapping[str, Domain]) -> TaskFigures:
    """The figures of `tasks`."""
    held = list(tasks)
    used = [domains[name] for name in dict.fromkeys(name for task in held for name in task.domains) if name in domains]
    matters = {(pair.domain, pair.type) for task in held for pair in task.relevant}
    return TaskFigures(
        domains=len(used),
        types=sum(len(domain.preferences) for domain in used),
        entities=sum(len(domain.catalogue) for domain in used),
        fewest_entities=min((len(domain.catalogue) for domain in used if domain.entity), default=0),
        tasks=len(held),
        crossing=sum(len(task.domains) > 1 for task in held),
        withholding=sum(bool(task.withheld) for task in held),
        changing=sum(_changes(task) for task in held),
        for_others=sum(bool(task.irrelevant) for task in held),
        cases=sum(bool(task.cases) for task in held),
        checkable=sum(bool(task.require) for task in held),
        unused=tuple(
            f"{domain.name}: {type.name}"
            for domain in used
            for type in domain.preferences
            if (domain.name, type.name) not in matters
        ),
    )


def _changes(task: Task) -> bool:
    return bool(task.staged) or any(each.changes or each.gone for each in task.require)
