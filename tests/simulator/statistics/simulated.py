"""Runs made up by a known truth: what the statistics say of them can be held against it."""

from collections.abc import Callable

import numpy as np
from scipy import stats

Random = np.random.Generator
Observed = list[tuple[str, float]]
Ends = tuple[float | None, float | None]


def held(runs: int, key: str, simulate: Callable[[Random], bool]) -> float:
    """The share of `runs` simulated runs in which something holds."""
    return sum(simulate(np.random.default_rng([*key.encode(), run])) for run in range(runs)) / runs


def within(ends: Ends, truth: float) -> bool:
    low, high = ends
    return low is not None and high is not None and low <= truth <= high


def named(who: np.ndarray, values: np.ndarray) -> Observed:
    """`values` with the names of their profiles; `who` holds the number of each."""
    return [(f"p{number}", value) for number, value in zip(who.tolist(), values.tolist(), strict=True)]


def unclustered(observed: Observed) -> Ends:
    """Student's t as if all values were independent."""
    values = [value for _, value in observed]
    reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return float(np.mean(values) - reach), float(np.mean(values) + reach)


def seated(random: Random, profiles: int, unequal: bool = False) -> np.ndarray:
    """The profile's number of each dialogue: 5 dialogues a profile, or 1 to 15 and mostly few."""
    sizes = np.minimum(1 + random.geometric(0.25, profiles), 15) if unequal else np.full(profiles, 5)
    return np.repeat(np.arange(profiles), sizes)


def scores(random: Random, who: np.ndarray) -> tuple[np.ndarray, float]:
    """Values around a profile's own mean, half of the variance between profiles; their true mean, 0."""
    return random.normal(0, 1, who.max() + 1)[who] + random.normal(0, 1, len(who)), 0.0


def points(random: Random, who: np.ndarray) -> tuple[np.ndarray, float]:
    """Scores on a scale of 1 to 4, most of them 4, profiles of three kinds; their true mean."""
    chances = np.array([[0.02, 0.03, 0.15, 0.8], [0.05, 0.15, 0.4, 0.4], [0.5, 0.3, 0.15, 0.05]])
    kinds = np.array([0.7, 0.2, 0.1])
    kind = random.choice(3, who.max() + 1, p=kinds)[who]
    reached = (random.random(len(who))[:, None] > chances.cumsum(axis=1)[kind]).sum(axis=1)
    return 1.0 + np.minimum(reached, 3), float(kinds @ chances @ [1, 2, 3, 4])


def yes(share: float, alike: float = 0.3) -> Callable[[Random, np.ndarray], tuple[np.ndarray, float]]:
    """Yes or no, profiles' own shares beta-distributed around `share`, with correlation `alike` within a profile."""

    def drawn(random: Random, who: np.ndarray) -> tuple[np.ndarray, float]:
        strength = 1 / alike - 1
        own = random.beta(share * strength, (1 - share) * strength, who.max() + 1)
        return (random.random(len(who)) < own[who]).astype(float), share

    return drawn


def crossed(random: Random, profiles: int, tasks: int) -> tuple[Observed, list[str]]:
    """Every profile at every task, both with effects of their own; the true mean is 0."""
    who, what = np.divmod(np.arange(profiles * tasks), tasks)
    values = random.normal(0, 0.7, profiles)[who] + random.normal(0, 0.7, tasks)[what]
    return named(who, values + random.normal(0, 1, len(who))), [f"t{number}" for number in what]


def alike(random: Random, who: np.ndarray, binary: bool) -> Observed:
    """Differences of two assistants that are equally good, though each suits some profiles far better than others."""
    profiles = who.max() + 1
    suits = random.normal(0, 0.7, (2, profiles)) + random.normal(0, 0.7, profiles)
    found = suits[:, who] + random.normal(0, 1, (2, len(who)))
    rated = (found > -0.8).astype(float) if binary else np.clip(np.round(3.3 + found), 1, 4)
    return named(who, rated[0] - rated[1])


def judged(random: Random, labels: int, few: int = 0) -> tuple[list[tuple[str, float, float]], Observed]:
    """1,000 dialogues of 100 profiles, whose judge is 0.7 too kind, and `labels` of them labelled: (labelled, others).

    People's true mean is 0. With `few`, labels are of that many profiles only.
    """
    who = np.arange(1000) // 10
    people = random.normal(0, 0.5, 100)[who] + random.normal(0, 1, 1000)
    judge = 0.7 + 0.8 * people + random.normal(0, 0.2, 100)[who] + random.normal(0, 0.3, 1000)
    open_to = np.flatnonzero(np.isin(who, random.permutation(100)[:few])) if few else np.arange(1000)
    chosen = np.isin(np.arange(1000), random.choice(open_to, labels, replace=False))
    rows = list(zip(named(who, judge), people.tolist(), strict=True))
    labelled = [(*row, person) for (row, person), drawn in zip(rows, chosen, strict=True) if drawn]
    return labelled, [row for (row, _), drawn in zip(rows, chosen, strict=True) if not drawn]
