"""Staging: the world that each dialogue of a campaign has, the same for every assistant."""

from functools import lru_cache

from duologue.campaign import Campaign
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wishes
from duologue.tasks.stage import Stage, set_stage
from duologue.tasks.task import Task

__all__ = ["Stages", "has_world"]

KEPT = 64
"""How many stages are kept: assistants meet a scenario one soon after the other."""


def has_world(data: Dataset, task: Task) -> bool:
    """Whether there is something to act on: the task requires records, and its domains keep them."""
    return bool(task.require) and any(data.domains[name].records for name in task.domains if name in data.domains)


class Stages:
    """Sets the stage of a scenario and trial, once while it is in use."""

    def __init__(self, campaign: Campaign, data: Dataset) -> None:
        self._seed, self._domains = campaign.seed, data.domains
        self.stage = lru_cache(maxsize=KEPT)(self._set)
        """What the world of a scenario and trial holds at the start."""

    def _set(self, scenario: Scenario, trial: int) -> Stage:
        return set_stage(scenario.task, self._domains, wishes(scenario), self._seed, scenario.id, trial)
