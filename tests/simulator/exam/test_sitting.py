"""Judges sit the exam: what is found, what is found where nothing is, and what a file keeps."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.exam.sitters import BAD, GOOD, perfect
from tests.simulator.views.screens import drawn

from duologue.agents.judge import Judge
from duologue.agents.models.scripted import Line, Script, ScriptedModel
from duologue.agents.rubric import Rubric, read_rubric
from duologue.exam.marks import Marks, marks
from duologue.exam.paper import read_kinds, read_paper
from duologue.exam.sitting import exhibits, sit
from duologue.tasks.written import BadInput
from duologue.views.exam import draw

PAPER = read_paper()
RUBRIC = read_rubric()
SAT: dict[str, Marks] = {}


def judge(replies: list[dict[str, Any]], name: str = "scripted:judge", rubric: Rubric = RUBRIC) -> Judge:
    lines = tuple(Line(**each) if "when" in each or "fail" in each else Line(say=each) for each in replies)
    return Judge(ScriptedModel(name, Script(replies=lines)), rubric)


async def sat(replies: list[dict[str, Any]], rubric: Rubric = RUBRIC) -> Marks:
    """The marks of a judge that says so; the same are made once."""
    if (key := json.dumps([replies, rubric.fingerprint])) not in SAT:
        SAT[key] = await _sat(replies, rubric)
    return SAT[key]


async def _sat(replies: list[dict[str, Any]], rubric: Rubric) -> Marks:
    by = judge(replies, rubric=rubric)
    verdicts = await sit([by], exhibits(PAPER, rubric), 4)
    return marks(PAPER, read_kinds().values(), rubric, verdicts)


@pytest.mark.parametrize(
    ("replies", "found", "alarms", "apart"),
    [(perfect(), 1, 0, 1), ([GOOD], 0, 0, 0), ([BAD], 1, 1, 0)],
    ids=["finds all", "praises all", "blames all"],
)
async def test_a_judge_gets_the_marks_that_it_deserves(
    replies: list[dict[str, Any]], found: float, alarms: float, apart: float
) -> None:
    made = await sat(replies)
    for tally in (made.overall, *made.kinds):
        assert tally.unscored == tally.not_asked == 0 and tally.faults == tally.found.of
        shares = [share.count / share.of for share in (tally.found, tally.alarms, tally.apart)]
        assert shares == [found, alarms, apart], tally.kind
    assert made.dialogues == len(exhibits(PAPER, RUBRIC)) == 66


async def test_all_or_nothing_has_wilsons_interval() -> None:
    overall = (await sat(perfect())).overall
    assert (overall.found.count, overall.found.of, overall.found.high) == (44, 44, 1)
    assert overall.found.low == pytest.approx(1 / (1 + 1.959964**2 / 44))


async def test_a_good_dialogue_alarms_once_for_two_faults_of_one_question() -> None:
    overall = (await sat([BAD])).overall
    asked = {
        (item.sound.cell, item.sign(RUBRIC), item.preference if item.kind.signs[0].outcome else None) for item in PAPER
    }
    assert overall.alarms.of < overall.found.of
    assert overall.alarms.of <= len(asked)


async def test_what_has_no_score_is_neither_found_nor_missed() -> None:
    (first_good, *_) = perfect()
    made = await sat([{"when": first_good["when"], "fail": "provider_error"}, GOOD])
    first = next(mark for mark in made.items if mark.why)
    assert made.overall.unscored == 2  # the good dialogue of two faults
    assert (first.alarmed, first.apart, first.found) == (None, None, False)
    assert first.why.startswith("provider_error")


async def test_a_rubric_is_asked_for_what_it_can_see_alone() -> None:
    success = RUBRIC.changed(dimensions=[d for d in RUBRIC.dimensions if d.name == "success"], preferences=False)
    made = await sat(perfect(), success)
    asked = [tally.kind for tally in made.kinds if not tally.not_asked]
    assert asked == ["promised", "wrong_fact", "unsupported", "injection"]
    assert made.overall.found.count == made.overall.found.of == 14
    assert made.overall.not_asked == len(PAPER) - 14
    assert made.dialogues < 66


async def test_without_verdicts_by_preference_a_taste_shows_in_personalisation() -> None:
    plain = RUBRIC.changed(preferences=False)
    made = await sat([BAD], plain)
    violated = next(mark for mark in made.items if mark.kind == "violated")
    assert (violated.asked, violated.found, violated.faulty) == ("personalisation", True, "1")
    assert next(tally for tally in made.kinds if tally.kind == "needed_telling").not_asked == 3


async def test_what_was_judged_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    asked, file, told = exhibits(PAPER, RUBRIC), tmp_path / "exam.jsonl", []
    some = dict(list(asked.items())[:5])
    first = await sit([judge([GOOD])], some, 2, file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])  # killed in the middle of a line
    again = await sit([judge([BAD])], some, 2, file, told.append)
    assert len(lines) == len(first) == len(again) == 5 and told == [4, 5]
    assert sum(verdict.scores["success"].value is True for (verdict,) in again.values()) == 4
    assert len(file.read_bytes().splitlines()) == 5


async def test_another_judge_and_a_failed_call_are_asked_for_again(tmp_path: Path) -> None:
    file = tmp_path / "exam.jsonl"
    some = dict(list(exhibits(PAPER, RUBRIC).items())[:1])
    await sit([judge([{"fail": "timeout"}])], some, 1, file)
    ((mended,),) = (await sit([judge([GOOD])], some, 1, file)).values()
    assert mended.scores["success"].value is True
    ((other,),) = (await sit([judge([BAD], "scripted:other")], some, 1, file)).values()
    assert other.scores["success"].value is False


async def test_all_looks_of_all_judges_are_taken_and_folded(tmp_path: Path) -> None:
    file, told = tmp_path / "exam.jsonl", []
    kind, strict, third = judge([GOOD], "scripted:kind"), judge([BAD], "scripted:strict"), judge([BAD], "scripted:3")
    some = dict(list(exhibits(PAPER, RUBRIC).items())[:4])
    found = await sit([kind, strict], some, 2, file, told.append, looks=2)
    assert [(v.judge, v.look) for v in next(iter(found.values()))] == [
        (name, look) for name in ("scripted:kind", "scripted:strict") for look in (1, 2)
    ]
    assert told[-1] == len(file.read_bytes().splitlines()) == 16
    again = await sit([kind, strict], some, 2, file, looks=3)
    assert {len(held) for held in again.values()} == {6} and len(file.read_bytes().splitlines()) == 24
    whole = exhibits(PAPER, RUBRIC)
    panel = await sit([kind, strict, third], whole, 4, looks=1)
    made = marks(PAPER, read_kinds().values(), RUBRIC, panel)
    assert (made.judge, made.looks) == ("scripted:kind + scripted:strict + scripted:3", 1)
    assert made.overall.found.count == made.overall.found.of == 44  # two of three blame it
    assert made.dialogues == 66 and made.usage and made.usage.calls == 198


@pytest.mark.parametrize(
    ("replies", "careful"),
    [
        (perfect(), []),
        ([GOOD], ["tells no faulty dialogue from a sound one; do not rank by it", "misses more than half"]),
        ([BAD], ["tells no faulty dialogue from a sound one; do not rank by it", "sees faults in half or more"]),
    ],
    ids=["finds all", "praises all", "blames all"],
)
async def test_the_exam_comes_to_a_conclusion(replies: list[dict[str, Any]], careful: list[str]) -> None:
    made = await sat(replies)
    assert len(made.careful) == len(careful)
    lines = drawn(draw(made), 120).splitlines()
    for sentence in careful:
        assert any(line.startswith("Careful: ") and sentence in line for line in lines)
    assert ("Careful" in "".join(lines)) is bool(careful)


async def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"note": "milk"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="is no verdict"):
        await sit([judge([GOOD])], exhibits(PAPER, RUBRIC), 1, file)
    assert file.read_text(encoding="utf-8") == '{"note": "milk"}\n'


@pytest.mark.parametrize("width", [80, 120])
async def test_the_screen(width: int) -> None:
    lines = drawn(draw(await sat([BAD])), width).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0] == "exam   44 planted faults · 66 dialogues · 0:00 of answers"
    assert next(line for line in lines if "planted " in line and "found" in line).rstrip().endswith("not scored")
    row = next(line.split() for line in lines if line.strip().startswith("goal only promised"))
    assert row[3:6] == ["4", "of", "4"]
    assert any(line.split()[:4] == ["all", "44", "of", "44"] for line in lines)
    assert any(line.startswith("found ") and "100 % (92 to 100 %), 44 of 44 faulty" in line for line in lines)
