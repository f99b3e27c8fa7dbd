"""Reading a judge's answer: what is read rightly, and what is unscored and why."""

import math
from typing import Any

import pytest

from duologue.agents.answers import Unclear, read_answer, read_score, read_word
from duologue.agents.questions import OUTCOMES, ROUTES, pose
from duologue.agents.quotes import locate
from duologue.agents.rubric import Dimension, Scale, read_rubric

from .hearing import SCENARIO, SCRIPT, answer, spoken

FIVE = Dimension(name="coherence", scale=Scale(low=1, high=5), question="Coherent?")
FOUR = Dimension(name="fit", scale=Scale(low=1, high=4), question="Fitting?")
YES_NO = Dimension(name="done", scale="yes_no", question="Done?")
QUESTIONS = pose(read_rubric(), SCENARIO)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (4, 4), (4.0, 4), ("4", 4), (" 4 ", 4), ("4.0", 4), ("4/5", 4), ("4 / 5", 4), ("4 out of 5", 4), ("4 of 5", 4),
        ("4 - strong", 4), ("4: strong", 4), ("4 (strong)", 4), ("Score: 4", 4), ("**4**", 4), ("4.", 4), ("４", 4),
        ("I give it 4/5.", 4), (1, 1), (5, 5),
    ],
)  # fmt: skip
def test_a_point_of_the_scale_is_read(given: Any, value: float) -> None:
    assert read_score(given, FIVE) == value


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (9, "9 is not on the scale of 1 to 4"), ("9", "not on the scale"), (0, "not on the scale"), (-3, "not on the"),
        ("-3", "not on the scale"), (3.7, "between the points"), ("3.7", "between the points"), ("3.7/4", "between"),
        ("4/5", "on another scale than 1 to 4"), ("3 out of 10", "another scale"), ("75%", "not on the scale"),
        ("3-4", "not one number"), ("3 or 4", "not one number"), ("3, 4", "not one number"),
        ("1,000", "not one number"),
        (math.nan, "not on the scale"), (math.inf, "not on the scale"), (10**400, "not on the scale"),
        ("NaN", "not one number"), ("strong", "not one number"), ("N/A", "not one number"), ("four", "not one number"),
        ("9" * 5000, "not on the scale"), ("3/" + "9" * 5000, "another scale"),
        (None, "no score given"), ("", "no score given"), ("  ", "no score given"),
        (True, "not a number"), ([3], "not a number"), ({"value": 3}, "not a number"),
    ],
)  # fmt: skip
def test_what_is_no_point_of_the_scale_is_told(given: Any, why: str) -> None:
    with pytest.raises(Unclear) as told:
        read_score(given, FOUR)
    assert why in str(told.value)
    assert len(str(told.value)) < 120


@pytest.mark.parametrize("given", [True, "yes", "Yes", "YES.", "true", "yes, all of it", "Yes - booked", "**yes**"])
def test_yes_is_read(given: Any) -> None:
    assert read_score(given, YES_NO) is True


@pytest.mark.parametrize("given", [False, "no", "No.", "false", "No, it only offered", "no no"])
def test_no_is_read(given: Any) -> None:
    assert read_score(given, YES_NO) is False


@pytest.mark.parametrize(
    "given",
    [None, "", 1, 0, 5, "maybe", "yes/no", "yes and no", "no or yes", "partly", "not sure", "nobody knows", ["yes"]],
)
def test_neither_yes_nor_no_is_told(given: Any) -> None:
    with pytest.raises(Unclear, match=r"no score given|is not yes or no"):
        read_score(given, YES_NO)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("met", "met"), ("Met.", "met"), ("**met**", "met"), ("unmet", "unmet"), ("no decision", "no_decision"),
        ("No-Decision", "no_decision"), ("met: a liked value", "met"), ("violated (sushi)", "violated"),
    ],
)  # fmt: skip
def test_an_outcome_is_read(given: str, word: str) -> None:
    assert read_word(given, OUTCOMES) == word


@pytest.mark.parametrize(
    "given", ["not met", "met or unmet", "met, not violated", "fulfilled", "", None, True, 3, ["met"], "metric"]
)
def test_no_outcome_is_told(given: Any) -> None:
    with pytest.raises(Unclear):
        read_word(given, OUTCOMES)


def test_asked_is_not_read_out_of_unasked() -> None:
    assert read_word("unasked", ROUTES) == "unasked"


def test_a_whole_answer_is_read() -> None:
    reading = read_answer(answer(), QUESTIONS, SCRIPT)
    assert reading.whole
    assert {name: score.value for name, score in reading.scores.items()} == {
        "success": True,
        "personalisation": 4,
        "user_naturalness": 4,
        "user_coherence": 5,
        "assistant_naturalness": 3,
        "assistant_coherence": 5,
    }
    assert [(p.type, p.outcome, p.route) for p in reading.preferences] == [
        ("cuisine", "met", "asked"),
        ("diet", "met", "told"),
    ]
    assert reading.warnings == ()


