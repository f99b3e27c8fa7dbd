"""A message: one thing said, by whom. Frozen; perspective never edits it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Message", "Seat", "ToolCall", "sound"]

Seat = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that an assistant wants called. `arguments` is text where it is no JSON object, as it came."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said, as chat models name the sides. `tool` is what a tool answered to `call`."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    call: str = ""


def sound(text: str) -> str:
    """`text` with lone surrogates written out as `\\udXXX`, so that any encoder takes it."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
