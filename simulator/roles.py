"""Roles: the written forms of whoever takes part in a campaign."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from duologue.agents.endpoint import EndpointSpec
from duologue.agents.models.door import ModelSpec
from duologue.tasks.written import Written

__all__ = ["AssistantSpec", "JudgeSpec", "UserSpec"]

_MEMORY = re.compile(r"(bm25|embedding)(:[1-9][0-9]{0,2})?")

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
    elsewhere: bool = False
    """It spoke elsewhere: its dialogues were brought in to be judged, and none can be held."""

    @model_validator(mode="after")
    def _one_voice(self) -> "UserSpec":
        _exactly_one(self, "model", "agenda", "script", "person", "elsewhere")
        if fault := _user_fault(self):
            raise ValueError(fault)
        return self


class JudgeSpec(ModelSpec):
    """`[judge]`: a model, and the rubric it works under: a shipped name or a file."""

    rubric: str = "default"
    samples: int = Field(default=1, ge=1, le=100)
    """How often it looks at each dialogue, and each of its panel too. What stands is not asked again."""
    panel: tuple[ModelSpec, ...] = ()
    """Further judges, under the same rubric."""

    @model_validator(mode="after")
    def _unlike_judges(self) -> "JudgeSpec":
        models = [each.model for each in self.members]
        if twice := next((model for model in models if models.count(model) > 1), ""):
            raise ValueError(f"two judges are {twice!r}: name each once, and write samples = 2 for two looks of each")
        return self

    @property
    def members(self) -> tuple[ModelSpec, ...]:
        """Everybody who judges, the judge itself first."""
        return (self, *self.panel)


class AssistantSpec(ModelSpec):
    """`[[assistant]]`: an assistant under test, and what it is told about the user."""

    name: str = Field(min_length=1)
    model: str = ""
    callable: str = ""
    """`module:function` or `path/file.py:function`."""
    endpoint: EndpointSpec | None = None
    script: tuple[str, ...] = ()
    person: bool = False
    elsewhere: bool = False
    """It spoke elsewhere, as `[user]` has it."""
    reference: Literal["", "floor", "ceiling", "asker"] = ""
    """One that comes with Duologue and needs no model: the ends of the scale, and one that asks for everything."""
    context: tuple[Kind, ...] = ()
    memory: str = ""
    """Sessions looked up by what the user says first: `bm25:5` or `embedding:5`, five of them. `embedding` has the
    embedded model read every session of a user once, a second or more each without a GPU: a minute for forty."""
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
        if isinstance(value, dict) and (kind := value.get("reference")) and "name" not in value:
            return {"name": kind if isinstance(kind, str) else "reference", **value}
        return value

    @field_validator("memory", mode="before")
    @classmethod
    def _names_a_memory(cls, value: Any) -> Any:
        if value != "" and not (isinstance(value, str) and _MEMORY.fullmatch(value)):
            raise ValueError('memory must be bm25:N or embedding:N, N from 1 to 999, such as "bm25:5"')
        return value

    @field_validator("context", mode="before")
    @classmethod
    def _single_kind(cls, value: Any) -> Any:
        kinds = [value] if isinstance(value, str) else value
        return _once(kind for kind in kinds if kind != "none") if isinstance(kinds, list | tuple) else kinds

    @model_validator(mode="after")
    def _one_voice(self) -> "AssistantSpec":
        _exactly_one(self, "model", "callable", "endpoint", "script", "person", "reference", "elsewhere")
        if fault := _assistant_fault(self):
            raise ValueError(fault)
        return self


def _user_fault(spec: UserSpec) -> str:
    """What does not go together in `[user]`, and what to do about it; empty where all is well."""
    if spec.correction != "silent" and not spec.agenda:
        return "correction belongs to agenda = true; drop it, or let the agenda speak"
    return _idle_fault(spec, "an agenda" if spec.agenda else "a script" if spec.script else "a person")


def _assistant_fault(spec: AssistantSpec) -> str:
    """What does not go together in an `[[assistant]]`, and what to do about it; empty where all is well."""
    faults = _reference_fault, _voice_fault, _context_fault, _tools_fault
    return next(filter(None, (fault(spec) for fault in faults)), "")


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


def _voice_fault(spec: AssistantSpec) -> str:
    """What is written of a model or of what keeps something, where neither speaks."""
    voices = {
        f"the {spec.reference}": spec.reference, "a script": spec.script, "a person": spec.person,
        "a callable": spec.callable, "an endpoint": spec.endpoint,
    }  # fmt: skip
    voice = next((name for name, given in voices.items() if given), "")
    if fault := _idle_fault(spec, voice):
        return fault
    if spec.reference and (idle := [name for name in ("stateful", "scope") if name in _changed(spec)]):
        return f"{idle[0]} changes nothing for the {spec.reference}; drop it"
    return ""


def _idle_fault(spec: UserSpec | AssistantSpec, voice: str) -> str:
    """What `voice` would silently pass over: how a model is asked."""
    idle = [] if spec.model else [name for name in ModelSpec.model_fields if name in _changed(spec)]
    return f"{idle[0]} is for models, and {voice} is none; drop {' and '.join(idle)}" if idle else ""


def _changed(spec: ModelSpec) -> set[str]:
    """The keys that say something else than they do by default."""
    return {name for name, field in type(spec).model_fields.items() if getattr(spec, name) != field.default}


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


def _once(kinds: Iterable[Any]) -> list[Any]:
    """Each of them once, whatever they are."""
    held: list[Any] = []
    for kind in kinds:
        if kind not in held:
            held.append(kind)
    return held


def _exactly_one(spec: Written, *names: str) -> None:
    given = [name for name in names if getattr(spec, name)]
    if len(given) != 1:
        choice = ", ".join(name for name in names if name != "elsewhere")
        found = f"{' and '.join(given)} are both given" if given else "none is given"
        raise ValueError(f"needs exactly one of {choice}; {found}")
