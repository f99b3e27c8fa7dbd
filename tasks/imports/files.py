"""Where the files of a data set stand, and its dialogues, one at a time."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from duologue.tasks.imports.stream import elements
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["Files", "Tell", "dialogues", "find"]

Tell = Callable[[Iterable[Note]], None]
"""Takes notes of what was read, repaired, kept though odd, and dropped."""


class Files(NamedTuple):
    """The schemas and the files of dialogues in a folder and its splits."""

    home: Path
    schemas: list[Path]
    dialogues: list[Path]


def find(path: Path) -> Files:
    """The files of the data set at `path`, which may be one of its splits. Raises BadInput where it holds none."""
    layout = "schema.json and dialogues_*.json in it, or in train, dev and test"
    if not path.is_dir():
        raise BadInput("is a file, not a folder" if path.exists() else "no such folder", path, f"Expected {layout}.")
    schemas = [*path.glob("schema.json"), *sorted(path.glob("*/schema.json"))] or [*path.parent.glob("schema.json")]
    if not schemas:
        raise BadInput("holds no schema.json", path, f"Give the folder with {layout}.")
    return Files(path, schemas, sorted([*path.glob("dialogues_*.json"), *path.glob("*/dialogues_*.json")]))


def dialogues(files: Files, tell: Tell) -> Iterator[tuple[str, Any]]:
    """Every dialogue with its id, the split before it. What is damaged is told of, and ends only its own file."""
    for path in files.dialogues:
        split = "" if path.parent == files.home else f"{path.parent.name}-"
        try:
            for number, dialogue in elements(path):
                id = dialogue.get("dialogue_id") if isinstance(dialogue, dict) else None
                yield f"{split}{id or f'{path.stem}-{number}'}", dialogue
        except BadInput as fault:
            tell([Note("dropped", "files from the first damage on", str(fault))])
