"""Nemotron-Personas: a row a person, with demographics, interests and portraits, as JSON Lines or Parquet."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from duologue.profiles.imports.person import Person, Read, told
from duologue.profiles.imports.reading import Row, fitting, one_file, read_objects
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["people"]

NAME = "nemotron-personas"
DEMOGRAPHICS = {
    "age": "age",
    "sex": "gender",
    "marital_status": "marital_status",
    "education_level": "education",
    "occupation": "employment",
    "religion": "religion",
    "first_language": "languages",
    "city": "home_city",
    "country": "home_country",
}
NO_DEGREE = ("", "none", "no_degree", "n/a", "nan")
PORTRAITS = ("cultural_background", "skills_and_expertise", "hobbies_and_interests", "career_goals_and_ambitions")
INTERESTS = "hobbies_and_interests_list"
TWICE = ("skills_and_expertise_list",)
"""Columns that say again what another one says."""


def people(path: Path) -> Iterator[Read]:
    """Who stands in each row. Raises BadInput where the file at `path` has other rows."""
    file = one_file(path, ".jsonl", ".parquet")
    rows = _parquet(file) if file.suffix == ".parquet" else read_objects(file)
    for number, (where, row) in enumerate(fitting(rows, NAME, file), 1):
        if isinstance(row, BadInput):
            yield row
            continue
        notes: list[Note] = []
        yield Person(where, f"nemotron-{row.get('uuid') or number}", _person(row, notes), notes)


def _person(row: dict[str, Any], notes: list[Note]) -> dict[str, Any] | None:
    portraits = [key for key in row if key == "persona" or key.endswith("_persona") or key in PORTRAITS]
    known = {"uuid", "name", "bachelors_field", INTERESTS, *TWICE, *DEMOGRAPHICS, *portraits}
    notes += [Note("dropped", "columns that have no place in a profile", repr(key)) for key in row if key not in known]
    history = [told(text) for key in sorted(portraits, key=lambda key: key != "persona") if (text := _text(row[key]))]
    if not history:
        return None
    return {
        "name": _text(row.get("name")),
        "demographics": _demographics(row, notes),
        "interests": _interests(row.get(INTERESTS), notes),
        "history": history,
    }


def _demographics(row: dict[str, Any], notes: list[Note]) -> dict[str, str]:
    found = {}
    for key, field in DEMOGRAPHICS.items():
        if text := _text(row.get(key)):
            found[field] = _spaced(text, notes)
    degree = _text(row.get("bachelors_field"))
    if degree.casefold() not in NO_DEGREE and "education" in found:
        found["education"] = f"{found['education']}, {_spaced(degree, notes)}"
    return found


def _spaced(text: str, notes: list[Note]) -> str:
    if "_" in text:
        notes.append(Note("repaired", "names in snake_case", text))
    return text.replace("_", " ")


def _interests(written: Any, notes: list[Note]) -> list[str]:
    """A list, or the Python literal of one, which most releases have."""
    given = written
    if isinstance(written, str) and written.strip():
        try:
            given = ast.literal_eval(written.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            notes.append(Note("dropped", "lists of interests that cannot be read", written))
            return []
        notes.append(Note("repaired", "lists written as Python has them"))
    return [text for each in given if (text := _text(each))] if isinstance(given, list | tuple) else []


def _text(value: Any) -> str:
    """`value` as text; empty where it says nothing."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = " ".join(str(value).split())
    return "" if text.casefold() in ("nan", "none", "null") else text


def _parquet(path: Path) -> Iterator[Row]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        made = path.with_suffix(".jsonl").name
        code = f"import pandas; pandas.read_parquet({path.name!r}).to_json({made!r}, orient='records', lines=True)"
        then = f'Where pandas and pyarrow are, type: python -c "{code}"'
        raise BadInput("is Parquet, and pyarrow, which reads it, is not installed", path, then) from None
    try:
        file = parquet.ParquetFile(path)
        rows = (row for batch in file.iter_batches(batch_size=256) for row in batch.to_pylist())
        yield from ((f"{path}, row {number}", row) for number, row in enumerate(rows, 1))
    except (OSError, ValueError) as error:
        raise BadInput(f"is not valid Parquet ({error})", path, "Get the file again") from None
