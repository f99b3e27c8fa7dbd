"""Ladders: three or more assistants from best to worst, one ladder for each main score."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import TYPE_CHECKING

from duologue.comparing.contest import Contestant
from duologue.comparing.difference import TASTES, Difference, alike, leads
from duologue.comparing.order import Ahead, lined_up, worded
from duologue.comparing.pairs import Pair, held
from duologue.scoring.measures import EFFORT, SCALES, SHARES, STATE_SCALES
from duologue.scoring.scorecard import Row
from duologue.statistics.interval import interval
from duologue.tasks.written import Written

if TYPE_CHECKING:
    from duologue.statistics.strength import Game, Strength

__all__ = ["FEWEST_RUNGS", "Ladder", "Rung", "ladders", "main_scores"]

FEWEST_RUNGS = 3
"""Two assistants need no ladder: their difference says it all."""
MAIN = ("state_success", "state_preferences_met", "success", "personalisation")
TIES = {"state_preferences_met": "state_unasked"}
"""By what ties are decided: of two that meet equally many preferences, the one that had to ask for fewer is ahead.
Two are equal where the data say so (`alike`), not where they say nothing."""


class Rung(Written):
    """One assistant on a ladder."""

    label: str
    mean: float | None = None
    """Over the scenarios and trials that all on the ladder have a score of."""
    then: float | None = None
    """The mean of the score that decides ties, where there is one."""
    low: float | None = None
    high: float | None = None
    won: float | None = None
    """The share of its duels that it won, ties half: it and another with one profile are a duel."""
    won_low: float | None = None
    won_high: float | None = None
    strength: float | None = None
    """Log-odds of being higher with a profile than the average assistant of the ladder (Bradley-Terry)."""
    strength_low: float | None = None
    strength_high: float | None = None
    best: int
    """The best place that it may have: all those that are shown to be ahead stand above it."""
    worst: int


class Ladder(Written):
    """The assistants in the order of one score, the best first: nobody above one that is shown to be ahead, and else by
    the mean."""

    metric: str
    then: str = ""
    """The score that decides between two that are equal in this one, where there is such a score."""
    n: int
    """Scenarios and trials that all have a score of."""
    profiles: int
    rungs: tuple[Rung, ...]
    order: str
    """Who is shown to be ahead of whom, such as `a > b, c; d open`; see `worded`."""
    method: str = ""
    """How the strengths were found."""
    why: str = ""
    """Why there are no strengths, or no intervals of them, if so."""


def main_scores(names: Iterable[str]) -> list[str]:
    """The scores of `names` that a comparison is about: task success, personalisation, and a rubric's own questions."""
    known = {*STATE_SCALES, *SCALES, *EFFORT} - {*MAIN}
    return [name for name in names if name not in known and not name.startswith("user_")]


def ladders(
    chosen: Sequence[Contestant],
    pairs: Mapping[tuple[str, str], Sequence[Pair]],
    differences: Mapping[tuple[str, str], Mapping[str, Difference]],
    seed: object,
) -> Iterator[Ladder]:
    """A ladder for each main score that at least three of `chosen` have; those that read the preferences, and those
    that do not, have ladders of their own where the score is one that reading brings.

    `pairs` and `differences` are by the labels of two, and the latter by the score too.
    """
    names = main_scores(dict.fromkeys(name for held in differences.values() for name in held))
    for metric in names:
        for members in _fair(metric, chosen):
            there = [each for each in members if any(row.metrics.get(metric) is not None for row in each.rows)]
            if len(there) >= FEWEST_RUNGS:
                yield _ladder(metric, there, pairs, differences, seed)


def _fair(metric: str, chosen: Sequence[Contestant]) -> list[list[Contestant]]:
    """Those who may stand on one ladder; the ceiling, which is the end of the scale, on each."""
    readers = [each for each in chosen if each.reads_answers]
    finders = [each for each in chosen if not each.reads_answers or each.insight.reference]
    if metric not in TASTES or len(finders) == len(chosen) or len(readers) == len(chosen):
        return [list(chosen)]
    return [finders, readers]


