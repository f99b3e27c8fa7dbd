"""Staging: the world that each dialogue of a campaign has, the same for every assistant."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

from duologue.campaign import Campaign
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import Scenario
from duologue.tasks.stage import Stage, set_stage
from duologue.tasks.wish import Wish

__all__ = ["Stages"]

KEPT = 64
"""How many stages are kept: assistants meet a scenario one soon after the other."""


class Stages:
    """Sets the stage of a scenario and trial, once while it is in use."""

    def __init__(self, campaign: Campaign, data: Dataset, wishes: Callable[[Scenario], Sequence[Wish]]) -> None:
        self._seed, self._domains, self._wishes = campaign.seed, data.domains, wishes
        self._set: OrderedDict[tuple[str, int], Stage] = OrderedDict()

    def stage(self, scenario: Scenario, trial: int) -> Stage:
        """What the world of that scenario and trial holds at the start."""
        key = (scenario.id, trial)
        if key not in self._set:
            found = set_stage(scenario.task, self._domains, self._wishes(scenario), self._seed, scenario.id, trial)
            self._set[key] = found
            if len(self._set) > KEPT:
                self._set.popitem(last=False)
        self._set.move_to_end(key)
        return self._set[key]
