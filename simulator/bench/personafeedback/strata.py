"""Strata: the families and tiers of cases, cases drawn from them evenly, and figures over each and all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from duologue.bench.personafeedback.cases import FAMILIES, TIERS, Case
from duologue.bench.report import Figure, Line
from duologue.statistics.interval import interval
from duologue.tasks.chance import number

__all__ = ["NAMES", "Measure", "drawn", "lines", "mean"]

NAMES = ("family", "tier")
Measure = Callable[[Sequence[Case], Sequence[str]], Mapping[str, Figure]]
"""Figures over cases; the words seed what is resampled."""
_ORDER = {(family, tier): place for place, (family, tier) in enumerate((f, t) for f in FAMILIES for t in TIERS)}


def drawn(cases: Sequence[Case], seed: int, each: int | None, sample: int | None) -> list[Case]:
    """At most `each` cases of each stratum, and at most `sample` in all, a stratum at a time, in the data's order."""
    rank: dict[str, tuple[int, int]] = {}
    for stratum, held in _strata(cases).items():
        held = sorted(held, key=lambda case: number(seed, "sample", case.id))
        rank |= {case.id: (place, number(seed, "stratum", *stratum)) for place, case in enumerate(held[:each])}
    kept = set(sorted(rank, key=lambda id: rank[id])[:sample])
    return [case for case in cases if case.id in kept]


def lines(cases: Sequence[Case], measure: Measure) -> Iterator[Line]:
    """A line for each stratum; where there are several, those over cases (micro) and over strata (macro) too, of each
    family and of all."""
    strata = {key: (held, measure(held, key)) for key, held in _strata(cases).items()}
    for family, keys in groupby(strata, key=lambda key: key[0]):
        within = {key: strata[key] for key in keys}
        for key, (_, figures) in within.items():
            yield Line(name=key, figures=dict(figures))
        if len(within) > 1:
            yield from _whole(family, within, measure)
    if len({family for family, _ in strata}) > 1:
        yield from _whole("all", strata, measure)


def mean(values: Sequence[tuple[str, float]], unscored: int, key: Sequence[str], share: bool = True) -> Figure:
    """The mean of `values` of (persona, value), with its interval."""
    if not values:
        return Figure(unscored=unscored, why="nothing to count")
    around = interval(values, key, share=share)
    found = sum(value for _, value in values) / len(values)
    return Figure(value=found, low=around.low, high=around.high, n=len(values), unscored=unscored)


def _strata(cases: Sequence[Case]) -> dict[tuple[str, str], list[Case]]:
    held: dict[tuple[str, str], list[Case]] = {}
    for case in sorted(cases, key=lambda case: _ORDER[case.family, case.tier]):
        held.setdefault((case.family, case.tier), []).append(case)
    return held


def _whole(
    name: str, strata: Mapping[tuple[str, str], tuple[Sequence[Case], Mapping[str, Figure]]], measure: Measure
) -> Iterator[Line]:
    cases = [case for held, _ in strata.values() for case in held]
    yield Line(name=(name, "micro"), figures=dict(measure(cases, (name, "micro"))))
    parts = {" ".join(key): figures for key, (_, figures) in strata.items()}
    kinds = next(iter(parts.values()))
    yield Line(name=(name, "macro"), figures={kind: _macro(kind, parts) for kind in kinds})


def _macro(kind: str, parts: Mapping[str, Mapping[str, Figure]]) -> Figure:
    """The plain mean over strata, without an interval; none where one of them has no value."""
    held = {name: figures[kind] for name, figures in parts.items()}
    values = [figure.value for figure in held.values() if figure.value is not None]
    lacking = [name for name, figure in held.items() if figure.value is None]
    return Figure(
        value=None if lacking else sum(values) / len(values),
        n=sum(figure.n for figure in held.values()),
        unscored=sum(figure.unscored for figure in held.values()),
        why=f"{lacking[0]} has none" if lacking else "",
    )
