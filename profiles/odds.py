"""Odds: how likely each value of a preference type is for people of given traits, evened out over all people."""

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from duologue.profiles.inclination import Inclination, ruled, trait_mixes

__all__ = ["Odds", "Share", "odds"]

LEAN = 3.0
"""How much likelier a value becomes by each trait that leans to it."""
ROUNDS = 40
CLOSE = 0.02


class Share(NamedTuple):
    """The odds for people of one mix of traits."""

    sums: tuple[float, ...]
    """The shares of the values, added up: the last is 1."""
    avoidable: tuple[int, ...]
    """The places of values that such a person may well avoid."""

    def draw(self, unit: float) -> int:
        """The place of the value that `unit`, in [0, 1), falls upon."""
        return bisect(self.sums, unit)


class Odds(NamedTuple):
    """The odds by the levels of the traits that bear on the type."""

    traits: tuple[str, ...]
    shares: Mapping[tuple[str, ...], Share]

    def of(self, held: Mapping[str, str]) -> Share:
        """The odds for a person of these traits."""
        return self.shares[tuple([held[trait] for trait in self.traits]) if self.traits else ()]


def odds(values: Sequence[str], inclination: Inclination) -> Odds:
    """The odds of `values`: leans raise them, `never` rules out, and over all people each value is about as likely
    as the others, so far as what is ruled out allows."""
    mixes = list(trait_mixes(inclination.traits()))
    rows = [[_weight(value, inclination, mix) for value in values] for mix in mixes]
    even = _evened(rows)
    shares = {}
    for mix, row in zip(mixes, rows, strict=True):
        weights = [weight * factor for weight, factor in zip(row, even, strict=True)]
        avoidable = tuple(place for place, weight in enumerate(row) if weight <= 1.0)
        shares[tuple(mix.values())] = Share(_summed(weights), avoidable)
    return Odds(inclination.traits(), shares)


def _weight(value: str, inclination: Inclination, mix: Mapping[str, str]) -> float:
    if ruled(inclination.never.get(value), mix):
        return 0.0
    leans = inclination.leans.get(value, {})
    return LEAN ** sum(mix[trait] in levels for trait, levels in leans.items())


def _summed(weights: Sequence[float]) -> tuple[float, ...]:
    sums = list(accumulate(weights))
    return tuple(1.0 if each == sums[-1] else each / sums[-1] for each in sums)


def _evened(rows: Sequence[Sequence[float]]) -> list[float]:
    """A factor a value that makes the values about equally likely over all `rows` together.

    Nothing but sums, products, quotients and square roots, which come out the same on every machine.
    """
    count = len(rows[0])
    factors = [1.0] * count
    for _ in range(ROUNDS if len(rows) > 1 else 0):
        totals = [sum(map(_product, row, factors)) for row in rows]
        found = [
            factors[at] * sum(row[at] / total for row, total in zip(rows, totals, strict=True)) / len(rows)
            for at in range(count)
        ]
        if all(abs(share * count - 1) < CLOSE for share in found):
            break
        factors = [factor / sqrt(max(share * count, 0.1)) for factor, share in zip(factors, found, strict=True)]
    return factors


_product: Callable[[float, float], float] = float.__mul__
