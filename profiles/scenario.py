"""A scenario: a profile, a task and a situation together."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from duologue.profiles.profile import Profile
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import Written, fingerprint

__all__ = ["Scenario", "ScenarioKey", "ScenarioLine"]


class ScenarioKey(NamedTuple):
    """A scenario by its ids: light enough to hold a hundred thousand of them."""

    profile: str
    task: str
    domains: tuple[str, ...]
    situation: Situation


class ScenarioLine(Written):
    """A scenario as a line of `scenarios.jsonl` names it."""

    profile: str
    task: str
    situation: Situation = Situation()


@dataclass(frozen=True)
class Scenario:
    """Who talks, about what, where and when."""

    profile: Profile
    task: Task
    situation: Situation = Situation()

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits from the ids of profile and task, and the situation."""
        return fingerprint(self.profile.id, self.task.id, self.situation)

    def __hash__(self) -> int:
        return hash(self.id)
