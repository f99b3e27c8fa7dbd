"""The run folder on disk: appended to, never rewritten.

`run.json` is written once. Every process that adds to the run opens files of its own
(`events-0001.jsonl`, `verdicts-0001.jsonl`, ...), one record a line, committed in groups at most a
quarter of a second apart, so that whatever was said before is on disk even when the process is killed.
"""

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from duologue.agents.secrets import forms, known, masked, may_hold_key, redact
from duologue.tasks.faults import BadInput, Fault
from duologue.tasks.written import Written

__all__ = ["FULL", "Lock", "StoreFault", "Writer", "appending", "create_folder", "in_use", "new_files", "write_once"]

GROUP_SECONDS = 0.2
FULL = "The disk no longer takes the record: stopping."


class StoreFault(Fault):
    """The disk no longer takes the record. What was written before stays; `again` goes on with it, else `resume`."""

    def __init__(self, folder: Path, fault: OSError, again: str = "") -> None:
        super().__init__(
            f"{folder}: the record can no longer be written ({fault.strerror}); the run stopped, and what was written "
            f"before stays. Make room, then: {again or f'duologue resume {folder}'}"
        )


class Writer:
    """Appends records to one file. Once a write fails nothing more is written, and `on_fault` is told.

    Its records speak of those of the writer `after`, if there is one: none is on disk before them.
    """

    def __init__(self, path: Path, on_fault: Callable[[OSError], None], after: "Writer | None" = None) -> None:
        self.path = path.absolute()
        self._on_fault, self._after = on_fault, after
        self._records: list[Written] = []
        self._secrets: tuple[str, ...] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._broken = False
        self._file: int | None = None

    def append(self, record: Written) -> None:
        """Queue a record; it is on disk within a quarter of a second."""
        if self._timer is None:
            self._secrets = known()
            self._timer = asyncio.get_running_loop().call_later(GROUP_SECONDS, self.commit)
        self._records.append(record)

    def commit(self) -> None:
        """Write what is queued, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._broken or not self._records:
            return
        if self._after is not None:
            self._after.commit()
            if self._after._broken:
                return
        secrets = tuple(dict.fromkeys((*self._secrets, *known())))
        group, self._records = b"".join(_line(record, secrets) for record in self._records), []
        try:
            if self._file is None:
                self._file = os.open(
                    self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644
                )
            while group:
                group = group[os.write(self._file, group) :]
        except OSError as error:
            self._broken = True
            self._on_fault(error)

    def close(self) -> None:
        self.commit()
        if self._file is not None:
            os.close(self._file)
            self._file = None


@contextmanager
def appending(path: Path, abandon: Callable[[str], None], again: str = "") -> Iterator[Writer]:
    """A writer to the new file `path` while work goes on. Where the disk stops taking it, `abandon` is told why to
    leave the work, and StoreFault is raised at its end; `again` is as there."""
    faults: list[OSError] = []

    def failed(fault: OSError) -> None:
        faults.append(fault)
        abandon(FULL)

    writer = Writer(path, failed)
    try:
        yield writer
    finally:
        writer.close()
    if faults:
        raise StoreFault(path.parent, faults[0], again)


class Lock:
    """Holds a run folder for this process, and for those that are given its `file`. The system frees it when they have
    ended, however they end."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._file: int | None = None

    @property
    def file(self) -> int:
        """What holds the lock while it is open."""
        assert self._file is not None
        return self._file

    def __enter__(self) -> "Lock":
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as fault:
            raise BadInput(f"cannot be written ({fault.strerror})", self._path.parent, "Copy it elsewhere") from None
        if not _try_lock(self._file):
            holder = self._path.read_text(encoding="utf-8", errors="replace").strip() or "another process"
            os.close(self._file)
            raise BadInput(f"the run is in use by {holder}", self._path.parent, "Wait for it, or stop it first")
        os.ftruncate(self._file, 0)
        started = time.strftime("%Y-%m-%d %H:%M:%S")
        try:
            os.write(self._file, f"process {os.getpid()} on {socket.gethostname()} since {started}\n".encode())
        except OSError as fault:
            raise StoreFault(self._path.parent, fault) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)


def in_use(folder: Path) -> bool:
    """Whether a process has the lock of a run, or nothing can be written there."""
    if not (path := folder / "lock").exists():
        return not os.access(folder, os.W_OK)
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return True
    try:
        return not _try_lock(file)
    finally:
        os.close(file)


def create_folder(folder: Path) -> Path:
    """Make `folder`, which must not hold a run yet."""
    if (folder / "run.json").exists():
        raise BadInput("already holds a run", folder, f"Go on with it: duologue resume {folder}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot be made ({error.strerror})", folder, "Name another folder with --out") from None
    return folder


def write_once(path: Path, record: Any) -> None:
    """Write a JSON file whole or not at all."""
    part = path.with_suffix(".part")
    try:
        part.write_text(json.dumps(masked(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as fault:
        raise StoreFault(path.parent, fault) from None


def _line(record: Written, secrets: tuple[str, ...]) -> bytes:
    """A record as a line of JSON, without secrets. Most hold nothing to be masked, which the line itself shows."""
    from pydantic_core import PydanticSerializationError

    try:
        text = record.__pydantic_serializer__.to_json(record).decode()
    except PydanticSerializationError:  # half a character
        text = ""
    if not text or _is_to_mask(text, secrets):
        text = json.dumps(masked(record.model_dump(mode="json"), secrets), ensure_ascii=False)
    return text.encode() + b"\n"


def _is_to_mask(line: str, secrets: tuple[str, ...]) -> bool:
    """Whether a line of JSON may hold something to be masked."""
    if "\\" not in line:
        return redact(line, secrets) != line
    return may_hold_key(line) or any(form in line for value in secrets for form in forms(value))


def new_files(folder: Path, kinds: Iterable[str], place: int = 0) -> dict[str, Path]:
    """By kind the path of a `KIND-0001.jsonl` whose number no writer has used: the next one, or that `place`s on."""
    numbers = (path.stem.rpartition("-")[2] for path in folder.glob("*-[0-9]*.jsonl"))
    used = [int(number) for number in numbers if number.isdecimal()]
    return {kind: folder / f"{kind}-{max(used, default=0) + 1 + place:04}.jsonl" for kind in kinds}


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> bool:
        os.lseek(file, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
