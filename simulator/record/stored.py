"""Stored dialogues: the events and verdicts in a run's files, folded to the attempt that counts."""

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from duologue.agents.ending import Ending
from duologue.agents.events import CellEnded, CellStarted, Event, ToolCalled
from duologue.agents.transcript import Transcript, transcript
from duologue.agents.verdict import Verdict
from duologue.tasks.written import BadInput

__all__ = [
    "KINDS", "Dialogue", "Shelf", "Torn", "cells_begun", "folded", "record_files", "records",
    "stored_verdicts", "whole",
]  # fmt: skip

Record = TypeVar("Record")
Made = TypeVar("Made")
Torn = tuple[str, int]
"""The file and the number of a last line that was cut off while it was written."""

KINDS = ("events", "verdicts")
AT_ONCE = 200
"""How many dialogues that were begun anew after their ending are held at once."""
_CELL = re.compile(rb'"cell": ?"([^"\\]*)"')
_FILE_BITS = 16


@dataclass(frozen=True)
class Dialogue:
    """The latest attempt of one cell, and every verdict on that attempt, oldest first."""

    started: CellStarted
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def cell(self) -> str:
        return self.started.cell

    @cached_property
    def ending(self) -> Ending | None:
        """None where the dialogue has not ended: it is under way, or the run was killed."""
        last = self.events[-1]
        return last.ending if isinstance(last, CellEnded) else None

    @cached_property
    def script(self) -> Transcript:
        return transcript(self.events)


class Shelf:
    """The dialogues of those `cells` of a run, to be read one at a time: only where their lines stand is held."""

    def __init__(self, folder: Path, cells: Iterable[str]) -> None:
        self._folder, self._cells = folder, {cell.encode() for cell in cells}
        self._files = {kind: record_files(folder, kind) for kind in KINDS}

    def events(self, cell: str) -> Sequence[Event]:
        """The events of a cell; none where nothing of it is stored."""
        found = self.dialogue(cell)
        return found.events if found else ()

    def verdicts(self, cell: str) -> Sequence[Verdict]:
        """The verdicts on the attempt of a cell that counts."""
        found = self.dialogue(cell)
        return found.verdicts if found else ()

    def dialogue(self, cell: str) -> Dialogue | None:
        """The dialogue of a cell; None where nothing of it is stored."""
        found = _latest(event for event in self._read("events", cell, _event_form()) if event.cell == cell)
        _check_whole(found, self._folder)
        said = whole(found)
        if not said or not isinstance(begun := said[0], CellStarted):
            return None
        verdicts = self._read("verdicts", cell, _verdict_form())
        held = (verdict for verdict in verdicts if verdict.cell == cell and verdict.attempt == begun.attempt)
        return Dialogue(begun, tuple(said), tuple(held))

    def dialogues(self, cells: Sequence[str]) -> Iterator[Dialogue]:
        """The dialogues of `cells` that are stored."""
        return filter(None, map(self.dialogue, cells))

    @cached_property
    def _places(self) -> dict[str, dict[bytes, "array[int]"]]:
        return {kind: _places(self._files[kind], self._cells) for kind in KINDS}

    def _read(self, kind: str, cell: str, form: TypeAdapter[Record]) -> Iterator[Record]:
        for place in self._places[kind].get(cell.encode(), ()):
            path, offset = self._files[kind][place & ((1 << _FILE_BITS) - 1)], place >> _FILE_BITS
            with path.open("rb") as file:
                file.seek(offset)
                line, last = file.readline(), not file.read(1)
            if last:
                yield from _last_record(form, line, path, 0, [])
            else:
                yield _record(form, line, f"{path}: at byte {offset}")


def folded(folder: Path, make: Callable[[Sequence[Event]], Made], torn: list[Torn]) -> dict[str, Made]:
    """What `make` makes of the events of each cell's latest attempt, by cell, in the order in which they began.

    The events of a dialogue that is over are held no longer than until it is. An event with the number of an earlier
    one that says otherwise stands in place of that one and of what followed: there a step was begun anew.
    Raises BadInput where a line in the middle is damaged, or an event is missing.
    """
    found: dict[str, Made | None] = {}
    held: dict[str, list[Event]] = {}
    attempts: dict[str, int] = {}
    again: dict[str, None] = {}
    for event in records(folder, "events", _event_form(), torn):
        cell = event.cell
        if event.attempt > attempts.setdefault(cell, event.attempt):
            attempts[cell] = event.attempt
            held[cell] = []
        elif event.attempt < attempts[cell]:
            continue
        elif cell in found and cell not in held:
            again[cell] = None
            continue
        found.setdefault(cell, None)
        held.setdefault(cell, []).append(event)
        if isinstance(event, CellEnded) and event.ending.finished:
            said = _latest(held.pop(cell))
            if _gap(said) is None:
                found[cell] = _made(said, make, folder)
            else:
                again[cell] = None
    for cell, events in held.items():
        found[cell] = None if cell in again else _made(_latest(events), make, folder)
    found.update(_read_again(folder, list(again), make))
    return {cell: made for cell, made in found.items() if made is not None}


