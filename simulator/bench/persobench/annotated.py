"""PersoBench's own CSV: persona, context and reply, with labels of the speakers before them where there are some."""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from duologue.bench.persobench.row import PersonaOf, Row, Turn, Unfit, checked, clean
from duologue.tasks.written import BadInput, reading

__all__ = ["read_annotated"]

COLUMNS = ("personas", "context", "act_response")
LONGEST = 2**31 - 1
"""Letters of a field, as far as every platform takes it."""

_LABEL = re.compile(r"(?<!\w)user[\s_]?([12])\s*(?:'s|’s|s)?\s*(?:personas?)?\s*:\s*", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\d\.)\s*(?=[^\W\d_])")


def read_annotated(path: Path, name: str, persona_of: PersonaOf | None) -> Iterator[tuple[int, Row | Unfit]]:
    """The rows of a CSV, numbered from 1 without its head, or why one cannot be used.

    `persona_of` says whose the persona is; without it its label does, and it is the responder's where it has none.
    Raises BadInput: the file cannot be read, or lacks a column.
    """
    csv.field_size_limit(LONGEST)
    try:
        with reading(path), path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            missing = [column for column in COLUMNS if column not in (table.fieldnames or ())]
            if missing:
                raise BadInput(f"has no column {missing[0]!r}", path, f"It needs the columns {', '.join(COLUMNS)}")
            for number, line in enumerate(table, 1):
                yield number, _made(line, f"{name}/{number}", persona_of)
    except csv.Error as fault:
        raise BadInput(f"is not valid CSV: {fault}", path) from None


def _made(line: Mapping[str, Any], id: str, persona_of: PersonaOf | None) -> Row | Unfit:
    try:
        missing = next((column for column in COLUMNS if not (line[column] or "").strip()), "")
        if missing:
            raise Unfit(f"it has no {missing}")
        return checked(_row(line, id, persona_of))
    except Unfit as fault:
        return fault


def _row(line: Mapping[str, str], id: str, persona_of: PersonaOf | None) -> Row:
    context = tuple(Turn(speaker or "User1", text) for speaker, text in _parts(line["context"]))
    if not context:
        raise Unfit("it has no context")
    spoken, reply = (_parts(line["act_response"]) or [("", "")])[0]
    speaker = spoken or ("User1" if context[-1].speaker == "User2" else "User2")
    parts = _parts(line["personas"])
    told = _whose({label for label, _ in parts}, speaker)
    named = [(f"{label}: " if told == "both" else "", text) for label, text in parts]
    sentences = tuple(before + each for before, text in named for each in _SENTENCE.split(text))
    shown = tuple(before + text for before, text in named)
    return Row(
        id, sentences, persona_of or told or "responder", context, speaker, reply, (), shown, persona_of or told or ""
    )  # fmt: skip


def _whose(labels: set[str], speaker: str) -> PersonaOf | None:
    if labels >= {"User1", "User2"}:
        return "both"
    named = next(iter(labels - {""}), "")
    return None if not named else "responder" if named == speaker else "interlocutor"


def _parts(text: str) -> list[tuple[str, str]]:
    """What stands behind each label, with the label as `User1` or `User2`; it is empty for what has none."""
    found = list(_LABEL.finditer(text))
    ends = [label.start() for label in found] + [len(text)]
    before = clean(text[: ends[0]])
    parts = [(f"User{label[1]}", clean(text[label.end() : end])) for label, end in zip(found, ends[1:], strict=True)]
    return ([("", before)] if before else []) + parts
