"""Words: what counts as said, asked, and alike."""

import time

import pytest

from duologue.agents.words import alike, asks_about, asks_at_large, mentions, questions, spoken


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A table for four, please", 4),
        ("I love UZBEK food", "Uzbek"),
        ("concerts are fine", "concert"),
        ("one concert", "concerts"),
        ("several parties", "party"),
        ("a non stop flight", "non-stop"),
        ("it may cost under $50", "under $50"),
        ("see you on June 12", "2026-06-12"),
        ("on the 12th of June", "2026-06-12"),
        ("at 7 pm", "19:00"),
        ("at 7pm", "19:00"),
        ("at 12:35 p.m.", "12:35"),
        ("我喜欢寿司和拉面", "寿司"),
        ("fifty minutes", 50),
        ("just me", 1),
        ("I give it 🎬", "🎬"),
    ],
)
def test_a_value_is_found_in_the_words(text: str, value: str | int) -> None:
    assert mentions(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a table for fourteen", 4),
        ("I am Thailand's biggest fan", "Thai"),
        ("the first one", 1),
        ("a stop, none of it", "non-stop"),
        ("see you on June 13", "2026-06-12"),
        ("at 7 am", "19:00"),
        ("我喜欢拉面", "寿司"),
        ("", "Thai"),
    ],
)
def test_what_only_resembles_a_value_is_not_found(text: str, value: str | int) -> None:
    assert not mentions(text, value)


def test_a_truth_value_is_said_by_its_name() -> None:
    assert mentions("I need step free access", True, "step_free")
    assert not mentions("I need yes and true", True, "step_free")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What cuisine would you like?", "cuisine"),
        ("Which cuisines suit you?", "cuisine"),
        ("Please tell me your price range.", "Price Range"),
        ("Any seat wishes?", "Seat Preference"),
        ("Let me know the day.", "day"),
        ("Great. And the party size?", "party_size"),
        ("How many people will come?", "party"),
    ],
)
def test_a_question_about_a_type_is_known_by_its_words(question: str, name: str) -> None:
    assert asks_about(question, name)


def test_a_question_is_known_by_a_value_or_the_description() -> None:
    assert asks_about("Would Thai be fine?", "cuisine", ("Thai",))
    assert asks_about("What do you not eat?", "diet", (), "what a person does not eat")


@pytest.mark.parametrize("text", ["The cuisine there is great.", "Shall I book it?", "", "What is your preference?"])
def test_what_asks_nothing_of_it_is_no_question_about_it(text: str) -> None:
    assert not asks_about(text, "cuisine preference")


def test_a_question_about_preferences_at_large() -> None:
    assert asks_at_large("Do you have any preferences?")
    assert asks_at_large("What would you like?")
    assert not asks_at_large("What would you like to drink?")
    assert not asks_at_large("I know your preferences.")


def test_the_asking_sentences_alone() -> None:
    assert questions("I found two. Which one? Both are near.") == "Which one?"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Book the table now please", "book the TABLE now, please!", True),
        ("I need a table at seven", "I need a table at eight", False),
        ("I want that table there", "I don't want that table there", False),
        ("On Friday it should be for us", "On Monday it should be for us", False),
        ("Yes", "Yes, and please add a note about the pram", False),
        ("👍", "👍", True),
        ("👍", "👎", False),
        ("A window seat is fine with me", "Hello, a window seat is fine with me", True),
        ("I am off to Rome in May with my two sons", "Then I take the aisle", False),
    ],
)
def test_alike(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same
    assert alike(other, one) is same


@pytest.mark.parametrize(
    ("value", "words"),
    [("19:00", "7 pm"), ("2026-06-12", "June 12"), (4, "4"), (1, "1"), (True, "yes"), ("12:35", "12:35 pm")],
)
def test_values_as_people_say_them(value: str | int, words: str) -> None:
    assert spoken(value) == words


def test_turns_of_hundreds_of_kilobytes_take_no_time() -> None:
    long = "all work and no play " * 20_000
    began = time.monotonic()
    assert alike(long, long + "end")
    assert not alike(long, "some other words of that length " * 12_000)
    assert questions(long) == ""
    assert not asks_about(long + "?", "cuisine")
    assert time.monotonic() - began < 10


def test_a_clock_time_does_not_cut_a_question() -> None:
    assert questions("Fine. Would 7.30 suit you?") == "Would 7.30 suit you?"
