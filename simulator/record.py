"""What a run folder holds, read and folded: dialogues with their verdicts."""

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from duologue.agents.ending import Ending
from duologue.agents.events import CellEnded, CellStarted, Event, ToolCalled
from duologue.agents.transcript import Transcript, transcript
from duologue.agents.verdict import Verdict
from duologue.tasks.written import BadInput, Written, parse

__all__ = ["Dialogue", "Manifest", "Run", "read_run", "whole"]

Record = TypeVar("Record")


class Manifest(Written):
    """`run.json`: what was run, with what. Written once."""

    v: int = 1
    name: str
    duologue: str
    """The version of Duologue."""
    started: float
    cells: int
    """How many dialogues were planned."""
    campaign: dict[str, Any]
    """The campaign as it was run, overrides included, secrets not."""
    fingerprints: dict[str, str] = Field(default_factory=dict)
    """Of the world's engine, prompts, user, judge and seed: what must be equal for runs to be paired."""
    data: dict[str, str] = Field(default_factory=dict)
    """Fingerprints of the profiles, tasks and domains used, by `profile ID` and so on: equal in pairs where shared."""
    domains: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Of each task used."""
    notes: tuple[str, ...] = ()
    """What a reader of the scores must know, such as that a small embedded model spoke."""

    @property
    def person(self) -> bool:
        """Whether somebody at the keyboard took part."""
        seats = [self.campaign.get("user", {}), *self.campaign.get("assistant", ())]
        return any(seat.get("person") for seat in seats)

    def plans(self, assistant: str) -> bool:
        """Whether an assistant of that name is in the campaign: one that is no longer has nothing left to do."""
        return any(table.get("name") == assistant for table in self.campaign.get("assistant", ()))


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


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read. Dialogues stand in the order in which they began."""

    folder: Path
    manifest: Manifest
    dialogues: tuple[Dialogue, ...]
    notes: tuple[str, ...] = ()
    """What was odd in the files, such as a torn last line that was dropped."""


def read_run(folder: Path) -> Run:
    """Read a run folder. Raises BadInput where it is none, or where a line in the middle is damaged."""
    manifest = read_manifest(folder)
    notes: list[str] = []
    with _nothing_collected():
        events = list(_records(folder, "events", TypeAdapter(Event), notes))
        verdicts = list(_records(folder, "verdicts", TypeAdapter(Verdict), notes))
    return Run(folder, manifest, tuple(_dialogues(folder, events, verdicts)), tuple(notes))


def read_manifest(folder: Path) -> Manifest:
    """The `run.json` of a run folder. Raises BadInput where it is none."""
    path = folder / "run.json"
    try:
        return parse(Manifest, json.loads(path.read_text(encoding="utf-8")), path)
    except FileNotFoundError:
        raise BadInput("is not a run folder: it has no run.json", folder, "See the runs: duologue list") from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Nothing that is read is garbage, and looking for some would take longer than the reading itself."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


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


def _dialogues(folder: Path, events: Iterable[Event], verdicts: Iterable[Verdict]) -> Iterator[Dialogue]:
    """Of each cell the latest attempt. An event with the number of an earlier one that says otherwise stands in place
    of that one and of what followed: there a step was begun anew."""
    cells: dict[str, dict[int, Event]] = {}
    attempts: dict[str, int] = {}
    for event in events:
        latest = attempts.setdefault(event.cell, event.attempt)
        if event.attempt < latest:
            continue
        held = cells.setdefault(event.cell, {})
        if event.attempt > latest:
            attempts[event.cell] = event.attempt
            held.clear()
        if event.seq in held and held[event.seq] != event:
            for seq in [seq for seq in held if seq >= event.seq]:
                del held[seq]
        held[event.seq] = event
    judged: dict[tuple[str, int], list[Verdict]] = {}
    for verdict in verdicts:
        judged.setdefault((verdict.cell, verdict.attempt), []).append(verdict)
    for cell, numbered in cells.items():
        said: Sequence[Event] = [numbered[seq] for seq in sorted(numbered)]
        _check_whole(said, folder)
        said = whole(said)
        if said and isinstance(said[0], CellStarted):
            yield Dialogue(said[0], tuple(said), tuple(judged.get((cell, said[0].attempt), ())))


def _check_whole(events: Sequence[Event], folder: Path) -> None:
    """Raises BadInput where an event is missing between others."""
    for number, event in enumerate(events, 1):
        if event.seq != number:
            raise BadInput(
                f"event {number} of dialogue {event.cell} is missing, but event {event.seq} is there",
                folder,
                "Restore the file from a copy",
            )


def _records(folder: Path, kind: str, form: TypeAdapter[Record], notes: list[str]) -> Iterator[Record]:
    for path in sorted(folder.glob(f"{kind}-[0-9]*.jsonl")):
        if not path.is_file():
            raise BadInput("is no file", path, "Take it out of the run's folder")
        with path.open("rb") as file:
            held: tuple[int, bytes] | None = None
            for number, line in enumerate(file, 1):
                if held is not None:
                    yield _record(form, held[1], f"{path}:{held[0]}")
                held = number, line
        if held is not None:
            yield from _last_record(form, held[1], f"{path}:{held[0]}", notes)


def _last_record(form: TypeAdapter[Record], line: bytes, where: str, notes: list[str]) -> Iterator[Record]:
    """The last line of a file, which may be torn: the process may have been killed while writing it."""
    try:
        if line.endswith(b"\n"):
            yield _record(form, line, where)
            return
    except BadInput:
        pass
    notes.append(f"{where}: the last line is torn and was dropped")


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