def test_each_question_stands_for_itself() -> None:
    given = answer(personalisation=9, success="perhaps")
    del given["scores"]["user_coherence"]
    given["preferences"]["p2_diet"]["outcome"] = "fine"
    reading = read_answer(given, QUESTIONS, SCRIPT)
    assert not reading.whole
    assert not reading.empty
    assert reading.scores["assistant_coherence"].value == 5
    assert [reading.scores[name].value for name in ("personalisation", "success", "user_coherence")] == [None] * 3
    assert reading.scores["personalisation"].unscored == "9 is not on the scale of 1 to 4"
    assert reading.scores["user_coherence"].unscored == "no score given"
    assert reading.preferences[1].outcome == "unscored"
    assert "'fine' is not one of" in reading.preferences[1].unscored


def test_bare_scores_and_a_missing_level_are_read() -> None:
    reading = read_answer({"success": "yes", "personalisation": "3/4", "p1": "met"}, QUESTIONS, SCRIPT)
    assert reading.scores["success"].value is True
    assert reading.scores["personalisation"].value == 3
    assert reading.preferences[0].outcome == "met"
    assert reading.preferences[1].unscored == "outcome: not said"


@pytest.mark.parametrize(
    "given", [{}, {"scores": None}, {"scores": []}, {"scores": {}, "preferences": {}}, {"verdict": "good"}]
)
def test_an_answer_that_grades_nothing_is_empty(given: dict[str, Any]) -> None:
    assert read_answer(given, QUESTIONS, SCRIPT).empty


def test_a_lost_route_is_a_warning_and_none_is_not() -> None:
    given = answer()
    given["preferences"]["p1_cuisine"]["route"] = "by magic"
    given["preferences"]["p2_diet"]["route"] = "none"
    reading = read_answer(given, QUESTIONS, SCRIPT)
    assert [(p.outcome, p.route) for p in reading.preferences] == [("met", ""), ("met", "")]
    assert reading.warnings == ("Restaurants, cuisine: the route cannot be read",)


def test_an_invented_quote_keeps_the_score_and_is_flagged() -> None:
    given = answer()
    given["scores"]["success"]["quote"] = "Your table is confirmed at Golden Wok"
    reading = read_answer(given, QUESTIONS, SCRIPT)
    success = reading.scores["success"]
    assert success.value is True
    assert success.evidence and not success.evidence.found
    assert reading.warnings == ("success: the quote is not in the transcript",)


def test_a_quote_from_another_turn_moves_there_and_is_noted() -> None:
    given = answer()
    given["scores"]["success"] |= {"quote": "favourite cuisine", "turn": 2}
    reading = read_answer(given, QUESTIONS, SCRIPT)
    evidence = reading.scores["success"].evidence
    assert evidence and (evidence.turn, evidence.role, evidence.found, evidence.claimed_turn) == (
        1,
        "assistant",
        True,
        2,
    )
    assert reading.warnings == ("success: the quote stands in turn 1, not 2",)


@pytest.mark.parametrize(
    ("quote", "turn", "role"),
    [
        ("Booked for four on Friday", 2, "assistant"),
        ("BOOKED  for\nfour on friday.", 2, "assistant"),
        ("a long vegetarian menu", 2, "assistant"),
        ("“I don't eat meat”", 2, "user"),
        ("Thai, and I don't eat meat.", 2, "user"),
        ("Lotus House ... Booked for four", 2, "assistant"),
        ("Lotus House […] Friday", 2, "assistant"),
        ("…vegetarian menu…", 2, "assistant"),
        ("[2] assistant: Lotus House is Thai", 2, "assistant"),
        ("**Lotus House** is Thai", 2, "assistant"),
        ("Lotus House is Thai, with a long vegetarian me", 2, "assistant"),
    ],
)
def test_a_quote_is_found_as_people_quote(quote: str, turn: int, role: str) -> None:
    evidence = locate(SCRIPT, quote, None)
    assert (evidence.found, evidence.turn, evidence.role) == (True, turn, role)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "...",
        "!!!",
        "Booked for five on Friday",
        "Booked for four ... Lotus House",
        "eat me",
        "House is Thai Booked",
    ],
)
def test_what_was_not_said_is_not_found(quote: str) -> None:
    evidence = locate(SCRIPT, quote, 2)
    assert not evidence.found
    assert evidence.turn == 2


def test_a_turn_that_does_not_exist_is_dropped() -> None:
    assert locate(SCRIPT, "never said", 7).turn is None


def test_the_turn_that_the_judge_names_comes_first() -> None:
    script = spoken("Yes please.", "Done.", "Yes please.", "Done.")
    assert [locate(script, "done", turn).turn for turn in (None, 1, 2)] == [1, 1, 2]
    assert locate(script, "done", 2).claimed_turn is None


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("", "(said nothing)"),
        ("我想要一家安静的泰国餐厅", "安静的泰国餐厅"),
        ("Ein Tisch für Zoë\u0301, bitte", "für zoé\u0308".replace("é\u0308", "ë\u0301")),
        ("A \x1b[31mred\x1b[0m\x00 table", "red"),
        ("bad \ud800 half", "bad   half"),
        ("\u202eabc\u202c def", "abc def"),
        ("Great 👍 thanks", "👍"),
    ],
)
def test_any_script_and_odd_characters_are_matched(said: str, quote: str) -> None:
    assert locate(spoken(said, "ok"), quote, None).found
