"""Rows that were answered, and means over them with their intervals, clustered by persona."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from duologue.bench.persobench.choices import Choices, Prompt
from duologue.bench.persobench.diversity import distinct, words
from duologue.bench.persobench.formats import Cause, form_of
from duologue.bench.persobench.judging import figures_of, judge_id, labels_of
from duologue.bench.persobench.measuring import MEASURES, figures
from duologue.bench.persobench.replies import reply_id
from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import Rows
from duologue.bench.question import Answer, Answers
from duologue.bench.report import Figure
from duologue.statistics.interval import interval

__all__ = ["CORRECTED", "FAILURES", "JUDGED", "RATES", "Part", "Scored", "mean_of", "over", "parts_of"]

JUDGED = ("judged_consistency", "judged_consistency_by_sentence", "judged_entailment")
CORRECTED = ("contradiction_rate", "coverage", "gold_fact_hit")
RATES = ("nli_contradiction_rate", "nli_coverage", "nli_gold_fact_hit")
FAILURES = ("failure_ratio", "failure_ratio_answered")
WORST: Mapping[str, float] = {
    "dist_1": 0.0,
    "dist_2": 0.0,
    "judged_consistency": -1.0,
    "judged_consistency_by_sentence": -1.0,
    "judged_entailment": 0.0,
    **{name: value for measure in MEASURES.values() for name, value in measure.worst.items()},
}
"""What the paper counts a row as where no reply was read, for each figure that it has a rule for."""
ENDS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys((*FAILURES, *CORRECTED, *RATES, "dist_1", "dist_2"), (0, 1)),
    **dict.fromkeys(("judged_consistency", "judged_consistency_by_sentence", "c_score", "c_score_pairs"), (-1, 1)),
    **dict.fromkeys(("judged_entailment", "ue_score", "ue_score_pairs"), (0, 2)),
}
"""The ends of the scales of figures that have some."""


class Scored(NamedTuple):
    """A row that was answered, with the reply that was read at the level chosen."""

    row: Row
    answer: Answer
    reply: str
    cause: Cause
    """Why there is no reply, if there is none."""
    shown: Mapping[str, float]
    """What the judge's labels and the measures tell of it."""


class Part(NamedTuple):
    """Rows of one line of a table."""

    data: str
    prompt: Prompt
    rows: Sequence[Row]
    scored: Sequence[Scored]

    @property
    def name(self) -> tuple[str, str]:
        return self.data, self.prompt

    @property
    def replies(self) -> Sequence[Scored]:
        return [each for each in self.scored if not each.cause]


def parts_of(held: Sequence[Rows], chosen: Choices, answers: Answers, measured: Sequence[str]) -> list[Part]:
    """Each data set under each prompt, and all of them together where there are several."""
    return [
        Part(data, prompt, rows, list(_scored(rows, prompt, chosen, answers, measured)))
        for data, rows in _groups(held)
        for prompt in chosen.prompts
    ]


def over(name: str, part: Part, held: Sequence[Scored], of: int) -> Figure:
    """A figure over `held`; rows of `of` that are not among them, or of which nobody told it, are unscored."""
    values = [(each.row.cluster, value) for each in held if (value := _value(name, each)) is not None]
    return mean_of(name, values, of, part.name)


def _groups(held: Sequence[Rows]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The rows of each data set, and of all of them where there are several."""
    yield from ((data.name, data.rows) for data in held)
    if len(held) > 1:
        yield "all rows", [row for data in held for row in data.rows]


def _scored(
    rows: Sequence[Row], prompt: Prompt, chosen: Choices, answers: Answers, measured: Sequence[str]
) -> Iterator[Scored]:
    for row in rows:
        if (answer := answers.get(reply_id(row, prompt))) is not None:
            form = form_of(answer, chosen.level)
            labels = None if form.cause else labels_of(answers.get(judge_id(row, prompt)), row)
            judged = {} if labels is None else figures_of(labels, row)
            told = {} if form.cause else figures(measured, row, prompt, form.reply, answers)
            yield Scored(row, answer, form.reply, form.cause, judged | told)


_OF_REPLY: Mapping[str, Callable[[str], float]] = {
    "dist_1": lambda reply: distinct(reply, 1),
    "dist_2": lambda reply: distinct(reply, 2),
    "words": lambda reply: float(len(words(reply))),
}


def _value(name: str, each: Scored) -> float | None:
    if each.cause:
        return WORST[name]
    if name in _OF_REPLY:
        return _OF_REPLY[name](each.reply)
    return each.shown.get(name)


def mean_of(name: str, held: Sequence[tuple[str, float]], of: int, key: Sequence[str] = ()) -> Figure:
    """The mean of what `held` says of each row, by persona, of so many rows."""
    if not held:
        return Figure(unscored=of, why="nothing to count")
    mean = sum(value for _, value in held) / len(held)
    low, high = _around(name, held, ("persobench", *key, name))
    return Figure(value=mean, low=low, high=high, n=len(held), unscored=of - len(held))


def _around(name: str, held: Sequence[tuple[str, float]], key: Sequence[str]) -> tuple[float | None, float | None]:
    """The interval of the mean, which stays on the figure's scale where that has ends."""
    if name not in ENDS:
        around = interval(held, key)
        return around.low, around.high
    least, most = ENDS[name]
    around = interval([(cluster, (value - least) / (most - least)) for cluster, value in held], key, share=True)
    low, high = (None if end is None else least + end * (most - least) for end in (around.low, around.high))
    return low, high
