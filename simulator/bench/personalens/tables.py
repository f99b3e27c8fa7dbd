"""The tables of PersonaLens's protocol: condition by condition, and domain by domain."""

from collections.abc import Iterator, Sequence

from duologue.bench.personalens.campaigns import OWN, RUBRIC, Part
from duologue.bench.report import Figure, Line, Table
from duologue.record.run import Run
from duologue.scoring.judging import STATE
from duologue.scoring.measures import EFFORT, SHARES, STATE_SCALES, excused, ordered
from duologue.scoring.rows import rows
from duologue.scoring.scorecard import Row
from duologue.statistics.interval import interval

__all__ = ["tables"]

TITLES = {"single": "Tasks in one domain", "multi": "Tasks that cross domains"}
_ASIDE = {*STATE_SCALES, *EFFORT}


def tables(part: Part, found: Run) -> Iterator[Table]:
    """A line for each condition, and one for each of its domains."""
    held = _scored(found)
    names = [name for name in ordered(name for row in held for name in row.metrics) if name not in _ASIDE]
    yield _table(TITLES[part], ("condition",), names, {(name,): mine for name, mine in _conditions(held)})
    if part == "single":
        few = [name for name in names if name in ("success", "personalisation", "preferences_met")]
        each: dict[tuple[str, ...], list[Row]] = {
            (name, domain): own for name, mine in _conditions(held) for domain, own in _domains(mine)
        }
        yield _table(f"{TITLES[part]}, domain by domain", ("condition", "domain"), few, each)


def _table(title: str, names: tuple[str, ...], metrics: Sequence[str], held: dict[tuple[str, ...], list[Row]]) -> Table:
    return Table(
        title=title,
        names=names,
        shares=(*SHARES, "cut_off"),
        clusters="user",
        lines=tuple(Line(name=name, figures=_figures(mine, metrics)) for name, mine in held.items()),
        comparable_to_paper=dict.fromkeys(metrics, False),
    )


def _scored(found: Run) -> list[Row]:
    """The rows by the paper's metrics, with our own share of preferences met where they were judged."""
    judges = {verdict.rubric_name for each in found.dialogues for verdict in each.verdicts if verdict.judge != STATE}
    held = rows(found, rubric=RUBRIC) if RUBRIC in judges else rows(found)
    if OWN not in judges:
        return held
    own = {row.cell: row for row in rows(found, rubric=OWN)}
    return [_beside(row, own[row.cell]) for row in held]


def _beside(row: Row, own: Row) -> Row:
    """`row` with the share of preferences met that another rubric found."""
    name = "preferences_met"
    if name not in own.metrics:
        return row
    why = {name: own.unscored[name]} if name in own.unscored else {}
    return row.model_copy(
        update={"metrics": {**row.metrics, name: own.metrics[name]}, "unscored": {**row.unscored, **why}}
    )


def _conditions(held: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for name in dict.fromkeys(row.assistant for row in held):
        yield name, [row for row in held if row.assistant == name]


def _domains(held: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for domain in sorted({domain for row in held for domain in row.domains}):
        yield domain, [row for row in held if domain in row.domains]


def _figures(held: Sequence[Row], names: Sequence[str]) -> dict[str, Figure]:
    ended = [row for row in held if row.finished]
    cut = [(row.profile, float(row.cut_short)) for row in ended]
    return {name: _figure(ended, name) for name in names} | {"cut_off": _of(cut, 0, "cut_off", share=True)}


def _figure(held: Sequence[Row], name: str) -> Figure:
    values = [(row.profile, value) for row in held if (value := row.metrics.get(name)) is not None]
    unscored = sum(name in row.unscored and not excused(row.unscored[name]) for row in held)
    return _of(values, unscored, name, name in SHARES)


def _of(values: Sequence[tuple[str, float]], unscored: int, name: str, share: bool) -> Figure:
    if not values:
        return Figure(unscored=unscored, why="unscored" if unscored else "")
    around = interval(values, ("personalens", name), share=share)
    mean = sum(value for _, value in values) / len(values)
    return Figure(value=mean, low=around.low, high=around.high, n=len(values), unscored=unscored)
