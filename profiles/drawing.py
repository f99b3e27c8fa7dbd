"""Drawing many values for one person quickly, the same on every machine."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from duologue.tasks.chance import number

__all__ = ["Draws"]

Item = TypeVar("Item")


class Draws:
    """A row of random numbers that depends on a key alone.

    It rests on `random.Random.random` only, whose sequence Python promises to keep for a given seed.
    """

    __slots__ = ("unit",)

    def __init__(self, *key: Any) -> None:
        self.unit = random.Random(number(*key)).random
        """The next number in [0, 1)."""

    @classmethod
    def of(cls, number: int) -> "Draws":
        """Those that depend on a whole number."""
        draws = cls.__new__(cls)
        draws.unit = random.Random(number).random
        return draws

    def one(self, items: Sequence[Item]) -> Item:
        """One of `items`, each equally likely."""
        return items[int(self.unit() * len(items))]

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, both possible."""
        return least + int(self.unit() * (most - least + 1))

    def several(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` different places of `items` in random order; all where there are fewer."""
        left = list(items)
        unit = self.unit
        return [left.pop(int(unit() * len(left))) for _ in range(min(count, len(left)))]
