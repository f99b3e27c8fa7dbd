"""Intervals of a mean whose observations come in clusters: several dialogues of one profile are not independent."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from duologue.statistics.resampling import LEVEL, ends, quantile, redrawn, tail
from duologue.tasks.written import Written

__all__ = ["FEWEST", "Interval", "bootstrapped", "interval", "ratio_interval"]

FEWEST = 8
"""Below this many profiles no interval is shown: it would be more a guess than a measure."""
MANY = 30
"""From this many profiles the bootstrap of differences takes over from Student's t."""

Method = Literal["bootstrap", "t", "wilson", "too few profiles", "too few tasks", "no spread"]


class Interval(Written):
    """A 95 % interval and how it was found. `low` and `high` are None where none is shown."""

    low: float | None = None
    high: float | None = None
    method: Method
    profiles: int


class _Mean(NamedTuple):
    """A mean, its standard error, and the degrees of freedom of that."""

    mean: float
    error: float
    freedom: float


def interval(
    observed: Iterable[tuple[str, float]], key: Sequence[Any], share: bool = False, tasks: Sequence[str] | None = None
) -> Interval:
    """The 95 % interval of the mean of `observed`, pairs of (profile, value).

    `share` says that values lie in [0, 1], such as yes/no: it is Wilson's for as many independent dialogues as these
    are worth. Else it is a studentised bootstrap of profiles, seeded by `key`, and Student's t where values
    hardly vary. With `tasks`, one for each of `observed`, it holds for other tasks too, not for other profiles alone.
    There is none below 8 profiles, or 8 tasks where these are given.
    """
    held = list(observed)
    clusters = _clusters(held)
    profiles = len(clusters)
    if profiles < FEWEST:
        return Interval(method="too few profiles", profiles=profiles)
    if tasks is not None and len(set(tasks)) < FEWEST:
        return Interval(method="too few tasks", profiles=profiles)
    values = {value for _, value in held}
    if len(values) == 1:
        low, high = _wilson(values.pop(), profiles) if share and values <= {0.0, 1.0} else (None, None)
        return Interval(low=low, high=high, method="no spread" if low is None else "wilson", profiles=profiles)
    found = _mean(clusters) if tasks is None else _crossed(held, tasks)
    if share:
        low, high = _wilson(found.mean, _worth(found, len(held)), quantile(found.freedom))
        return Interval(low=low, high=high, method="wilson", profiles=profiles)
    return _student(found, profiles) if tasks is not None else _studentised(clusters, found, key)


def bootstrapped(observed: Iterable[tuple[str, float]], key: Sequence[Any]) -> Interval:
    """The 95 % interval of the mean of `observed` differences, (profile, difference), from 8 profiles on.

    Student's t below 30 profiles, then a bootstrap of profiles: were both sides alike, differences would be
    symmetric, and the studentised bootstrap then finds too many.
    """
    clusters = _clusters(observed)
    if len(clusters) < FEWEST:
        return Interval(method="too few profiles", profiles=len(clusters))
    found = _mean(clusters)
    if len(clusters) < MANY:
        return _student(found, len(clusters))
    drawn = redrawn(_sums(clusters)[:, :2], lambda sums: sums[:, 0] / sums[:, 1], key)
    low, high = ends(drawn, tail(len(clusters), found.freedom))
    return Interval(low=low, high=high, method="bootstrap", profiles=len(clusters))


def ratio_interval(sums: Sequence[tuple[float, float]], key: Sequence[Any]) -> tuple[float, float] | tuple[None, None]:
    """The 95 % bootstrap interval of Σ first / Σ second, over pairs of sums, one a profile.

    None where so many resamples have nothing below the line that the interval would have no end.
    """
    import numpy as np

    def ratio(drawn: Any) -> Any:
        return np.where(drawn[:, 1] > 0, drawn[:, 0] / drawn[:, 1], np.nan)

    return ends(redrawn(np.asarray(sums), ratio, key), tail(len(sums)))


def _clusters(observed: Iterable[tuple[str, float]]) -> list[list[float]]:
    """The values by profile, in an order that does not depend on the order of `observed`."""
    held: dict[str, list[float]] = defaultdict(list)
    for profile, value in observed:
        held[profile].append(float(value))
    return [sorted(held[profile]) for profile in sorted(held)]


