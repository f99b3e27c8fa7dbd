"""What the agenda-based user says to questions about itself and its tastes, to small talk and to passed on errors."""

import pytest

from duologue.agents.agenda import lexicon
from duologue.agents.agenda.hearing import types_asked

from .agenda_cases import answered, domains, kinds, talked, told, user

TABLE, GHENT, TALK, MOVE = "table-for-four", "long-weekend-in-ghent", "talk-in-tallinn", "move-a-reservation"
DEMOGRAPHICS = {"age": 34, "home_city": "Leeds", "home_country": "Norway", "employment": "optician"}

WINDOW, ETHIOPIAN = {("seat", "window", "asked")}, {("cuisine", "Ethiopian", "asked"), ("cuisine", "Polish", "asked")}
NO_BOOTH, GUESTHOUSE = {("seating", "booth", "asked")}, {("lodging", "guesthouse", "asked")}
TASTES = [
    (TALK, "Window seat okay?", WINDOW, "Yes"),
    (TALK, "Is an aisle seat okay with you?", WINDOW, "No"),
    (TALK, "Shall I look for an aisle seat?", WINDOW, "No"),
    (TALK, "You hate window seats, right?", WINDOW, "No"),
    (TALK, "You hate aisle seats, right?", WINDOW, ""),
    (TALK, "Would an overnight flight be fine?", {("departure time", "overnight", "asked")}, "Yes"),
    (TABLE, "Polish food okay?", ETHIOPIAN, "No"),
    (TABLE, "Shall I search for Polish restaurants?", ETHIOPIAN, "No"),
    (TABLE, "Shall I look for an Ethiopian place?", ETHIOPIAN, "Yes"),
    (TABLE, "You hate Polish food, right?", ETHIOPIAN, "Yes"),
    (TABLE, "Is a booth alright?", NO_BOOTH, "No"),
    (TABLE, "You like booths, don't you?", NO_BOOTH, "No"),
    (TABLE, "How about something elegant?", {("ambience", "elegant", "asked")}, "Yes"),
    (GHENT, "A guesthouse, yes?", GUESTHOUSE, "Yes"),
    (GHENT, "Should I go for a hostel?", GUESTHOUSE, "No"),
    ("up-for-the-first-ferry", "Loud alarm okay?", {("alarm volume", "slowly rising", "asked")}, ""),
]  # fmt: skip


@pytest.mark.parametrize("correction", ["silent", "object"])
@pytest.mark.parametrize(("task", "text", "lets_out", "lean"), TASTES)
async def test_a_yes_or_no_question_about_a_taste_is_answered_truthfully(
    task: str, text: str, lets_out: set[tuple[str, str, str]], lean: str, correction: str
) -> None:
    speaker = user(task, correction=correction)
    said = await answered(task, text, speaker=speaker)
    assert told(said) == lets_out
    assert kinds(speaker) == ["taste"]
    leans = {"Yes": ("Yes",), "No": ("No", "Rather not"), "": ("As", "It", "A ", "I ", "Slowly")}
    assert said.text.startswith(leans[lean]), said.text


@pytest.mark.parametrize(
    ("task", "text", "type"),
    [(TALK, "Window seat okay?", "seat"), (TABLE, "Shall I look for an elegant place?", "ambience")],
)
def test_such_a_question_asks_about_the_type_for_the_judge_too(task: str, text: str, type: str) -> None:
    known = lexicon.build([domains()["Flights" if task == TALK else "Restaurants"]])
    assert {name for _, name in types_asked(text, known)} == {type}


@pytest.mark.parametrize(
    ("task", "text", "kind"),
    [
        (TABLE, "How about Pewter Spoon? It's a Polish place.", "accept"),
        (TABLE, "Shall I book Pewter Spoon, the Polish place?", "accept"),
        (TALK, "Shall I book an aisle seat?", "go_ahead"),
        ("up-for-the-first-ferry", "I'll set an alarm for Wednesday at 5:10 AM with a klaxon. OK?", "go_ahead"),
        (TABLE, "I've booked Pewter Spoon, a Polish place, for four on Friday.", "close"),
    ],
)
async def test_an_offer_or_a_report_is_no_question_about_a_taste(task: str, text: str, kind: str) -> None:
    speaker = user(task)
    assert not (await answered(task, text, speaker=speaker)).declared
    assert kinds(speaker) == [kind]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How old are you?", "34"),
        ("And what is your age, if I may ask?", "34"),
        ("What's your name?", "Mira Osei"),
        ("May I have your full name, please?", "Mira Osei"),
        ("Who am I speaking with?", "Mira Osei"),
        ("Where do you live?", "Leeds"),
        ("Where are you based?", "Leeds"),
        ("Which country do you live in?", "Norway"),
        ("What do you do for a living?", "optician"),
        ("Can I have your email?", "contact details"),
        ("Could I get your phone number, please?", "contact details"),
        ("What's your date of birth?", "date of birth"),
        ("Are you married?", "marital status"),
        ("Could you pass me your card details?", "card or papers"),
    ],
)
async def test_what_is_asked_of_the_user_itself_is_answered_from_its_profile(text: str, answer: str) -> None:
    speaker = user(TABLE, demographics=DEMOGRAPHICS)
    said = await answered(TABLE, text, speaker=speaker)
    assert answer in said.text
    assert not said.declared
    assert kinds(speaker) in (["of_itself"], ["private"])


