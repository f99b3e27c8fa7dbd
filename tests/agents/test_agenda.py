"""The agenda-based user in whole dialogues: what it says, what it discloses, when it stops."""

import time

import pytest

from duologue.agents.agenda.user import AgendaUser
from duologue.agents.agenda.way import templates
from duologue.agents.guard import looping
from duologue.agents.transcript import Transcript
from duologue.agents.words import mentions
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Situation

from .agenda_cases import PERSON, answered, domains, scenario, talked, tasks, told, user

TABLE = "table-for-four"


async def test_the_opener_names_every_slot_but_the_withheld_ones_and_no_preference() -> None:
    for seed in range(12):
        for name in (TABLE, "birthday-for-nine", "aunt-wambui-flies-south", "holidays-begin-with-a-flight"):
            task = tasks()[name]
            said = await user(name, seed=seed).speak(Transcript())
            assert said.source == "agenda"
            for slot, value in task.slots.items():
                assert mentions(said.text, value, slot) == (slot not in task.withheld), (name, slot, said.text)
            assert {entry.type for entry in said.declared} == set(task.slots) - set(task.withheld)
            assert all((entry.what, entry.how, entry.source) == ("fact", "unasked", "exact") for entry in said.declared)


async def test_an_opener_that_the_task_writes_is_said_verbatim() -> None:
    task = tasks()[TABLE].changed(opener="Four of us, Friday. Off you go.")
    said = await AgendaUser(Scenario(PERSON, task), domains(), seed=1).speak(Transcript())
    assert (said.text, said.source) == ("Four of us, Friday. Off you go.", "task")
    assert told(said) == {("party", "4", "unasked"), ("day", "Friday", "unasked")}


async def test_a_good_assistant_is_thanked_once_everything_is_reported() -> None:
    said, _ = await talked(
        user(TABLE),
        "Gladly. Which cuisine do you like? And what ambience?",
        "Tamarind Ledger is Ethiopian and elegant. Shall I book it for four on Friday?",
        "I've booked Tamarind Ledger for 4 people on Friday at 19:00. Anything else?",
    )
    assert told(said[1]) == {
        ("cuisine", "Ethiopian", "asked"),
        ("cuisine", "Polish", "asked"),
        ("ambience", "elegant", "asked"),
    }
    assert "Tamarind Ledger" in said[2].text
    assert not said[2].declared
    assert (said[3].stop, said[3].reason) == (True, "satisfied")


@pytest.mark.parametrize(
    ("report", "right"),
    [
        ("I've booked Blue Samovar for four on Saturday.", ("day", "Friday")),
        ("Your table for five on Friday is confirmed.", ("party", "4")),
        ("Reservation confirmed!\n- Day: Friday\n- Guests: 6\n- Place: Blue Samovar", ("party", "4")),
        ("Done! ✅ Blue Samovar, Sat, 4 people.", ("day", "Friday")),
        ("Booked: day Friday, party 5, restaurant Blue Samovar.", ("party", "4")),
    ],
)
async def test_a_report_that_contradicts_a_slot_is_corrected_and_never_confirmed(
    report: str, right: tuple[str, str]
) -> None:
    said, _ = await talked(user(TABLE), report, "Sorry! It is now booked for four on Friday.")
    assert told(said[1]) == {(*right, "corrected")}
    assert not said[1].stop
    assert said[2].reason == "satisfied"


async def test_the_same_wrong_report_again_costs_patience() -> None:
    wrong = [f"I've booked place number {n} for four on Saturday." for n in ("one", "two", "three", "four", "five")]
    said, script = await talked(user(TABLE), *wrong)
    assert (len(said), said[-1].reason) == (6, "gave_up")
    assert looping(Transcript(script.messages[:-1])) != "user"


async def test_a_vague_report_is_asked_about() -> None:
    said, _ = await talked(user(TABLE), "All done!", "I booked Blue Samovar for Friday, 4 people.")
    assert (said[1].stop, said[1].declared) == (False, ())
    assert said[2].reason == "satisfied"


