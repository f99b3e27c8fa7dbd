"""Pairs: dialogues of two assistants on one scenario and trial, and why a score has to leave some out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.scoring.measures import ENDS, excused
from duologue.scoring.scorecard import Row
from duologue.tasks.written import Written

__all__ = ["EQUAL", "Dropped", "Held", "Pair", "held", "paired", "worst"]

EQUAL = 1e-9
"""Differences up to this count as none."""


class Dropped(Written):
    """A pair that one metric could not use, and why."""

    profile: str
    task: str
    trial: int
    why: str


@dataclass(frozen=True, slots=True)
class Pair:
    """What two assistants have of one scenario and trial; None where one of them has not run it."""

    profile: str
    task: str
    trial: int
    a: Row | None
    b: Row | None

    @property
    def row(self) -> Row:
        """Either row, for what both have in common."""
        found = self.a or self.b
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Held:
    """What pairs hold of one metric: values as (profile, a's, b's), and the pairs that are left out, with why."""

    values: tuple[tuple[str, float, float], ...]
    dropped: tuple[tuple[Pair, str], ...]

    @property
    def differences(self) -> list[tuple[str, float]]:
        """(profile, a's minus b's) of each pair."""
        return [(profile, left - right) for profile, left, right in self.values]


def paired(a: Iterable[Row], b: Iterable[Row]) -> list[Pair]:
    """The pairs of equal profile, task, situation and trial, and what only one of the two has."""
    left, right = ({row.pairing: row for row in rows} for rows in (a, b))
    keys = list(dict.fromkeys([*left, *right]))
    return [Pair(key[0], key[1], key[3], left.get(key), right.get(key)) for key in keys]


def held(metric: str, pairs: Iterable[Pair], a: str, b: str) -> Held:
    """What `pairs` hold of `metric`. `a` and `b` are what the two are called."""
    values: list[tuple[str, float, float]] = []
    dropped: list[tuple[Pair, str]] = []
    for pair in pairs:
        left, right = _value(pair.a, metric), _value(pair.b, metric)
        if left is not None and right is not None:
            values.append((pair.profile, left, right))
        elif why := _why_dropped(pair, metric, a, b):
            dropped.append((pair, why))
    return Held(tuple(values), tuple(dropped))


def worst(metric: str, found: Held) -> tuple[float, float] | None:
    """The ends between which the mean difference lies if each unknown score is anything on its scale.

    None where no pair was dropped, or where the metric has no ends to its scale.
    """
    if not found.dropped or metric not in ENDS:
        return None
    low, high = ENDS[metric]
    if any(not low <= value <= high for _, *both in found.values for value in both):
        return None
    least = most = sum(left - right for _, left, right in found.values)
    for pair, _ in found.dropped:
        left, right = _value(pair.a, metric), _value(pair.b, metric)
        least += (low if left is None else left) - (high if right is None else right)
        most += (high if left is None else left) - (low if right is None else right)
    count = len(found.values) + len(found.dropped)
    return least / count, most / count


def _why_dropped(pair: Pair, metric: str, a: str, b: str) -> str:
    """Why a pair has no difference in `metric`; empty where the metric applies to neither side."""
    reasons: Sequence[tuple[str, str]] = [(label, _reason(row, metric)) for label, row in ((a, pair.a), (b, pair.b))]
    if any(why.startswith(NOT_APPLICABLE) for _, why in reasons):
        return ""
    missing = [f"{label}: {why}" for label, why in reasons if why]
    if reasons[0][1] == reasons[1][1]:
        missing = [f"both: {reasons[0][1]}"]
    applies = [why for _, why in reasons if not excused(why)]
    return "; ".join(missing) if applies else ""


def _reason(row: Row | None, metric: str) -> str:
    if row is None:
        return "not run"
    if _value(row, metric) is not None:
        return ""
    return row.unscored.get(metric, "not measured")


def _value(row: Row | None, metric: str) -> float | None:
    return row.metrics.get(metric) if row is not None and row.finished else None
