"""Who is shown to be ahead of whom: the list, and the words."""

from itertools import combinations

import pytest

from duologue.comparing.order import Ahead, lined_up, worded

CHAIN = set(combinations("abcd", 2))


@pytest.mark.parametrize(
    ("names", "ahead", "told"),
    [
        ("abcd", CHAIN, "a > b > c > d"),
        ("abcd", set(), "a, b, c, d"),
        ("abcd", {("a", "b"), ("a", "c"), ("a", "d")}, "a > b, c, d"),
        ("abcd", CHAIN - {("b", "c")}, "a > b, c > d"),
        ("abcde", {("a", "e"), ("b", "e"), ("c", "e")}, "a, b, c > e; d open"),
        ("abcd", {("a", "b"), ("b", "c"), ("a", "c")}, "a > b > c; d open"),
        ("abcd", {("a", "c"), ("a", "d"), ("b", "d")}, "a > c, d; b > d"),
        ("tabcz", {("a", "b"), *(("t", x) for x in "abcz"), *((x, "z") for x in "abc")}, "t > (a > b; c open) > z"),
        ("abc", {("a", "b"), ("b", "c"), ("c", "a")}, "a > b; b > c; c > a"),
        ("a", set(), "a"),
    ],
)
def test_the_words_say_what_is_shown_and_no_more(names: str, ahead: Ahead, told: str) -> None:
    assert worded(list(names), ahead) == told


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [
        (set(), "dcba"),
        ({("a", "d")}, "cbad"),
        ({("a", "b"), ("b", "c"), ("c", "d")}, "abcd"),
        ({("a", "b"), ("b", "a")}, "dcba"),
    ],
)
def test_nobody_stands_above_one_that_is_shown_to_be_ahead(ahead: Ahead, expected: str) -> None:
    assert "".join(lined_up(list("abcd"), ahead, lambda name: -ord(name))) == expected
