"""Estimates: what people would say of each assistant over the whole run, from the labels of a random part of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duologue.labelling.labels import Label
from duologue.labelling.sample import Place, scored
from duologue.record.digest import Digest
from duologue.record.run import Run
from duologue.scoring.judging import Judging
from duologue.scoring.rows import verdict_of
from duologue.statistics.rectified import Rectified, rectified
from duologue.tasks.written import Written

__all__ = ["Estimate", "at_random", "estimates"]


class Estimate(Written):
    """One assistant's mean on one dimension, thrice: by the judge, by the labels alone, and by both together."""

    assistant: str
    labels: float | None = None
    """The mean of the labels alone; their interval is `found.classical`."""
    found: Rectified


def at_random(labels: Sequence[Label], run: Run) -> tuple[frozenset[Place], str]:
    """The labelled dialogues that chance chose among all that the run has scored, and why there are none."""
    count = len(scored(run))
    drawn = [label for label in labels if label.drawn is not None]
    fitting = frozenset((label.cell, label.attempt) for label in drawn if label.drawn and label.drawn.of == count)
    if fitting or not labels:
        return fitting, ""
    if not drawn:
        return fitting, (
            "the labelled dialogues were picked by hand, so they say nothing of the others; draw some at random: "
            f"duologue label {run.folder}"
        )
    before = max(label.drawn.of for label in drawn if label.drawn)
    return fitting, (
        f"the labelled dialogues were drawn from {before}, and {count} are scored now; draw anew with another --seed"
    )


def estimates(
    run: Run, used: Judging, name: str, people: Mapping[Place, float], drawn: Iterable[Place], key: Sequence[Any]
) -> list[Estimate]:
    """The estimates of the dimension `name`, by assistant in the order in which they first speak.

    `people` is what they say on average of each labelled dialogue; only what is `drawn` is used.
    """
    chosen = frozenset(drawn)
    by_name: dict[str, list[tuple[Digest, float]]] = {}
    for each in scored(run):
        verdict = verdict_of(each, used)
        score = verdict.scores.get(name) if verdict else None
        if score is not None and score.value is not None:
            by_name.setdefault(each.assistant, []).append((each, float(score.value)))
    return [_estimate(assistant, held, people, chosen, (*key, assistant)) for assistant, held in by_name.items()]


def _estimate(
    assistant: str,
    held: Sequence[tuple[Digest, float]],
    people: Mapping[Place, float],
    drawn: frozenset[Place],
    key: Sequence[Any],
) -> Estimate:
    labelled, others = [], []
    for each, score in held:
        place = (each.cell, each.attempt)
        if place in drawn and place in people:
            labelled.append((each.profile, score, people[place]))
        else:
            others.append((each.profile, score))
    mean = sum(value for *_, value in labelled) / len(labelled) if labelled else None
    return Estimate(assistant=assistant, labels=mean, found=rectified(labelled, others, key))
