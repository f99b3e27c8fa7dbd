"""Documents: the JSON values in files from outside, one at a time, each with where it stands."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from duologue.outside.spoken import is_said
from duologue.tasks.written import BadInput, Line, read_lines, reading

__all__ = ["Document", "documents", "files_in"]

SUFFIXES = (".json", ".jsonl", ".ndjson")
LINED = (".jsonl", ".ndjson")
_DECODER = json.JSONDecoder()

Document = tuple[str, Any]
"""Where it stands, `chats.jsonl:3`, and what it says; a BadInput that names the place where it says nothing."""


def files_in(place: Path) -> list[Path]:
    """The file `place`, or those below the folder that may hold dialogues, in a fixed order. Raises BadInput."""
    if not place.is_dir():
        return [place]
    found = sorted(path for path in place.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    shown = [path for path in found if not any(part.startswith(".") for part in path.relative_to(place).parts)]
    if not shown:
        raise BadInput(
            "is no run, and holds no dialogues", place, f"Give a run, or a file that ends in {', '.join(SUFFIXES)}"
        )
    return shown


def documents(path: Path) -> Iterator[Document]:
    """The dialogues of a file, as they are written there: one a line, or one after the other in a JSON array.

    Of a file of lines one is held at a time, of any other its text and one dialogue. Raises BadInput where the file
    cannot be read.
    """
    for where, value in _of_lines(path) if _is_lined(path) else _of_text(path):
        if isinstance(value, list) and value and not is_said(value[0]):
            yield from ((f"{where}, item {number}", item) for number, item in enumerate(value, 1))
        else:
            yield where, value


def _is_lined(path: Path) -> bool:
    """Whether a file has a value a line, whatever its name says: its first or second line is one by itself."""
    if path.suffix.lower() in LINED:
        return True
    first = list(islice(read_lines(path), 2))
    if len(first) < 2 or first[0].raw.strip() in (b"[", b"{"):
        return False
    return any(isinstance(_value(line), dict | list) for line in first)


def _of_lines(path: Path) -> Iterator[Document]:
    return ((line.where, _value(line)) for line in read_lines(path))


def _value(line: Line) -> Any:
    try:
        return line.data()
    except BadInput as fault:
        return fault


def _of_text(path: Path) -> Iterator[Document]:
    """The values in a file that is JSON as a whole; those of an array of dialogues one by one."""
    text, at, line = _text(path), 0, 1
    while (start := _next(text, at)) < len(text):
        line += text.count("\n", at, start)
        if text[start] == "[" and not _is_dialogue(text, start):
            yield from _items(path, text, start, line)
            return
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            yield f"{path}:{line}", _broken(error, path, line)
            return
        yield f"{path}:{line}", value
        line += text.count("\n", start, at)


def _is_dialogue(text: str, start: int) -> bool:
    """Whether the array that begins at `start` is one dialogue and no list of such."""
    try:
        return is_said(_DECODER.raw_decode(text, _next(text, start + 1))[0])
    except (ValueError, RecursionError):
        return False


def _items(path: Path, text: str, start: int, line: int) -> Iterator[Document]:
    """The items of an array. After one that is broken nobody can tell where the next begins."""
    at = start
    while (item := _next(text, at + 1)) < len(text) and text[item] != "]":
        line += text.count("\n", at, item)
        try:
            value, at = _DECODER.raw_decode(text, item)
        except (ValueError, RecursionError) as error:
            yield f"{path}:{line}", _broken(error, path, line, ", and nothing after it can be told apart")
            return
        yield f"{path}:{line}", value
        line += text.count("\n", item, at)
        at, before = _next(text, at), at
        line += text.count("\n", before, at)
        if text[at : at + 1] not in (",", "]"):
            yield f"{path}:{line}", BadInput("is cut off: the array does not end", f"{path}:{line}")
            return
        if text[at] == "]":
            return


def _broken(error: Exception, path: Path, line: int, then: str = "") -> BadInput:
    if isinstance(error, json.JSONDecodeError):
        why = f"{error.msg} in line {error.lineno}"
    else:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
    return BadInput(f"is not valid JSON ({why}){then}", f"{path}:{line}")


def _next(text: str, at: int) -> int:
    """Where the next character stands that is no white space."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _text(path: Path) -> str:
    with reading(path):
        return path.read_text(encoding="utf-8-sig")
