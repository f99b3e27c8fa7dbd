"""The difference of two assistants in one score: how large it is, how sure that is, and what may be said of it."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from duologue.comparing.pairs import EQUAL, Dropped, Held, Pair, held, worst
from duologue.scoring.measures import EFFORT, ENDS, SCALES, STATE_SCALES
from duologue.statistics.interval import FEWEST, Interval, bootstrapped
from duologue.tasks.written import Written

__all__ = ["LEVEL", "NARROW", "TASTES", "Difference", "Finding", "alike", "difference", "leads", "settled"]

LEVEL = 0.05
"""Up to this adjusted p a difference counts as shown."""
NARROW = 0.05
"""Up to this share of the scale two means count as equal, where it is sure that they are not further apart."""
TASTES = ("personalisation", "preferences_met", "state_preferences_met", "state_unasked", "state_regret")
"""Scores that an assistant which reads the preferences gets by reading."""

Finding = Literal["a higher", "b higher", "no difference shown", "too few profiles to tell", "not ranked", "no pairs"]


class Difference(Written):
    """One metric over the pairs of two assistants: `difference` is a's minus b's, within pairs."""

    metric: str
    pairs: int
    profiles: int
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    """How the interval was found."""
    p: float | None = None
    """How often a difference at least as large would come up if the two were alike. None below 8 profiles."""
    adjusted: float | None = None
    """The same in view of all scores that were tested beside it (Holm)."""
    test: str = ""
    """How p was found."""
    finding: Finding
    wins: int = 0
    """Profiles with which a is higher on average."""
    ties: int = 0
    losses: int = 0
    dropped: tuple[Dropped, ...] = ()
    worst: tuple[float, float] | None = None
    """Between what the mean difference could lie, whatever the dropped pairs had scored. None where no pair
    was dropped, or where the metric has no ends to its scale."""


def difference(
    metric: str, pairs: Iterable[Pair], a: str, b: str, key: Sequence[Any], *, unfair: bool = False
) -> Difference:
    """The difference in `metric` over `pairs`, with its interval and its p; what may be said of it `settled` decides.

    `unfair` says that one of the two reads what the other has to find out. `key` seeds the resampling.
    """
    from duologue.statistics.contrast import contrast

    found = held(metric, pairs, a, b)
    between = found.differences
    yes_no = _yes_no(metric, found)
    around = _interval(between, key, yes_no)
    tested = contrast(between, key, binary=yes_no)
    signs = Counter(leads(between).values())
    return Difference(
        metric=metric,
        pairs=len(found.values),
        profiles=len({profile for profile, *_ in found.values}),
        a=_mean(left for _, left, _ in found.values),
        b=_mean(right for _, _, right in found.values),
        difference=_mean(value for _, value in between),
        low=_within(metric, found, around[0]),
        high=_within(metric, found, around[1]),
        method=around[2],
        p=tested.p,
        test=tested.method,
        finding=_beforehand(found, tested.p, unfair),
        wins=signs[1],
        ties=signs[0],
        losses=signs[-1],
        dropped=tuple(Dropped(profile=p.profile, task=p.task, trial=p.trial, why=why) for p, why in found.dropped),
        worst=worst(metric, found),
    )


def settled(differences: Sequence[Difference]) -> list[Difference]:
    """`differences` that are looked at together, each with its adjusted p and what may be said of it.

    One is `higher` where its p, adjusted by Holm over all of them, is at most 0.05 and its own 95 % interval leaves
    out 0: either alone would find too much, the interval for not minding how many scores are looked at, the test for
    saying nothing of the size. Effort is a family of its own. A score in which no profile differs is not tested, nor
    is one that is not ranked: neither makes the others' bound stricter.
    """
    from duologue.statistics.contrast import holm

    done = list(differences)
    for effort in (False, True):
        family = [place for place, each in enumerate(done) if (each.metric in EFFORT) == effort and _tested(each)]
        ps = holm([done[place].p for place in family])
        for place, adjusted in zip(family, ps, strict=True):
            finding = _finding(done[place], adjusted)
            done[place] = done[place].model_copy(update={"adjusted": adjusted, "finding": finding})
    return done


def alike(each: Difference) -> bool:
    """Whether the means are equal: the 95 % interval holds 0 and reaches no further than `NARROW` of the scale to
    either side. An interval that is wide, or that there is none of, says nothing of that."""
    if each.finding != "no difference shown" or each.low is None or each.high is None or each.metric not in ENDS:
        return False
    low, high = ENDS[each.metric]
    reach = NARROW * (high - low) + EQUAL
    return -reach <= each.low <= EQUAL and -EQUAL <= each.high <= reach


def leads(differences: Iterable[tuple[str, float]]) -> dict[str, int]:
    """1, 0 or -1 by profile: whether a or b is higher with it on average."""
    by_profile: dict[str, list[float]] = defaultdict(list)
    for profile, value in differences:
        by_profile[profile].append(value)
    means = {profile: sum(values) / len(values) for profile, values in by_profile.items()}
    return {profile: (mean > EQUAL) - (mean < -EQUAL) for profile, mean in means.items()}


def _beforehand(found: Held, p: float | None, unfair: bool) -> Finding:
    """What may be said before anything is tested."""
    if not found.values:
        return "no pairs"
    if unfair:
        return "not ranked"
    return "too few profiles to tell" if p is None else "no difference shown"


def _tested(each: Difference) -> bool:
    return each.finding == "no difference shown" and bool(each.wins or each.losses)


def _finding(each: Difference, adjusted: float | None) -> Finding:
    if adjusted is None or adjusted > LEVEL or each.low is None or each.high is None:
        return "no difference shown"
    if each.low > EQUAL:
        return "a higher"
    return "b higher" if each.high < -EQUAL else "no difference shown"


def _yes_no(metric: str, found: Held) -> bool:
    """Whether all values are yes or no. Of a rubric's own questions that shows in the values alone."""
    if metric in {*SCALES, *STATE_SCALES, *EFFORT}:
        return metric in ("success", "state_success")
    values = {value for _, *both in found.values for value in both}
    return values <= {0.0, 1.0} and 0.0 in values


