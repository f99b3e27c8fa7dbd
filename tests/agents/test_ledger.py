"""The ledger: what came out, asked or unasked, made up or against the profile."""

from duologue.agents.events import Disclosure
from duologue.agents.ledger import declaration, disclosures
from duologue.agents.transcript import Transcript

from .speaking import DOMAINS, SCENARIO, talk

OPENED = talk("I need a table.", "Gladly. Which cuisine do you like?")


def entries(before: Transcript, text: str, *declared: Disclosure) -> list[tuple[str, str, str, str]]:
    return [(e.type, e.value, e.how, e.source) for e in disclosures(SCENARIO, before, text, declared, DOMAINS)]


def test_a_rare_value_said_when_asked_is_asked() -> None:
    assert entries(OPENED, "Uzbek, if you can.") == [("cuisine", "Uzbek", "asked", "matched")]


def test_the_same_value_in_the_opener_is_unasked() -> None:
    assert entries(Transcript(), "I need an Uzbek place.") == [("cuisine", "Uzbek", "unasked", "matched")]


def test_an_answer_to_another_question_is_unasked() -> None:
    before = talk("I need a table.", "On which day?")
    assert entries(before, "Friday, and vegetarian.") == [
        ("day", "Friday", "asked", "matched"),
        ("diet", "vegetarian", "unasked", "matched"),
    ]


def test_a_question_that_names_a_value_asks() -> None:
    before = talk("I need a table.", "Would Polish food be all right?")
    assert entries(before, "Rather Uzbek.") == [("cuisine", "Uzbek", "asked", "matched")]


def test_avoided_values_and_facts_are_disclosed_too() -> None:
    assert entries(OPENED, "No sushi; there are four of us.") == [
        ("party", "4", "unasked", "matched"),
        ("cuisine", "sushi", "asked", "matched"),
    ]


def test_preferences_of_other_domains_do_not_count() -> None:
    assert entries(OPENED, "I am in a noir mood.") == []


def test_a_declared_value_that_the_profile_does_not_hold_is_invented() -> None:
    told = declaration(SCENARIO, "Restaurants", "cuisine", "Thai")
    assert entries(OPENED, "Thai please", told) == [("cuisine", "Thai", "invented", "declared")]


def test_nothing_is_invented_by_guessing() -> None:
    assert entries(OPENED, "Thai please") == []


def test_a_declared_like_of_what_the_profile_avoids_contradicts() -> None:
    told = declaration(SCENARIO, "Restaurants", "cuisine", "Sushi", "likes")
    assert entries(OPENED, "I love sushi", told) == [("cuisine", "Sushi", "contradicts", "declared")]
    told = declaration(SCENARIO, "Restaurants", "cuisine", "Uzbek", "avoids")
    assert entries(OPENED, "Not Uzbek", told) == [("cuisine", "Uzbek", "contradicts", "declared")]
    told = declaration(SCENARIO, "Restaurants", "cuisine", "sushi", "avoids")
    assert entries(OPENED, "No sushi", told) == [("cuisine", "sushi", "asked", "declared")]


def test_a_declared_fact_is_checked_against_the_slots() -> None:
    assert declaration(SCENARIO, "", "day", "Friday").what == "fact"
    assert declaration(SCENARIO, "", "day", "Friday").how == "unasked"
    assert declaration(SCENARIO, "", "day", "Monday").how == "contradicts"


def test_what_is_declared_and_matched_stands_once() -> None:
    told = declaration(SCENARIO, "Restaurants", "cuisine", "uzbek")
    assert entries(OPENED, "Uzbek, Uzbek!", told) == [("cuisine", "uzbek", "asked", "declared")]
