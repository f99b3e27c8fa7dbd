"""Which questions were answered: a judge's scores and people's are compared where the question was the same."""

from collections.abc import Iterable
from pathlib import Path

from duologue.agents.rubric import Dimension, Rubric, read_rubric
from duologue.labelling.labels import Label
from duologue.record.run import Run
from duologue.rubrics import kept_rubric
from duologue.scoring.judging import Judging, judging
from duologue.tasks.written import BadInput, fingerprint

__all__ = ["answered_by", "own_rubric", "questions_of"]


def own_rubric(run: Run) -> Rubric:
    """The rubric that the run's own judge works under, or the default one where it has none.

    Where its file is gone, it is the one under which the run was judged last.
    """
    campaign = run.manifest.campaign
    named = (campaign.get("judge") or {}).get("rubric", "default")
    try:
        return read_rubric(str(named), Path(str(campaign.get("beside", ""))))
    except BadInput:
        if found := kept_rubric(run.folder, judging([run]).rubric):
            return found
        raise


def questions_of(rubric: Rubric) -> dict[str, str]:
    """A fingerprint of each dimension by its name: whom it is about, its question, its scale and its anchors."""
    return {dimension.name: _question(dimension) for dimension in rubric.dimensions}


def answered_by(used: Judging, run: Run, labels: Iterable[Label]) -> dict[str, str] | None:
    """The questions that a judge answered, as `questions_of` has them; None where its rubric is nowhere to be found.

    Those who labelled under the very same rubric tell, else the rubric that the run keeps, or of runs that keep none
    its own or the shipped one of that name.
    """
    for label in labels:
        if label.rubric == used.rubric:
            return label.questions
    if kept := kept_rubric(run.folder, used.rubric):
        return questions_of(kept)
    for found in (own_rubric, lambda _: read_rubric(used.rubric_name)):
        try:
            rubric = found(run)
        except BadInput:
            continue
        if rubric.fingerprint == used.rubric:
            return questions_of(rubric)
    return None


def _question(dimension: Dimension) -> str:
    return fingerprint(dimension.about, dimension.question, dimension.points, dimension.anchors)
