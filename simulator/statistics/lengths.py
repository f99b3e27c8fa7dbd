"""Win rates at equal length: what is left of a preference once that for longer replies is taken out."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from duologue.statistics.interval import FEWEST, Interval, interval
from duologue.statistics.resampling import quantile
from duologue.tasks.written import Written

__all__ = ["LengthControlled", "length_controlled"]


class LengthControlled(Written):
    """How often a wins, as it is and at equal length. What cannot be told is None, and `why` tells it."""

    rate: float | None = None
    """At equal length."""
    low: float | None = None
    high: float | None = None
    raw: float | None = None
    """As it is; ties count half."""
    raw_interval: Interval
    slope: float | None = None
    """What a unit of length difference in a's favour adds to its log-odds of winning."""
    duels: int
    method: str = ""
    why: str = ""


def length_controlled(duels: Sequence[tuple[str, float, float]], key: Sequence[Any]) -> LengthControlled:
    """The win rate at equal length over `duels` of (profile, score of a: 1, 0.5 or 0, normalised length difference).

    Logistic regression P(a wins) = 1 / (1 + exp(-(α + β · length))), the rate is that at length 0 (after Dubois et al.
    2024, "Length-Controlled AlpacaEval", arXiv 2404.04475). The interval is that of α with the sandwich variance
    H⁻¹ (Σ_g s_g s_g') H⁻¹ · G / (G - 1) over profiles g (Liang and Zeger 1986, Biometrika 73) and t with G - 2
    degrees of freedom. Where length alone tells who wins, there is no maximum (Albert and Anderson 1984,
    Biometrika 71) and the rate is None.
    """
    raw = interval([(profile, score) for profile, score, _ in duels], key, share=True)
    bare = LengthControlled(raw_interval=raw, duels=len(duels))
    if not duels:
        return bare.changed(why="no duels")
    bare = bare.changed(raw=sum(score for _, score, _ in duels) / len(duels))
    if why := _unfit(duels):
        return bare.changed(why=why)
    (base, slope), error = _fitted(duels)
    found = bare.changed(rate=_chance(base), slope=slope, method="logistic regression")
    if raw.profiles < FEWEST:
        return found.changed(why=f"too few profiles for an interval: {raw.profiles} of {FEWEST}")
    return found.changed(low=_chance(base - error), high=_chance(base + error))


def _unfit(duels: Sequence[tuple[str, float, float]]) -> str:
    """Why the regression has no maximum; empty where it has one."""
    won = [length for _, score, length in duels if score > 0]
    lost = [length for _, score, length in duels if score < 1]
    if not won or not lost:
        return "one side wins every duel"
    if len({length for *_, length in duels}) == 1:
        return "lengths always differ alike, so that their part cannot be told apart"
    # A tie is half a win and half a loss: it stands in both lists.
    apart = max(won) <= min(lost) or max(lost) <= min(won)
    return "length alone tells who wins" if apart else ""


def _fitted(duels: Sequence[tuple[str, float, float]]) -> tuple[tuple[float, float], float]:
    """α and β, and half the width of the interval of α."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    scores, lengths = (np.array([duel[place] for duel in duels], dtype=float) for place in (1, 2))
    inputs = np.column_stack([np.ones(len(duels)), lengths])

    def loss(found: Any) -> tuple[float, Any]:
        linear = inputs @ found
        return float(np.sum(np.logaddexp(0, linear) - scores * linear)), inputs.T @ (expit(linear) - scores)

    def curve(found: Any) -> Any:
        chance = expit(inputs @ found)
        return (inputs.T * (chance * (1 - chance))) @ inputs

    best = minimize(loss, np.zeros(2), jac=True, hess=curve, method="trust-exact", options={"gtol": 1e-9}).x
    pulls: dict[str, Any] = defaultdict(lambda: np.zeros(2))
    for (profile, *_), row, left in zip(duels, inputs, scores - expit(inputs @ best), strict=True):
        pulls[profile] += left * row
    groups = len(pulls)
    if groups <= 2:
        return (float(best[0]), float(best[1])), math.inf
    bread = np.linalg.inv(curve(best))[0]
    meat = sum(float(bread @ pull) ** 2 for pull in pulls.values()) * groups / (groups - 1)
    return (float(best[0]), float(best[1])), quantile(groups - 2) * math.sqrt(meat)


def _chance(odds: float) -> float:
    from scipy.special import expit

    return float(expit(odds))