async def test_vague_reports_for_ever_end_in_giving_up() -> None:
    said, _ = await talked(user(TABLE), *(["All done!", "It's taken care of.", "You're all set.", "Done.", "Sorted!"]))
    assert said[-1].reason == "gave_up"


async def test_a_report_that_leaves_a_withheld_fact_open_is_asked_about() -> None:
    said, _ = await talked(
        user("birthday-for-nine"),
        "I've booked Blue Samovar for nine people, as a birthday.",
        "It's on Sunday.",
        "Sorry, I've changed it to Saturday, nine people.",
    )
    assert (said[1].stop, said[1].declared) == (False, ())
    assert told(said[2]) == {("day", "Saturday", "corrected")}
    assert said[3].reason == "satisfied"


async def test_refusals_and_silence_end_in_giving_up() -> None:
    refusals = [
        "I'm sorry, I can't make reservations.",
        "I am unable to book tables.",
        "That's beyond my abilities.",
        "As an AI I cannot do that.",
        "No, I can't.",
    ]
    for heard in (refusals, ["", "", "", "", ""]):
        said, _ = await talked(user(TABLE), *heard)
        assert [each.reason for each in said] == ["", "", "", "", "gave_up"]
        assert all(each.text for each in said)


async def test_an_impatient_person_gives_up_sooner() -> None:
    style = {"patience": 1}
    said, _ = await talked(user(TABLE, style=style), *(["I can't.", "I cannot do it.", "Sorry, I can't."]))
    assert len(said) == 3


async def test_it_never_says_the_same_three_times_running() -> None:
    style = {"patience": 9, "formality": "casual"}
    for text in (
        "Certainly.",
        "I'm sorry, I can't do that.",
        "What a lovely day!",
        "One moment.",
        "What is your mother's maiden name?",
    ):
        for seed in range(4):
            _, script = await talked(user(TABLE, style=style, seed=seed), *(f"{text} ({n})" for n in range(9)))
            for end in range(5, len(script.messages), 2):
                assert looping(Transcript(script.messages[:end])) != "user", script.said_by("user")


async def test_two_questions_at_once_are_both_answered() -> None:
    said = await answered("trade-fair-in-porto", "How many nights will you stay, and what may a night cost at most?")
    assert told(said) == {("nights", "4", "asked"), ("rate", "110", "asked")}


async def test_a_fact_and_a_preference_asked_together() -> None:
    said = await answered("move-a-reservation", "How many people will come now? And where would you like to sit?")
    assert told(said) == {("party", "5", "asked"), ("seating", "booth", "asked")}


async def test_where_the_profile_is_silent_it_does_not_mind() -> None:
    said = await answered(TABLE, "What should the kitchen's speciality be?")
    assert not said.declared
    assert "speciality" in said.text


async def test_preferences_at_large_are_those_that_matter() -> None:
    said = await answered(TABLE, "Do you have any preferences?")
    assert {entry.type for entry in said.declared} == {"cuisine", "ambience"}
    assert {entry.how for entry in said.declared} == {"asked"}


async def test_a_preference_that_is_none_of_its_business_is_not_told() -> None:
    said = await answered("father-sees-the-eye-doctor", "When should the reminder come?")
    assert told(said) == {("reminder", "two days before", "asked")}
    said = await answered("tevita-sits-an-exam", "What should the alarm sound like?")
    assert told(said) == {("alarm_sound", "trumpet fanfares", "asked")}


async def test_the_situation_overrides_the_profile() -> None:
    task = tasks()["parking-until-twenty-past"]
    meeting, car = (case.situation for case in task.cases)
    for situation, value in ((meeting, "vibration only"), (car, "slowly rising")):
        speaker = AgendaUser(scenario(task.id, situation=situation), domains(), seed=1)
        said, _ = await talked(speaker, "How loud should it be?")
        assert told(said[1]) == {("alarm volume", value, "asked")}


