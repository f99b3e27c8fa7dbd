"""The desk: scores by keys, with a way back, and a way out that keeps what was given."""

from collections.abc import Iterable, Mapping
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

    def explain(self, dimension: Dimension) -> None:
        self.told.append(f"help for {dimension.name}")

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


def sat(
    words: str, held: dict[Place, dict[str, Value]] | None = None, begun: dict[Place, dict[str, Value]] | None = None
) -> tuple[list[Any], Keys, int]:
    """What is kept of a sitting in which `words` were typed, the screen, and how many dialogues were labelled."""
    kept: list[Any] = []

    def keep(place: Place, scores: Mapping[str, Value], part: bool) -> None:
        kept.append((place[0], *scores.values(), *["part"] * part))

    keys = Keys(word.replace("_", "") for word in words.split())
    Desk(ORDER, dict(held or {}), paper, keep, keys, dict(begun or {})).work()
    return kept, keys, len({cell for cell, *_ in kept})


def test_each_dialogue_is_kept_once_it_is_scored() -> None:
    kept, keys, done = sat("y 3 no 1")
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


def test_help_and_the_dialogue_are_shown_on_demand() -> None:
    _, keys, _ = sat("? t")
    assert keys.told == ["1 of 3", "success?", "help for success", "1 of 3"]


@pytest.mark.parametrize("words", ["y 3 y q", "y 3 y"])
def test_leaving_keeps_what_is_answered_of_a_dialogue(words: str) -> None:
    kept, *_ = sat(words)  # by q, and by Ctrl-D
    assert kept == [("c1", True, 3), ("c2", True, "part")]


def test_a_break_keeps_what_is_answered_of_a_dialogue() -> None:
    class Broken(Keys):
        def ask(self, dimension: Dimension) -> str:
            if dimension.name == "warmth":
                raise KeyboardInterrupt
            return super().ask(dimension)

    kept: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        Desk(ORDER, {}, paper, lambda place, scores, part: kept.append((place, scores, part)), Broken(["y"])).work()
    assert kept == [(("c1", 1), {"success": True}, True)]


def test_it_goes_on_in_the_middle_of_a_dialogue() -> None:
    begun: dict[Place, dict[str, Value]] = {("c1", 1): {"success": True}}
    kept, keys, _ = sat("2", begun=begun)
    assert kept == [("c1", True, 2)] and keys.told[1] == "warmth?"
    assert sat("q", begun=begun)[0] == []  # what is kept already is not kept twice


def test_going_back_over_dialogues_loses_no_answer() -> None:
    kept, keys, _ = sat("y 3 n b b _ _ 2")
    assert kept == [("c1", True, 3), ("c1", True, 3), ("c2", False, 2)] and keys.told.count("success?no") == 1


def test_an_answer_changed_in_a_labelled_dialogue_is_kept_on_leaving() -> None:
    assert sat("y 3 b n q")[0] == [("c1", True, 3), ("c1", False, 3)]
