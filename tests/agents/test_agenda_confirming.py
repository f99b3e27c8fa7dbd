"""Reports that leave out a fact, say when something ends, or follow a yes: what the agenda-based user says."""

import pytest

from duologue.agents.agenda.spans import ends_told, without_ends

from .agenda_cases import answered, kinds, talked, told, user

TABLE, GHENT, STORM, PALERMO = (
    "table-for-four",
    "long-weekend-in-ghent",
    "stay-until-the-storm-is-over",
    "a-week-in-palermo",
)


@pytest.mark.parametrize(
    ("task", "text", "fact"),
    [
        (GHENT, "Booked: Ivory Tram, Friday.", "guests"),
        (GHENT, "I've booked the Ivory Tram in Ghent from Friday for 3 nights.", "guests"),
        (GHENT, "I've booked the Ivory Tram in Ghent for two.", "arrival"),
        (TABLE, "Booked: Blue Samovar, Friday at 19:00", "party"),
        (TABLE, "I've booked Blue Samovar for four.", "day"),
        ("up-for-the-first-ferry", "Your alarm is set for Wednesday.", "time"),
        ("nothing-has-everything", "I've ordered Mortar and Pestle for 400 euros.", "account"),
    ],
)
async def test_the_most_important_fact_that_nobody_repeated_is_asked_about_once(
    task: str, text: str, fact: str
) -> None:
    speaker = user(task)
    said, _ = await talked(speaker, text, "Yes, exactly.")
    assert {type for type, _, how in told(said[1])} == {fact}
    assert "?" in said[1].text
    assert said[2].reason == "satisfied"


@pytest.mark.parametrize(
    "turns",
    [
        ["Done, as you asked: Blue Samovar is reserved."],
        ["How many people are you?", "I've booked Blue Samovar on Friday."],
        ["A table for four on Friday, got it. Which cuisine?", "I've reserved Blue Samovar for you."],
        ["Shall I book Blue Samovar for four on Friday?", "Your table is booked."],
        ["Shall I book Blue Samovar for four on Friday?", "Done!"],
        ["Blue Samovar, Friday, four people. OK?", "Blue Samovar is booked."],
        ["We look forward to welcoming you and your three friends on Friday at Blue Samovar!"],
    ],
)
async def test_what_was_repeated_or_is_as_asked_is_not_asked_about(turns: list[str]) -> None:
    said, _ = await talked(user(TABLE), *turns)
    assert [each.reason for each in said[-2:]] == ["", "satisfied"]


async def test_the_answer_to_such_a_question_counts() -> None:
    report = "I've booked the Ivory Tram in Ghent from Friday for 3 nights."
    for reply in ("Yes.", "That's right, for two guests.", "Of course! Enjoy your stay."):
        said, _ = await talked(user(GHENT), report, reply)
        assert said[-1].reason == "satisfied", reply
    wrong = await answered(GHENT, report, "Oh, it's for three guests.")
    assert told(wrong) == {("guests", "2", "corrected")}
    denied, _ = await talked(user(GHENT), report, "No, sorry.", "Corrected: it's now for two guests.")
    assert ("guests", "2", "asked") in told(denied[2])
    assert not denied[2].stop
    assert denied[3].reason == "satisfied"


async def test_a_yes_to_something_wrong_makes_no_vague_report_right() -> None:
    speaker = user(TABLE)
    said, _ = await talked(speaker, "Shall I book Blue Samovar for three on Friday?", "All done!")
    assert ("party", "4", "corrected") in told(said[1])
    assert kinds(speaker) == ["vague"]


async def test_what_was_taken_is_not_taken_again_but_asked_after() -> None:
    speaker = user("a-blanket-for-the-sofa")
    said, _ = await talked(
        speaker,
        "I found Hibernation One for 45 euros. Shall I order it?",
        "Great! Hibernation One will be delivered to the neighbour.",
        "Yes, it is.",
    )
    assert said[2].text.endswith("?")
    assert said[3].reason == "satisfied"


@pytest.mark.parametrize(
    ("task", "text", "wrong"),
    [
        (GHENT, "Booked: Ivory Tram in Ghent for two from Friday, checking out Sunday.", "Sunday"),
        (GHENT, "Booked: Ivory Tram in Ghent for two, 3 nights from Friday, checking out Sunday.", "Sunday"),
        (GHENT, "I've booked Ivory Tram in Ghent: check-in Friday, check-out Tuesday, 2 guests.", "Tuesday"),
        (GHENT, "Ivory Tram in Ghent is reserved for two. Arrival: Friday. Departure: Wednesday.", "Wednesday"),
        (GHENT, "Shall I book Ivory Tram, Friday to Sunday, for two?", "Sunday"),
        (STORM, "I've changed your booking at the Amber Key: you now check out on Friday.", "Friday"),
        (PALERMO, "I've rented the Mirava Quill in Palermo for two, from Saturday, return on Tuesday.", "Tuesday"),
    ],
)
async def test_a_day_on_which_it_ends_is_held_against_how_long_it_lasts(task: str, text: str, wrong: str) -> None:
    said = await answered(task, text)
    name = {GHENT: "nights", STORM: "nights", PALERMO: "rental_days"}[task]
    assert {(type, how) for type, _, how in told(said)} == {(name, "corrected")}
    assert wrong in said.text
    assert not said.stop


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (GHENT, "Booked: Ivory Tram in Ghent for two, Friday, checking out Monday."),
        (GHENT, "I've booked the Ivory Tram in Ghent, Friday through Monday, two guests."),
        (STORM, "I've changed your booking at the Amber Key: you now check out on Monday."),
        (PALERMO, "I've rented the Mirava Quill in Palermo for two, from Saturday, return the next Saturday."),
    ],
)
async def test_a_day_on_which_it_rightly_ends_tells_how_long_it_lasts(task: str, text: str) -> None:
    assert (await answered(task, text)).reason == "satisfied"


def test_the_days_on_which_something_ends() -> None:
    assert ends_told(["From Friday, checking out on Monday."]) == ["Monday"]
    assert ends_told(["Friday to Sunday"]) == ["Sunday"]
    assert ends_told(["Arrival: Friday.", "Departure: Wednesday."]) == ["Wednesday"]
    assert ends_told(["Departure: Wednesday, a table on Friday."]) == []
    assert "Monday" not in without_ends("From Friday until Monday")
    assert "Friday" in without_ends("From Friday until Monday")
