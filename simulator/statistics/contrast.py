"""Tests of a difference within pairs that come in clusters, and their correction where there are several."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from duologue.statistics.interval import FEWEST
from duologue.tasks.chance import number
from duologue.tasks.written import Written

__all__ = ["Contrast", "contrast", "holm"]

ENUMERATED = 14
"""Up to so many profiles that differ, every one of the 2^n flips is looked at."""
DRAWS = 9999
AT_ONCE = 303
"""How many flips are drawn at a time."""
EQUAL = 1e-9
"""Sums that differ by less than this share of the whole count as equal."""


class Contrast(Written):
    """A two-sided test of no difference. `p` is None where there are too few profiles."""

    p: float | None = None
    method: str
    profiles: int


def contrast(differences: Iterable[tuple[str, float]], key: Sequence[Any], binary: bool = False) -> Contrast:
    """Tests that `differences` of pairs, (profile, a - b), have no direction: were a and b alike, their names could
    be swapped in any profile.

    The statistic is |Σ differences|; its distribution is that of flipping the sign of whole profiles (Fisher 1935,
    The Design of Experiments, §21), looked at whole where up to 14 profiles have a sum other than 0, else drawn
    9,999 times, seeded by `key`: p = (1 + as large) / (1 + draws) (Phipson and Smyth 2010, Statistical Applications
    in Genetics and Molecular Biology 9:1). `binary` says that each pair is of yes/no; where each profile then has
    one pair, it is McNemar's exact test (McNemar 1947, Psychometrika 12:2).
    """
    held: dict[str, list[float]] = defaultdict(list)
    for profile, difference in differences:
        held[profile].append(float(difference))
    if len(held) < FEWEST:
        return Contrast(method="too few profiles", profiles=len(held))
    if binary and all(len(values) == 1 for values in held.values()):
        return Contrast(p=_mcnemar([value for (value,) in held.values()]), method="mcnemar", profiles=len(held))
    sums = [sum(sorted(held[profile])) for profile in sorted(held)]
    total = sum(map(abs, sums))
    apart = [value for value in sums if abs(value) > EQUAL * max(total, 1)]
    exact = len(apart) <= ENUMERATED
    p = _enumerated(apart) if exact else _drawn(apart, key)
    return Contrast(p=p, method="sign-flips, exact" if exact else "sign-flips", profiles=len(held))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """p-values made good for being several: the i-th smallest of n times n - i + 1, never below a smaller one's.

    Holm (1979), Scandinavian Journal of Statistics 6:2. What is None stays None and does not count.
    """
    order = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - rank)))
        corrected[place] = least
    return corrected


def _mcnemar(differences: Sequence[float]) -> float:
    """P(as uneven or more) where each pair that differs favours either side with a half."""
    from scipy.stats import binomtest

    wins, losses = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
    return float(binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0


def _enumerated(sums: Sequence[float]) -> float:
    """The share of all flips whose sum is as far from 0 as that of `sums`."""
    import numpy as np

    flipped = np.zeros(1)
    for value in sums:
        flipped = np.concatenate([flipped + value, flipped - value])
    return float(np.mean(np.abs(flipped) >= _reached(sums)))


def _drawn(sums: Sequence[float], key: Sequence[Any]) -> float:
    import numpy as np

    random, values = np.random.default_rng(number("sign-flips", *key)), np.asarray(sums)
    large = 0
    for begun in range(0, DRAWS, AT_ONCE):
        rows = min(AT_ONCE, DRAWS - begun)
        flips = random.integers(0, 2, size=(rows, len(values)), dtype=np.int8)
        large += int(np.count_nonzero(np.abs((2 * flips - 1) @ values) >= _reached(sums)))
    return (1 + large) / (1 + DRAWS)


def _reached(sums: Sequence[float]) -> float:
    """|Σ sums|, less what rounding may take."""
    return abs(sum(sums)) - EQUAL * sum(map(abs, sums))
