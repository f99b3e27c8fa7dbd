"""The questions of one judgement: a rubric put to a task and a profile, and the schema of the answer."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from duologue.agents.dimension import Dimension, Input, Scale
from duologue.agents.models.call import Schema
from duologue.agents.rubric import Rubric
from duologue.agents.verdict import NOTHING_RELEVANT, UNHELD, PreferenceVerdict
from duologue.profiles.profile import Preference, Profile
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import called_for, former
from duologue.tasks.task import Relevance

__all__ = ["OUTCOMES", "ROUTES", "Asked", "Questions", "answer_schema", "calls_of", "pose"]

OUTCOMES = ("met", "unmet", "violated", "infeasible", "no_decision")
ROUTES = ("unasked", "asked", "told", "corrected", "none")


@dataclass(frozen=True, slots=True)
class Asked:
    """A preference as the judge is told of it, and where it is asked about it, its `key` in the answer."""

    key: str
    domain: str
    type: str
    held: tuple[Preference, ...]
    former: tuple[str, ...] = ()
    """Values that the history shows and that a later session replaced."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked, and what is left unasked with the reason why."""

    dimensions: tuple[Dimension, ...]
    preferences: tuple[Asked, ...]
    pointless: dict[str, str]
    """Names of dimensions that are not asked, with why."""
    unheld: tuple[PreferenceVerdict, ...]
    """Relevant preferences that are not asked about, since the profile says nothing of them."""
    shown: tuple[Input, ...] = ()
    """What the judge is shown beside what was said."""
    known: tuple[Asked, ...] = ()
    """The relevant preferences that the profile holds, asked about or not."""
    background: tuple[Asked, ...] = ()
    """Preferences that the judge is told of and not asked about."""
    alone: bool = False
    """Whether a call of its own asks these, which leaves even a small judge room for all that is shown."""

    @property
    def count(self) -> int:
        return len(self.dimensions) + len(self.preferences)

    @property
    def form(self) -> dict[str, Any]:
        """What tells an answer from other objects: it has one of these keys, be it a level too high."""
        keys = ["scores", "preferences", *(d.name for d in self.dimensions), *(p.key for p in self.preferences)]
        return {"properties": dict.fromkeys(keys)}


def pose(rubric: Rubric, scenario: Scenario) -> Questions:
    """The questions of `rubric` that make sense for `scenario`."""
    relevant = tuple(dict.fromkeys(scenario.task.relevant))
    called = {(want.domain, want.type): want.value for want in called_for(scenario)}
    held = {
        r: (Preference(value=called[r.domain, r.type]),)
        if (r.domain, r.type) in called
        else scenario.profile.preferences.get(r.domain, {}).get(r.type, ())
        for r in relevant
    }
    known = [r for r in relevant if held[r]]
    listed = tuple(_asked(number, r, held[r], scenario.profile) for number, r in enumerate(known, 1))
    asked = listed if rubric.preferences else ()
    pointless = {d.name: NOTHING_RELEVANT for d in rubric.dimensions if d.needs_preferences and not known}
    return Questions(
        dimensions=tuple(d for d in rubric.dimensions if d.name not in pointless),
        preferences=asked,
        pointless=pointless,
        unheld=tuple(_unheld(r) for r in relevant if r not in known) if rubric.preferences else (),
        shown=rubric.inputs,
        known=listed,
        background=_background(rubric.inputs, listed, asked, scenario),
    )


def calls_of(questions: Questions, rubric: Rubric, scenario: Scenario) -> tuple[Questions, ...]:
    """The questions of each call that the rubric asks for: all in one, or each dimension apart."""
    if rubric.calls == "one":
        return (questions,) if questions.count else ()
    first = replace(questions, dimensions=(), alone=True)
    parts = [first] if questions.preferences else []
    for dimension in questions.dimensions:
        shown = rubric.shown(dimension)
        told = _background(shown, questions.known, (), scenario)
        parts.append(replace(first, dimensions=(dimension,), preferences=(), shown=shown, background=told))
    return tuple(parts)


def _background(
    shown: tuple[Input, ...], known: tuple[Asked, ...], asked: tuple[Asked, ...], scenario: Scenario
) -> tuple[Asked, ...]:
    """The preferences that are shown and not asked about: those `known` of the task, and others of its domains."""
    told = () if asked or "preferences" not in shown else known
    if "tastes" not in shown:
        return told
    profile, named = scenario.profile, {(each.domain, each.type) for each in (*told, *asked)}
    others = [
        Asked("", domain, type, held, former(profile, domain, type))
        for domain in scenario.task.domains
        for type, held in profile.preferences.get(domain, {}).items()
        if held and (domain, type) not in named
    ]
    return (*told, *others)


def answer_schema(questions: Questions, small: bool) -> Schema:
    """The schema of the answer: reasons stand before scores, and texts are bounded.

    Where `small`, texts are shorter, quotes tell their turn themselves, and some scores stand alone.
    """
    return _schema(tuple(asked.key for asked in questions.preferences), questions.dimensions, small)


@lru_cache(maxsize=256)
def _schema(preferences: tuple[str, ...], dimensions: tuple[Dimension, ...], small: bool) -> Schema:
    parts: dict[str, Any] = {}
    if preferences:
        parts["preferences"] = _object({key: _preference_schema(small) for key in preferences})
    if dimensions:
        parts["scores"] = _object({d.name: _dimension_schema(d, small) for d in dimensions})
    return Schema("verdict", _object(parts))


def _asked(number: int, relevance: Relevance, held: tuple[Preference, ...], profile: Profile) -> Asked:
    domain, type = relevance.domain, relevance.type
    return Asked(_key(number, type), domain, type, held, former(profile, domain, type))


def _unheld(relevance: Relevance) -> PreferenceVerdict:
    return PreferenceVerdict(domain=relevance.domain, type=relevance.type, unscored=UNHELD)


def _key(number: int, type: str) -> str:
    word = re.sub(r"[^a-z0-9]+", "_", type.casefold()).strip("_")[:30].strip("_")
    return f"p{number}_{word}" if word else f"p{number}"


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _text(bound: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": bound}


_TURN = {"type": "integer", "minimum": 0, "maximum": 999}


def _preference_schema(small: bool) -> dict[str, Any]:
    outcome = {"type": "string", "enum": list(OUTCOMES)}
    route = {"type": "string", "enum": list(ROUTES)}
    if small:
        return _object({"reason": _text(40), "quote": _text(45), "outcome": outcome, "route": route})
    return _object({"reason": _text(200), "turn": _TURN, "quote": _text(140), "outcome": outcome, "route": route})


def _dimension_schema(dimension: Dimension, small: bool) -> dict[str, Any]:
    score = _scale_schema(dimension)
    if not small:
        return _object({"reason": _text(200), "turn": _TURN, "quote": _text(140), "score": score})
    return _object({"reason": _text(60), "quote": _text(45), "score": score}) if dimension.grounds else score


def _scale_schema(dimension: Dimension) -> dict[str, Any]:
    if isinstance(dimension.scale, Scale):
        return {"type": "integer", "minimum": dimension.scale.low, "maximum": dimension.scale.high}
    return {"type": "string", "enum": ["yes", "no"]}
