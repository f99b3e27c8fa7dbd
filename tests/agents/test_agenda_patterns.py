"""Looking for many turns of phrase as one, and passing over what cannot hold any."""

import re

import pytest

from duologue.agents.agenda.claims import deed
from duologue.agents.agenda.moments import days
from duologue.agents.agenda.numerals import in_figures
from duologue.agents.agenda.patterns import any_of
from duologue.agents.agenda.spans import ends_told, without_ends
from duologue.agents.agenda.spelling import said

WAYS = (r"\bshall i\b", r"^\W*go on\b", r"\bhow about\b|\bwhat about\b", r"(?<!not )ready")
TEXTS = ("so shall i?", "go on then", "let us go on", "and what about it", "not ready", "ready", "marshall in", "")


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_found_where_any_of_the_ways_is(text: str) -> None:
    assert bool(any_of(WAYS).search(text)) is any(re.search(way, text) for way in WAYS)


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("a party of Thirty-five", "a party of 35"),
        ("seventy six in the city", "76 in the city"),
        ("two hundred and five", "205"),
        ("a thousand", "1000"),
        ("fourteen", "14"),
        ("Half a dozen", "6"),
        ("a pretty hundred six", "a pretty hundred six"),
        ("1,200 or six", "1200 or six"),
    ],
)
def test_long_numbers_are_put_in_figures(text: str, figures: str) -> None:
    assert in_figures(text) == figures


def test_days_are_named_in_capitals_as_well() -> None:
    assert days("WEEKDAYS, DAILY or each day, and Thurs") == ("Thursday", "weekdays", "every day")
    assert days("a month from now") == ()


def test_the_end_of_a_span_is_told_in_short_forms_too() -> None:
    assert ends_told(["Checking out Mon."]) == ["Monday"]
    assert without_ends("Friday, back SUNDAY") == "Friday, back "
    assert without_ends("back soon") == "back soon"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("it has now been re-booked", "changed"),
        ("it is in the bag", "done"),
        ("i've put it in your diary", "made"),
        ("the alarm is gone", "cancelled"),
        ("now playing: the album", "made"),
        ("it is a nice day", ""),
    ],
)
def test_deeds_are_told_in_verbs_and_in_other_forms(text: str, told: str) -> None:
    assert deed(text, said(text)) == told
