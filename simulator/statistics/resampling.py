"""Whole clusters drawn anew: the bootstrap of any statistic that is made of sums over clusters."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from duologue.tasks.chance import number

__all__ = ["LEVEL", "ends", "quantile", "redrawn", "tail"]

LEVEL = 0.95
RESAMPLES = 2000
AT_ONCE = 100
"""How many resamples are drawn at a time: thousands of clusters would fill the memory."""
NORMAL = 1e7
"""From so many degrees of freedom on Student's t is the normal distribution to seven digits."""


def redrawn(sums: Any, statistic: Callable[[Any], Any], key: Sequence[Any]) -> Any:
    """`statistic` of each of 2,000 resamples of the clusters, drawn with replacement, seeded by `key`.

    `sums` is an array of one row a cluster and one column a sum. `statistic` takes an array of one row a resample,
    the sums of what was drawn, and gives one value a row; NaN where a resample has none.
    """
    import numpy as np

    groups, random = len(sums), np.random.default_rng(number("bootstrap", *key))
    found = []
    for begun in range(0, RESAMPLES, AT_ONCE):
        rows = min(AT_ONCE, RESAMPLES - begun)
        drawn = random.integers(0, groups, size=(rows, groups)) + groups * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(statistic(times @ sums))
    return np.concatenate(found)


def ends(found: Any, cut: float) -> tuple[float, float] | tuple[None, None]:
    """The quantiles of what `redrawn` found, `cut` at each end.

    None where so many resamples have no value that the interval would have no end.
    """
    import numpy as np

    fit = found[np.isfinite(found)]
    if len(fit) < (1 - cut) * len(found):
        return None, None
    low, high = np.quantile(fit, [cut, 1 - cut])
    return float(low), float(high)


def tail(groups: int, freedom: float | None = None) -> float:
    """The share of resamples of so many clusters to cut off at each end for a 95 % interval.

    Plain percentiles are too narrow by about the factor sqrt((G - 1) / G) · z / t. What is cut off is
    therefore Φ(- sqrt(G / (G - 1)) · t), t with `freedom` (default: G - 1): the expanded percentile interval of
    Hesterberg (2015), "What Teachers Should Know About the Bootstrap", The American Statistician 69:4.
    """
    return NormalDist().cdf(-math.sqrt(groups / (groups - 1)) * quantile(freedom or groups - 1))


@lru_cache(maxsize=4096)
def quantile(freedom: float) -> float:
    """How many standard errors a 95 % interval reaches to either side: of Student's t, `freedom` from 1 to inf.

    Newton's rule from the normal quantile upwards on P(|T| < t) = c ∫ cos(φ)^(freedom - 1) dφ, φ from 0 to
    atan(t / sqrt(freedom)), c = 2 Γ((freedom + 1) / 2) / (sqrt(π) Γ(freedom / 2)). By hand, since every run needs it
    and to import scipy's takes 27 MB and longer than all the rest of a summary.
    """
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2)
    if freedom >= NORMAL:
        return reach
    from numpy import cos
    from numpy.polynomial.legendre import leggauss

    nodes, weights = leggauss(20)
    scale = 2 / math.sqrt(math.pi) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    step = 1.0
    while step > 1e-12 * reach:
        angle = math.atan(reach / math.sqrt(freedom))
        inside = scale * angle / 2 * float(weights @ cos(angle * (nodes + 1) / 2) ** (freedom - 1))
        step = (LEVEL - inside) / (scale / math.sqrt(freedom) * math.cos(angle) ** (freedom + 1))
        reach += step
    return reach
