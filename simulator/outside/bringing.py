"""Bringing in: dialogues that were held elsewhere become a run, with their profiles and tasks in its folder."""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from duologue.agents.rubric import Rubric, read_rubric
from duologue.campaign import AssistantSpec, Campaign, JudgeSpec, UserSpec
from duologue.outside.documents import documents, files_in
from duologue.outside.lot import Lot
from duologue.outside.personalens import source_above
from duologue.profiles.dataset import open_dataset, write_dataset
from duologue.provenance import OWN, manifest
from duologue.record.store import StoreFault, Writer, create_folder, new_files, write_once
from duologue.tasks.written import BadInput, Written, parse

__all__ = ["ORIGIN", "Origin", "bring_in", "brought_before"]

ORIGIN = "outside.json"
"""The file in the run's folder that says where its dialogues come from."""
GROUP = 16
"""Dialogues that are written at once."""


class Origin(Written):
    """Where the dialogues of a run come from, and what could not be taken."""

    source: str
    content: str
    """Changes with what stands in the files, and with the data that they are read by."""
    files: int
    dialogues: int
    left_out: tuple[str, ...] = ()
    """One sentence each: where, and why."""
    system: int = 0
    """Messages of the system, which are no part of what was said."""
    unread: dict[str, int] = Field(default_factory=dict)
    """Keys of which nothing is known, with the number of dialogues that have them."""


def content_of(place: Path, files: Iterable[Path], data: str) -> str:
    """What changes when a file does, or the data that it is read by."""
    sum = hashlib.sha256(data.encode())
    for path in files:
        sum.update(f"\0{path.relative_to(place) if path != place else ''}\0".encode("utf-8", "surrogateescape"))
        try:
            with path.open("rb") as file:
                while part := file.read(1 << 20):
                    sum.update(part)
        except OSError as fault:
            raise BadInput(f"cannot be read ({fault.strerror})", path) from None
    return sum.hexdigest()[:16]


def brought_before(place: Path, data: str, folders: Iterable[Path]) -> Path | None:
    """Which of `folders` holds the run that was made of the same files. Raises BadInput where they cannot be read."""
    wanted = content_of(place, files_in(place), data)
    return next((folder for folder in folders if (told := read_origin(folder)) and told.content == wanted), None)


def read_origin(folder: Path) -> Origin | None:
    """Where the dialogues of a run come from; None where they were held here."""
    try:
        return Origin.model_validate_json((folder / ORIGIN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


async def bring_in(place: Path, folder: Path, judge: JudgeSpec, data: str = "") -> Origin:
    """Make a run in the new `folder` of the dialogues in the file or folder `place`; `judge` is to judge them.

    Profiles and tasks that they name are looked up in the dataset `data`, or in the checkout of PersonaLens that they
    lie in. Raises BadInput where nothing can be taken or `folder` is in use, StoreFault where the disk is full.
    """
    files = files_in(place)
    content = content_of(place, files, data)
    rubric, source = read_rubric(judge.rubric), data or source_above(files[0])
    lot = Lot(open_dataset(source) if source else None, time.time())
    part = _beside(folder)
    try:
        left = _write_events(place, files, lot, part)
        if not lot.assistants:
            more = f"; and {len(left) - 1} more" if len(left) > 1 else ""
            raise BadInput(f"holds no dialogue that can be read: {left[0] if left else 'it is empty'}{more}", place)
        origin = Origin(
            source=str(place.absolute()), content=content, files=len(files), dialogues=sum(lot.assistants.values()),
            left_out=tuple(left), system=lot.counts["system"], unread=dict(lot.unread.most_common()),
        )  # fmt: skip
        _write_about(_campaign(place, lot, judge), lot, part, rubric, origin)
        _move(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return origin


def _write_events(place: Path, files: Iterable[Path], lot: Lot, folder: Path) -> list[str]:
    """Write the events of every dialogue that can be read; gives what cannot, a sentence each."""
    faults: list[OSError] = []
    left: list[str] = []
    writer = Writer(new_files(folder, ["events"])["events"], faults.append)
    for number, (path, where, value) in enumerate(_found(files), 1):
        try:
            for event in lot.take(value, where, path, _name(place)):
                writer.append(event)
        except BadInput as fault:
            left.append(str(fault))
        except RecursionError:
            left.append(f"{where}: is nested too deep")
        if number % GROUP == 0:
            writer.commit()
    writer.close()
    if faults:
        raise StoreFault(folder, faults[0], "give the same command again")
    return left


def _found(files: Iterable[Path]) -> Iterator[tuple[Path, str, object]]:
    for path in files:
        try:
            yield from ((path, where, value) for where, value in documents(path))
        except BadInput as fault:
            yield path, str(path), fault


def _name(place: Path) -> str:
    """What a run of these dialogues is called, and an assistant that they do not name."""
    return place.stem if place.is_file() else place.absolute().name


def _campaign(place: Path, lot: Lot, judge: JudgeSpec) -> Campaign:
    written = {
        "name": re.sub(r"[^\w .()+-]", "-", _name(place)) or "outside",
        "data": OWN,
        "beside": str(Path.cwd()),
        "user": UserSpec(elsewhere=True),
        "assistant": [AssistantSpec(name=name, elsewhere=True) for name in lot.assistants],
        "judge": judge,
        "trials": lot.trials,
    }
    return parse(Campaign, written, place)


def _write_about(campaign: Campaign, lot: Lot, folder: Path, rubric: Rubric, origin: Origin) -> None:
    """Write the profiles and tasks, where it all comes from, and at last `run.json`."""
    keys = list(lot.keys.values())
    data = lot.gathered.data(OWN, keys)
    write_dataset(data, folder / "data")
    write_once(folder / ORIGIN, origin.model_dump(mode="json"))
    notes = tuple(_notes(origin, lot))
    begun = manifest(campaign, data, keys, origin.dialogues, rubric=rubric, judges=(), notes=notes)
    write_once(folder / "run.json", begun.model_dump(mode="json"))


def _notes(origin: Origin, lot: Lot) -> Iterator[str]:
    """What a reader of the scores must know."""
    yield f"Held elsewhere and brought in from {origin.source}: tokens, times and how each ended are not known."
    of = f"of {origin.dialogues}"
    if number := lot.counts["user"]:
        yield f"Who the user was is not told in {number} {of}: each such dialogue counts as a user of its own."
    if number := lot.counts["task"]:
        yield f"The task is not told in {number} {of}: a judge takes it from what the user says."
    if number := lot.counts["preferences"]:
        yield f"No preferences are told in {number} {of}: nothing is asked about them there."
    if origin.left_out:
        yield f"{len(origin.left_out)} could not be taken; {ORIGIN} in the run's folder says why."


def _beside(folder: Path) -> Path:
    """A new folder beside `folder`, to be moved there. Raises BadInput where that is in use."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "already holds a run" if (folder / "run.json").exists() else "is not empty"
        raise BadInput(what, folder, "Name a new folder with --to")
    return create_folder(folder.with_name(f"{folder.name}.{os.getpid()}.part"))


def _move(part: Path, folder: Path) -> None:
    try:
        if folder.is_dir():
            folder.rmdir()
        part.replace(folder)
    except OSError as fault:
        raise BadInput(f"cannot be made ({fault.strerror})", folder, "Name a new folder with --to") from None
