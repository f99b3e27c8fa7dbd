"""A message: one thing said, by whom. Frozen; perspective never edits it."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Message", "Seat"]

Seat = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said, as chat models name the sides."""

    role: Literal["system", "user", "assistant"]
    text: str
