"""The index of a run: the digests of its dialogues and its summary beside the record, from which it can be made anew.

It is believed only where the record's files are what they were when it was written, and where it is whole; deleting it
changes nothing.
"""

import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from duologue.agents.usage import Usage
from duologue.record.digest import Digest, read_line
from duologue.record.store import in_use
from duologue.record.stored import KINDS, Torn, record_files
from duologue.tasks.task import Situation

__all__ = ["Index", "keep", "read_head", "read_index", "stamp", "tell", "write"]

NAME = "index.jsonl"
FORMAT = 3
"""To be raised when digests or the summary hold something else than before."""


@dataclass(frozen=True, slots=True)
class Index:
    """What stands in an index. Without `dialogues` where only its head was read."""

    stamp: str
    torn: tuple[Torn, ...] = ()
    """Last lines that were cut off while they were written."""
    said: Mapping[str, Any] | None = None
    """The run's summary as JSON holds it, where it was made."""
    dialogues: tuple[Digest, ...] = ()


def stamp(folder: Path) -> str:
    """What changes when a file of the record does, or what is read from it."""
    files = [path for kind in KINDS for path in record_files(folder, kind)]
    held = [(path.name, found.st_size, found.st_mtime_ns) for path in files if (found := path.stat())]
    begun = zlib.crc32((folder / "run.json").read_bytes())
    return json.dumps([FORMAT, version("duologue"), [*Usage.model_fields, *Situation.model_fields], begun, held])


def read_head(folder: Path) -> Index | None:
    """The index of a run without its dialogues; None where there is none to be believed."""
    return _read(folder, whole=False)


def read_index(folder: Path) -> Index | None:
    """The index of a run; None where there is none to be believed."""
    return _read(folder, whole=True)


def keep(folder: Path, index: Index) -> None:
    """Leave an index in a run's folder, where it can be written to and no other process has the run."""
    if not in_use(folder):
        write(folder, index)


def tell(folder: Path, stamp: str, said: Mapping[str, Any]) -> None:
    """Leave a run's summary in its index, where the index is still of that stamp."""
    if (index := read_index(folder)) is not None and index.stamp == stamp:
        keep(folder, replace(index, said=said))


def write(folder: Path, index: Index) -> None:
    """Write the index of a run whole, or not at all. Its own process does so while it has the run."""
    part = folder / f"{NAME}.{os.getpid()}.part"
    head = json.dumps({"stamp": index.stamp, "torn": index.torn, "said": index.said}).encode() + b"\n"
    with suppress(OSError):
        try:
            with part.open("wb") as file:
                file.write(_sums(head, 0) + head)
                body = 0
                for each in index.dialogues:
                    line = f"{each.line()}\n".encode()
                    body = zlib.crc32(line, body)
                    file.write(line)
                file.seek(0)
                file.write(_sums(head, body))
            part.replace(folder / NAME)
        finally:
            part.unlink(missing_ok=True)


def _read(folder: Path, whole: bool) -> Index | None:
    if not (folder / NAME).is_file():
        return None
    try:
        with (folder / NAME).open("rb") as file:
            sums, head = file.readline(), file.readline()
            if sums.split()[:1] != _sums(head, 0).split()[:1]:
                return None
            held = json.loads(head)
            if held["stamp"] != stamp(folder):
                return None
            body, found = 0, []
            for line in file if whole else ():
                body = zlib.crc32(line, body)
                found.append(read_line(line))
        if whole and sums != _sums(head, body):
            return None
        torn = tuple((name, number) for name, number in held["torn"])
        return Index(held["stamp"], torn, held["said"], tuple(found))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _sums(head: bytes, body: int) -> bytes:
    """What shows whether the head, and the lines below it, are as they were written. Always of one length."""
    return f"{zlib.crc32(head):08x} {body:08x}\n".encode()
