"""The script layout: what a small model is shown, cue by cue."""

import json

import pytest

from duologue.agents.cue import cues, first_person, unhelpful
from duologue.agents.screenplay import pronouns
from duologue.agents.transcript import Transcript
from duologue.agents.user import ModelUser
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Task

from .speaking import DOMAINS, PROFILE, SCENARIO, TASK, Listening, seated, talk

DONE, OPEN = json.dumps({"reason": "r", "done": True}), json.dumps({"reason": "r", "done": False})
TOLD = ("I want a table for four on Friday.", "Lotus House has one.", "Yes, do that.", "It is booked for Friday.")


def user(model: Listening, scenario: Scenario = SCENARIO) -> ModelUser:
    return ModelUser(model, scenario, **seated(domains=DOMAINS))


async def shown(script: Transcript, *faults: str) -> str:
    model = Listening(" Hm.", small=True)
    await user(model).speak(script, faults)
    return model.asked[-1].prompt


async def test_the_opener_is_cued_with_the_intent_and_begun_in_the_first_person() -> None:
    model = Listening("table, please.", small=True)
    said = await user(model).speak(Transcript())
    assert said.text == "Hi, I want a table, please."
    assert "I want a table on Friday and leave the place to you." in model.asked[0].prompt
    assert model.asked[0].prompt.endswith("Dana: Hi, I want a")
    assert model.asked[0].stop == ("\n",)


async def test_preferences_stand_nowhere_before_they_are_asked_for() -> None:
    for script in (Transcript(), talk("I want a table.", "For how many?"), talk(*TOLD)):
        text = (await shown(script)).casefold()
        assert not [value for value in ("uzbek", "sushi", "vegetarian", "plov") if value in text]


async def test_an_asked_preference_is_cued_likes_and_avoids() -> None:
    text = await shown(talk("I want a table.", "Which cuisine do you like?"))
    cue = text.splitlines()[-2]
    assert "Uzbek" in cue and "not sushi" in cue and "vegetarian" not in text


async def test_a_question_about_preferences_at_large_is_answered_two_at_a_time() -> None:
    first = talk("I want a table for four on Friday.", "Do you have any preferences?")
    cue = cues(SCENARIO, first, DOMAINS)[-1]
    assert [wish[0] for wish in cue.wishes] == ["cuisine", "diet"]
    again = first.and_then("user", "Uzbek, vegetarian.").and_then("assistant", "Any other preferences?")
    assert cues(SCENARIO, again, DOMAINS)[-1].wishes == ()


async def test_facts_come_one_by_one_and_are_not_cued_for_ever() -> None:
    script = talk("Hello, I want a table.")
    seen = []
    for number in range(5):
        script = script.and_then("assistant", f"Fine so far, that is point {number}.")
        seen.append(cues(SCENARIO, script, DOMAINS)[-1].facts)
        script = script.and_then("user", f"Well, this is line {number}.")
    assert seen == [(("party", "4"),), (("party", "4"),), (("day", "Friday"),), (("day", "Friday"),), ()]


async def test_the_fact_that_is_asked_for_comes_first() -> None:
    assert cues(SCENARIO, talk("I want a table.", "For which day?"), DOMAINS)[-1].facts == (("day", "Friday"),)


async def test_a_request_for_a_go_ahead_is_agreed_to() -> None:
    assert cues(SCENARIO, talk(*TOLD[:3], "Shall I book it?"), DOMAINS)[-1].act == "agree"


async def test_a_question_nothing_is_known_about_is_left_to_the_assistant() -> None:
    assert cues(SCENARIO, talk(*TOLD[:3], "Which colour?"), DOMAINS)[-1].act == "leave_open"


