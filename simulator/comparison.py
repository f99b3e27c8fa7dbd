"""A comparison: assistants on equal scenarios, pair by pair."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pydantic import Field

from duologue.contest import Contestant, contestants
from duologue.judging import Judging
from duologue.measures import INAPPLICABLE, SCALES, ordered
from duologue.record import Run
from duologue.scores import Row
from duologue.statistics import Interval, bootstrapped
from duologue.tasks.written import Written, canonical

__all__ = ["Comparison", "Difference", "Dropped", "Finding", "Pairing", "Side", "compare"]

EQUAL = 1e-9
"""Differences up to this count as none."""
TASTES = ("personalisation", "preferences_met")
"""Scores that an assistant which reads the preferences gets by reading."""

Finding = Literal["a higher", "b higher", "no difference shown", "too few profiles to tell", "not ranked", "no pairs"]


class Side(Written):
    """One of the assistants compared."""

    label: str
    assistant: str
    run: str
    context: tuple[str, ...] = ()
    reads_answers: bool = False
    """Its context holds the preferences themselves: it is told what the others have to find out."""
    dialogues: int


class Dropped(Written):
    """A pair that one metric could not use, and why."""

    profile: str
    task: str
    trial: int
    why: str


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
    finding: Finding
    wins: int = 0
    """Profiles with which a is higher on average."""
    ties: int = 0
    losses: int = 0
    dropped: tuple[Dropped, ...] = ()
    worst: tuple[float, float] | None = None
    """Between what the mean difference could lie, whatever the dropped pairs had scored. None where no pair
    was dropped, or where the metric has no ends to its scale."""


class Pairing(Written):
    """Two assistants compared."""

    a: str
    b: str
    pairs: int
    """Scenarios and trials that both have run."""
    unpaired: dict[str, int] = Field(default_factory=dict)
    """Why others are no pair, with how often."""
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()


class Comparison(Written):
    """Assistants compared two by two."""

    judging: Judging
    sides: tuple[Side, ...]
    pairings: tuple[Pairing, ...]
    notes: tuple[str, ...] = ()


def compare(runs: Sequence[Run], assistants: Sequence[str] = (), rubric: str = "", judge: str = "") -> Comparison:
    """Compare the assistants of `runs` (or those named) on the pairs of equal profile, task, situation and trial.

    `rubric` and `judge` name the verdicts to use, as in `judging`.
    Raises BadInput where fewer than two are left, where a name is unknown, where a run is named twice, or where
    the runs differ in user, data, judge or seed, so that their dialogues are no pairs.
    """
    used, chosen = contestants(runs, assistants, rubric, judge)
    seed = runs[0].manifest.campaign.get("seed", 0)
    return Comparison(
        judging=used,
        sides=tuple(_side(each) for each in chosen),
        pairings=tuple(_pairing(a, b, seed) for a, b in combinations(chosen, 2)),
        notes=tuple(dict.fromkeys(note for run in runs for note in (*run.manifest.notes, *run.notes))),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    profile: str
    task: str
    trial: int
    a: Row | None
    b: Row | None


def _side(each: Contestant) -> Side:
    return Side(
        label=each.label,
        assistant=each.name,
        run=str(each.run.folder),
        context=each.context,
        reads_answers=each.reads_answers,
        dialogues=len(each.rows),
    )


def _pairing(a: Contestant, b: Contestant, seed: object) -> Pairing:
    pairs = _pairs(a.rows, b.rows)
    names = ordered(name for row in (*a.rows, *b.rows) for name in row.metrics)
    whole = [pair for pair in pairs if pair.a is not None and pair.b is not None]
    alone = Counter(f"not run by {(b if pair.b is None else a).label}" for pair in pairs if not (pair.a and pair.b))
    return Pairing(
        a=a.label,
        b=b.label,
        pairs=len(whole),
        unpaired=dict(alone),
        differences=tuple(_difference(name, pairs, a, b, seed) for name in names),
        notes=tuple(_context_notes(a, b)),
    )


def _pairs(a: Iterable[Row], b: Iterable[Row]) -> list[_Pair]:
    left, right = ({_key(row): row for row in rows} for rows in (a, b))
    keys = list(dict.fromkeys([*left, *right]))
    return [_Pair(key[0], key[1], key[3], left.get(key), right.get(key)) for key in keys]


def _key(row: Row) -> tuple[str, str, str, int]:
    return row.profile, row.task, canonical(row.situation), row.trial


def _difference(metric: str, pairs: Sequence[_Pair], a: Contestant, b: Contestant, seed: object) -> Difference:
    kept: list[tuple[str, float, float]] = []
    dropped: list[tuple[_Pair, str]] = []
    for pair in pairs:
        left, right = _value(pair.a, metric), _value(pair.b, metric)
        if left is not None and right is not None:
            kept.append((pair.profile, left, right))
        elif why := _why_dropped(pair, metric, a.label, b.label):
            dropped.append((pair, why))
    differences = [(profile, left - right) for profile, left, right in kept]
    around = bootstrapped(differences, (seed, metric, a.label, b.label))
    unfair = metric in TASTES and a.reads_answers != b.reads_answers
    signs = Counter(_signs(differences))
    return Difference(
        metric=metric,
        pairs=len(kept),
        profiles=len({profile for profile, _, _ in kept}),
        a=_mean(left for _, left, _ in kept),
        b=_mean(right for _, _, right in kept),
        difference=_mean(difference for _, difference in differences),
        low=around.low,
        high=around.high,
        method=around.method,
        finding=_finding(around, bool(kept), unfair),
        wins=signs[1],
        ties=signs[0],
        losses=signs[-1],
        dropped=tuple(Dropped(profile=p.profile, task=p.task, trial=p.trial, why=why) for p, why in dropped),
        worst=_worst(metric, kept, [pair for pair, _ in dropped]),
    )


def _finding(around: Interval, any_pairs: bool, unfair: bool) -> Finding:
    if not any_pairs:
        return "no pairs"
    if unfair:
        return "not ranked"
    if around.low is None or around.high is None:
        return "too few profiles to tell"
    if around.low > EQUAL:
        return "a higher"
    return "b higher" if around.high < -EQUAL else "no difference shown"


def _signs(differences: Iterable[tuple[str, float]]) -> Iterable[int]:
    """1, 0 or -1 for each profile: whether a or b is higher with it on average."""
    by_profile: dict[str, list[float]] = defaultdict(list)
    for profile, difference in differences:
        by_profile[profile].append(difference)
    means = [sum(held) / len(held) for held in by_profile.values()]
    return [(mean > EQUAL) - (mean < -EQUAL) for mean in means]


def _why_dropped(pair: _Pair, metric: str, a: str, b: str) -> str:
    """Why a pair has no difference in `metric`; empty where the metric applies to neither side."""
    reasons = [(label, _reason(row, metric)) for label, row in ((a, pair.a), (b, pair.b))]
    missing = [f"{label}: {why}" for label, why in reasons if why]
    if reasons[0][1] == reasons[1][1]:
        missing = [f"both: {reasons[0][1]}"]
    applies = [why for _, why in reasons if why not in INAPPLICABLE]
    return "; ".join(missing) if applies else ""


def _reason(row: Row | None, metric: str) -> str:
    if row is None:
        return "not run"
    if _value(row, metric) is not None:
        return ""
    return row.unscored.get(metric, "not measured")


def _value(row: Row | None, metric: str) -> float | None:
    return row.metrics.get(metric) if row is not None and row.finished else None


def _worst(
    metric: str, kept: Sequence[tuple[str, float, float]], dropped: Sequence[_Pair]
) -> tuple[float, float] | None:
    """The ends between which the mean difference lies if each unknown score is anything on its scale."""
    if not dropped or metric not in SCALES:
        return None
    low, high = SCALES[metric]
    if any(not low <= value <= high for _, *both in kept for value in both):
        return None
    least = most = sum(left - right for _, left, right in kept)
    for pair in dropped:
        left, right = _value(pair.a, metric), _value(pair.b, metric)
        least += (low if left is None else left) - (high if right is None else right)
        most += (high if left is None else left) - (low if right is None else right)
    count = len(kept) + len(dropped)
    return least / count, most / count


def _context_notes(a: Contestant, b: Contestant) -> Iterable[str]:
    if a.reads_answers != b.reads_answers:
        reader, other = (a, b) if a.reads_answers else (b, a)
        yield (
            f"{reader.label} reads the user's preferences and {other.label} does not: in personalisation and in "
            "preferences met they are not ranked, and the difference shows only what reading them brings"
        )
    elif a.context != b.context:
        yield (
            f"contexts differ ({' + '.join(a.context) or 'none'} and {' + '.join(b.context) or 'none'}): "
            "a difference may be due to what they are told, not to how good they are"
        )


def _mean(values: Iterable[float]) -> float | None:
    held = list(values)
    return sum(held) / len(held) if held else None
