"""A comparison: assistants on equal scenarios, pair by pair."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pydantic import Field

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.contest import Contest, Contestant, contestants
from duologue.insight import scale_ends
from duologue.judging import Judging
from duologue.measures import ENDS, STATE_SCALES, excused, ordered
from duologue.record import Run
from duologue.scale import places, unscaled
from duologue.scorecard import Place, Row
from duologue.statistics.interval import Interval, bootstrapped
from duologue.tasks.written import Written

__all__ = ["Comparison", "Difference", "Dropped", "Finding", "Pairing", "Side", "compare"]

ACTED = (*STATE_SCALES, "calls")
"""Scores of those that could act."""
EQUAL = 1e-9
"""Differences up to this count as none."""
TASTES = ("personalisation", "preferences_met", "state_preferences_met", "state_unasked", "state_regret")
"""Scores that an assistant which reads the preferences gets by reading."""

Finding = Literal["a higher", "b higher", "no difference shown", "too few profiles to tell", "not ranked", "no pairs"]


class Side(Written):
    """One of the assistants compared."""

    label: str
    assistant: str
    run: str
    context: tuple[str, ...] = ()
    told: str = ""
    """What it is told of the user, in words."""
    reads_answers: bool = False
    """Its context holds the preferences themselves: it is told what the others have to find out."""
    dialogues: int
    places: tuple[Place, ...] = ()
    """Where it stands between the floor and the ceiling of these runs."""


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
    state: Judging = Judging()
    """Whose reading of the end states is used."""
    sides: tuple[Side, ...]
    pairings: tuple[Pairing, ...]
    unscaled: str = ""
    """Why nobody is placed between floor and ceiling, where worlds were there to do it by."""
    notes: tuple[str, ...] = ()


def compare(runs: Sequence[Run], assistants: Sequence[str] = (), rubric: str = "", judge: str = "") -> Comparison:
    """Compare the assistants of `runs` (or those named) on the pairs of equal profile, task, situation and trial.

    `rubric` and `judge` name the verdicts to use, as in `judging`.
    Raises BadInput where fewer than two are left, where a name is unknown, where a run is named twice, or where
    the runs differ in user, data, judge or seed, so that their dialogues are no pairs.
    """
    contest = contestants(runs, assistants, rubric, judge)
    seed = runs[0].manifest.campaign.get("seed", 0)
    found = {each.label: each.insight for each in contest.all}
    return Comparison(
        judging=contest.used,
        state=contest.state,
        sides=tuple(_side(each, contest, seed) for each in contest.chosen),
        pairings=tuple(_pairing(a, b, seed) for a, b in combinations(contest.chosen, 2)),
        unscaled=unscaled(found) if contest.state.judge else "",
        notes=tuple(dict.fromkeys(note for run in runs for note in (*run.manifest.notes, *run.notes))),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    profile: str
    task: str
    trial: int
    a: Row | None
    b: Row | None


def _side(each: Contestant, contest: Contest, seed: object) -> Side:
    ends = scale_ends({other.label: other.insight for other in contest.all})
    held = {other.label: other.rows for other in contest.all}
    acted = any(row.metrics.get("state_success") is not None for row in each.rows)
    scaled = acted and len(ends) == 2 and each.label not in ends.values()
    return Side(
        label=each.label,
        assistant=each.name,
        run=str(each.run.folder),
        context=each.insight.context,
        told=each.insight.told,
        reads_answers=each.reads_answers,
        dialogues=len(each.rows),
        places=places(each.rows, held[ends["floor"]], held[ends["ceiling"]], (seed, each.label)) if scaled else (),
    )


def _pairing(a: Contestant, b: Contestant, seed: object) -> Pairing:
    pairs = _pairs(a.rows, b.rows)
    talkers = [each.label for each in (a, b) if not any(map(_acted, each.rows))]
    names = ordered(name for row in (*a.rows, *b.rows) for name in row.metrics if not talkers or name not in ACTED)
    whole = [pair for pair in pairs if pair.a is not None and pair.b is not None]
    alone = Counter(f"not run by {(b if pair.b is None else a).label}" for pair in pairs if not (pair.a and pair.b))
    return Pairing(
        a=a.label,
        b=b.label,
        pairs=len(whole),
        unpaired=dict(alone),
        differences=tuple(_difference(name, pairs, a, b, seed) for name in names),
        notes=(*_context_notes(a, b), *_talk_notes(talkers, a, b)),
    )


def _acted(row: Row) -> bool:
    """Whether the assistant could act, so that there is an end state to read."""
    return not row.unscored.get("state_success", NOT_APPLICABLE).startswith(NOT_APPLICABLE) or (
        row.metrics.get("state_success") is not None
    )


def _pairs(a: Iterable[Row], b: Iterable[Row]) -> list[_Pair]:
    left, right = ({row.pairing: row for row in rows} for rows in (a, b))
    keys = list(dict.fromkeys([*left, *right]))
    return [_Pair(key[0], key[1], key[3], left.get(key), right.get(key)) for key in keys]


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


def _worst(
    metric: str, kept: Sequence[tuple[str, float, float]], dropped: Sequence[_Pair]
) -> tuple[float, float] | None:
    """The ends between which the mean difference lies if each unknown score is anything on its scale."""
    if not dropped or metric not in ENDS:
        return None
    low, high = ENDS[metric]
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
        reader = a if a.reads_answers else b
        yield (
            f"{reader.label} alone reads the user's preferences: in personalisation and in "
            "preferences met they are not ranked, and the difference shows only what reading them brings"
        )
    elif a.insight.told != b.insight.told:
        yield (
            f"contexts differ ({a.insight.told or 'none'} and {b.insight.told or 'none'}): "
            "a difference may be due to what they are told, not to how good they are"
        )


def _talk_notes(talkers: Sequence[str], a: Contestant, b: Contestant) -> Iterable[str]:
    """Why nothing is compared by state, where one of the two could act."""
    if len(talkers) == 1 and any(map(_acted, (*a.rows, *b.rows))):
        yield f"{talkers[0]} acted on nothing, it only talked: nothing is compared by state"


def _mean(values: Iterable[float]) -> float | None:
    held = list(values)
    return sum(held) / len(held) if held else None
