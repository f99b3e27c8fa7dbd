"""The elements of a large JSON file, one at a time, so that the file may be larger than memory."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from duologue.tasks.written import BadInput, reading

__all__ = ["elements"]

CHUNK = 1 << 20

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODE = json.JSONDecoder().raw_decode


def elements(path: Path, chunk: int = CHUNK) -> Iterator[tuple[str, Any]]:
    """What the one array or object in a file holds, each with its number from 1 or its key. `chunk` characters are read
    at once.

    Raises BadInput where the file cannot be read or is damaged, after the elements before the damage.
    """
    with reading(path), path.open(encoding="utf-8-sig") as file:
        yield from _Text(file, path, chunk).elements()


class _Text:
    """The text of a file from the first element on that was not read yet."""

    def __init__(self, file: TextIO, path: Path, chunk: int) -> None:
        self._file, self._path, self._chunk = file, path, chunk
        self._text, self._at = "", 0

    def elements(self) -> Iterator[tuple[str, Any]]:
        opened = self._mark("[{")
        closing, number = {"[": "]", "{": "}"}[opened], 0
        while self._peek() != closing:
            if number:
                self._mark(",")
            number += 1
            name = str(number)
            if opened == "{":
                name = str(self._value())
                self._mark(":")
            yield name, self._value()

    def _mark(self, expected: str) -> str:
        found = self._peek()
        if not found or found not in expected:
            raise self._damage(f"expected {' or '.join(expected)}, found {found or 'its end'}")
        self._at += 1
        return found

    def _peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more(self._chunk):
                return self._text[self._at : self._at + 1]

    def _value(self) -> Any:
        """The value that comes next: ever more text is read until it is whole."""
        self._peek()
        size = self._chunk
        while True:
            try:
                value, end = _DECODE(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if not self._more(size):
                    raise self._damage(str(error).split(":")[0]) from None
                size *= 2
                continue
            if not self._text[end:].strip("0123456789.eE+-") and self._more(size):
                continue  # a number may go on
            self._at = end
            return value

    def _more(self, size: int) -> bool:
        read = self._file.read(size)
        self._text, self._at = self._text[self._at :] + read, 0
        return bool(read)

    def _damage(self, what: str) -> BadInput:
        near = self._text[self._at : self._at + 30].split("\n")[0]
        return BadInput(f"is not valid JSON: {what}{f', near {near!r}' if near else ''}", self._path)
