"""A dataset: where profiles, tasks, domains and scenarios come from."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from duologue.profiles.library import Library
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario, ScenarioKey, ScenarioLine
from duologue.tasks.domain import Domain
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput, Written, written_whole

__all__ = ["Dataset", "open_dataset", "scenario", "write_dataset"]


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
    if source == "shipped":
        return Library(source)
    if source.startswith("personalens:"):
        from duologue.profiles.personalens import open_personalens

        return open_personalens(_path(source.removeprefix("personalens:"), beside))
    return Library(source, _path(source, beside))


def write_dataset(data: Dataset, folder: Path, parts: tuple[str, ...] = ("profiles", "tasks")) -> dict[str, int]:
    """Write `data` as JSON Lines into `folder`, one record at a time, and count what was written.

    Domains are always written; scenarios as soon as both profiles and tasks stand in the folder.
    Raises BadInput where the folder cannot be written.
    """
    records = {"profiles": data.profiles, "tasks": data.tasks}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        counts = {part: _write(folder / f"{part}.jsonl", records[part]()) for part in parts}
        counts["domains"] = _write(folder / "domains.jsonl", data.domains.values())
        if all((folder / f"{part}.jsonl").is_file() for part in records):
            counts["scenarios"] = _write(folder / "scenarios.jsonl", map(_line, data.scenarios()))
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", folder) from None
    return counts


def _write(path: Path, records: Iterable[Written]) -> int:
    """Write beside and then move into place, so that a dataset may be written over itself."""
    import jsonlines

    count = 0
    with written_whole(path) as file, jsonlines.Writer(file, compact=True) as lines:
        for record in records:
            lines.write(record.model_dump(mode="json", exclude_defaults=True))
            count += 1
    return count


def _line(key: ScenarioKey) -> ScenarioLine:
    return ScenarioLine(profile=key.profile, task=key.task, situation=key.situation)


def _path(text: str, beside: Path) -> Path:
    return beside / Path(text).expanduser()