@pytest.mark.parametrize(("check", "reason"), [(DONE, "satisfied"), (OPEN, ""), ('{"reason": "cut', "")])
async def test_when_all_is_said_the_model_is_asked_whether_it_is_done(check: str, reason: str) -> None:
    model = Listening(check, " Thanks, bye!", small=True)
    said = await user(model).speak(talk(*TOLD))
    assert (said.text, said.reason, said.stop) == (
        "Thanks, bye!" if reason else "So what Thanks, bye!",
        reason,
        bool(reason),
    )
    asked, spoken = model.asked
    assert asked.schema is not None and asked.temperature == 0
    assert asked.prompt.startswith(spoken.prompt.rsplit("\n", 2)[0])
    assert ("goodbye" in spoken.prompt.splitlines()[-2]) is bool(reason)


async def test_nothing_is_checked_while_facts_are_unsaid_or_a_question_is_open() -> None:
    for script in (talk("I want a table.", "Fine.", "For four.", "Noted."), talk(*TOLD[:3], "Shall I book it?")):
        model = Listening(" Hm.", small=True)
        assert not (await user(model).speak(script)).stop
        assert len(model.asked) == 1


async def test_patience_runs_out_over_unhelpful_replies() -> None:
    script = talk("I want a table.", "", "A table, please!", "")
    assert unhelpful(script) == PROFILE.style.patience == 2
    said = await user(Listening(" does not help.", small=True)).speak(script)
    assert (said.stop, said.reason, said.text) == (True, "gave_up", "Sorry, this does not help.")
    repeated = talk("I want a table.", "Please wait a moment for me.", "Yes?", "Please wait a moment for me.")
    assert unhelpful(repeated) == 1


async def test_the_text_only_grows() -> None:
    before = await shown(talk(*TOLD[:2]))
    after = await shown(talk(*TOLD))
    assert after.startswith(before.rsplit("\n", 1)[0])


async def test_a_redraft_has_another_cue_and_seed() -> None:
    model = Listening(" How can I help?", small=True)
    person = user(model)
    await person.speak(talk(*TOLD[:2]))
    await person.speak(talk(*TOLD[:2]), ("assistant_voice",))
    one, other = model.asked
    assert one.seed != other.seed
    assert one.prompt != other.prompt
    assert "Dana is the customer." in other.prompt


def test_an_intent_is_turned_into_what_the_person_would_say() -> None:
    said = first_person(
        "You hold a ticket under your name. The two of you want the assistant to check you in, if you are lucky."
    )
    assert said == "I hold a ticket under my name. The two of us want you to check me in, if I am lucky."


@pytest.mark.parametrize(
    ("facts", "subject"),
    [
        ({"pronouns": "he/him"}, "he"),
        ({"gender": "Female"}, "she"),
        ({"gender": "nonbinary"}, "they"),
        ({}, "they"),
        ({"gender": "male", "pronouns": "they/them"}, "they"),
    ],
)
def test_pronouns(facts: dict[str, str], subject: str) -> None:
    scenario = Scenario(PROFILE.changed(demographics=facts), TASK)
    assert pronouns(scenario)[0] == subject


async def test_an_imperative_intent_opens_as_a_request() -> None:
    task = Task(id="t", domains=("Restaurants",), intent="Find a place that suits your taste.", goal="g")
    model = Listening(" that suits me?", small=True)
    said = await user(model, Scenario(PROFILE, task)).speak(Transcript())
    assert said.text == "Hi, can you find a place that suits me?"


async def test_a_fact_that_was_left_out_is_begun_the_next_time() -> None:
    model = Listening("four.", small=True)
    script = talk("I want a table on Friday.", "Here is one.", "It looks nice.", "It is.")
    assert (await user(model).speak(script)).text == "It is for four."


async def test_a_wish_that_is_asked_for_is_begun() -> None:
    model = Listening("Uzbek, but no sushi.", small=True)
    said = await user(model).speak(talk("I want a table.", "Which cuisine?"))
    assert said.text == "I like Uzbek, but no sushi."


async def test_agreeing_again_begins_anew_and_so_does_a_redraft() -> None:
    model = Listening("do that.", small=True)
    person, script = user(model), talk(*TOLD[:3], "Shall I book it?", "Yes, do that then.", "Should I really?")
    first = await person.speak(script)
    second = await person.speak(script, ("repeats",))
    assert (first.text, second.text) == ("Fine, do that.", "All right, do that.")
