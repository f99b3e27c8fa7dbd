"""Synthetic-Persona-Chat: a CSV with the personas of both users, a sentence a line, and a conversation."""

from collections.abc import Iterator
from pathlib import Path

from duologue.profiles.imports.person import TALK, Person, Read
from duologue.profiles.imports.reading import one_file, read_csv
from duologue.profiles.imports.sentences import persona
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["people"]

NAME = "synthetic-persona-chat"
CONVERSATION = "Best Generated Conversation"


def people(path: Path) -> Iterator[Read]:
    """Both users of each row. Raises BadInput where the file at `path` has other columns."""
    for number, (where, row) in enumerate(read_csv(one_file(path, ".csv"), NAME), 1):
        if isinstance(row, BadInput):
            yield row
            continue
        turns = sum(bool(line.strip()) for line in row.get(CONVERSATION, "").splitlines())
        yield [Note("read", "conversations"), Note("dropped", TALK, number=turns)]
        for user in (1, 2):
            notes: list[Note] = []
            found = persona(row[f"user {user} personas"].splitlines(), notes)
            yield Person(where, f"{NAME}-{number}-user-{user}", found, notes)
