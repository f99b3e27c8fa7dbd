"""Chance without a generator: every random choice is keyed by what it is for.

The same key gives the same draw on any machine, in any order, at any concurrency.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

from duologue.tasks.written import canonical

__all__ = ["choose", "number", "shuffled", "unit"]

Item = TypeVar("Item")


def number(*key: Any) -> int:
    """An integer in [0, 2**63) that depends on `key` alone."""
    return int.from_bytes(hashlib.sha256(canonical(key).encode()).digest()[:8], "big") >> 1


def unit(*key: Any) -> float:
    """A float in [0, 1) that depends on `key` alone."""
    return number(*key) / 2**63


def choose(items: Sequence[Item], *key: Any) -> Item:
    """One of `items`, each equally likely. Raises IndexError when there are none."""
    return items[number(*key) % max(len(items), 1)]


def shuffled(items: Sequence[Item], *key: Any) -> list[Item]:
    """`items` in an order that depends on `key` and on each item, not on the order given."""
    return sorted(items, key=lambda item: number(*key, item))
