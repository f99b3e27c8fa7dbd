"""PersonaHub: `persona` a line, or `input persona` with a text that was made for it, which is no word of theirs."""

from collections.abc import Iterator
from pathlib import Path

from duologue.profiles.imports.person import Person, Read, told
from duologue.profiles.imports.reading import fitting, one_file, read_objects
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["people"]

NAME = "personahub"
PERSONA = ("persona", "input persona")


def people(path: Path) -> Iterator[Read]:
    """Who is described in each row. Raises BadInput where the file at `path` has other rows."""
    file = one_file(path, ".jsonl")
    for number, (where, row) in enumerate(fitting(read_objects(file), NAME, file), 1):
        if isinstance(row, BadInput):
            yield row
            continue
        text = next((row[key] for key in PERSONA if key in row), None)
        notes = [
            Note("dropped", "columns that say nothing of the person", repr(key)) for key in row if key not in PERSONA
        ]
        said = " ".join(text.split()) if isinstance(text, str) else ""
        yield Person(where, f"{NAME}-{number}", {"history": [told(said)]} if said else None, notes)
