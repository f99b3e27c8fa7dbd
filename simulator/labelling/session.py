"""A sitting: one labeller, one sample, one file; and the same for labels that were made elsewhere."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from duologue.agents.rubric import Rubric
from duologue.labelling.desk import Desk, Screen
from duologue.labelling.labels import Drawn, Label, LabelFile, Value, labels_path, newest, read_labels
from duologue.labelling.paper import Papers
from duologue.labelling.questions import questions_of
from duologue.labelling.sample import Place, draw, ordered, sample_path
from duologue.labelling.sheet import read_sheet
from duologue.record.run import Run
from duologue.tasks.written import BadInput

__all__ = ["Session", "Taken", "take"]

Scores = Mapping[str, Value]


class Session:
    """What a labeller has before them, and has labelled so far.

    Raises BadInput where there is nothing to label, or where the run's data or the labels cannot be used.
    """

    def __init__(self, run: Run, rubric: Rubric, by: str, drawn: tuple[int, int]) -> None:
        torn: list[str] = []
        self._by, self._rubric, self._questions = by, rubric, questions_of(rubric)
        self.sample = draw(run, *drawn)
        there = {(each.cell, each.attempt) for each in run.dialogues}
        self.order = [place for place in ordered(self.sample, by) if place in there]
        said = newest(read_labels(run.folder, torn), by, self._questions)
        told = {place: said[place] for place in self.order if place in said}
        self._held: dict[Place, Scores] = {place: each.scores for place, each in told.items() if not each.part}
        self._begun: dict[Place, Scores] = {place: each.scores for place, each in told.items() if each.part}
        self._papers = Papers(run, rubric, self.order)
        self._file = LabelFile(labels_path(run.folder, by))
        self.notes = (*torn, *_gaps(run, len(self.sample.dialogues) - len(self.order)))
        self.kept = 0
        """How many dialogues were labelled in this sitting."""
        self.parts = 0
        """How many dialogues it left half labelled."""

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.__exit__()

    @property
    def done(self) -> int:
        """How many dialogues of the sample are labelled."""
        return len(self._held)

    def desk(self, screen: Screen) -> Desk:
        """A desk with the sample on it."""
        return Desk(self.order, self._held, self._papers.open, self._keep, screen, self._begun)

    def _keep(self, place: Place, scores: Scores, part: bool) -> None:
        self._file.keep([_label(self._rubric, self._by, place, scores, self.sample.drawn, part=part)])
        self.kept += not part and place not in self._held
        self.parts += part


class Taken(NamedTuple):
    """What a file of labels brought, in dialogues."""

    new: int
    same: int
    """Of which the very same was known."""
    missing: int
    """Drawn, and neither in the file nor labelled before."""


def take(run: Run, rubric: Rubric, by: str, source: Path, drawn: tuple[int, int] | None) -> Taken:
    """Take the labels in the file `source`: of the draw of (n, seed), or picked by hand where that is None.

    Raises BadInput for the first fault of the file; nothing of it is taken then.
    """
    sample = draw(run, *drawn) if drawn else None
    places = [(each.cell, each.attempt) for each in run.dialogues]
    found = read_sheet(source, run, rubric.dimensions, Papers(run, rubric, places).asked)
    if sample is not None and (stray := next((place for place in found if place not in sample.dialogues), None)):
        number = places.index(stray) + 1
        raise BadInput(
            f"dialogue {number} is not among those drawn, which {sample_path(run.folder, *(drawn or ()))} lists",
            source,
            "Say --picked if it was picked by hand, or name the draw with --n and --seed",
        )
    said = newest(read_labels(run.folder, []), by, questions_of(rubric))
    known = {place: label for place, label in said.items() if not label.part}
    mark = sample.drawn if sample else None
    new = [_label(rubric, by, place, scores, mark) for place, scores in found.items()]
    new = [each for each in new if not _same(each, known.get((each.cell, each.attempt)))]
    with LabelFile(labels_path(run.folder, by)) as file:
        file.keep(new)
    missing = {*(sample.dialogues if sample else ())} - found.keys() - known.keys()
    return Taken(len(new), len(found) - len(new), len(missing))


def _label(rubric: Rubric, by: str, place: Place, scores: Scores, drawn: Drawn | None, *, part: bool = False) -> Label:
    return Label(
        cell=place[0],
        attempt=place[1],
        labeller=by,
        rubric=rubric.fingerprint,
        rubric_name=rubric.name,
        questions=questions_of(rubric),
        scores=dict(scores),
        part=part,
        drawn=drawn,
        time=time.time(),
    )


def _same(new: Label, known: Label | None) -> bool:
    return known is not None and (known.scores, known.drawn) == (new.scores, new.drawn)


def _gaps(run: Run, gone: int) -> list[str]:
    """What is odd about the sample."""
    ended = sum(each.ending is not None and each.ending.finished for each in run.dialogues)
    told = [f"{gone} of the drawn dialogues were begun anew since, and are left out."] if gone else []
    if ended < run.manifest.cells:
        told.append(
            f"The run is not finished: {ended} of {run.manifest.cells} dialogues are. Those to come cannot be drawn, "
            "so that no estimate for the whole run rests on these labels."
        )
    return told
