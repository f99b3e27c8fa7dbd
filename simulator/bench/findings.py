"""Findings: what a bench looks up once before it asks, kept in its folder so that it is never looked up again."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from duologue.record.store import write_once
from duologue.tasks.written import BadInput, Written, parse

__all__ = ["FILE", "Found", "Progress", "Seeking", "findings", "keep"]

FILE = "findings.json"
Found = Mapping[str, tuple[str, ...]]
"""What was found, in order, by what it was looked up for: such as the numbers of facts by case."""
Progress = Callable[[int, int], None]
"""Told how much has been looked up, of how much."""


@runtime_checkable
class Seeking(Protocol):
    """A bench that may have to look something up, which takes a model, before it can make its questions."""

    @property
    def seeks(self) -> bool:
        """Whether it has to."""
        ...

    async def seek(self, progress: Progress) -> Found:
        """Look it up. Raises BadInput where this machine cannot."""
        ...

    def take(self, found: Found) -> None:
        """Make the questions of what was found. Raises BadInput where something is missing from it."""
        ...


class _Findings(Written):
    v: Literal[1] = 1
    found: dict[str, tuple[str, ...]]


def findings(folder: Path) -> Found | None:
    """What was found for the bench in `folder`; None where nothing is kept. Raises BadInput for a damaged file."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return parse(_Findings, json.loads(path.read_text(encoding="utf-8")), path).found
    except (OSError, ValueError, RecursionError) as error:
        then = f"Take it away, and look it all up anew: duologue resume {folder}"
        raise BadInput(f"cannot be read ({error})", path, then) from None


def keep(found: Found, folder: Path) -> None:
    """Write what was found. Raises StoreFault where the disk does not take it."""
    write_once(folder / FILE, _Findings(found=dict(found)).model_dump(mode="json"))
