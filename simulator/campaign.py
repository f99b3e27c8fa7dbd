"""A campaign: the written form of what to run, and the dialogues that it makes."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from duologue.agents.models.call import CallLimits
from duologue.money.prices import Prices
from duologue.overrides import overridden
from duologue.profiles.scenario import ScenarioKey
from duologue.roles import AssistantSpec, JudgeSpec, UserSpec
from duologue.tasks.written import BadInput, Written, fingerprint, nearest, parse, read_toml

__all__ = [
    "AssistantSpec", "CacheSpec", "Campaign", "Cell", "JudgeSpec", "Limits", "Select", "UserSpec",
    "cells", "read_campaign",
]  # fmt: skip


class Select(Written):
    """`[select]`: which scenarios. Counts are drawn by the campaign's seed; `sample` is stratified by domain."""

    profiles: Annotated[int, Field(ge=1)] | tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sample: int | None = Field(default=None, ge=1)


class Limits(CallLimits):
    """`[limits]`: how much at once, how long, how often. Times in seconds."""

    concurrency: int = Field(default=4, ge=1, le=100_000)
    workers: int = Field(default=1, ge=1, le=256)
    """Processes that share the work, where one core is not enough; `concurrency` is for all of them together."""
    turns: int = Field(default=10, ge=1)
    """How many times a user may speak in one dialogue."""
    failures: float = Field(default=0.2, ge=0, le=1)
    """The share of dialogues without scores above which the command ends with exit code 3."""
    dialogue: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What a dialogue may take in one go, in seconds: then it ends as a timeout of whoever is waited for."""
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What the run may cost in all, in the currency of the prices: then no new dialogue begins, and the running ones
    end after their turn. `resume` goes on under a new one."""

    @property
    def of_calls(self) -> CallLimits:
        """What of it is written for single calls."""
        return CallLimits(**self.model_dump(exclude_unset=True, include=set(CallLimits.model_fields)))


class CacheSpec(Written):
    """`[cache]`: answers of models are kept in a file, and what was asked before is not asked again."""

    path: str = ""
    """The file; it is made where it is not there. Empty: no cache."""


class Campaign(Written):
    """What to run. `name` defaults to the name of its file."""

    name: str = Field(default="campaign", pattern=r"^[\w .()+-]+$")
    seed: int = 0
    trials: int = Field(default=1, ge=1)
    data: str = "shipped"
    """`shipped`, `personalens:PATH`, or a folder of profiles and tasks."""
    beside: str = ""
    """The folder that relative paths count from: the campaign file's own unless it says otherwise."""
    user: UserSpec
    judge: JudgeSpec | None = None
    assistant: tuple[AssistantSpec, ...] = Field(min_length=1)
    select: Select = Select()
    limits: Limits = Limits()
    prices: Prices = Prices()
    cache: CacheSpec = CacheSpec()
    require: tuple[str, ...] = ()
    """Bounds that the scores must keep to, such as `personalisation.mean>=0.6`; exit code 1 where they do not."""
    source: str = ""
    """The file that it was read from, if it was; `read_campaign` says so."""
    sets: tuple[str, ...] = ()
    """What was set anew when it was read."""

    @property
    def cache_file(self) -> Path | None:
        """Where the cache is, if there is to be one."""
        return Path(self.beside) / Path(self.cache.path).expanduser() if self.cache.path else None

    @field_validator("assistant")
    @classmethod
    def _unlike_names(cls, value: tuple[AssistantSpec, ...]) -> tuple[AssistantSpec, ...]:
        names = [spec.name for spec in value]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two assistants are named {min(twice)!r}; give each a name of its own")
        return value


@dataclass(frozen=True, slots=True)
class Cell:
    """One dialogue to run."""

    scenario: ScenarioKey
    assistant: str
    trial: int

    @property
    def id(self) -> str:
        key = self.scenario
        return fingerprint(key.profile, key.task, key.situation, self.assistant, self.trial)


def read_campaign(source: str | Path, sets: Iterable[str] = ()) -> Campaign:
    """The campaign in a TOML file, or the shipped one of that name, with single values set anew.

    `sets` are texts such as `limits.turns=5`. Raises BadInput.
    """
    path = Path(source)
    shipped = files("duologue") / "campaigns" / f"{source}.toml"
    if not path.suffix and shipped.is_file():
        table = {"name": str(source), **tomllib.loads(shipped.read_text(encoding="utf-8"))}
    elif not path.suffix and not path.exists():
        known = sorted(Path(file.name).stem for file in (files("duologue") / "campaigns").iterdir())
        raise BadInput(
            f"no campaign {str(source)!r}{nearest(str(source), known)}",
            then=f"Name a TOML file, or a shipped one: {', '.join(known)}",
        )
    else:
        table = {"name": path.stem, "beside": str(path.parent.resolve()), **read_toml(path)}
    origin = {} if shipped.is_file() and not path.suffix else {"source": str(path.resolve())}
    held = tuple(sets)
    campaign = parse(Campaign, {**overridden(table, held), **origin, "sets": held}, path)
    if campaign.user.elsewhere or any(spec.elsewhere for spec in campaign.assistant):
        raise BadInput("elsewhere is for dialogues that were brought in", path, "Do so: duologue judge FILE")
    return campaign


def cells(campaign: Campaign, keys: list[ScenarioKey]) -> Iterator[Cell]:
    """The dialogues of a campaign: scenario by scenario, trial by trial, each assistant in turn."""
    for key in keys:
        for trial in range(1, campaign.trials + 1):
            for spec in campaign.assistant:
                yield Cell(key, spec.name, trial)
