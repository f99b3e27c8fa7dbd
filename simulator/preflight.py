"""Preflight: whether what a campaign's tasks require can be done in their worlds, before anybody speaks."""

from collections.abc import Iterable

from duologue.profiles.dataset import Dataset
from duologue.profiles.domain_faults import faults_in_domain
from duologue.profiles.scenario import ScenarioKey
from duologue.staging import has_world
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.written import BadInput

__all__ = ["rehearse"]


def rehearse(data: Dataset, keys: Iterable[ScenarioKey]) -> None:
    """Raises BadInput for the first domain that does not hold together, and the first task that nobody could do."""
    tasks = [data.task(id) for id in dict.fromkeys(key.task for key in keys)]
    acting = [task for task in tasks if has_world(data, task)]
    for name in dict.fromkeys(name for task in acting for name in task.domains if name in data.domains):
        for fault in faults_in_domain(data.domains[name]):
            if fault.level == "error":
                raise BadInput(fault.what, f"domain {name}", fault.then or "See all: duologue tasks check")
    for task in acting:
        if why := obstacle(task, data.domains):
            raise BadInput(f"cannot be done: {why}", f"task {task.id!r}", "See all: duologue tasks check")
