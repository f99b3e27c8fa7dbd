"""How many profiles, tasks and trials it takes to see a difference of a size that the user names."""

import math
from collections import defaultdict
from collections.abc import Iterable

from duologue.statistics.interval import FEWEST
from duologue.statistics.resampling import LEVEL, quantile
from duologue.tasks.written import Written

__all__ = ["POWER", "Variances", "detectable", "needed", "power", "variances"]

POWER = 0.8
MOST = 1_000_000
"""More profiles than this are not looked for."""


class Variances(Written):
    """Of what the spread of paired differences is made. Zero where an estimate came out below it."""

    profile: float
    """Between profiles."""
    task: float
    """Between tasks of one profile."""
    trial: float | None = None
    """Between trials of one scenario; None where each has one, so that it is part of `task`."""
    profiles: int
    scenarios: int
    pairs: int


def variances(differences: Iterable[tuple[str, str, float]]) -> Variances | None:
    """The parts of the variance of `differences`, (profile, task, a - b), one a trial; None below two profiles.

    Estimators of nested analysis of variance with unequal numbers (Searle, Casella and McCulloch 1992, Variance
    Components, §3.6 and §5.3): each mean square is set equal to what it is on average.
    """
    held: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for profile, work, value in differences:
        held[profile][work].append(float(value))
    if len(held) < 2:
        return None
    cells = [values for tasks in held.values() for values in tasks.values()]
    pairs, scenarios, profiles = sum(map(len, cells)), len(cells), len(held)
    grand = _mean([value for values in cells for value in values])
    between = within = inside = crossed = 0.0
    for tasks in held.values():
        count, middle = sum(map(len, tasks.values())), _mean([v for values in tasks.values() for v in values])
        between += count * (middle - grand) ** 2
        within += sum(len(values) * (_mean(values) - middle) ** 2 for values in tasks.values())
        inside += sum((value - _mean(values)) ** 2 for values in tasks.values() for value in values)
        crossed += sum(len(values) ** 2 for values in tasks.values()) / count
    trial = inside / (pairs - scenarios) if pairs > scenarios else None
    task = 0.0
    if scenarios > profiles:
        task = max(0.0, within - (scenarios - profiles) * (trial or 0)) / (pairs - crossed)
    squares = sum(len(values) ** 2 for values in cells) / pairs
    counts = sum(sum(map(len, tasks.values())) ** 2 for tasks in held.values()) / pairs
    left = between - (profiles - 1) * (trial or 0) - (crossed - squares) * task
    return Variances(
        profile=max(0.0, left) / (pairs - counts),
        task=task,
        trial=trial,
        profiles=profiles,
        scenarios=scenarios,
        pairs=pairs,
    )


def needed(parts: Variances, effect: float, tasks: int = 1, trials: int = 1, aim: float = POWER) -> int | None:
    """The fewest profiles, each with `tasks` tasks of `trials` trials, with which a true difference of `effect` is
    found at the 5 % level with probability `aim`. At least 8, for fewer are not tested; None above a million."""
    if power(parts, effect, MOST, tasks, trials) < aim:
        return None
    low, high = FEWEST - 1, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(parts, effect, middle, tasks, trials) >= aim else (middle, high)
    return high


def detectable(parts: Variances, profiles: int, tasks: int = 1, trials: int = 1, aim: float = POWER) -> float:
    """The smallest true difference that such a design finds at the 5 % level with probability `aim`."""
    from scipy.optimize import brentq

    error = _error(parts, profiles, tasks, trials)
    if error == 0:
        return 0.0
    far = 1.0
    while power(parts, far * error, profiles, tasks, trials) < aim:
        far *= 2
    return float(brentq(lambda size: power(parts, size * error, profiles, tasks, trials) - aim, 0, far)) * error


def power(parts: Variances, effect: float, profiles: int, tasks: int = 1, trials: int = 1) -> float:
    """The probability that a paired t-test over `profiles` finds a true difference of `effect` at the 5 % level.

    1 - F(t²; δ²), F the noncentral F distribution with 1 and P - 1 degrees of freedom, t the quantile of Student's t,
    δ = effect / SE and SE² = (σ²_profile + (σ²_task + σ²_trial / R) / T) / P, over P profiles, T tasks and R trials
    (Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, 2nd edition, chapter 2).
    """
    from scipy.stats import ncf

    error = _error(parts, profiles, tasks, trials)
    if effect == 0:
        return 1 - LEVEL
    if error == 0:
        return 1.0
    beyond = quantile(profiles - 1)
    return float(ncf.sf(beyond**2, 1, profiles - 1, (effect / error) ** 2))


def _error(parts: Variances, profiles: int, tasks: int, trials: int) -> float:
    """The standard error of the mean difference."""
    return math.sqrt((parts.profile + (parts.task + (parts.trial or 0) / trials) / tasks) / profiles)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)
