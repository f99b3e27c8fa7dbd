"""Chance without a generator: every random choice is keyed by what it is for.

The same key gives the same draw on any machine, in any order, at any concurrency.
"""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from duologue.tasks.written import canonical

__all__ = ["choose", "number", "series", "shuffled", "unit"]

Item = TypeVar("Item")


def number(*key: Any) -> int:
    """An integer in [0, 2**63) that depends on `key` alone."""
    return int.from_bytes(hashlib.sha256(canonical(key).encode()).digest()[:8], "big") >> 1


def unit(*key: Any) -> float:
    """A float in [0, 1) that depends on `key` alone."""
    return number(*key) / 2**63


def series(count: int, *key: Any) -> Iterator[int]:
    """`count` integers in [0, 2**32) that depend on `key` alone, for the price of little more than one."""
    drawn = hashlib.shake_256(canonical(key).encode()).digest(4 * count)
    return iter(struct.unpack(f"<{count}I", drawn))


def choose(items: Sequence[Item], *key: Any) -> Item:
    """One of `items`, each equally likely. Raises IndexError when there are none."""
    return items[number(*key) % len(items) if len(items) > 1 else 0]


def shuffled(items: Sequence[Item], *key: Any) -> list[Item]:
    """`items` in an order that depends on `key` and on each item, not on the order given."""
    return sorted(items, key=lambda item: number(*key, item))