async def test_several_things_asked_of_the_user_at_once_are_each_answered() -> None:
    speaker = user(TABLE, demographics=DEMOGRAPHICS)
    said = await answered(TABLE, "May I know your name, age and phone number?", speaker=speaker)
    assert all(each in said.text for each in ("Mira Osei", "34", "contact details"))


async def test_what_the_profile_does_not_know_is_kept_private() -> None:
    speaker = user(TABLE)
    said = await answered(TABLE, "How old are you?", speaker=speaker)
    assert kinds(speaker) == ["private"]
    assert "34" not in said.text


async def test_questions_about_others_and_about_the_task_stay_what_they_are() -> None:
    assert told(await answered(TABLE, "How old are you, and what food do you like?")) == ETHIOPIAN
    assert ("from", "Marseille", "asked") in told(await answered(TALK, "Where are you from?"))
    speaker = user("aunt-wambui-flies-south", demographics=DEMOGRAPHICS)
    assert "34" not in (await answered("", "How old is she?", speaker=speaker)).text
    assert kinds(speaker) == ["unknown"]


SMALL_TALK = [
    "I'm here to help with your trip.",
    "What a nice plan!",
    "Friday evenings are lovely in spring.",
    "Thank you for reaching out.",
    "Have a nice day!",
    "Happy to help with anything you need.",
]


@pytest.mark.parametrize("text", SMALL_TALK)
async def test_small_talk_gets_a_nudge_and_never_the_opener(text: str) -> None:
    speaker = user(TABLE)
    said = await answered(TABLE, text, speaker=speaker)
    assert kinds(speaker) == ["nudge"]
    assert not said.declared
    assert len(said.text.split()) < 12
    assert "table reservation" in said.text


async def test_small_talk_for_ever_gets_the_request_again_once_at_most() -> None:
    said, _ = await talked(user(TABLE, style={"patience": 9}), *SMALL_TALK)
    assert sum(bool(each.declared) for each in said[1:]) == 1
    assert len({each.text for each in said}) > 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Certainly!", ["wait"]),
        ("Great, noted.", ["wait"]),
        ("Looking into that now...", ["wait"]),
        ("How are you today?", ["fine", "nudge"]),
        ("Oh dear. Are you okay?", ["fine", "nudge"]),
        ("Sorry, what was that again?", ["restate"]),
        ("How may I help you?", ["restate"]),
        ("Have you been to such a place before?", ["unknown"]),
        ("Could you give me the booking reference?", ["unknown"]),
    ],
)
async def test_what_a_statement_or_an_idle_question_calls_for(text: str, expected: list[str]) -> None:
    speaker = user(TABLE)
    assert not (await answered(TABLE, text, speaker=speaker)).stop
    assert kinds(speaker) == expected


async def test_who_only_ever_agrees_is_nudged() -> None:
    speaker = user(TABLE)
    await talked(speaker, "Noted.", "Noted.")
    assert kinds(speaker) == ["nudge"]


@pytest.mark.parametrize("text", ["Blue Samovar, Friday, four. Go?", "A table for four at Blue Samovar on Friday?"])
async def test_a_proposal_without_a_verb_is_one(text: str) -> None:
    speaker = user(TABLE)
    assert "Blue Samovar" in (await answered(TABLE, text, speaker=speaker)).text
    assert kinds(speaker) == ["accept"]


async def test_a_proposal_without_a_verb_is_held_against_the_facts() -> None:
    said = await answered(TALK, "Razorbill 251 on Wednesday from Marseille to Tallinn?", speaker=user(TALK))
    assert ("day", "Tuesday", "corrected") in told(said)


CITY, NIGHTS = {("city", "Ghent", "asked")}, {("nights", "3", "asked")}
ALL = {*CITY, *NIGHTS, ("arrival", "Friday", "asked"), ("guests", "2", "asked")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("That did not work: unknown city. What would you like to do?", CITY),
        ("Invalid city. Please try again.", CITY),
        ("I got an error: 'nights' must be between 1 and 28.", NIGHTS),
        ("Error: arrival must be a day of the week. What should I change?", {("arrival", "Friday", "asked")}),
        ("The booking failed because the number of guests is missing.", {("guests", "2", "asked")}),
        ("Sorry, something went wrong. What would you like to do?", ALL),
        ("What should I change?", ALL),
        ("The system says: no such field. How would you like to proceed?", ALL),
    ],
)
async def test_a_passed_on_error_gets_the_facts_that_it_is_about(
    text: str, expected: set[tuple[str, str, str]]
) -> None:
    speaker = user(GHENT)
    assert told(await answered(GHENT, text, speaker=speaker)) == expected
    assert kinds(speaker) == ["retry"]


async def test_an_error_lets_out_nothing_that_it_does_not_name() -> None:
    said = await answered("trade-fair-in-porto", "That failed. What should I change?")
    assert {type for type, _, _ in told(said)} == {"city", "arrival", "guests"}


async def test_errors_for_ever_end_in_giving_up() -> None:
    errors = ["Error: unknown city. What now?", "It failed again. What should I change?", "Another error. What now?"]
    said, _ = await talked(user(GHENT, style={"patience": 2}), *errors, *errors)
    assert said[-1].reason == "gave_up"


async def test_what_fails_beside_what_is_done_is_not_passed_over() -> None:
    speaker = user("away-game-in-varna")
    said, _ = await talked(
        speaker,
        "Hornbeam 849 on Saturday, 3 seats. Polder Boys v Windlust, 3 tickets. Book both?",
        "The bus is booked. The match tickets failed: people must be a number. What should I change?",
    )
    assert kinds(speaker) == ["retry"]
    assert ("travellers", "3", "asked") in told(said[-1])
