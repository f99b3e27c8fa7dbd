"""Accord: how far a judge agrees with people, people among themselves, and what the labels say of the whole run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from duologue.labelling.estimates import Estimate, at_random, estimates
from duologue.labelling.labels import Label, read_labels
from duologue.labelling.questions import answered_by
from duologue.labelling.ratings import Pair, Ratings, gathered
from duologue.labelling.sample import Place
from duologue.record.run import Run
from duologue.scoring.judging import Judging, judging
from duologue.statistics.agreement import Agreement
from duologue.tasks.written import BadInput, Written

__all__ = ["Accord", "DimensionAccord", "LabellerCount", "accord"]


class LabellerCount(Written):
    """A labeller, and how many dialogues they labelled: drawn at random, and picked by hand."""

    name: str
    drawn: int
    picked: int


class DimensionAccord(Written):
    """Who agrees how far on one question."""

    name: str
    yes_no: bool
    labelled: int
    """Dialogues with at least one label."""
    judge: tuple[Pair, ...] = ()
    """The judge against people together, where there are several, and against each."""
    people: tuple[Pair, ...] = ()
    """Each two labellers."""
    fleiss: Agreement | None = None
    """Over the dialogues that every labeller scored."""
    alpha: Agreement | None = None
    rates: dict[str, dict[str, float]]
    """By rater the share of each class, over the labelled dialogues."""
    split: int = 0
    """Dialogues of which the labellers say yes and no equally often: people together have no answer."""
    skipped: int = 0
    """Times that a labeller skipped the question."""
    unjudged: int = 0
    """Labelled dialogues without the judge's score."""
    other: int = 0
    """Labels left out since they answer another question of that name."""
    why: str = ""
    """Why the judge is not compared."""
    estimates: tuple[Estimate, ...] = ()
    refused: str = ""
    """Why there are no estimates."""


class Accord(Written):
    """A judge beside people."""

    name: str
    folder: str
    judging: Judging
    labellers: tuple[LabellerCount, ...]
    dimensions: tuple[DimensionAccord, ...]
    notes: tuple[str, ...] = ()


def accord(run: Run, rubric: str = "", judge: str = "", only: Sequence[str] = ()) -> Accord:
    """How far the judge that `rubric` and `judge` name, or the newest, agrees with the labels of a run.

    `only` are the dimensions wanted, by default all, of the rubric where one is named. Raises BadInput where nobody has
    labelled it, where no verdict answers to the names, or where a dimension has no label.
    """
    torn: list[str] = []
    labels = [label for label in read_labels(run.folder, torn) if not label.part]
    if not labels:
        raise BadInput("nobody has labelled it", run.folder, f"Begin: duologue label {run.folder}")
    used = judging([run], rubric, judge)
    there = {(each.cell, each.attempt) for each in run.dialogues}
    held = [label for label in labels if (label.cell, label.attempt) in there]
    asked = answered_by(used, run, labels)
    names = list(dict.fromkeys(name for label in reversed(held) for name in label.scores))
    if rubric and asked is not None:
        names = [name for name in names if name in asked]
        if not names:
            under = f"a question of the rubric {used.rubric_name}"
            raise BadInput(
                f"nobody has labelled {under}", run.folder, f"See the others: duologue agreement {run.folder}"
            )
    if stray := next((name for name in only if name not in names), None):
        raise BadInput(f"nobody has labelled {stray!r}", run.folder, f"There are: {', '.join(names)}")
    found = [_dimension(run, used, asked, held, name) for name in names if not only or name in only]
    gone = len({(label.cell, label.attempt) for label in labels} - there)
    return Accord(
        name=run.manifest.name,
        folder=str(run.folder),
        judging=used,
        labellers=tuple(_labellers(held)),
        dimensions=tuple(found),
        notes=(*run.notes, *torn, *_notes(gone)),
    )


def _dimension(
    run: Run, used: Judging, asked: Mapping[str, str] | None, labels: Sequence[Label], name: str
) -> DimensionAccord:
    """What there is on one dimension: on the judge's question where somebody answered it, else on the last one."""
    known = [label for label in labels if name in label.scores]
    question = (asked or {}).get(name)
    same = any(label.questions[name] == question for label in known)
    meant = question if same else known[-1].questions[name]
    chosen = [label for label in known if label.questions[name] == meant]
    newest = list({(label.labeller, label.cell, label.attempt): label for label in chosen}.values())
    held = gathered(run, used if same else Judging(), newest, name)
    found, refused = _estimated(run, used, name, newest, held) if same else ((), "")
    return DimensionAccord(
        name=name,
        yes_no=held.yes_no,
        labelled=len(held.profiles),
        judge=tuple(held.against_judge()) if same else (),
        people=tuple(held.among_people()),
        fleiss=held.fleiss(),
        alpha=held.alpha(),
        rates=held.rates(),
        split=len(held.profiles) - len(held.people),
        skipped=sum(label.scores[name] is None for label in newest),
        unjudged=len(held.profiles) - len(held.judge) if same else 0,
        other=len(known) - len(chosen),
        why="" if same else _unasked(used, asked, name) + _elsewhere(run, chosen),
        estimates=found,
        refused=refused,
    )


def _estimated(
    run: Run, used: Judging, name: str, newest: Sequence[Label], held: Ratings
) -> tuple[tuple[Estimate, ...], str]:
    """The estimates by assistant, or why there are none. What several people say of one dialogue is averaged: their
    majority would leave out the very dialogues that are hard to tell."""
    drawn, refused = at_random(newest, run)
    people = {place: fmean(said.values()) for place, said in held.given.items()}
    return () if refused else tuple(estimates(run, used, name, people, drawn, held.key)), refused


def _unasked(used: Judging, asked: Mapping[str, str] | None, name: str) -> str:
    """Why a judge answers none of the labels of a dimension."""
    if not used.judge:
        return "no judge has scored the run"
    if used.of_state:
        return "the end states answer no question of a rubric"
    under = f"{used.rubric_name} ({used.rubric[:8]})"
    if asked is None:
        return f"the rubric {under} that {used.judge} worked under is nowhere to be found, so its questions are unknown"
    if name not in asked:
        return f"{used.judge} was not asked for it under the rubric {under}"
    return f"{used.judge} was asked another question of that name, or on another scale, under the rubric {under}"


def _elsewhere(run: Run, labels: Iterable[Label]) -> str:
    """Under which rubric there are verdicts on the labels' own question."""
    labelled = {label.rubric for label in labels}
    there = {verdict.rubric for dialogue in run.dialogues for verdict in dialogue.verdicts} & labelled
    return f"; there are verdicts on the people's question: --rubric {min(there)[:8]}" if there else ""


def _labellers(labels: Iterable[Label]) -> Iterator[LabellerCount]:
    """Who labelled how many dialogues; one that was drawn counts as drawn, whatever else is said of it."""
    drawn: dict[str, dict[Place, bool]] = {}
    for label in labels:
        held = drawn.setdefault(label.labeller, {})
        place = (label.cell, label.attempt)
        held[place] = held.get(place, False) or label.drawn is not None
    for name, held in sorted(drawn.items()):
        yield LabellerCount(name=name, drawn=sum(held.values()), picked=len(held) - sum(held.values()))


def _notes(gone: int) -> list[str]:
    if not gone:
        return []
    return [f"{gone} labelled dialogues were begun anew since, or are not in the run: their labels are left out"]
