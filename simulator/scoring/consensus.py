"""Consensus: several looks at one dialogue, by one judge or by a panel, folded into one. Pure functions.

Scales fold to their median, yes and no and classes to what most looks say; evenly split, they are unscored. What some
looks left unscored is folded over the others.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Protocol, TypeVar

from duologue.agents.verdict import Outcome, PreferenceVerdict, Route, Score, Verdict
from duologue.record.digest import Spread, TasteDigest, ValueDigest, VerdictDigest
from duologue.scoring.judging import BETWEEN
from duologue.scoring.measures import share_met

__all__ = ["EVEN", "agreed", "folded", "told"]

EVEN = "the looks are evenly split"

Class = TypeVar("Class", bound=Hashable)
Each = TypeVar("Each", VerdictDigest, Verdict)


class _Scored(Protocol):
    @property
    def value(self) -> bool | float | None: ...
    @property
    def unscored(self) -> str: ...
    @property
    def expected(self) -> float | None: ...
    @property
    def mass(self) -> float | None: ...


class _Taste(Protocol):
    @property
    def domain(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def outcome(self) -> Any: ...


Scored = TypeVar("Scored", bound=_Scored)
Taste = TypeVar("Taste", bound=_Taste)


def folded(looks: Sequence[VerdictDigest]) -> VerdictDigest:
    """The digests of one verdict or more, under one rubric, as one. Raises ValueError where their rubrics differ."""
    if len(looks) == 1:
        return looks[0]
    heard = _heard(looks)
    alike = _by_key(each.preferences for each in heard)
    return replace(
        heard[-1],
        judge=_names(looks),
        look=1,
        scores={name: _value(held) for name, held in _by_name(heard).items()},
        preferences=tuple(map(_taste, alike)),
        usage=None,
        seconds=sum(each.seconds for each in looks),
        time=max(each.time for each in looks),
        spreads=_spreads(looks, heard, alike),
    )


def told(looks: Sequence[Verdict]) -> Verdict:
    """The same in words: the reason and the evidence are those of the first look that says what is agreed, or that
    comes nearest to it."""
    if len(looks) == 1:
        return looks[0]
    heard = _heard(looks)
    alike = _by_key(each.preferences for each in heard)
    changed = {
        "judge": _names(looks),
        "look": 1,
        "scores": {name: _score(held) for name, held in _by_name(heard).items()},
        "preferences": tuple(map(_preference, alike)),
        "warnings": tuple(dict.fromkeys(warning for each in looks for warning in each.warnings)),
        "usage": None,
    }
    return heard[-1].model_copy(update=changed)


def agreed(values: Sequence[bool | float]) -> bool | float | None:
    """What several values come to: their median, or what most of them say; None where yes and no are even."""
    if all(isinstance(value, bool) for value in values):
        return _most(values)
    from statistics import median

    return float(median(values))


def _heard(looks: Sequence[Each]) -> list[Each]:
    """The looks that can be used; all of them where none can, to say why."""
    if len({(each.rubric, each.rubric_name) for each in looks}) > 1:
        raise ValueError("verdicts under unlike rubrics are never folded together")
    return [each for each in looks if not each.unscored] or list(looks)


def _names(looks: Sequence[Each]) -> str:
    return BETWEEN.join(dict.fromkeys(each.judge for each in looks))


def _by_name(heard: Sequence[Any]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for each in heard for name in each.scores)
    return {name: [each.scores[name] for each in heard if name in each.scores] for name in names}


def _by_key(heard: Iterable[Sequence[Taste]]) -> list[list[Taste]]:
    """What the looks say of each preference."""
    found: dict[tuple[str, str], list[Taste]] = {}
    for preferences in heard:
        for each in preferences:
            found.setdefault((each.domain, each.type), []).append(each)
    return list(found.values())


def _given(held: Sequence[_Scored]) -> list[bool | float]:
    return [each.value for each in held if each.value is not None]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def _most(values: Iterable[Class]) -> Class | None:
    """What stands there most often; None where two do."""
    first, *second = Counter(values).most_common(2)
    return None if second and second[0][1] == first[1] else first[0]


def _why(held: Sequence[_Scored]) -> str:
    """Why there is no value: what most looks say, where none has one."""
    return EVEN if _given(held) else Counter(each.unscored for each in held).most_common(1)[0][0]


def _value(held: Sequence[ValueDigest]) -> ValueDigest:
    given = _given(held)
    value = agreed(given) if given else None
    quoted = [each.quoted for each in held if each.quoted is not None]
    return ValueDigest(
        value,
        _why(held) if value is None else "",
        any(quoted) if quoted else None,
        _mean(each.expected for each in held),
        _mean(each.mass for each in held),
    )


def _score(held: Sequence[Score]) -> Score:
    given = _given(held)
    value = agreed(given) if given else None
    known = {
        "value": value,
        "unscored": _why(held) if value is None else "",
        "expected": _mean(each.expected for each in held),
        "mass": _mean(each.mass for each in held),
    }
    said = [] if value is None else [each for each in held if each.value is not None]
    nearest = min(said, key=lambda each: abs((each.value or 0) - (value or 0)), default=Score())
    return nearest.model_copy(update=known)


def _outcome(held: Sequence[_Taste]) -> Outcome | None:
    """The outcome agreed on; None where the looks are even, `unscored` where none has one."""
    known = [each.outcome for each in held if each.outcome != "unscored"]
    found: Outcome | None = _most(known) if known else "unscored"
    return found


def _taste(held: Sequence[TasteDigest]) -> TasteDigest:
    outcome = _outcome(held)
    if outcome is None:
        return held[0]._replace(outcome="unscored", route="", unscored=EVEN, quoted=None)
    same = [each for each in held if each.outcome == outcome]
    quoted = [each.quoted for each in same if each.quoted is not None]
    return same[0]._replace(route=_most(each.route for each in same) or "", quoted=any(quoted) if quoted else None)


def _preference(held: Sequence[PreferenceVerdict]) -> PreferenceVerdict:
    outcome = _outcome(held)
    if outcome is None:
        return PreferenceVerdict(domain=held[0].domain, type=held[0].type, unscored=EVEN)
    same = [each for each in held if each.outcome == outcome]
    route: Route = _most(each.route for each in same) or ""
    return next((each for each in same if each.route == route), same[0]).model_copy(update={"route": route})


def _spreads(
    looks: Sequence[VerdictDigest], heard: Sequence[VerdictDigest], alike: Sequence[Sequence[TasteDigest]]
) -> dict[str, Spread]:
    """How far the looks lie apart in each score, and in the share of preferences met."""
    found = {name: _spread(len(looks), _given(held)) for name, held in _by_name(heard).items()}
    if alike:
        shares = [share for each in heard if (share := share_met(each)[0]) is not None]
        outcomes = ({each.outcome for each in held} - {"unscored"} for held in alike)
        differ = any(len(known) > 1 for known in outcomes)
        found["preferences_met"] = _spread(len(looks), shares)._replace(unstable=differ)
    return found


def _spread(looks: int, given: Sequence[bool | float]) -> Spread:
    width = float(max(given) - min(given)) if given else 0.0
    return Spread(looks, len(given), width, width > 0)
