"""The tables of PersoBench: the form at each level, and what is measured, over all rows and over those with a reply."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from duologue.bench.persobench.choices import Choices, Prompt
from duologue.bench.persobench.diversity import corpus_distinct, distinct, words
from duologue.bench.persobench.formats import CAUSES, LEVELS, Cause, form_of
from duologue.bench.persobench.judging import figures_of, judge_id, labels_of
from duologue.bench.persobench.ranking import instructability
from duologue.bench.persobench.replies import reply_id
from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import Rows
from duologue.bench.question import Answer, Answers
from duologue.bench.report import Figure, Line, Table
from duologue.statistics.interval import interval

__all__ = ["tables"]

WORST: Mapping[str, float] = {
    "dist_1": 0.0,
    "dist_2": 0.0,
    "judged_consistency": -1.0,
    "judged_consistency_by_sentence": -1.0,
    "judged_entailment": 0.0,
}
"""What the paper counts a row as where no reply was read, for each figure that it has a rule for."""
JUDGED = ("judged_consistency", "judged_consistency_by_sentence", "judged_entailment")
CORRECTED = ("contradiction_rate", "coverage", "gold_fact_hit")
LATENCY = "latency_seconds"
FAILURES = ("failure_ratio", "failure_ratio_answered")
ENDS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys((*FAILURES, *CORRECTED, "dist_1", "dist_2"), (0, 1)),
    "judged_consistency": (-1, 1),
    "judged_consistency_by_sentence": (-1, 1),
    "judged_entailment": (0, 2),
}
"""The ends of the scales of figures that have some."""


class Scored(NamedTuple):
    """A row that was answered, with the reply that was read at the level chosen."""

    row: Row
    answer: Answer
    reply: str
    cause: Cause
    """Why there is no reply, if there is none."""
    judged: Mapping[str, float] | None
    """What the judge's labels show; None without them."""


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


def tables(held: Sequence[Rows], chosen: Choices, answers: Answers, judged: bool) -> Iterator[Table]:
    """What the answers show; with `judged` what the judge found, too."""
    parts = [
        Part(data, prompt, rows, list(_scored(rows, prompt, chosen, answers)))
        for data, rows in _groups(held)
        for prompt in chosen.prompts
    ]
    published = chosen.as_published and all(each.form == "csv" or chosen.annotation == "faithful" for each in held)
    yield _formats(parts)
    yield _every_row(parts, chosen, published)
    yield _with_reply(parts)
    if judged:
        yield _judged_every_row(parts)
        yield _judged_with_reply(parts)


