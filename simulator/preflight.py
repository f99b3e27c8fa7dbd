"""Preflight: whether what a campaign names is there, and what its tasks require can be done, before anybody speaks."""

from collections.abc import Collection

from duologue.profiles.consistency import unresolved
from duologue.profiles.dataset import Dataset
from duologue.profiles.domain_faults import faults_in_domain
from duologue.profiles.library import SHIPPED
from duologue.profiles.scenario import ScenarioKey
from duologue.profiles.task_faults import unknown
from duologue.staging import has_world
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput

__all__ = ["rehearse"]


def rehearse(data: Dataset, keys: Collection[ScenarioKey]) -> None:
    """Raises BadInput for the first preference that no domain has, the first domain that does not hold together, and
    the first task that nobody could do. The shipped profiles are taken to be whole."""
    tasks = [data.task(id) for id in dict.fromkeys(key.task for key in keys)]
    _resolve(data, tasks, keys)
    acting = [task for task in tasks if has_world(data, task)]
    for name in dict.fromkeys(name for task in acting for name in task.domains if name in data.domains):
        for fault in faults_in_domain(data.domains[name]):
            if fault.level == "error":
                raise BadInput(fault.what, f"domain {name}", fault.then or "See all: duologue tasks check")
    for task in acting:
        if why := obstacle(task, data.domains):
            raise BadInput(f"cannot be done: {why}", f"task {task.id!r}", "See all: duologue tasks check")


def _resolve(data: Dataset, tasks: Collection[Task], keys: Collection[ScenarioKey]) -> None:
    """Raises BadInput for the first preference that no domain has, of the tasks and then of the profiles."""
    for task in tasks:
        for what in filter(None, (unknown(pair, data.domains) for pair in task.relevant)):
            raise BadInput(f"relevant: {what}", f"task {task.id!r}", "See all: duologue tasks check")
    if data.source != SHIPPED:
        for id in dict.fromkeys(key.profile for key in keys):
            for what in unresolved(data.profile(id), data.domains):
                raise BadInput(what, f"profile {id!r}", "See all: duologue profiles check")