def stored_verdicts(folder: Path, torn: list[Torn]) -> Iterator[Verdict]:
    """The verdicts of a run, in the order in which they were written. Raises BadInput for a damaged line."""
    return records(folder, "verdicts", _verdict_form(), torn)


def record_files(folder: Path, kind: str) -> list[Path]:
    """The files of the `events` or of the `verdicts` of a run, the oldest first."""
    return sorted(folder.glob(f"{kind}-[0-9]*.jsonl"))


def cells_begun(folder: Path) -> list[str]:
    """The cells of a run in the order in which their first events stand in its files."""
    found: dict[bytes, None] = {}
    for path in record_files(folder, "events"):
        with path.open("rb") as file:
            found.update((named[1], None) for line in file if (named := _CELL.search(line)))
    return [cell.decode() for cell in found]


def whole(events: Sequence[Event]) -> Sequence[Event]:
    """`events` of one attempt up to its last whole step: the calls of one that was cut off while it was written were
    never answered, and the assistant is asked for it anew."""
    last = events[-1] if events else None
    if not isinstance(last, ToolCalled):
        return events
    begun = len(events) - 1
    while begun and isinstance(before := events[begun - 1], ToolCalled) and before.step == last.step:
        begun -= 1
    return events if len(events) - begun >= last.of else events[:begun]


@cache
def _event_form() -> TypeAdapter[Event]:
    return TypeAdapter(Event)


@cache
def _verdict_form() -> TypeAdapter[Verdict]:
    return TypeAdapter(Verdict)


def _read_again(
    folder: Path, cells: Sequence[str], make: Callable[[Sequence[Event]], Made]
) -> Iterator[tuple[str, Made | None]]:
    """What is made of cells whose record goes on after an ending, or is not in order."""
    for start in range(0, len(cells), AT_ONCE):
        some: dict[str, list[Event]] = {cell: [] for cell in cells[start : start + AT_ONCE]}
        for event in records(folder, "events", _event_form(), []):
            if event.cell in some:
                some[event.cell].append(event)
        for cell, events in some.items():
            yield cell, _made(_latest(events), make, folder)


def _made(events: Sequence[Event], make: Callable[[Sequence[Event]], Made], folder: Path) -> Made | None:
    _check_whole(events, folder)
    events = whole(events)
    return make(events) if events and isinstance(events[0], CellStarted) else None


def _latest(events: Iterable[Event]) -> list[Event]:
    """Of the events of one cell the latest attempt, in the order of their numbers."""
    held: dict[int, Event] = {}
    latest = 0
    for event in events:
        if event.attempt < latest:
            continue
        if event.attempt > latest:
            latest = event.attempt
            held.clear()
        if event.seq in held and held[event.seq] != event:
            for seq in [seq for seq in held if seq >= event.seq]:
                del held[seq]
        held[event.seq] = event
    return [held[seq] for seq in sorted(held)]


def _gap(events: Sequence[Event]) -> int | None:
    """The number of the first event that is missing."""
    return next((number for number, event in enumerate(events, 1) if event.seq != number), None)


def _check_whole(events: Sequence[Event], folder: Path) -> None:
    """Raises BadInput where an event is missing between others."""
    if (gap := _gap(events)) is not None:
        raise BadInput(
            f"event {gap} of dialogue {events[0].cell} is missing, but event {events[gap - 1].seq} is there",
            folder,
            "Restore the file from a copy",
        )


def _places(files: Sequence[Path], cells: Collection[bytes]) -> dict[bytes, "array[int]"]:
    """Where the lines of `cells` begin: bytes from the start of the file, and in the lowest bits which file."""
    found: dict[bytes, array[int]] = {}
    for number, path in enumerate(files):
        offset = 0
        with path.open("rb") as file:
            for line in file:
                named = _CELL.search(line)
                if named and named[1] in cells:
                    found.setdefault(named[1], array("Q")).append(offset << _FILE_BITS | number)
                offset += len(line)
    return found


def records(folder: Path, kind: str, form: TypeAdapter[Record], torn: list[Torn]) -> Iterator[Record]:
    """The records of one kind in a run's files, in the order in which they were written; torn last lines are named in
    `torn`. Raises BadInput for a damaged line."""
    for path in record_files(folder, kind):
        if not path.is_file():
            raise BadInput("is no file", path, "Take it out of the run's folder")
        with path.open("rb") as file:
            held: tuple[int, bytes] | None = None
            for number, line in enumerate(file, 1):
                if held is not None:
                    yield _record(form, held[1], f"{path}:{held[0]}")
                held = number, line
        if held is not None:
            yield from _last_record(form, held[1], path, held[0], torn)


def _last_record(form: TypeAdapter[Record], line: bytes, path: Path, number: int, torn: list[Torn]) -> Iterator[Record]:
    """The last line of a file, which may be torn: the process may have been killed while writing it."""
    try:
        if line.endswith(b"\n"):
            yield _record(form, line, f"{path}:{number}")
            return
    except BadInput:
        pass
    torn.append((path.name, number))


def _record(form: TypeAdapter[Record], line: bytes, where: str) -> Record:
    try:
        return form.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(
            f"damaged line ({place + ': ' if place else ''}{first['msg']})",
            where,
            "Restore the file from a copy; nothing after this line was read",
        ) from None
