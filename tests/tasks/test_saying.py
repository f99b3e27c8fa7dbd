"""How a domain's words are filled with a value, and the small words that change with it."""

import pytest

from duologue.tasks.noun import singular
from duologue.tasks.saying import filled, listed


@pytest.mark.parametrize(
    ("say", "value", "said"),
    [
        ("for {value} people", "four", "for four people"),
        ("for {value} people", "one", "for one person"),
        ("for {value} people", "1", "for 1 person"),
        ("{value} nights", "one", "one night"),
        ("{value} bags to check in", "one", "one bag to check in"),
        ("{value} of them", "one", "one of them"),
        ("a {value}", "email", "an email"),
        ("I like a {value} room", "artsy", "I like an artsy room"),
        ("A {value} would do", "Ethiopian place", "An Ethiopian place would do"),
        ("an {value} room", "quiet", "a quiet room"),
        ("a {value}", "one-person shop", "a one-person shop"),
        ("at the {value}", "The Ironed Sheet", "at The Ironed Sheet"),
        ("at the {value}", "Amber Key", "at the Amber Key"),
        ("on {value}.", "Friday", "on Friday"),
        ("on {value}!", "Friday", "on Friday"),
    ],
)
def test_a_say_is_filled_as_people_would_say_it(say: str, value: str, said: str) -> None:
    assert filled(say, value) == said


@pytest.mark.parametrize(
    ("parts", "last", "told"),
    [
        (["tea"], "and", "tea"),
        (["tea", "cider"], "or", "tea or cider"),
        (["tea", "cider", "milk"], "and", "tea, cider and milk"),
        ([], "and", ""),
    ],
)
def test_several_are_told_with_one_word_before_the_last(parts: list[str], last: str, told: str) -> None:
    assert listed(parts, last) == told


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("people", "person"), ("cases", "case"), ("boxes", "box"), ("cities", "city"), ("glasses", "glass"),
        ("bus", "bus"), ("pass", "pass"), ("of", "of"), ("is", "is"), ("this", "this"),
    ],
)  # fmt: skip
def test_one_of_several(several: str, one: str) -> None:
    assert singular(several) == one
