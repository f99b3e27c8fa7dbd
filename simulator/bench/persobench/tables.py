"""The tables of PersoBench: the form at each level, and what is measured, over all rows and over those with a reply."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from duologue.bench.persobench.choices import Choices
from duologue.bench.persobench.diversity import corpus_distinct
from duologue.bench.persobench.formats import CAUSES, LEVELS, Cause, form_of
from duologue.bench.persobench.measuring import MEASURES
from duologue.bench.persobench.ranking import composite, instructability
from duologue.bench.persobench.row import Annotation
from duologue.bench.persobench.rows import Rows
from duologue.bench.persobench.scored import CORRECTED, FAILURES, JUDGED, RATES, Part, mean_of, over, parts_of
from duologue.bench.question import Answers
from duologue.bench.report import Figure, Line, Table

__all__ = ["tables"]

LATENCY = "latency_seconds"
GOLD = "nli_gold_fact_hit"
"""Told only of rows whose data name the sentence that should surface."""


def tables(
    held: Sequence[Rows], chosen: Choices, answers: Answers, judged: bool, measured: Sequence[str] = ()
) -> Iterator[Table]:
    """What the answers show; with `judged` what the judge found, too, and what the measures of these roles tell."""
    parts = parts_of(held, chosen, answers, measured)
    published = chosen.as_published and all(each.form == "csv" or chosen.annotation == "faithful" for each in held)
    yield _formats(parts)
    yield _every_row(parts, chosen, published)
    yield _with_reply(parts)
    if judged:
        yield _judged_every_row(parts)
        yield _judged_with_reply(parts)
    if measured:
        yield _measured_every_row(parts, chosen, published, measured)
        yield _measured_with_reply(parts, measured)


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
    return mean_of(name, [(cluster, float(bool(cause))) for cluster, cause in causes], of)


def _every_row(parts: Sequence[Part], chosen: Choices, published: bool) -> Table:
    """As in the paper: the failure ratio, and Dist-n with 0 for a row without a reply."""
    lines = []
    for part in parts:
        causes = [(each.row.cluster, each.cause) for each in part.scored]
        figures = {"failure_ratio": _failures("failure_ratio", causes, len(part.rows))}
        if chosen.cohort and (failure := figures["failure_ratio"].value) is not None:
            figures["instructability"] = Figure(value=instructability(failure, chosen.cohort), n=len(causes))
        figures |= {name: over(name, part, part.scored, len(part.rows)) for name in ("dist_1", "dist_2")}
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
        found = {name: over(name, part, part.replies, len(part.rows)) for name in ("dist_1", "dist_2", "words")}
        for n in (1, 2):
            value = corpus_distinct(texts, n) if texts else None
            found[f"corpus_dist_{n}"] = Figure(value=value, n=len(texts), why="" if texts else "nothing to count")
        spoken = [(each.row.cluster, each.answer.seconds) for each in part.scored if not each.answer.fault]
        lines.append(Line(name=part.name, figures={**found, LATENCY: mean_of(LATENCY, spoken, len(part.rows))}))
    return Table(
        title="Rows with a reply", names=("data", "prompt"), clusters="persona", lines=tuple(lines),
        comparable_to_paper=dict.fromkeys(("dist_1", "dist_2", LATENCY), False),
    )  # fmt: skip


def _judged_every_row(parts: Sequence[Part]) -> Table:
    lines = [
        Line(name=part.name, figures={name: over(name, part, part.scored, len(part.rows)) for name in JUDGED})
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
        figures = {name: over(name, part, part.replies, len(part.rows)) for name in (*JUDGED, *CORRECTED[:2])}
        if named := [row for row in part.rows if row.surfacing]:
            held = [each for each in part.replies if each.row.surfacing]
            figures["gold_fact_hit"] = over("gold_fact_hit", part, held, len(named))
        lines.append(Line(name=part.name, figures=figures))
    return Table(
        title="Judged, rows with a reply", names=("data", "prompt"), shares=CORRECTED, clusters="persona",
        lines=tuple(lines), comparable_to_paper=dict.fromkeys((*JUDGED, *CORRECTED), False),
    )  # fmt: skip


def _measured_every_row(parts: Sequence[Part], chosen: Choices, published: bool, measured: Sequence[str]) -> Table:
    """As in the paper: the worst value for a row without a reply; its composite where all five parts are there."""
    names = [name for role in measured for name in MEASURES[role].worst]
    lines = []
    for part in parts:
        figures = {name: over(name, part, part.scored, len(part.rows)) for name in names}
        lines.append(Line(name=part.name, figures=figures | _composites(part, chosen, figures)))
    own = [name for name in names if name.endswith("_pairs")]
    return Table(
        title="By local models, every row, the worst value where no reply was read", names=("data", "prompt"),
        clusters="persona", lines=tuple(lines),
        comparable_to_paper=dict.fromkeys((*names, "composite"), published)
        | dict.fromkeys((*own, "composite_corrected"), False),
    )  # fmt: skip


def _composites(part: Part, chosen: Choices, figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """What the paper ranks models by, as published and on equal scales; nothing where a part of it is missing."""
    failures = _failures("failure_ratio", [(each.row.cluster, each.cause) for each in part.scored], len(part.rows))
    found = {}
    for name, scales in _COMPOSITES.items():
        tail = "_pairs" if scales == "corrected" else ""
        wanted = (f"ue_score{tail}", "persona_similarity", "unieval_groundedness", f"c_score{tail}")
        held = [each.value for one in wanted if (each := figures.get(one)) and each.value is not None]
        if chosen.cohort and len(held) == len(wanted) and failures.value is not None:
            entailment, similarity, groundedness, consistency = held
            obedience = instructability(failures.value, chosen.cohort)
            value = composite(entailment, similarity, groundedness, consistency, obedience, scales)
            found[name] = Figure(value=value, n=len(part.scored))
    return found


_COMPOSITES: Mapping[str, Annotation] = {"composite": "faithful", "composite_corrected": "corrected"}


def _measured_with_reply(parts: Sequence[Part], measured: Sequence[str]) -> Table:
    names = [name for role in measured for name in MEASURES[role].worst]
    lines = []
    for part in parts:
        figures = {name: over(name, part, part.replies, len(part.rows)) for name in names}
        for name in RATES if "nli" in measured else ():
            rows = [row for row in part.rows if row.surfacing or name != GOLD]
            held = [each for each in part.replies if each.row.surfacing or name != GOLD]
            figures |= {name: over(name, part, held, len(rows))} if rows else {}
        lines.append(Line(name=part.name, figures=figures))
    return Table(
        title="By local models, rows with a reply", names=("data", "prompt"), shares=RATES, clusters="persona",
        lines=tuple(lines), comparable_to_paper=dict.fromkeys((*names, *RATES), False),
    )  # fmt: skip
