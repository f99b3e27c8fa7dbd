"""A message: one thing said, by whom. Frozen; perspective never edits it."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Message", "Seat", "sound"]

Seat = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said, as chat models name the sides."""

    role: Literal["system", "user", "assistant"]
    text: str


def sound(text: str) -> str:
    """`text` with lone surrogates written out as `\\udXXX`, so that any encoder takes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