def _ladder(
    metric: str,
    there: Sequence[Contestant],
    pairs: Mapping[tuple[str, str], Sequence[Pair]],
    differences: Mapping[tuple[str, str], Mapping[str, Difference]],
    seed: object,
) -> Ladder:
    from duologue.statistics.strength import bradley_terry

    labels = [each.label for each in there]
    shared = _shared(metric, there)
    ahead = _ahead(metric, labels, differences)
    games = list(_games(metric, labels, pairs, differences))
    ranking = bradley_terry(games, (seed, metric, *labels))
    strengths = {each.name: each for each in ranking.strengths}
    held = {
        each.label: _rung(metric, each, shared, games, strengths.get(each.label), ahead, len(there), seed)
        for each in there
    }
    rungs = {label: held[label] for label in lined_up(labels, ahead, lambda label: _first(held[label]))}
    return Ladder(
        metric=metric,
        then=TIES.get(metric, ""),
        n=len(shared),
        profiles=len({key[0] for key in shared}),
        rungs=tuple(rungs.values()),
        order=worded(list(rungs), ahead),
        method=ranking.method,
        why=ranking.why,
    )


def _rung(
    metric: str,
    each: Contestant,
    shared: AbstractSet[tuple[str, str, str, int]],
    games: "Sequence[Game]",
    strength: "Strength | None",
    ahead: Ahead,
    count: int,
    seed: object,
) -> Rung:
    rows = [row for row in each.rows if row.pairing in shared]
    seen = [(row.profile, value) for row in rows if (value := row.metrics[metric]) is not None]
    around = interval(seen, (seed, metric, each.label), share=metric in SHARES)
    duels = [(game.cluster, _score(game, each.label)) for game in games if each.label in (game.a, game.b)]
    won = interval(duels, (seed, metric, each.label, "won"), share=True)
    return Rung(
        label=each.label,
        mean=_mean([value for _, value in seen]),
        then=_mean([value for row in rows if (value := row.metrics.get(TIES.get(metric, ""))) is not None]),
        low=around.low,
        high=around.high,
        won=_mean([score for _, score in duels]),
        won_low=won.low,
        won_high=won.high,
        strength=strength.strength if strength else None,
        strength_low=strength.low if strength else None,
        strength_high=strength.high if strength else None,
        best=1 + sum(lower == each.label for _, lower in ahead),
        worst=count - sum(upper == each.label for upper, _ in ahead),
    )


def _shared(metric: str, there: Sequence[Contestant]) -> set[tuple[str, str, str, int]]:
    """The scenarios and trials that all have a score of."""
    scored = [{row.pairing for row in each.rows if _has(row, metric)} for each in there]
    return set.intersection(*scored)


def _has(row: Row, metric: str) -> bool:
    return row.finished and row.metrics.get(metric) is not None


def _games(
    metric: str,
    labels: Sequence[str],
    pairs: Mapping[tuple[str, str], Sequence[Pair]],
    differences: Mapping[tuple[str, str], Mapping[str, Difference]],
) -> "Iterator[Game]":
    """One game a profile and two assistants: won by the one that is higher with it on average."""
    from duologue.statistics.strength import Game

    for a, b in combinations(labels, 2):
        tie = _tie(metric, differences[a, b])
        ties = leads(held(tie, pairs[a, b], a, b).differences) if tie else {}
        for profile, sign in leads(held(metric, pairs[a, b], a, b).differences).items():
            yield Game(cluster=profile, a=a, b=b, score=(1 + (sign or ties.get(profile, 0))) / 2)


def _score(game: "Game", label: str) -> float:
    return game.score if game.a == label else 1 - game.score


def _ahead(
    metric: str, labels: Sequence[str], differences: Mapping[tuple[str, str], Mapping[str, Difference]]
) -> Ahead:
    """Who is shown to be ahead of whom; where two are equal, in the score that decides ties."""
    ahead = set()
    for a, b in combinations(labels, 2):
        known = differences[a, b]
        deciding = known.get(_tie(metric, known) or metric)
        if deciding is not None and deciding.finding in ("a higher", "b higher"):
            ahead.add((a, b) if deciding.finding == "a higher" else (b, a))
    return ahead


def _tie(metric: str, known: Mapping[str, Difference]) -> str:
    """The score that decides between two that are equal in `metric`; empty where they are not, or there is none."""
    return TIES[metric] if metric in TIES and metric in known and alike(known[metric]) else ""


def _first(rung: Rung) -> tuple[float, float, str]:
    """What puts a rung above others, the lowest first: the mean, and where that is equal, what decides ties."""
    return -round(rung.mean or 0, 9), -round(rung.then or 0, 9), rung.label


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
