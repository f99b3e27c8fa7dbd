"""The screen of duels."""

import pytest
from rich.cells import cell_len
from tests.simulator.duels.fought import QUESTION, Judge, fought
from tests.simulator.views.screens import drawn

from duologue.agents.usage import Usage
from duologue.duels.figures import habits, pairings, rankings
from duologue.duels.report import Duels
from duologue.duels.warnings import warnings
from duologue.scoring.judging import Judging
from duologue.views.duels import draw

JUDGE = Judging(rubric="0123456789abcdef", rubric_name="pairwise", judge="openai:umpire")


def report(judge: Judge, *sides: list[int], names: dict[str, str] | None = None, **fields: object) -> Duels:
    meetings, found = fought(judge, *sides)
    drawn = pairings(meetings, found, [QUESTION], {(m.a, m.b): () for m in meetings})
    told = habits(meetings, found, [QUESTION])
    if names:
        drawn = tuple(each.changed(a=names[each.a], b=names[each.b]) for each in drawn)
    known = {
        "folder": "runs/r", "judging": JUDGE, "sides": tuple(sorted({label for m in meetings for label in (m.a, m.b)})),
        "pairings": drawn, "habits": told, "rankings": rankings(meetings, found, [QUESTION]), "answers": len(found),
        "usage": Usage(input=12000, output=800, calls=len(found)), "cost": 0.0123, "currency": "EUR", "seconds": 75,
        "warnings": tuple(warnings(JUDGE.judge, (), drawn, told)),
    }  # fmt: skip
    return Duels.model_validate({**known, **fields})


def better(first, second):  # type: ignore[no-untyped-def]
    return "first" if first.assistant < second.assistant else "second"


def test_wide() -> None:
    shown = drawn(draw(report(better, [100 + i for i in range(12)], [105] * 12)), 120).splitlines()
    for line in (
        "compared by openai:umpire under the rubric pairwise (01234567), each pair in both orders",
        "a  against  b   12 pairs · 12 profiles",
        "  overall   ████████████ 12/0/0  100 %  76 to 100 %  –                a preferred",
        "  length  overall: no win rate at equal length, one side wins every duel",
        "  answers  24 · 24 calls · 12,000 tokens read, 800 written · 0.012 EUR · 1:15",
    ):
        assert line in shown
    assert any(line.startswith("  overall   0 of 12  0 %  50 %  ") and "  55 %  " in line for line in shown)


def test_narrow() -> None:
    shown = drawn(draw(report(better, [100 + i for i in range(12)], [105] * 12))).splitlines()
    assert "  overall             a wins 100 %  76 to 100 %   a preferred" in shown
    assert "                      w/t/l 12/0/0  at equal length –" in shown


def test_what_leads_the_judge_is_said() -> None:
    shown = drawn(draw(report(lambda first, second: "first", [100] * 12, [100] * 12)), 120)
    assert "  overall   12 of 12  100 %  100 %  76 to 100 %  –" in shown.splitlines()
    assert "Careful: overall: in 100 % of the pairs the judge preferred another one once the order was turned" in shown


def test_what_is_missing_is_said() -> None:
    told = report(
        lambda first, second: "is no word" if first.profile == "p1" else better(first, second), [100] * 9, [100] * 9,
        left=3, unread={"timeout": 2, "empty": 1}, stopped="The budget of 1 EUR is spent.",
        others=(JUDGE.changed(judge="other"),), cost=None,
    )  # fmt: skip
    shown = drawn(draw(told), 120)
    for text in (
        "left out  1 pair from overall",
        "1 × is no word",
        "whatever they had come to, the win rate would lie in: overall 89 to 100 %",
        "3 answers to be asked for",
        "duologue compare runs/r --pairwise -a a -a b --model MODEL",
        "2 × timeout",
        "The budget of 1 EUR is spent.",
        "not counted in: other under pairwise (01234567)",
        "cost unknown",
    ):
        assert text in shown


def test_few_profiles_have_no_interval_and_it_says_why() -> None:
    shown = drawn(draw(report(better, [100] * 3, [90] * 3)))
    assert "none is shown with 3 profiles: below 8 it would be a guess" in shown
    assert "too few profiles" in shown


def test_three_are_ranked() -> None:
    shown = drawn(draw(report(better, *[[100] * 12] * 3)), 120)
    assert "overall  strength in log-odds" in shown


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_screen(width: int) -> None:
    names = {"a": "an assistant with a very long name indeed @ run-1", "b": "b", "c": "[bold]犬の助手\x1b[31m"}
    shown = drawn(draw(report(better, [100] * 12, [90] * 12, [80] * 12, names=names)), width)
    assert max(map(cell_len, shown.splitlines())) <= width
    assert width < 80 or "…" not in shown.partition("the judge")[2]
    assert "\x1b" not in shown and "[bold]" in shown
