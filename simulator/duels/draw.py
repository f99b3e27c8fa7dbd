"""The draw: which dialogues meet, and in which orders they are laid before the judge."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from duologue.comparing.contest import Contestant
from duologue.comparing.pairs import paired
from duologue.record.run import Run
from duologue.scoring.scorecard import Row
from duologue.tasks.task import Situation
from duologue.tasks.written import fingerprint

__all__ = ["Bout", "Entry", "Match", "Meeting", "draw_up", "identity"]


class Entry(NamedTuple):
    """Which dialogue: its run, its cell and the attempt that counts."""

    run: str
    cell: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Match:
    """Two assistants' dialogues on one scenario and trial."""

    profile: str
    task: str
    situation: Situation
    trial: int
    a: Entry
    b: Entry
    folders: tuple[Path, Path]
    """Of the runs that they are in."""
    names: tuple[str, str]
    """The assistants', as their runs call them."""
    barred: str = ""
    """Why they cannot be compared; empty where they can."""

    @property
    def bouts(self) -> "tuple[Bout, Bout]":
        """Both orders."""
        return Bout(self, turned=False), Bout(self, turned=True)


@dataclass(frozen=True, slots=True)
class Bout:
    """A match in one order: a first or, where it is `turned`, b first."""

    match: Match
    turned: bool

    @property
    def key(self) -> tuple[Entry, Entry]:
        """The first dialogue and the second."""
        return (self.match.b, self.match.a) if self.turned else (self.match.a, self.match.b)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two assistants, by their labels, and their matches."""

    a: str
    b: str
    matches: tuple[Match, ...]
    unpaired: dict[str, int]
    """Why other dialogues have no counterpart, with how often."""


def identity(run: Run) -> str:
    """What tells a run from others wherever its folder lies: when it began, and its name."""
    return fingerprint(run.manifest.name, run.manifest.started)


def draw_up(chosen: Sequence[Contestant]) -> list[Meeting]:
    """Every two of `chosen`, and the scenarios and trials that both have run."""
    return [_meeting(a, b) for a, b in combinations(chosen, 2)]


def _meeting(a: Contestant, b: Contestant) -> Meeting:
    pairs = paired(a.rows, b.rows)
    alone = Counter(f"not run by {(b if pair.b is None else a).label}" for pair in pairs if not (pair.a and pair.b))
    return Meeting(a.label, b.label, tuple(_matches(a, b)), dict(alone))


def _matches(a: Contestant, b: Contestant) -> Iterator[Match]:
    attempts = [{each.cell: each.attempt for each in side.run.dialogues} for side in (a, b)]
    runs = identity(a.run), identity(b.run)
    for pair in paired(a.rows, b.rows):
        if pair.a is None or pair.b is None:
            continue
        entries = [
            Entry(run, row.cell, held[row.cell])
            for run, row, held in zip(runs, (pair.a, pair.b), attempts, strict=True)
        ]
        yield Match(
            profile=pair.profile,
            task=pair.task,
            situation=pair.a.situation,
            trial=pair.trial,
            a=entries[0],
            b=entries[1],
            folders=(a.run.folder, b.run.folder),
            names=(a.name, b.name),
            barred=_barred(((a.label, pair.a), (b.label, pair.b))),
        )


def _barred(sides: Sequence[tuple[str, Row]]) -> str:
    """Why two dialogues cannot be laid side by side: one of them is not over, or ended so that no judge reads it."""
    told = {label: why for label, row in sides if (why := _fault(row))}
    if len(told) == len(sides) and len(set(told.values())) == 1:
        return f"both: {next(iter(told.values()))}"
    return "; ".join(f"{label}: {why}" for label, why in told.items())


def _fault(row: Row) -> str:
    if row.ending is None or not row.finished:
        return "not finished"
    return "" if row.ending.scored else f"{row.ending.reason} ({row.ending.owner})"
