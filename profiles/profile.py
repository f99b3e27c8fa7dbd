"""A profile: who a simulated user is."""

import datetime
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import ArgsKwargs

from duologue.tasks.written import COMPACT, Written

__all__ = ["Demographics", "Evidence", "Preference", "Profile", "Session", "SessionTurn", "Style"]


class Demographics(Written):
    """Facts about a person. Empty means not said."""

    age: str = ""
    gender: str = ""
    pronouns: str = ""
    employment: str = ""
    education: str = ""
    household: str = ""
    marital_status: str = ""
    languages: str = ""
    english_proficiency: str = ""
    ethnicity: str = ""
    religion: str = ""
    birth_country: str = ""
    home_country: str = ""
    home_city: str = ""

    @field_validator("*", mode="before")
    @classmethod
    def _numbers_as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Style(Written):
    """How a person talks. Empty means unremarkable."""

    tone: str = ""
    """Adjectives, such as "dry, polite"."""
    verbosity: Literal["", "terse", "medium", "chatty"] = ""
    formality: Literal["", "casual", "neutral", "formal"] = ""
    patience: int = Field(default=3, ge=1, le=10)
    """How many unhelpful replies the person puts up with."""
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Preference:
    """One value that a person likes or avoids. May be written as a bare string."""

    value: str = Field(min_length=1)
    polarity: Literal["likes", "avoids"] = "likes"
    strength: float | None = Field(default=None, ge=0, le=1)
    since: datetime.date | None = None
    sensitive: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"value": value}
        if not isinstance(value, dict | ArgsKwargs | Preference):
            raise ValueError('expected a text such as "Thai", or a table such as { value = "Thai", strength = 0.5 }')
        return value


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Evidence:
    """What a session shows about a preference, or seems to. Whether the person likes or avoids the value, the profile
    says; a distractor is a value that shows only once for a reason, or that somebody else likes."""

    domain: str
    type: str
    value: str
    kind: Literal["explicit", "implicit", "update", "distractor"]


class SessionTurn(Written):
    """One turn of a past session."""

    role: Literal["user", "assistant"]
    text: str


class Session(Written):
    """A past interaction with an assistant: a short summary, or its turns, or both."""

    date: datetime.date | None = None
    domain: str
    summary: str = ""
    turns: tuple[SessionTurn, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Each is of the session's domain where none is written."""

    @model_validator(mode="before")
    @classmethod
    def _same_domain(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(shown := value.get("evidence"), list | tuple):
            return value
        if all("domain" in each for each in shown if isinstance(each, dict)):
            return value
        domain = {"domain": value["domain"]} if "domain" in value else {}
        return {**value, "evidence": [{**domain, **each} if isinstance(each, dict) else each for each in shown]}

    @model_validator(mode="after")
    def _says_something(self) -> "Session":
        if not self.summary and not self.turns:
            raise ValueError("a session needs a summary or turns")
        return self


class Profile(Written):
    """Who the user is: demographics, way of talking, preferences by domain and type, dated history."""

    id: str = Field(min_length=1)
    name: str = ""
    demographics: Demographics = Demographics()
    style: Style = Style()
    interests: tuple[str, ...] = ()
    preferences: dict[str, dict[str, tuple[Preference, ...]]] = Field(default_factory=dict)
    history: tuple[Session, ...] = ()

    @field_validator("preferences", mode="before")
    @classmethod
    def _single_values(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {domain: _listed(types) if isinstance(types, dict) else types for domain, types in value.items()}

    @cached_property
    def shown(self) -> Mapping[tuple[str, str], tuple[Evidence, ...]]:
        """By domain and type, what the sessions show, in their order."""
        shown: dict[tuple[str, str], tuple[Evidence, ...]] = {}
        for evidence in (evidence for session in self.history for evidence in session.evidence):
            pair = (evidence.domain, evidence.type)
            shown[pair] = (*shown.get(pair, ()), evidence)
        return shown

    def likes(self, domain: str, type: str) -> tuple[str, ...]:
        """The values of that preference type which the person likes, in the order written."""
        return self._values(domain, type, "likes")

    def avoids(self, domain: str, type: str) -> tuple[str, ...]:
        """The values of that preference type which the person avoids, in the order written."""
        return self._values(domain, type, "avoids")

    def _values(self, domain: str, type: str, polarity: str) -> tuple[str, ...]:
        held = self.preferences.get(domain, {}).get(type, ())
        return tuple(preference.value for preference in held if preference.polarity == polarity)


def _listed(types: dict[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, list | tuple) else [value] for name, value in types.items()}
