"""The corpus of malformed answers: each is read rightly, or unscored with why. Never a default, never a guess."""

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.answers import Reading, read_answer
from duologue.agents.ending import ending
from duologue.agents.judge import Judge
from duologue.agents.models.scripted import Line, Script, ScriptedModel
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.questions import pose
from duologue.agents.rubric import Dimension, Rubric, Scale
from duologue.profiles.scenario import Scenario

from .hearing import PROFILE, SCRIPT, TASK
from .hearing import SCENARIO as DINNER

RUBRIC = Rubric(
    name="corpus",
    dimensions=(
        Dimension(name="success", scale="yes_no", question="Is the table booked?"),
        Dimension(name="fit", scale=Scale(low=1, high=4), question="Does it fit?"),
    ),
)
SCENARIO = Scenario(PROFILE, TASK.changed(relevant=[["Restaurants", "cuisine"]]), DINNER.situation)
QUESTIONS = pose(RUBRIC, SCENARIO)
LINES = (Path(__file__).parent / "malformed" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
CORPUS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
ASKED = {"success", "fit", "cuisine"}


def read(text: str) -> Reading:
    """`text` by the way that every answer takes."""
    reading = read_answer(read_object(text, QUESTIONS.form), QUESTIONS, SCRIPT)
    if reading.empty:
        raise Unreadable("it grades nothing that was asked")
    return reading


def values(reading: Reading) -> dict[str, Any]:
    """What was read, by question; nothing of what was not."""
    scores = {name: score.value for name, score in reading.scores.items() if not score.unscored}
    return scores | {p.type: p.outcome for p in reading.preferences if not p.unscored}


def lacks(reading: Reading) -> dict[str, str]:
    """Why there is no value, by question."""
    scores = {name: score.unscored for name, score in reading.scores.items() if score.unscored}
    return scores | {p.type: p.unscored for p in reading.preferences if p.unscored}


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["name"])
def test_an_answer_is_read_rightly_or_unscored_with_why(case: dict[str, Any]) -> None:
    if why := case.get("unread"):
        with pytest.raises(Unreadable, match=why):
            read(case["text"])
        return
    reading = read(case["text"])
    assert values(reading) == case["read"]
    assert [type(value) for value in values(reading).values() if value is True or value is False] == [
        bool for value in case["read"].values() if isinstance(value, bool)
    ]
    told, expected = lacks(reading), case.get("unscored", {})
    assert told.keys() == expected.keys() == ASKED - set(case["read"])
    assert all(why in told[name] for name, why in expected.items())
    if "found" in case:
        evidence = reading.scores["fit"].evidence
        assert evidence and (evidence.found, evidence.turn) == (case["found"], case["turn"])
        assert case.get("warns", "") in "\n".join(reading.warnings)


def test_the_corpus_is_wide_and_names_each_case_once() -> None:
    assert len(CORPUS) >= 60
    assert len({(case["name"], case["text"]) for case in CORPUS}) == len(CORPUS)
    assert sum("unread" in case for case in CORPUS) >= 20


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["name"])
async def test_a_judge_that_answers_so_gives_that_verdict(case: dict[str, Any]) -> None:
    """The same through a judge, which asks once more and then says why."""
    judge = Judge(ScriptedModel("scripted:corpus", Script(replies=(Line(say=case["text"]),))), RUBRIC)
    verdict = await judge.judge(SCENARIO, SCRIPT, cell="c", attempt=1, seed=1, ending=ending("satisfied", "user"))
    given = {name: score.value for name, score in verdict.scores.items() if score.value is not None}
    given |= {p.type: p.outcome for p in verdict.preferences if p.outcome != "unscored"}
    assert given == case.get("read", {})
    missing = [score.unscored for score in verdict.scores.values() if score.value is None]
    missing += [p.unscored for p in verdict.preferences if p.outcome == "unscored"]
    assert all(missing) and len(missing) == len(ASKED) - len(given)
    assert bool(verdict.unscored) == ("unread" in case)
    assert verdict.answer == "" or missing
