"""What a run folder holds, read and folded: dialogues with their verdicts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duologue.agents.ending import Ending
from duologue.agents.events import CellStarted, Event
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Verdict
from duologue.tasks.written import Written

__all__ = ["Dialogue", "Manifest", "Run", "read_run"]


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
    fingerprints: dict[str, str]
    """Of data, prompts, user, judge and rubric: what must be equal for runs to be paired."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The latest attempt of one cell, and the latest verdict under each rubric and judge."""

    started: CellStarted
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def cell(self) -> str:
        return self.started.cell

    @property
    def ending(self) -> Ending | None:
        """None while it is under way, or where the run was killed."""
        raise NotImplementedError

    @property
    def script(self) -> Transcript:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read."""

    folder: Path
    manifest: Manifest
    dialogues: tuple[Dialogue, ...]
    """In the order in which they began."""
    notes: tuple[str, ...] = ()
    """What was odd in the files, such as a torn last line that was dropped."""


def read_run(folder: Path) -> Run:
    """Read a run folder. Raises BadInput where it is none, or where a line in the middle is damaged."""
    raise NotImplementedError
