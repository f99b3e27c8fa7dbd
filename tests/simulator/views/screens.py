"""Screens into strings."""

import io
from typing import Any

from rich.console import Console


def drawn(view: Any, width: int = 80) -> str:
    """What a terminal of that width shows, without colours and trailing spaces."""
    screen = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    screen.print(view)
    return "\n".join(line.rstrip() for line in screen.file.getvalue().splitlines())  # type: ignore[attr-defined]
