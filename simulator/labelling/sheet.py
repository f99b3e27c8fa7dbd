"""A sheet: labels made elsewhere, in a CSV or JSON Lines file. Nothing of it is taken unless all of it fits."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duologue.agents.rubric import Dimension
from duologue.labelling.desk import point, value_of
from duologue.labelling.labels import Value
from duologue.labelling.sample import Place
from duologue.record.digest import Digest
from duologue.record.run import Run
from duologue.tasks.written import BadInput, nearest, read_lines, reading

__all__ = ["read_sheet"]

NAMES = ("cell", "dialogue")
"""The columns that say which dialogue a row is about: its cell id, or its number in `show RUN`."""

Asked = Callable[[Place], Sequence[Dimension]]


class _Row(NamedTuple):
    where: str
    """File and line."""
    columns: Mapping[str, Any]


def read_sheet(path: Path, run: Run, dimensions: Sequence[Dimension], asked: Asked) -> dict[Place, dict[str, Value]]:
    """The scores by dialogue. An empty field is a question that was skipped.

    `dimensions` are the rubric's, `asked` those of them that make sense for a dialogue. Raises BadInput for the first
    fault, with its line.
    """
    rows = list(_rows(path))
    if not rows:
        raise BadInput("holds no labels", path, f"Give it a row a dialogue: {_form(dimensions)}")
    known = _known(run)
    found: dict[Place, dict[str, Value]] = {}
    lines: dict[Place, str] = {}
    for row in rows:
        _check_columns(row, dimensions)
        place = _place(row, known, run.folder)
        if place in found:
            raise BadInput(f"labels the dialogue of {lines[place]} once more", row.where, "Keep one of the two")
        found[place] = dict(_scores(row, dimensions, asked(place)))
        lines[place] = row.where
    if all(value is None for scores in found.values() for value in scores.values()):
        raise BadInput("holds no score", path, f"Fill in the columns: {', '.join(each.name for each in dimensions)}")
    return found


def _rows(path: Path) -> Iterator[_Row]:
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for line in read_lines(path):
            data = line.data()
            if not isinstance(data, dict):
                raise BadInput("is no object of columns and values", line.where)
            yield _Row(line.where, data)
    elif path.suffix.lower() == ".csv":
        yield from _csv_rows(path)
    else:
        raise BadInput("is neither .csv nor .jsonl", path, "Save the labels as one of them")


def _csv_rows(path: Path) -> Iterator[_Row]:
    """The rows of a CSV file, whose columns commas, semicolons or tabs part."""
    text = _text(path)
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    names: list[str] = []
    try:
        for fields in reader:
            where = f"{path}:{reader.line_num}"
            if not any(field.strip() for field in fields):
                continue
            if not names:
                names = [field.strip() for field in fields]
                if twice := next((name for name in names if names.count(name) > 1), None):
                    raise BadInput(f"two columns are named {twice!r}", where)
            elif len(fields) != len(names):
                raise BadInput(f"has {len(fields)} fields under {len(names)} columns", where)
            else:
                yield _Row(where, dict(zip(names, fields, strict=True)))
    except csv.Error as fault:
        raise BadInput(f"is not valid CSV: {fault}", f"{path}:{reader.line_num}") from None


def _text(path: Path) -> str:
    with reading(path):
        return path.read_text(encoding="utf-8-sig")


def _check_columns(row: _Row, dimensions: Sequence[Dimension]) -> None:
    known = [*NAMES, *(dimension.name for dimension in dimensions)]
    if stray := next((name for name in row.columns if name not in known), None):
        told = nearest(stray, known) or f" (known: {', '.join(known)})"
        raise BadInput(f"unknown column {stray!r}{told}", row.where)
    if "" in row.columns:
        raise BadInput("a column has no name", row.where)
    if not any(name in row.columns for name in NAMES):
        raise BadInput("does not say which dialogue it labels", row.where, "Give it a column `cell` or `dialogue`")
    if not any(name in known[2:] for name in row.columns):
        raise BadInput("has no column for a score", row.where, f"Give it: {_form(dimensions)}")


def _known(run: Run) -> dict[tuple[str, str], Digest]:
    """The run's dialogues by column and what may stand in it."""
    by_cell = {("cell", each.cell): each for each in run.dialogues}
    return by_cell | {("dialogue", str(number)): each for number, each in enumerate(run.dialogues, 1)}


def _place(row: _Row, known: Mapping[tuple[str, str], Digest], folder: Path) -> Place:
    """The dialogue that a row labels."""
    told = [(name, word) for name in NAMES if (word := _word(row.columns.get(name)))]
    if not told:
        raise BadInput("does not say which dialogue it labels", row.where, "Fill in its cell or its number")
    for name, word in told:
        if (name, word) not in known:
            raise BadInput(f"no {name} {word!r} in {folder}", row.where, f"See them: duologue show {folder}")
    found = known[told[0]]
    if any(known[each] is not found for each in told):
        raise BadInput("its cell and its number are of two dialogues", row.where, "Keep one of the two columns")
    if found.ending is None or not found.ending.scored:
        what = " ".join(told[0])
        raise BadInput(f"{what} ended without scores, so no judge scores it", row.where, "Leave it out")
    return found.cell, found.attempt


def _scores(row: _Row, dimensions: Sequence[Dimension], asked: Sequence[Dimension]) -> Iterator[tuple[str, Value]]:
    for dimension in dimensions:
        word = _word(row.columns.get(dimension.name))
        if dimension not in asked:
            if word:
                why = "no preference of the user matters to the task"
                raise BadInput(f"{dimension.name} makes no sense for this dialogue: {why}", row.where, "Leave it empty")
            continue
        meant = point(dimension, _spelt(dimension, word))
        if word and not meant:
            points = ", ".join(dimension.points)
            raise BadInput(
                f"{word[:20]!r} is no point of {dimension.name}", row.where, f"It takes {points}, or nothing"
            )
        yield dimension.name, value_of(dimension, meant) if meant else None


def _word(value: Any) -> str:
    """A field as a word, whatever JSON or a spreadsheet made of it: 3.0 is 3."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.strip().lower()
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def _spelt(dimension: Dimension, word: str) -> str:
    """`word` as the scale spells it: spreadsheets write yes and no as TRUE and FALSE, or as 1 and 0."""
    yes_no = {"true": "yes", "false": "no", "1": "yes", "0": "no"} if dimension.points == ("no", "yes") else {}
    return yes_no.get(word, word)


def _form(dimensions: Sequence[Dimension]) -> str:
    return ", ".join(("dialogue", *(dimension.name for dimension in dimensions)))