def _mean(clusters: Sequence[Sequence[float]]) -> _Mean:
    """The mean over all values with its standard error by the jackknife over clusters,

    SE² = (G - 1) / G · Σ_g (r_g / (N - n_g))², r_g = Σ_i∈g (y_i - mean), over G clusters of n_g, N in all
    (CV3 in MacKinnon, Nielsen and Webb 2023, "Cluster-robust inference", J. Econometrics 232:2), which for equal n_g
    is the usual cluster-robust one. The degrees of freedom are Satterthwaite's where a cluster is alike within:
    (Σ n_g²)² / Σ n_g⁴ - 1, that is G - 1 for equal n_g (after Carter, Schnepel and Steigerwald 2017, Review of
    Economics and Statistics 99:4).
    """
    groups, total = len(clusters), sum(map(len, clusters))
    mean = math.fsum(value for held in clusters for value in held) / total
    left = [(math.fsum(held) - mean * len(held)) / (total - len(held)) for held in clusters]
    error = math.sqrt((groups - 1) / groups * math.fsum(value * value for value in left))
    worth = sum(len(held) ** 2 for held in clusters) ** 2 / sum(len(held) ** 4 for held in clusters)
    return _Mean(mean, error, max(1.0, worth - 1))


def _crossed(observed: Sequence[tuple[str, float]], tasks: Sequence[str]) -> _Mean:
    """The mean with its standard error over profiles and tasks at once: V_profiles + V_tasks - V_both, and the fewer
    degrees of freedom (Cameron, Gelbach and Miller 2011, J. Business and Economic Statistics 29:2); never less
    than over either alone."""
    values = [value for _, value in observed]
    people = _mean(_clusters(observed))
    work = _mean(_clusters(zip(tasks, values, strict=True)))
    pairs = [f"{len(profile)} {profile} {task}" for (profile, _), task in zip(observed, tasks, strict=True)]
    both = _mean(_clusters(zip(pairs, values, strict=True)))
    variance = max(people.error**2 + work.error**2 - both.error**2, people.error**2, work.error**2)
    return _Mean(people.mean, math.sqrt(variance), min(people.freedom, work.freedom))


def _student(found: _Mean, profiles: int) -> Interval:
    """mean ± t · SE."""
    reach = quantile(found.freedom) * found.error
    return Interval(low=found.mean - reach, high=found.mean + reach, method="t", profiles=profiles)


def _studentised(clusters: Sequence[Sequence[float]], found: _Mean, key: Sequence[Any]) -> Interval:
    """mean - q · SE, with q the quantiles of (mean* - mean) / SE* over resamples of whole clusters

    (Efron and Tibshirani 1993, An Introduction to the Bootstrap, §12.5), which follows skewed values. It is widened as
    Student's t is by unequal clusters, and to no more than twice that of equal ones. Where many resamples have no
    spread it is Student's t.
    """
    import numpy as np

    groups = len(clusters)

    def away(sums: Any) -> Any:
        total, count, squares, products, counts = sums.T
        mean = total / count
        meat = squares - 2 * mean * products + mean * mean * counts
        error = np.sqrt(groups / (groups - 1) * np.maximum(meat, 0)) / count
        return np.where(error > 1e-9 * np.abs(total / count - found.mean), (mean - found.mean) / error, np.nan)

    low, high = ends(redrawn(_sums(clusters), away, key), (1 - LEVEL) / 2)
    if low is None or high is None:
        return _student(found, groups)
    usual = quantile(groups - 1)
    wider = quantile(found.freedom) / usual
    below, above = (found.error * min(2 * usual, max(-2 * usual, wider * end)) for end in (high, low))
    return Interval(low=found.mean - below, high=found.mean - above, method="bootstrap", profiles=groups)


def _sums(clusters: Sequence[Sequence[float]]) -> Any:
    """One row a cluster: sum s, count n, s², s · n, n²."""
    import numpy as np

    sums, counts = (np.array([float(each(held)) for held in clusters]) for each in (sum, len))
    return np.column_stack([sums, counts, sums**2, sums * counts, counts**2])


def _worth(found: _Mean, observed: int) -> float:
    """How many independent yes/no would have this standard error: mean · (1 - mean) / SE², at most those observed
    (the effective sample size of Kish 1965, Survey Sampling)."""
    return min(observed, found.mean * (1 - found.mean) / found.error**2) if found.error else observed


def _wilson(share: float, trials: float, z: float | None = None) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, J. American Statistical Association 22),

    (p + z²/2n ∓ z · sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n). For clusters n is the effective sample size and z
    the quantile of t (Dean and Pagano 2015, J. Survey Statistics and Methodology 3:4); with no spread n is the number
    of profiles and z the normal quantile.
    """
    z = quantile(math.inf) if z is None else z
    middle = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
