"""A campaign: the written form of what to run, and the dialogues that it makes."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from duologue.agents.endpoint import EndpointSpec
from duologue.agents.models.call import CallLimits
from duologue.agents.models.door import ModelSpec
from duologue.overrides import overridden
from duologue.profiles.scenario import ScenarioKey
from duologue.tasks.written import BadInput, Written, fingerprint, nearest, parse, read_toml

__all__ = ["AssistantSpec", "Campaign", "Cell", "JudgeSpec", "Limits", "Select", "UserSpec", "cells", "read_campaign"]


Kind = Literal["demographics", "history", "situation", "preferences"]


class UserSpec(ModelSpec):
    """`[user]`: a model, an agenda, lines to say in order, or the person at the keyboard."""

    model: str = ""
    agenda: bool = False
    """Goals, slots and preferences are followed by rules: no model speaks."""
    correction: Literal["silent", "object"] = "silent"
    """What an agenda does about a proposal that its preferences speak against: accept it, or say so."""
    script: tuple[str, ...] = ()
    person: bool = False

    @model_validator(mode="after")
    def _one_voice(self) -> "UserSpec":
        _exactly_one(self, "model", "agenda", "script", "person")
        if self.correction != "silent" and not self.agenda:
            raise ValueError("correction belongs to agenda = true; drop it, or let the agenda speak")
        return self


class JudgeSpec(ModelSpec):
    """`[judge]`: a model, and the rubric it works under: a shipped name or a file."""

    rubric: str = "default"


class AssistantSpec(ModelSpec):
    """`[[assistant]]`: an assistant under test, and what it is told about the user."""

    name: str = Field(min_length=1)
    model: str = ""
    callable: str = ""
    """`module:function` or `path/file.py:function`."""
    endpoint: EndpointSpec | None = None
    script: tuple[str, ...] = ()
    person: bool = False
    reference: Literal["", "floor", "ceiling", "asker"] = ""
    """One that comes with Duologue and needs no model: the ends of the scale, and one that asks for everything."""
    context: tuple[Kind, ...] = ()
    memory: str = Field(default="", pattern=r"^((bm25|embedding)(:[1-9]\d{0,2})?)?$")
    """Sessions looked up by what the user says first: `bm25:5` or `embedding:5`, five of them."""
    whose: Literal["own", "wrong", "popular"] = "own"
    """Of whom it is told: the user, another profile instead, or what is most popular in place of the preferences."""
    scope: Literal["all", "task"] = "all"
    tools: Literal["auto", "native", "text", "off"] = "auto"
    """How it acts. `auto`: with tools where its model has a form for calls and is not small, where a callable takes
    `tools`, or where an endpoint says where its `calls` stand; else it only talks."""
    stateful: bool = False
    """It keeps something between turns that the messages alone cannot rebuild."""

    @model_validator(mode="before")
    @classmethod
    def _named_after_its_kind(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("reference") and "name" not in value:
            return {"name": value["reference"], **value}
        return value

    @field_validator("context", mode="before")
    @classmethod
    def _single_kind(cls, value: Any) -> Any:
        kinds = [value] if isinstance(value, str) else value
        return [kind for kind in kinds if kind != "none"] if isinstance(kinds, list | tuple) else kinds

    @model_validator(mode="after")
    def _one_voice(self) -> "AssistantSpec":
        _exactly_one(self, "model", "callable", "endpoint", "script", "person", "reference")
        for fault in (_reference_fault(self), _context_fault(self), _tools_fault(self)):
            if fault:
                raise ValueError(fault)
        return self


class Select(Written):
    """`[select]`: which scenarios. Counts are drawn by the campaign's seed; `sample` is stratified by domain."""

    profiles: Annotated[int, Field(ge=1)] | tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sample: int | None = Field(default=None, ge=1)


class Limits(CallLimits):
    """`[limits]`: how much at once, how long, how often. Times in seconds."""

    concurrency: int = Field(default=4, ge=1, le=100_000)
    turns: int = Field(default=10, ge=1)
    """How many times a user may speak in one dialogue."""
    failures: float = Field(default=0.2, ge=0, le=1)
    """The share of dialogues without scores above which the command ends with exit code 3."""


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
    return parse(Campaign, overridden(table, sets), path)


def cells(campaign: Campaign, keys: list[ScenarioKey]) -> Iterator[Cell]:
    """The dialogues of a campaign: scenario by scenario, trial by trial, each assistant in turn."""
    for key in keys:
        for trial in range(1, campaign.trials + 1):
            for spec in campaign.assistant:
                yield Cell(key, spec.name, trial)


def _reference_fault(spec: AssistantSpec) -> str:
    if not spec.reference:
        return ""
    if spec.context or spec.memory:
        return f"the {spec.reference} is told nothing: what it reads is its kind; drop context and memory"
    if spec.tools in ("text", "off"):
        return f"the {spec.reference} acts through tools alone; drop tools"
    if spec.whose != "own" and spec.reference != "ceiling":
        return f"the {spec.reference} reads nothing of anybody; whose is for the ceiling"
    return ""


def _context_fault(spec: AssistantSpec) -> str:
    if spec.memory and "history" in spec.context:
        return "history tells every session already; drop it, or drop memory"
    if spec.reference or spec.whose == "own":
        return ""
    if spec.whose == "popular" and ("preferences" not in spec.context or spec.memory or "history" in spec.context):
        return "whose = 'popular' stands in for the preferences: it takes preferences in context, and no sessions"
    if not spec.memory and not set(spec.context) - {"situation"}:
        return f"whose = {spec.whose!r} changes nothing where nothing of the user is told; add a context or a memory"
    return ""


def _tools_fault(spec: AssistantSpec) -> str:
    if spec.tools in ("native", "text") and (spec.script or spec.person):
        return f"{'a script' if spec.script else 'a person'} calls no tools; drop tools"
    if spec.tools == "native" and spec.endpoint and not spec.endpoint.calls:
        return "tools = 'native' needs to know where an endpoint's calls stand: write calls beside reply"
    if spec.tools == "text" and not spec.model:
        return "tools = 'text' is for models; write tools = 'native', or leave it out"
    return ""


def _exactly_one(spec: Written, *names: str) -> None:
    given = [name for name in names if getattr(spec, name)]
    if len(given) != 1:
        choice = ", ".join(names)
        found = f"{' and '.join(given)} are both given" if given else "none is given"
        raise ValueError(f"needs exactly one of {choice}; {found}")
