"""The desk: scores by keys, with a way back, and a way out that keeps what was given."""

from collections.abc import Iterable
from typing import Any

import pytest
from tests.simulator import records

from duologue.agents.rubric import Dimension, Scale
from duologue.labelling.desk import Desk
from duologue.labelling.labels import Value
from duologue.labelling.paper import Paper
from duologue.labelling.sample import Place
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Task

DIMENSIONS = (
    Dimension(name="success", scale="yes_no", question="Is all done?"),
    Dimension(name="warmth", scale=Scale(low=1, high=3), question="How warm is it?"),
)
ORDER = [("c1", 1), ("c2", 1), ("c3", 1)]


class Keys:
    """A screen whose person types `words`, and then leaves."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = iter(words)
        self.told: list[str] = []

    def show(self, paper: Paper, number: int, of: int) -> None:
        self.told.append(f"{number} of {of}")

    def question(self, dimension: Dimension, given: str) -> None:
        self.told.append(f"{dimension.name}?{given}")

    def anchors(self, dimension: Dimension) -> None:
        self.told.append(f"anchors of {dimension.name}")

    def ask(self, dimension: Dimension) -> str:
        try:
            return next(self._words)
        except StopIteration:
            raise EOFError from None

    def hint(self, text: str) -> None:
        self.told.append(text)


def paper(place: Place, dimensions: tuple[Dimension, ...] = DIMENSIONS) -> Paper:
    about = Scenario(Profile(id="anna"), Task(id="t", domains=("Restaurants",), intent="Eat.", goal="Eaten."))
    return Paper(about, (), records.dialogue(), dimensions, frozenset())


def sat(words: str, held: dict[Place, dict[str, Value]] | None = None) -> tuple[list[Any], Keys, int]:
    """What is kept of a sitting in which `words` were typed, the screen, and how many dialogues were labelled."""
    kept: list[Any] = []
    keys = Keys(word.replace("_", "") for word in words.split())
    desk = Desk(ORDER, dict(held or {}), paper, lambda place, scores: kept.append((place[0], *scores.values())), keys)
    desk.work()
    return kept, keys, len({cell for cell, *_ in kept})


def test_each_dialogue_is_kept_once_it_is_scored() -> None:
    kept, keys, done = sat("y 3 no 1 yes")
    assert kept == [("c1", True, 3), ("c2", False, 1)] and done == 2
    assert [told for told in keys.told if " of " in told] == ["1 of 3", "2 of 3", "3 of 3"]


def test_it_ends_when_all_is_labelled() -> None:
    assert sat("y 3 y 3 y 3 y 3")[2] == 3


def test_a_question_is_skipped() -> None:
    assert sat("s 2")[0] == [("c1", None, 2)]


def test_back_within_a_dialogue_keeps_the_answer_that_stands() -> None:
    kept, keys, _ = sat("y b _ 2")
    assert kept == [("c1", True, 2)] and keys.told.count("success?yes") == 1


def test_back_from_the_first_question_labels_the_dialogue_before_anew() -> None:
    kept, keys, done = sat("y 3 b n _ y 1")
    assert kept == [("c1", True, 3), ("c1", False, 3), ("c2", True, 1)] and done == 2
    assert "warmth?3" in keys.told


def test_there_is_nothing_before_the_first() -> None:
    assert "This is the first question of the first dialogue." in sat("b")[1].told


def test_it_goes_on_with_what_is_not_labelled() -> None:
    kept, *_ = sat("y 1 y 2", {("c2", 1): {"success": True, "warmth": 1}})
    assert [each[0] for each in kept] == ["c1", "c3"]


@pytest.mark.parametrize("word", ["4", "0", "maybe", "3.0", "٣", "\x1b[A", "\ud800"])
def test_what_is_no_point_of_the_scale_is_asked_again(word: str) -> None:
    kept, keys, _ = sat(f"y {word} 2")
    assert kept == [("c1", True, 2)]
    assert any("is no point of this scale: type one of 1, 2, 3" in told for told in keys.told)


def test_an_empty_line_is_no_answer_where_none_stands() -> None:
    kept, keys, _ = sat("_ y 2")
    assert kept == [("c1", True, 2)] and "Type one of no, yes, or s to skip the question." in keys.told


def test_the_anchors_and_the_dialogue_are_shown_on_demand() -> None:
    _, keys, _ = sat("? t")
    assert keys.told == ["1 of 3", "success?", "anchors of success", "1 of 3"]


def test_leaving_keeps_nothing_of_a_dialogue_half_scored() -> None:
    assert sat("y 3 y q")[0] == [("c1", True, 3)]
