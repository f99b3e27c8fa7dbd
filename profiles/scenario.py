"""A scenario: a profile, a task and a situation together."""

from dataclasses import dataclass
from typing import NamedTuple

from duologue.profiles.profile import Profile
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import fingerprint

__all__ = ["Scenario", "ScenarioKey"]


class ScenarioKey(NamedTuple):
    """A scenario by its ids: light enough to hold a hundred thousand of them."""

    profile: str
    task: str
    domains: tuple[str, ...]
    situation: Situation


@dataclass(frozen=True, slots=True)
class Scenario:
    """Who talks, about what, where and when."""

    profile: Profile
    task: Task
    situation: Situation = Situation()

    @property
    def id(self) -> str:
        """Sixteen hex digits from the ids of profile and task, and the situation."""
        return fingerprint(self.profile.id, self.task.id, self.situation)
