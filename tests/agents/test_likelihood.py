"""The expected score: read from the probabilities at the very place where the score stands, or not at all."""

import json
from typing import Any

import pytest

from duologue.agents.answers import read_answer
from duologue.agents.likelihood import with_expected
from duologue.agents.models.call import Token
from duologue.agents.questions import pose
from duologue.agents.rubric import Dimension, Rubric, Scale, read_rubric
from duologue.agents.verdict import Score

from .hearing import SCENARIO, SCRIPT, answer

FOUR = Dimension(name="fit", scale=Scale(low=1, high=4), question="Fitting?")
DONE = Dimension(name="done", scale="yes_no", question="Done?")


def tokens(text: str, place: str, *likely: tuple[str, float], split: str = "") -> list[Token]:
    """`text` letter by letter, but for its last `place`, one token, in whose stead there were those `likely`."""
    at = text.rindex(split or place) + (split or place).index(place)
    whole = [Token(letter, ((letter, 1.0),)) for letter in text]
    return [*whole[:at], Token(place, likely), *whole[at + len(place) :]]


def expected(text: str, dimension: Dimension, value: Any, told: list[Token]) -> Score:
    assert "".join(token.text for token in told) == text
    return with_expected({dimension.name: Score(value=value)}, [dimension], told)[dimension.name]


@pytest.mark.parametrize(
    ("text", "place", "likely"),
    [
        ('{"fit": 3}', "3", [("3", 0.5), ("4", 0.25), ("1", 0.05), ("9", 0.1)]),
        ('{"fit": 3}', " 3", [(" 3", 0.5), (" 4", 0.25), ("1", 0.05), (" x", 0.1)]),
        ('{"fit": "3"}', "3", [("3", 0.5), ("4", 0.25), ("1", 0.05), ("None", 0.1)]),
        ('{"fit": "3/4"}', '"3', [('"3', 0.5), ('"4', 0.25), ('"1', 0.05), ('"', 0.1)]),
        (
            '{"scores": {"fit": {"reason": "x", "score": 3}}}',
            "3}",
            [("3}", 0.5), ("4}", 0.25), ("1", 0.05), ("{", 0.1)],
        ),
        ('{"fit": {"reason": "say \\"score\\": 1, {2}", "score":3 }}', "3", [("3", 0.5), ("4", 0.25), ("1", 0.05)]),
        ('<think>{"fit": 1}?</think>```json\n{"fit": 3}\n```', "3", [("3", 0.5), ("4", 0.25), ("1", 0.05)]),
    ],
)
def test_the_expectation_over_the_points(text: str, place: str, likely: list[tuple[str, float]]) -> None:
    score = expected(text, FOUR, 3.0, tokens(text, place, *likely))
    assert score.mass == pytest.approx(0.8)
    assert score.expected == pytest.approx((3 * 0.5 + 4 * 0.25 + 1 * 0.05) / 0.8)
    assert (score.value, score.vague) == (3.0, False)


def test_of_yes_and_no_it_is_the_probability_of_yes() -> None:
    text = '{"done": {"reason": "no!", "score": "yes"}}'
    likely = [("yes", 0.6), ("Yes", 0.1), ("no", 0.2), ("y", 0.05), ("met", 0.05)]
    score = expected(text, DONE, True, tokens(text, "yes", *likely))
    assert (score.expected, score.mass) == (pytest.approx(0.75 / 0.95), pytest.approx(0.95))


def test_a_mass_below_a_half_is_vague() -> None:
    text = '{"fit": 3}'
    score = expected(text, FOUR, 3.0, tokens(text, "3", ("3", 0.3), ("4", 0.1), ("seven", 0.6)))
    assert (score.mass, score.vague) == (pytest.approx(0.4), True)
    assert not Score(value=3.0).vague


def test_what_adds_up_to_more_than_one_by_rounding_is_one() -> None:
    text = '{"fit": 3}'
    assert expected(text, FOUR, 3.0, tokens(text, "3", ("3", 0.70001), ("4", 0.3))).mass == 1.0


@pytest.mark.parametrize("scale", [Scale(low=1, high=10), Scale(low=-1, high=1), Scale(low=-2, high=-1)])
def test_points_of_several_letters_that_begin_alike_have_none(scale: Scale) -> None:
    text = '{"fit": 1}' if scale.high > 0 else '{"fit": -1}'
    place = text[8:-1]
    dimension = Dimension(name="fit", scale=scale, question="?")
    score = expected(text, dimension, float(place), tokens(text, place, (place, 0.9), ("2", 0.1)))
    assert (score.expected is None) == (len({p[0] for p in dimension.points}) < len(dimension.points))


def test_zero_to_nine_has_one() -> None:
    text = '{"fit": 9}'
    dimension = Dimension(name="fit", scale=Scale(low=0, high=9), question="?")
    assert expected(text, dimension, 9.0, tokens(text, "9", ("9", 0.5), ("0", 0.5))).expected == 4.5


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"fit": 3}', 2.0), ('{"other": 3}', 3.0), ('{"fit": {"reason": "3"}}', 3.0), ('{"fit": [3]}', None), ("3", 3.0)],
)
def test_where_the_score_is_not_to_be_found_there_is_none(text: str, value: Any) -> None:
    score = expected(text, FOUR, value, tokens(text, "3", ("3", 0.5), ("4", 0.5)))
    assert (score.expected, score.mass) == (None, None)


def test_no_point_among_the_likeliest_is_none() -> None:
    text = '{"fit": 3}'
    assert expected(text, FOUR, 3.0, tokens(text, "3", ("{", 0.9))).expected is None


def test_each_dimension_of_a_whole_answer_has_its_own() -> None:
    rubric: Rubric = read_rubric()
    questions, text = pose(rubric, SCENARIO), json.dumps(answer())
    told = [Token(letter, ((letter, 0.75), ("1", 0.25))) for letter in text]
    scores = with_expected(read_answer(answer(), questions, SCRIPT).scores, questions.dimensions, told)
    found = {name: (score.value, score.expected) for name, score in scores.items()}
    assert found == {
        "success": (True, 1.0),
        "personalisation": (4, 3.25),
        "user_naturalness": (4, 3.25),
        "user_coherence": (5, 4.0),
        "assistant_naturalness": (3, 2.5),
        "assistant_coherence": (5, 4.0),
    }
    assert scores["success"].mass == 0.75


def test_without_probabilities_nothing_changes() -> None:
    scores = {"fit": Score(value=3.0)}
    assert with_expected(scores, [FOUR], []) == scores
