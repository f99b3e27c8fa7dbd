"""A dataset: where profiles, tasks, domains and scenarios come from."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario, ScenarioKey
from duologue.tasks.domain import Domain
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput

__all__ = ["Dataset", "open_dataset", "scenario"]


class Dataset(Protocol):
    """Profiles, tasks and domains by id, and the scenarios that they make.

    `scenarios` streams: a hundred thousand keys must not need their profiles in memory.
    `profile` and `task` raise BadInput for an unknown id and name the nearest known one.
    """

    @property
    def source(self) -> str: ...
    @property
    def domains(self) -> Mapping[str, Domain]: ...
    def profiles(self) -> Iterator[Profile]: ...
    def tasks(self) -> Iterator[Task]: ...
    def scenarios(self) -> Iterator[ScenarioKey]: ...
    def profile(self, id: str) -> Profile: ...
    def task(self, id: str) -> Task: ...


def scenario(data: Dataset, key: ScenarioKey) -> Scenario:
    """The scenario that `key` names, with its profile and task read."""
    return Scenario(data.profile(key.profile), data.task(key.task), key.situation)


def open_dataset(source: str, beside: Path = Path()) -> Dataset:
    """The dataset that `source` names: `shipped`, `personalens:PATH`, or a folder.

    Relative paths count from `beside`, the folder of the campaign that names them.
    Raises BadInput where there is nothing to read.
    """
    raise BadInput(f"no dataset {source!r}", beside)
