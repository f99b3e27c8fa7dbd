"""The sample: which of a run's dialogues people label, drawn at random once for all of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from duologue.labelling.labels import Drawn
from duologue.record.digest import Digest
from duologue.record.run import Run
from duologue.tasks.chance import number, shuffled
from duologue.tasks.written import BadInput, Written, parse, written_whole

__all__ = ["Place", "Sample", "draw", "ordered", "sample_path", "scored"]

Place = tuple[str, int]
"""A dialogue: its cell and attempt."""


class Sample(Written):
    """A simple random sample of a run's scored dialogues: every set of so many was as likely."""

    v: Literal[1] = 1
    drawn: Drawn
    dialogues: tuple[Place, ...]


def scored(run: Run) -> list[Digest]:
    """The dialogues that a judge scores, and people label."""
    return [each for each in run.dialogues if each.ending is not None and each.ending.scored]


def draw(run: Run, n: int, seed: int) -> Sample:
    """`n` of the run's scored dialogues, or all where there are fewer. What was drawn before by `seed` stays drawn.

    It is stored in the run's folder, so that whoever asks for the same gets it, also when the run has grown.
    Raises BadInput where there is nothing to draw from.
    """
    path = sample_path(run.folder, n, seed)
    if path.exists():
        return _read(path)
    frame = [(each.cell, each.attempt) for each in scored(run)]
    if not frame:
        raise BadInput(
            "no dialogue is scored, so there is none to label", run.folder, f"See: duologue show {run.folder}"
        )
    chosen = sorted(frame, key=lambda place: number("sample", seed, place[0]))[:n]
    sample = Sample(drawn=Drawn(seed=seed, n=len(chosen), of=len(frame)), dialogues=tuple(chosen))
    with written_whole(path) as file:
        file.write(sample.model_dump_json(indent=1) + "\n")
    return sample


def ordered(sample: Sample, name: str) -> Sequence[Place]:
    """The sample in the order in which that labeller sees it: each sees it in another."""
    return shuffled(sample.dialogues, "order", sample.drawn.seed, name)


def sample_path(folder: Path, n: int, seed: int) -> Path:
    """Where a draw is stored."""
    return folder / f"sample-{n}-by-{seed}.json"


def _read(path: Path) -> Sample:
    try:
        return parse(Sample, json.loads(path.read_text(encoding="utf-8")), path)
    except ValueError as fault:
        raise BadInput(f"is not valid JSON: {fault}", path, "Delete it to draw anew") from None