def _interval(
    between: Sequence[tuple[str, float]], key: Sequence[Any], yes_no: bool
) -> tuple[float | None, float | None, str]:
    """The ends of the 95 % interval, and how they were found."""
    around: Interval = bootstrapped(between, key)
    same = {value for _, value in between}
    if around.profiles >= FEWEST and yes_no and len(same) == 1:
        return (*_without_spread(same.pop(), around.profiles), "score")
    return around.low, around.high, around.method


def _within(metric: str, found: Held, end: float | None) -> float | None:
    """`end` of an interval, or the largest difference that the scale has where it would lie beyond."""
    if end is None or metric not in ENDS:
        return end
    low, high = ENDS[metric]
    if any(not low <= value <= high for _, *both in found.values for value in both):
        return end
    return max(low - high, min(high - low, end))


def _without_spread(value: float, pairs: int) -> tuple[float, float]:
    """Tango's score interval of a paired difference of shares where all pairs differ by the same -1, 0 or 1,

    ±z² / (n + z²) where none differs, and (n - z²) / (n + z²) to 1 where all do (Tango 1998, Statistics in Medicine
    17:8, with no discordant pair, or none but those), n the number of profiles. Resampling would show no spread at all.
    """
    from scipy.special import ndtri

    square = float(ndtri(1 - LEVEL / 2)) ** 2
    if not value:
        return -square / (pairs + square), square / (pairs + square)
    end = (pairs - square) / (pairs + square)
    return (end, 1.0) if value > 0 else (-1.0, -end)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return math.fsum(found) / len(found) if found else None
