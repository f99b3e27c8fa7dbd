"""The vocabulary: sets of words that the reading of an assistant's turns goes by. They are data, `vocabulary.toml`."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["groups", "units", "words"]


@cache
def words(name: str) -> frozenset[str]:
    """The words of one set."""
    return frozenset(_written()[name])


def groups() -> Sequence[Sequence[str]]:
    """The groups of words that are used for the same thing, the most usual one first."""
    held: Sequence[Sequence[str]] = _written()["groups"]
    return held


def units() -> Sequence[Sequence[str]]:
    """The groups of words that count the same thing."""
    held: Sequence[Sequence[str]] = _written()["units"]
    return held


@cache
def _written() -> dict[str, Any]:
    return tomllib.loads((files("duologue.agents.agenda") / "vocabulary.toml").read_text(encoding="utf-8"))