def _groups(held: Sequence[Rows]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The rows of each data set, and of all of them where there are several."""
    yield from ((data.name, data.rows) for data in held)
    if len(held) > 1:
        yield "all rows", [row for data in held for row in data.rows]


def _scored(rows: Sequence[Row], prompt: Prompt, chosen: Choices, answers: Answers) -> Iterator[Scored]:
    for row in rows:
        if (answer := answers.get(reply_id(row, prompt))) is not None:
            form = form_of(answer, chosen.level)
            labels = None if form.cause else labels_of(answers.get(judge_id(row, prompt)), row)
            judged = None if labels is None else figures_of(labels, row)
            yield Scored(row, answer, form.reply, form.cause, judged)


def _formats(parts: Sequence[Part]) -> Table:
    lines = []
    for part in parts:
        for level in LEVELS:
            causes = [(each.row.cluster, form_of(each.answer, level).cause) for each in part.scored]
            lines.append(Line(name=(*part.name, level), figures=_causes(causes, len(part.rows))))
    return Table(
        title="The form, by level", names=("data", "prompt", "level"), shares=FAILURES, clusters="persona",
        lines=tuple(lines), comparable_to_paper=dict.fromkeys(FAILURES, False),
    )  # fmt: skip


def _causes(causes: Sequence[tuple[str, Cause]], of: int) -> dict[str, Figure]:
    """Failures by all rows, calls that brought no answer among them, and by answers alone; then the causes counted."""
    answered = [each for each in causes if each[1] != "api_error"]
    counts = Counter(cause for _, cause in causes)
    found = {name: _failures(name, held, of) for name, held in zip(FAILURES, (causes, answered), strict=True)}
    return found | {cause: Figure(value=counts[cause], n=len(causes)) for cause in CAUSES if causes}


def _failures(name: str, causes: Sequence[tuple[str, Cause]], of: int) -> Figure:
    return _mean(name, [(cluster, float(bool(cause))) for cluster, cause in causes], of)


def _every_row(parts: Sequence[Part], chosen: Choices, published: bool) -> Table:
    """As in the paper: the failure ratio, and Dist-n with 0 for a row without a reply."""
    lines = []
    for part in parts:
        causes = [(each.row.cluster, each.cause) for each in part.scored]
        figures = {"failure_ratio": _failures("failure_ratio", causes, len(part.rows))}
        if chosen.cohort and (failure := figures["failure_ratio"].value) is not None:
            figures["instructability"] = Figure(value=instructability(failure, chosen.cohort), n=len(causes))
        figures |= {name: _over(name, part, part.scored, len(part.rows)) for name in ("dist_1", "dist_2")}
        lines.append(Line(name=part.name, figures=figures))
    namesakes = ("failure_ratio", "dist_1", "dist_2", *(("instructability",) if chosen.cohort else ()))
    return Table(
        title="Every row, the worst value where no reply was read", names=("data", "prompt"), shares=FAILURES,
        clusters="persona", lines=tuple(lines), comparable_to_paper=dict.fromkeys(namesakes, published),
    )  # fmt: skip


def _with_reply(parts: Sequence[Part]) -> Table:
    """Rows with a reply alone, and Dist-n over all replies together; latency over every answer."""
    lines = []
    for part in parts:
        texts = [each.reply for each in part.replies]
        found = {name: _over(name, part, part.replies, len(part.rows)) for name in ("dist_1", "dist_2", "words")}
        for n in (1, 2):
            value = corpus_distinct(texts, n) if texts else None
            found[f"corpus_dist_{n}"] = Figure(value=value, n=len(texts), why="" if texts else "nothing to count")
        spoken = [(each.row.cluster, each.answer.seconds) for each in part.scored if not each.answer.fault]
        lines.append(Line(name=part.name, figures={**found, LATENCY: _mean(LATENCY, spoken, len(part.rows))}))
    return Table(
        title="Rows with a reply", names=("data", "prompt"), clusters="persona", lines=tuple(lines),
        comparable_to_paper=dict.fromkeys(("dist_1", "dist_2", LATENCY), False),
    )  # fmt: skip


def _judged_every_row(parts: Sequence[Part]) -> Table:
    lines = [
        Line(name=part.name, figures={name: _over(name, part, part.scored, len(part.rows)) for name in JUDGED})
        for part in parts
    ]
    return Table(
        title="Judged, every row, the worst value where no reply was read", names=("data", "prompt"),
        clusters="persona", lines=tuple(lines), comparable_to_paper=dict.fromkeys(JUDGED, False),
    )  # fmt: skip


def _judged_with_reply(parts: Sequence[Part]) -> Table:
    """Rows with a reply alone; gold facts where the data name some."""
    lines = []
    for part in parts:
        figures = {name: _over(name, part, part.replies, len(part.rows)) for name in (*JUDGED, *CORRECTED[:2])}
        if named := [row for row in part.rows if row.surfacing]:
            held = [each for each in part.replies if each.row.surfacing]
            figures["gold_fact_hit"] = _over("gold_fact_hit", part, held, len(named))
        lines.append(Line(name=part.name, figures=figures))
    return Table(
        title="Judged, rows with a reply", names=("data", "prompt"), shares=CORRECTED, clusters="persona",
        lines=tuple(lines), comparable_to_paper=dict.fromkeys((*JUDGED, *CORRECTED), False),
    )  # fmt: skip


_OF_REPLY: Mapping[str, Callable[[str], float]] = {
    "dist_1": lambda reply: distinct(reply, 1),
    "dist_2": lambda reply: distinct(reply, 2),
    "words": lambda reply: float(len(words(reply))),
}


def _over(name: str, part: Part, held: Sequence[Scored], of: int) -> Figure:
    """A figure over `held`; rows of `of` that are not among them, or that the judge gave no labels to, are unscored."""
    values = [(each.row.cluster, value) for each in held if (value := _value(name, each)) is not None]
    return _mean(name, values, of, part.name)


def _value(name: str, each: Scored) -> float | None:
    if each.cause:
        return WORST[name]
    if name in _OF_REPLY:
        return _OF_REPLY[name](each.reply)
    return None if each.judged is None else each.judged.get(name)


def _mean(name: str, held: Sequence[tuple[str, float]], of: int, key: Sequence[str] = ()) -> Figure:
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