async def test_a_wrong_suggestion_is_corrected_and_a_right_one_affirmed() -> None:
    assert told(await answered(TABLE, "Is it for Saturday?")) == {("day", "Friday", "asked")}
    right = await answered(TABLE, "Is it for Friday?")
    assert told(right) == {("day", "Friday", "asked")}
    assert "not" not in right.text


@pytest.mark.parametrize(
    "text",
    [
        "Just to double-check: that's dinner for three on Friday, right?",
        "I'll book a table for three on Friday.",
        "Shall I book Blue Samovar for three people on Friday?",
        "Got it, a table for three on Friday. Shall I go ahead?",
    ],
)
async def test_a_fact_that_is_summed_up_wrongly_is_corrected(text: str) -> None:
    assert ("party", "4", "corrected") in told(await answered(TABLE, text))


OFFERS = """I found three:
1. **Pewter Spoon**: Polish, artsy
2. **Blue Samovar**: Senegalese, candlelit
3. **Tamarind Ledger**: Ethiopian, elegant
Which one?"""


async def test_a_silent_user_takes_the_first_and_one_who_objects_the_best() -> None:
    silent, objecting = await answered(TABLE, OFFERS), await answered(TABLE, OFFERS, correction="object")
    assert "Pewter Spoon" in silent.text
    assert "Tamarind Ledger" in objecting.text
    assert not silent.declared
    assert not objecting.declared


async def test_a_silent_user_takes_the_first_that_keeps_to_its_facts() -> None:
    text = "Blue Samovar in the station quarter, Pewter Spoon in the old town. Which one would you like?"
    assert "Pewter Spoon" in (await answered("somewhere-new", text)).text


@pytest.mark.parametrize(
    "text",
    [
        "How about Pewter Spoon? It's a Polish place.",
        "I've booked Pewter Spoon, a Polish place, for four on Friday.",
    ],
)
async def test_who_objects_turns_down_what_it_avoids_with_the_reason(text: str) -> None:
    said = await answered(TABLE, text, correction="object")
    assert told(said) == {("cuisine", "Ethiopian", "corrected"), ("cuisine", "Polish", "corrected")}
    assert not said.stop
    silent = await answered(TABLE, text)
    assert not silent.declared


async def test_who_objects_does_so_once_for_each_type() -> None:
    said, _ = await talked(
        user(TABLE, correction="object"),
        "How about Pewter Spoon? It's a Polish place.",
        "I am afraid there is nothing but Pewter Spoon, the Polish place. Shall I book it?",
        "I've booked Pewter Spoon, Polish, for four on Friday.",
    )
    assert said[1].declared
    assert not said[2].declared
    assert said[3].reason == "satisfied"


async def test_another_entity_than_the_one_picked_is_objected_to() -> None:
    said, _ = await talked(
        user(TABLE),
        OFFERS,
        "I've booked Blue Samovar for four on Friday.",
        "I'm sorry, it is now booked at Pewter Spoon for four on Friday.",
    )
    assert "Pewter Spoon" in said[2].text
    assert not said[2].stop
    assert said[3].reason == "satisfied"


async def test_another_entity_than_the_task_settles_is_corrected() -> None:
    said = await answered("move-a-reservation", "I've moved your table at Blue Samovar to Sunday, for 5 people.")
    assert told(said) == {("restaurant", "Pewter Spoon", "corrected")}


async def test_a_change_is_done_once_it_is_reported_so() -> None:
    said, _ = await talked(
        user("move-a-reservation"),
        "How many will you be?",
        "I've moved your reservation at the Pewter Spoon from Saturday to Sunday, for five people, around 19:00.",
    )
    assert said[2].reason == "satisfied"


async def test_a_cancellation_that_was_not_asked_for_is_to_be_undone() -> None:
    said = await answered("move-a-reservation", "I've cancelled your reservation at the Pewter Spoon.")
    assert not said.stop
    assert not said.declared


