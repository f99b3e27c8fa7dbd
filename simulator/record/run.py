"""What a run folder holds: what was run, and of each dialogue a digest. Its words are read where they are asked for."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from duologue.garbage import nothing_collected
from duologue.record.digest import Digest, VerdictDigest, digest_of, judged
from duologue.record.index import Index, keep, read_index, stamp
from duologue.record.stored import Dialogue, Shelf, Torn, folded, stored_verdicts, whole
from duologue.tasks.written import BadInput, Written, parse

__all__ = [
    "Dialogue", "Manifest", "Run", "read_dialogue", "read_dialogues", "read_manifest",
    "read_run", "run_of", "whole",
]  # fmt: skip


class Manifest(Written):
    """`run.json`: what was run, with what. Only limits, prices and the cache may change when a run is gone on with."""

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
    judges: tuple[str, ...] = ()
    """How the judges of the campaign call themselves in their verdicts: several are a panel."""
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


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder, read. Dialogues stand in the order in which they began."""

    folder: Path
    manifest: Manifest
    dialogues: tuple[Digest, ...]
    torn: tuple[Torn, ...] = ()
    """Last lines of files that were cut off while they were written; they were dropped."""
    stopped: str = ""
    """Why it was just stopped early, if it was, as a sentence: the budget was spent."""
    said: Mapping[str, Any] | None = None
    """Its summary as JSON holds it, where it was made before."""
    stamp: str = ""
    """That of the files which it was read from."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd in the files."""
        return tuple(
            f"{self.folder / name}:{number}: the last line is torn and was dropped" for name, number in self.torn
        )


def read_run(folder: Path) -> Run:
    """Read a run folder, by its index where that fits. Raises BadInput where it is none, or where a line in the middle
    is damaged."""
    manifest = read_manifest(folder)
    with nothing_collected():
        index = read_index(folder)
        if index is None:
            index = _indexed(folder)
            keep(folder, index)
    return run_of(folder, manifest, index)


def run_of(folder: Path, manifest: Manifest, index: Index) -> Run:
    """The run in `folder`, as its index has it."""
    return Run(folder, manifest, index.dialogues, index.torn, said=index.said, stamp=index.stamp)


def read_manifest(folder: Path) -> Manifest:
    """The `run.json` of a run folder. Raises BadInput where it is none."""
    path = folder / "run.json"
    try:
        return parse(Manifest, json.loads(path.read_text(encoding="utf-8")), path)
    except FileNotFoundError:
        raise BadInput("is not a run folder: it has no run.json", folder, "See the runs: duologue list") from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None


def read_dialogue(folder: Path, cell: str) -> Dialogue:
    """One dialogue of a run with all of its events and verdicts. Raises BadInput where it is not there."""
    found = Shelf(folder, [cell]).dialogue(cell)
    if found is None:
        raise BadInput(f"no dialogue {cell!r}", folder, f"See them: duologue show {folder}")
    return found


def read_dialogues(run: Run) -> Iterator[Dialogue]:
    """The dialogues of a run with all of their events and verdicts, one after the other."""
    shelf = Shelf(run.folder, [each.cell for each in run.dialogues])
    return (found for each in run.dialogues if (found := shelf.dialogue(each.cell)) is not None)


def _indexed(folder: Path) -> Index:
    """The index of a run, from its record."""
    torn: list[Torn] = []
    fits = stamp(folder)
    dialogues = folded(folder, digest_of, torn)
    held: dict[tuple[str, int], list[VerdictDigest]] = defaultdict(list)
    for verdict in stored_verdicts(folder, torn):
        held[verdict.cell, verdict.attempt].append(judged(verdict))
    found = (replace(each, verdicts=tuple(held.get((each.cell, each.attempt), ()))) for each in dialogues.values())
    return Index(fits, tuple(torn), None, tuple(found))
