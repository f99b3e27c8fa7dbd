"""Files of rows, read one row at a time: CSV, JSON Lines, and JSON lists however long."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from json import JSONDecoder
from pathlib import Path
from typing import Any, TextIO

from duologue.profiles.imports.formats import FORMATS, refusal
from duologue.tasks.library import Entry
from duologue.tasks.written import BadInput, read_lines

__all__ = ["fitting", "one_file", "opened", "read_csv", "read_items", "read_objects"]

CHUNK, MOST = 1 << 16, 1 << 26
"""Characters read at once, and the most that one item may have."""
PROBED = 20
"""Rows among which one must be sound for a file to be of a format."""
Row = Entry[dict[str, Any]]
_DECODER = JSONDecoder()


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The text file at `path`. Raises BadInput where it cannot be read, then or later."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except FileNotFoundError:
        raise BadInput("no such file", path) from None
    except IsADirectoryError:
        raise BadInput("is a folder, not a file", path, "Name one of the files in it") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"is not UTF-8 text ({error.reason})", path, "Save it as UTF-8") from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", path) from None


def one_file(path: Path, *endings: str) -> Path:
    """`path`, or the one file in that folder with one of the `endings`. Raises BadInput unless there is one."""
    if not path.is_dir():
        return path
    found = sorted(each for ending in endings for each in path.glob(f"*{ending}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise BadInput(f"holds no {' or '.join(endings)} file", path, "Name the file itself")
    raise BadInput(f"holds {len(found)} such files", path, f"Name one, such as {found[0]}")


def read_csv(path: Path, name: str) -> Iterator[Row]:
    """The rows of a CSV file under its header, a row with too few or too many cells as BadInput.

    Raises BadInput where the header is none of the format `name`.
    """
    before = csv.field_size_limit(MOST)
    try:
        with opened(path) as file:
            rows = csv.DictReader(file)
            if not FORMATS[name].fits(frozenset(rows.fieldnames or ())):
                raise refusal(name, path)
            for row in rows:
                where = f"{path}:{rows.line_num}"
                ragged = None in row or None in row.values()
                yield where, BadInput("has not as many cells as the header", where) if ragged else row
    except csv.Error as error:
        raise BadInput(f"is not valid CSV ({error})", path) from None
    finally:
        csv.field_size_limit(before)


def read_objects(path: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file or of a JSON list, what is none as BadInput."""
    with opened(path) as file:
        listed = _Text(file, path).peek() == "["
    for where, value in read_items(path) if listed else _lines(path):
        if isinstance(value, dict | BadInput):
            yield where, value
        else:
            yield where, BadInput(f"is a {type(value).__name__}, not an object", where)


def fitting(rows: Iterator[Row], name: str, path: Path) -> Iterator[Row]:
    """`rows` again. Raises BadInput where the first ones hold none of the format `name`."""
    first = list(islice(rows, PROBED))
    if not any(isinstance(row, dict) and FORMATS[name].fits(frozenset(row)) for _, row in first):
        raise refusal(name, path) if first else BadInput("is empty", path, f"Expected {FORMATS[name].what}")
    return chain(first, rows)


def read_items(path: Path) -> Iterator[tuple[str, Any]]:
    """The items of a JSON list, or of every list in a JSON object, each with where it stands.

    No more than an item is held at a time. Raises BadInput where the JSON ends or breaks off.
    """
    with opened(path) as file:
        text = _Text(file, path)
        if text.peek() == "[":
            yield from ((f"{path}, item {number}", value) for number, value in enumerate(text.items(), 1))
            return
        text.take("{")
        while text.peek() != "}":
            label = text.value()
            text.take(":")
            if text.peek() == "[":
                yield from ((f"{path}, {label} {number}", value) for number, value in enumerate(text.items(), 1))
            else:
                text.value()
            if text.peek() != "}":
                text.take(",")


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    for line in read_lines(path):
        try:
            yield line.where, line.data()
        except BadInput as fault:
            yield line.where, fault


class _Text:
    """JSON text of which a part is in memory."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file, self._path = file, path
        self._held, self._at, self._passed = "", 0, 0

    def items(self) -> Iterator[Any]:
        """The items of the list that begins here."""
        self.take("[")
        while self.peek() != "]":
            yield self.value()
            if self.peek() != "]":
                self.take(",")
        self.take("]")

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self._at < len(self._held):
                if not self._held[self._at].isspace():
                    return self._held[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def take(self, expected: str) -> None:
        """Passes that character. Raises BadInput where another one stands there."""
        if self.peek() != expected:
            raise self._fault()
        self._at += 1

    def value(self) -> Any:
        """The value that begins here. At the edge of what is held it is read again with more, a number could go on."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except (ValueError, RecursionError):
                if len(self._held) - self._at > MOST or not self._fill():
                    raise self._fault() from None
                continue
            if end < len(self._held) or not self._fill():
                self._at = end
                return value

    def _fill(self) -> bool:
        more = self._file.read(max(CHUNK, len(self._held) - self._at))
        self._passed += self._at
        self._held, self._at = self._held[self._at :] + more, 0
        return bool(more)

    def _fault(self) -> BadInput:
        place = f"from character {self._passed + self._at + 1:,} on"
        return BadInput(f"breaks off or is not valid JSON {place}", self._path, "Get the file again")
