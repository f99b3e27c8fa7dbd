"""Intervals of a mean whose observations come in clusters: several dialogues of one profile are not independent."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from duologue.tasks.chance import number
from duologue.tasks.written import Written

__all__ = ["FEWEST", "Interval", "bootstrapped", "interval", "ratio_interval"]

FEWEST = 8
"""Below this many profiles no interval is shown: it would be more a guess than a measure."""
MANY = 30
"""From this many profiles the bootstrap takes over from Student's t."""
RESAMPLES = 2000
AT_ONCE = 100
"""How many resamples are drawn at a time."""
LEVEL = 0.95

Method = Literal["bootstrap", "t", "wilson", "too few profiles", "no spread"]


class Interval(Written):
    """A 95 % interval and how it was found. `low` and `high` are None where none is shown."""

    low: float | None = None
    high: float | None = None
    method: Method
    profiles: int


def interval(observed: Iterable[tuple[str, float]], key: Sequence[Any], share: bool = False) -> Interval:
    """The 95 % interval of the mean of `observed`, pairs of (profile, value).

    `share` says that values lie in [0, 1], such as yes/no. `key` seeds the resampling.
    Below 8 profiles there is none; below 30 it is Student's t, from 30 on a bootstrap, and Wilson's
    where all of a share's values are 0 or all are 1.
    """
    clusters = _clusters(observed)
    sums, counts = [sum(values) for values in clusters], [len(values) for values in clusters]
    if len(clusters) < FEWEST:
        return Interval(method="too few profiles", profiles=len(clusters))
    values = {value for held in clusters for value in held}
    if len(values) == 1:
        low, high = _wilson(values.pop(), len(clusters)) if share and values <= {0.0, 1.0} else (None, None)
        return Interval(low=low, high=high, method="no spread" if low is None else "wilson", profiles=len(clusters))
    if len(clusters) < MANY:
        low, high = _student(sums, counts)
        return _within(Interval(low=low, high=high, method="t", profiles=len(clusters)), share)
    return _within(_resampled(sums, counts, key), share)


def bootstrapped(observed: Iterable[tuple[str, float]], key: Sequence[Any]) -> Interval:
    """The 95 % bootstrap interval of the mean of `observed` differences, (profile, difference), from 8 profiles on."""
    clusters = _clusters(observed)
    if len(clusters) < FEWEST:
        return Interval(method="too few profiles", profiles=len(clusters))
    return _resampled([sum(values) for values in clusters], [len(values) for values in clusters], key)


def ratio_interval(sums: Sequence[tuple[float, float]], key: Sequence[Any]) -> tuple[float, float] | tuple[None, None]:
    """The 95 % bootstrap interval of Σ first / Σ second, over pairs of sums, one a profile.

    None where so many resamples have nothing below the line that the interval would have no end.
    """
    import numpy as np

    tail, (above, below) = _redrawn([[pair[place] for pair in sums] for place in (0, 1)], key)
    fit = below > 0
    if fit.mean() < 1 - tail:
        return None, None
    low, high = np.quantile(above[fit] / below[fit], [tail, 1 - tail])
    return float(low), float(high)


def _clusters(observed: Iterable[tuple[str, float]]) -> list[list[float]]:
    """The values by profile, in an order that does not depend on the order of `observed`."""
    held: dict[str, list[float]] = defaultdict(list)
    for profile, value in observed:
        held[profile].append(float(value))
    return [sorted(held[profile]) for profile in sorted(held)]


def _student(sums: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """mean ± t(G - 1) · SE with the cluster-robust standard error of a mean,

    SE² = G / (G - 1) · Σ_g (Σ_i∈g (y_i - mean))² / N², over G clusters and N observations
    (Cameron and Miller 2015, "A Practitioner's Guide to Cluster-Robust Inference", J. Human Resources 50:2).
    """
    groups, total = len(sums), sum(counts)
    mean = sum(sums) / total
    meat = sum((held - mean * count) ** 2 for held, count in zip(sums, counts, strict=True))
    error = math.sqrt(groups / (groups - 1) * meat) / total
    reach = _t_quantile(groups - 1) * error
    return mean - reach, mean + reach


def _resampled(sums: Sequence[float], counts: Sequence[int], key: Sequence[Any]) -> Interval:
    """Whole clusters drawn with replacement, 2,000 times; quantiles of the ratio Σ sums / Σ counts.

    Plain percentiles are too narrow by about the factor sqrt((G - 1) / G) · z / t. The quantiles taken are
    therefore Φ(∓ sqrt(G / (G - 1)) · t(G - 1)): the expanded percentile interval of Hesterberg (2015),
    "What Teachers Should Know About the Bootstrap", The American Statistician 69:4.
    """
    import numpy as np

    tail, (above, below) = _redrawn((sums, counts), key)
    low, high = np.quantile(above / below, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high), method="bootstrap", profiles=len(sums))


def _redrawn(columns: Sequence[Sequence[float]], key: Sequence[Any]) -> tuple[float, list[Any]]:
    """The share to cut off at each end, and of each column the sums of what is drawn, one a resample.

    Columns have one value a cluster, and all draw the same ones. Few are drawn at a time: thousands of clusters would
    fill the memory.
    """
    import numpy as np
    from scipy.special import ndtr

    groups, random = len(columns[0]), np.random.default_rng(number("bootstrap", *key))
    held = [np.asarray(column) for column in columns]
    sums: list[list[Any]] = [[] for _ in columns]
    for begun in range(0, RESAMPLES, AT_ONCE):
        drawn = random.integers(0, groups, size=(min(AT_ONCE, RESAMPLES - begun), groups))
        for column, found in zip(held, sums, strict=True):
            found.append(column[drawn].sum(axis=1))
    tail = float(ndtr(-math.sqrt(groups / (groups - 1)) * _t_quantile(groups - 1)))
    return tail, [np.concatenate(found) for found in sums]


def _wilson(share: float, trials: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, J. American Statistical Association 22),

    (p + z²/2n ∓ z · sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n), with n the number of profiles.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + LEVEL) / 2))
    middle = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def _t_quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))


def _within(found: Interval, share: bool) -> Interval:
    if not share or found.low is None or found.high is None:
        return found
    return found.changed(low=max(0.0, found.low), high=min(1.0, found.high))
