"""The screen of a bench: its tables at every width, and what is told below them."""

from collections.abc import Mapping

import pytest
from tests.simulator.views.screens import drawn

from duologue.bench.report import Figure, Line, Report, Table
from duologue.views.bench import draw

KINDS = ("accuracy_single", "accuracy_swap_avg", "accuracy_consistent", "flip_rate", "first_position_rate", "ties")
WHOLE = Figure(value=0.5, low=0.25, high=0.75, n=40)


def table(lines: Mapping[str, Mapping[str, Figure]], **changes: object) -> Table:
    held = tuple(Line(name=("general", name), figures=dict(figures)) for name, figures in lines.items())
    written = {"title": "A table", "names": ("family", "tier"), "shares": KINDS, "clusters": "persona", "lines": held}
    return Table.model_validate(written | changes)


def report(*tables: Table, **changes: object) -> Report:
    written = {"bench": "personafeedback", "folder": "runs/b", "data": "data", "models": {"model": "m"}, "options": {},
               "items": 40, "asked": 80, "answered": 80, "tables": tables}  # fmt: skip
    return Report.model_validate(written | changes)


def screen(shown: Report, width: int = 120) -> str:
    return drawn(draw(shown), width)


FULL = {tier: dict.fromkeys(KINDS, WHOLE) for tier in ("easy", "medium", "hard", "micro")}


@pytest.mark.parametrize(("width", "grids"), [(120, 1), (80, 2), (60, 3), (40, 0)])
def test_all_figures_are_there_at_every_width(width: int, grids: int) -> None:
    text = screen(report(table(FULL)), width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("50.0 %") == text.count("75.0") == len(KINDS) * len(FULL)
    heads = [line for line in text.splitlines() if line.split()[:2] == ["family", "tier"]]
    assert len(heads) == (grids or 1)
    assert ("figure" in heads[0]) == (not grids)


def test_few_lines_stand_side_by_side_where_that_fits() -> None:
    text = screen(report(table({"easy": FULL["easy"]})), 60)
    assert text.count("50.0 %") == len(KINDS)
    assert "accuracy swap avg" in text and "general easy" in text


def test_what_is_not_scored_is_counted_below() -> None:
    lines = {"easy": {"ties": Figure(value=0.5, n=3, unscored=1_200)}, "hard": {"ties": WHOLE}}
    text = screen(report(table(lines)))
    assert "  not scored: general easy 1,200\n" in text


def test_why_there_is_none_is_told_below_once() -> None:
    none = Figure(why="[b]nothing[/b] to count")
    text = screen(report(table({"easy": {"ties": none}, "hard": {"ties": none}})))
    assert text.count("– ties: [b]nothing[/b] to count") == 1
    assert text.count("–") == 3


@pytest.mark.parametrize(
    ("figure", "told"), [(WHOLE, "95 % intervals, clustered by persona"), (Figure(value=1, n=3), "no 95 % intervals")]
)
def test_whether_there_are_intervals_is_told(figure: Figure, told: str) -> None:
    assert told in screen(report(table({"easy": {"ties": figure}})))


def test_what_is_not_comparable_is_marked() -> None:
    text = screen(report(table(FULL, comparable_to_paper={"flip_rate": False, "ties": True})))
    assert "rate *" in text and "ties *" not in text and "* not got as in the paper" in text
    assert "not got as in the paper" not in screen(report(table(FULL, comparable_to_paper={"ties": True})))


def test_how_it_ended_is_told() -> None:
    text = screen(report(stopped="The budget is spent.", failed={"infrastructure: timeout": 3}, notes=["Mind this."]))
    assert "3 infrastructure: timeout" in text and "Note: Mind this." in text
    assert text.endswith("The budget is spent.\nduologue resume runs/b")
