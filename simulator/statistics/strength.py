"""Bradley-Terry: how strong each of several assistants is, from who won which duel."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from duologue.statistics.interval import FEWEST
from duologue.statistics.resampling import ends, redrawn, tail
from duologue.tasks.written import Written

__all__ = ["Game", "Ranking", "Strength", "bradley_terry"]

STEPS = 100
NEAR = 1e-10
"""Newton's method ends where no strength moves by more than this."""


class Game(Written):
    """One duel of `a` and `b`: `score` is 1 where a won, 0 where b did, 0.5 at a tie."""

    cluster: str
    a: str
    b: str
    score: float


class Strength(Written):
    """How strong one is, in log-odds: x beats y with probability 1 / (1 + exp(y's - x's)). All sum to 0."""

    name: str
    strength: float
    low: float | None = None
    high: float | None = None
    wins: float
    """Ties count half."""
    games: int


class Ranking(Written):
    """The strongest first; `strengths` is empty where nothing can be ranked, `why` tells it."""

    strengths: tuple[Strength, ...] = ()
    games: int
    profiles: int
    method: str = "Bradley-Terry"
    why: str = ""


def bradley_terry(games: Sequence[Game], key: Sequence[Any]) -> Ranking:
    """Maximum-likelihood strengths θ of P(i beats j) = 1 / (1 + exp(θ_j - θ_i)), ties as half a win each way
    (Bradley and Terry 1952, Biometrika 39), with bootstrap intervals over whole clusters.

    There is a maximum only where nobody, and no group, wins or loses against all others (Ford 1957, American
    Mathematical Monthly 64:8). Where that fails, each pair that met gets a draw more and there are no
    intervals; where it only does in too many resamples, a draw more and intervals.
    """
    names = sorted({name for game in games for name in (game.a, game.b)})
    clusters = _wins(games, names)
    bare = Ranking(games=len(games), profiles=len(clusters))
    if not games:
        return bare.changed(why="no duels")
    total = clusters.sum(axis=0, keepdims=True)
    won = _square(total)
    if not _all_reach(won + won.swapaxes(1, 2))[0]:
        return bare.changed(why="not all have met, directly or by way of others")
    fit, why = _strengths, ""
    values = fit(total)[0].tolist()
    sides: list[Any] = [(None, None)] * len(names)
    if math.isnan(values[0]):
        fit, why = _smoothed, "some win or lose every duel with the others, so that strengths have no ends"
    elif len(clusters) < FEWEST:
        why = f"too few profiles for intervals: {len(clusters)} of {FEWEST}"
    else:
        sides = _sides(clusters, fit, key)
        if sides[0][0] is None:
            fit = _smoothed
            sides = _sides(clusters, fit, key)
    values = fit(total)[0].tolist()
    found = [
        Strength(name=name, strength=value, low=low, high=high, wins=wins.sum(), games=round(wins.sum() + lost.sum()))
        for name, value, (low, high), wins, lost in zip(names, values, sides, won[0], won[0].T, strict=True)
    ]
    ranked = tuple(sorted(found, key=lambda each: (-each.strength, each.name)))
    method = bare.method if fit is _strengths else "Bradley-Terry, a draw added to each pair"
    return bare.changed(strengths=ranked, method=method, why=why)


def _wins(games: Sequence[Game], names: Sequence[str]) -> Any:
    """How often each won against each, one row a cluster, flattened squares."""
    import numpy as np

    place = {name: number for number, name in enumerate(names)}
    won: dict[str, Any] = defaultdict(lambda: np.zeros((len(names), len(names))))
    for game in games:
        won[game.cluster][place[game.a], place[game.b]] += game.score
        won[game.cluster][place[game.b], place[game.a]] += 1 - game.score
    return np.array([won[cluster].ravel() for cluster in sorted(won)])


def _strengths(flat: Any) -> Any:
    """Strengths of each row of wins, by Newton's method; NaN where there is no maximum."""
    import numpy as np
    from scipy.special import expit

    won = _square(flat)
    met = won + won.swapaxes(1, 2)
    found = np.zeros(won.shape[:2])
    fit = _all_reach(won)
    for _ in range(STEPS):
        theta = found[fit]
        chance = expit(theta[:, :, None] - theta[:, None, :])
        slope = (won[fit] - met[fit] * chance).sum(axis=2)
        weight = met[fit] * chance * (1 - chance)
        # Strengths are free up to a constant: the 1 everywhere holds their sum at 0.
        curve = np.eye(won.shape[1]) * weight.sum(axis=2)[:, :, None] - weight + 1
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        found[fit] += step / np.maximum(1, np.abs(step).max(axis=1, keepdims=True))
        if not step.size or np.abs(step).max() < NEAR:
            break
    found[~fit] = np.nan
    return found


def _smoothed(flat: Any) -> Any:
    """As `_strengths`, with half a win each way added to each pair that met."""
    won = _square(flat)
    return _strengths((won + 0.5 * (won + won.swapaxes(1, 2) > 0)).reshape(flat.shape))


def _sides(clusters: Any, fit: Callable[[Any], Any], key: Sequence[Any]) -> list[Any]:
    return [ends(found, tail(len(clusters))) for found in redrawn(clusters, fit, key).T]


def _all_reach(edges: Any) -> Any:
    """For each square, whether every place is reached from every other along entries above 0."""
    import numpy as np

    reached = (edges > 0) | np.eye(edges.shape[1], dtype=bool)
    for _ in range(edges.shape[1].bit_length()):
        reached = (reached.astype(np.int64) @ reached.astype(np.int64)) > 0
    return reached.all(axis=(1, 2))


def _square(flat: Any) -> Any:
    size = math.isqrt(flat.shape[-1])
    return flat.reshape(-1, size, size)
