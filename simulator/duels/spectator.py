"""Whoever watches a tournament."""

from collections.abc import Callable
from dataclasses import dataclass, field

from duologue.agents.duel import Duel

__all__ = ["Spectator"]


@dataclass
class Spectator:
    """Is told how it goes on: how many bouts there are to come, each answer, and notes."""

    planned: Callable[[int], None] = field(default=lambda _: None)
    heard: Callable[[Duel], None] = field(default=lambda _: None)
    note: Callable[[str], None] = field(default=lambda _: None)
