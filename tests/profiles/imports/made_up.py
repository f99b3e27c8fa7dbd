"""Small files of each format, written by hand, and what an import makes of them."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from duologue.profiles.imports.importing import Imported, import_people
from duologue.profiles.library import Library
from duologue.profiles.profile import Profile

__all__ = ["brought", "counts", "write_csv", "write_json", "write_lines", "write_text"]


def write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_json(path: Path, data: Any) -> Path:
    return write_text(path, json.dumps(data))


def write_lines(path: Path, *rows: Any) -> Path:
    """JSON Lines; a row that is a text already stands as it is."""
    return write_text(path, "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))


def write_csv(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, list(rows[0]))
        written.writeheader()
        written.writerows(rows)
    return path


def brought(name: str, path: Path, to: Path) -> tuple[dict[str, Profile], Imported]:
    """The profiles by id, as a dataset reads them again, and what the import says."""
    made = import_people(name, path, to)
    return {profile.id: profile for profile in Library(str(to), to).profiles()}, made


def counts(made: Imported, fate: str, kinds: Iterable[str] = ()) -> dict[str, int]:
    """How often each kind of that fate happened."""
    wanted = set(kinds)
    held = getattr(made.tally, fate)
    return {kind: count.number for kind, count in held.items() if not wanted or kind in wanted}
