"""PrefEval: a preference a row, alone, or beside the talk or the persona in which it shows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duologue.profiles.imports.person import DOMAIN, TASTE, Person, Read, told
from duologue.profiles.imports.reading import fitting, read_objects
from duologue.profiles.imports.wishes import wish
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["people"]

NAME = "prefeval"
QUESTIONS = "questions and options (they are what is asked of an assistant; write them as tasks)"
CHOICE = (
    ("query", "user"),
    ("assistant_options", "assistant"),
    ("user_selection", "user"),
    ("assistant_acknowledgment", "assistant"),
)
"""The turns of the form in which the user chooses, in their order."""


def people(path: Path) -> Iterator[Read]:
    """Who holds each row's preference, topic by topic. Raises BadInput where there are no such rows at `path`."""
    if not path.is_dir():
        yield from _topic(path, f"{NAME}-{path.stem}")
        return
    files = sorted(path.rglob("*.json"))
    if not files:
        raise BadInput("holds no .json file", path, "Name a file, or the folder of one form")
    for file in files:
        try:
            yield from _topic(file, f"{NAME}-{'-'.join(file.relative_to(path).with_suffix('').parts)}")
        except BadInput as fault:
            yield fault


def _topic(path: Path, label: str) -> Iterator[Read]:
    """The rows of one file, whose name is the topic: it becomes the preference type."""
    type = re.sub(r"[\W_]+", " ", path.stem).strip() or TASTE
    for number, (where, row) in enumerate(fitting(read_objects(path), NAME, path), 1):
        if isinstance(row, BadInput):
            yield row
        elif not isinstance(row.get("preference"), str) or not row["preference"].strip():
            yield BadInput("states no preference", where)
        else:
            notes: list[Note] = []
            yield Person(where, f"{label}-{number}", _person(row, type, notes), notes)


def _person(row: dict[str, Any], type: str, notes: list[Note]) -> dict[str, Any]:
    held = wish(row["preference"], notes)
    history: list[dict[str, Any]] = []
    if isinstance(described := row.get("persona"), str) and described.strip():
        history.append(told(" ".join(described.split())))
    if turns := _turns(row.get("conversation"), notes):
        shown = {"type": type, "value": held["value"], "kind": "implicit"}
        history.append({"domain": DOMAIN, "turns": turns, "evidence": [shown]})
        notes.append(Note("read", "sessions in which the preference shows"))
    notes.append(Note("dropped", QUESTIONS))
    return {"preferences": {DOMAIN: {type: [held]}}, "history": history}


def _turns(talk: Any, notes: list[Note]) -> list[dict[str, str]]:
    """The turns of either form, those without words left out."""
    if not isinstance(talk, dict):
        return []
    if any(key in talk for key, _ in CHOICE):
        said = [(role, talk.get(key)) for key, role in CHOICE]
    else:
        rounds = [talk[key] for key in sorted(talk, key=_place) if isinstance(talk[key], dict)]
        notes.append(Note("dropped", "rounds of a talk that are no table", number=len(talk) - len(rounds)))
        said = [(role, each.get(role)) for each in rounds for role in ("user", "assistant")]
    turns = [{"role": role, "text": text} for role, words in said if (text := _words(words))]
    notes.append(Note("dropped", "turns without words", number=len(said) - len(turns)))
    return turns


def _place(key: str) -> tuple[int, str]:
    return (int(key) if key.isascii() and key.isdigit() else len(key) + 10**9, key)


def _words(value: Any) -> str:
    lines = value if isinstance(value, list) else [value]
    return "\n".join(each.strip() for each in lines if isinstance(each, str) and each.strip())
