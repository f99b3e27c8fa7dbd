"""Garbage: how often Python looks for it. What a run leaves behind, or is read of one, is hardly ever any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["nothing_collected", "seldom_collected"]

SELDOM = 50_000
"""How many objects come about between two searches: dialogues leave little, and searching at the usual pace takes a
sixth of a run."""


def seldom_collected() -> None:
    """From now on search seldom."""
    gc.set_threshold(SELDOM)


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Nothing that is read is garbage, and looking for some would take longer than the reading itself."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