async def test_what_is_cancelled_and_what_is_made_in_its_place() -> None:
    said, _ = await talked(
        user("holidays-begin-with-a-flight"),
        "I've deleted the weekday alarm. When do you have to get up on Monday?",
        "Your alarm for Monday is set for 3:55 AM.",
    )
    assert told(said[1]) == {("time", "03:55", "asked")}
    assert said[2].reason == "satisfied"
    wrong = await answered(
        "holidays-begin-with-a-flight", "I've removed the weekday alarm and set one for Monday at 4 am."
    )
    assert told(wrong) == {("time", "03:55", "corrected")}


async def test_every_aim_is_waited_for() -> None:
    said, _ = await talked(
        user("two-viewings-in-one-day"),
        "I've added Quarry Road to your calendar for Friday.",
        "Mill Lane is in your calendar too, on Friday.",
    )
    assert not said[1].stop
    assert said[2].reason == "satisfied"
    both, _ = await talked(
        user("two-viewings-in-one-day"), "Both are in: Quarry Road and Mill Lane, on Friday. I've entered them."
    )
    assert both[1].reason == "satisfied"


async def test_it_is_rebuilt_from_the_dialogue_alone() -> None:
    heard = [
        "Which cuisine do you like?",
        OFFERS,
        "All done!",
        "It's booked at Pewter Spoon for four on Saturday.",
        "Fixed: Friday, four people.",
    ]
    for correction in ("silent", "object"):
        said, script = await talked(user(TABLE, correction=correction), *heard)
        for turn in range(len(said)):
            again = await user(TABLE, correction=correction).speak(Transcript(script.messages[: 2 * turn]))
            assert (again.text, again.declared, again.reason) == (
                said[turn].text,
                said[turn].declared,
                said[turn].reason,
            )


async def test_asked_twice_for_the_same_turn_it_says_the_same() -> None:
    speaker = user(TABLE)
    _, script = await talked(speaker, "Which cuisine do you like?", "All done!")
    before = Transcript(script.messages[:-1])
    assert await speaker.speak(before) == await speaker.speak(before)


async def test_people_of_different_styles_talk_differently() -> None:
    styles = [{"formality": f, "verbosity": v} for f in ("casual", "neutral", "formal") for v in ("terse", "chatty")]
    heard = ("How does Blue Samovar sound?", "I've booked Blue Samovar for four on Friday.")
    dialogues = set()
    for style in styles:
        said, _ = await talked(user(TABLE, style=style), *heard)
        dialogues.add(tuple(each.text for each in said))
    assert len(dialogues) == len(styles)
    openers = {(await user(TABLE, seed=seed).speak(Transcript())).text for seed in range(20)}
    assert len(openers) >= 6


def test_no_way_of_saying_something_holds_a_value() -> None:
    values = {
        value for domain in domains().values() for type in domain.preferences for value in domain.values(type.name)
    }
    for name, way in templates():
        held = [value for value in values if mentions(way, value)]
        assert not held, (name, way, held)


async def test_a_turn_takes_less_than_a_few_milliseconds() -> None:
    heard = [OFFERS, "Which cuisine do you like? " * 5, "I've booked Blue Samovar for four on Friday."]
    _, script = await talked(user(TABLE), *heard)
    began, turns = time.process_time(), 0
    for seed in range(20):
        speaker = user(TABLE, seed=seed)
        for end in range(0, len(script.messages), 2):
            await speaker.speak(Transcript(script.messages[:end]))
            turns += 1
    assert (time.process_time() - began) / turns < 0.005


async def test_an_unwritten_person_with_no_taste_gets_through() -> None:
    speaker = AgendaUser(
        Scenario(PERSON.changed(preferences={}, style={}), tasks()[TABLE], Situation()), domains(), seed=1
    )
    said, _ = await talked(speaker, "Any preferences?", "I've booked Blue Samovar for four on Friday.")
    assert not said[1].declared
    assert said[2].reason == "satisfied"


async def test_what_somebody_else_would_have_is_told_when_preferences_are_asked_for_at_large() -> None:
    said = await answered("dinner-for-a-guest", "Do you have any special requests?")
    assert ("guest_speciality", "vegan dishes", "asked") in told(said)
    assert "speciality" not in {entry.type for entry in said.declared if entry.what == "preference"}
