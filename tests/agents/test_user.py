"""The model user in a chat: structured answers, stop without words, redrafts that differ."""

import json
from dataclasses import replace
from typing import Any

import pytest

from duologue.agents.models.scripted import Line, Script, ScriptedModel
from duologue.agents.transcript import Transcript
from duologue.agents.user import ModelUser
from duologue.profiles.scenario import Scenario

from .speaking import PROFILE, SCENARIO, TASK, Listening, seated, talk

ASKED = talk("I need a table.", "Gladly. Which cuisine?")


def turn(message: str, **changes: Any) -> str:
    return json.dumps({"message": message, "told": [], "stop": False, "reason": "none", **changes})


async def test_a_structured_answer_is_taken_apart() -> None:
    told = [{"domain": "Restaurants", "type": "cuisine", "value": "Uzbek", "wish": "likes"}]
    user = ModelUser(Listening(turn("Uzbek.", told=told)), SCENARIO, **seated())
    said = await user.speak(ASKED)
    assert (said.text, said.stop, said.reason) == ("Uzbek.", False, "")
    assert [(entry.type, entry.value, entry.source) for entry in said.declared] == [("cuisine", "Uzbek", "declared")]


@pytest.mark.parametrize(
    "words", ["Terminate my subscription please", "I said 'STOP' the alarm", "STOP", "Goodbye, the end."]
)
async def test_words_stop_nothing(words: str) -> None:
    user = ModelUser(Listening(turn(words, reason="satisfied")), SCENARIO, **seated())
    said = await user.speak(ASKED)
    assert (said.text, said.stop, said.reason) == (words, False, "")


@pytest.mark.parametrize("reason", ["satisfied", "gave_up"])
async def test_a_stop_keeps_its_words_and_its_reason(reason: str) -> None:
    user = ModelUser(Listening(turn("Yes, please go ahead", stop=True, reason=reason)), SCENARIO, **seated())
    said = await user.speak(ASKED)
    assert (said.text, said.stop, said.reason) == ("Yes, please go ahead", True, reason)


async def test_fences_and_odd_entries_do_no_harm() -> None:
    text = f"```json\n{turn('Hm.', told=['x', {'value': ''}, {'type': 'cuisine', 'value': 'Uzbek'}])}\n```"
    said = await ModelUser(Listening(text), SCENARIO, **seated()).speak(ASKED)
    assert (said.text, len(said.declared)) == ("Hm.", 1)


@pytest.mark.parametrize(
    ("word", "reason"), [("satisfied", "satisfied"), ("Gave_up.", "gave_up"), ("open", ""), ("I am satisfied", "")]
)
async def test_plain_words_are_followed_by_a_stop_check(word: str, reason: str) -> None:
    model = Listening("I am satisfied with that.", word)
    said = await ModelUser(model, SCENARIO, **seated()).speak(ASKED)
    assert (said.text, said.reason, said.stop) == ("I am satisfied with that.", reason, bool(reason))
    assert model.asked[1].messages[: len(model.asked[0].messages)] == model.asked[0].messages
    assert model.asked[1].schema is None
    assert said.usage is not None and said.usage.calls == 2


async def test_a_plain_opener_is_not_checked() -> None:
    model = Listening("I need a table.")
    assert not (await ModelUser(model, SCENARIO, **seated()).speak(Transcript())).stop
    assert len(model.asked) == 1


async def test_the_check_takes_no_line_of_a_scripted_user() -> None:
    model = ScriptedModel("s", Script(replies=tuple(Line(say=text) for text in ("One.", "Two.", "Three."))))
    user, script = ModelUser(model, SCENARIO, **seated()), Transcript()
    for _ in range(3):
        script = script.and_then("user", (await user.speak(script)).text).and_then("assistant", "Hm?")
    assert script.said_by("user") == ("One.", "Two.", "Three.")


async def test_an_opener_of_the_task_is_sent_verbatim_without_a_call() -> None:
    model = Listening("never")
    scenario = Scenario(PROFILE, TASK.changed(opener="  Hi THERE, <b>"))
    said = await ModelUser(model, scenario, **seated()).speak(Transcript())
    assert (said.text, said.source, model.asked) == ("  Hi THERE, <b>", "task", [])


async def test_a_redraft_is_asked_for_with_another_seed_and_a_note() -> None:
    model = Listening(turn("How can I help you?"))
    user = ModelUser(model, SCENARIO, **seated())
    found = ("assistant_voice",), ("assistant_voice", "script")
    await user.speak(ASKED)
    await user.speak(replace(ASKED, drafts=found[:1]), found[0])
    await user.speak(replace(ASKED, drafts=found), found[1])
    assert len({request.seed for request in model.asked}) == 3
    assert len({request.messages[-1].text for request in model.asked}) == 3
    assert model.asked[0].messages[:-1] == model.asked[1].messages[:-1]
    await user.speak(ASKED.and_then("user", "Uzbek.").and_then("assistant", "Booked."))
    assert model.asked[3].seed == 301 + 3


async def test_each_call_extends_the_last_and_roles_alternate() -> None:
    model = Listening(turn("Hm."))
    user = ModelUser(model, SCENARIO, **seated())
    await user.speak(Transcript())
    await user.speak(ASKED)
    first, second = (request.messages for request in model.asked)
    assert second[: len(first)] == first
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]


async def test_the_whole_person_reaches_the_prompt_and_the_judges_goal_does_not() -> None:
    model = Listening(turn("Hm."))
    profile = PROFILE.changed(
        demographics={
            name: f"some {name}"
            for name in PROFILE.demographics.model_fields_set | set(type(PROFILE.demographics).model_fields)
        },
        style={"tone": "brisk", "verbosity": "terse", "formality": "casual", "patience": 7, "language": "Welsh"},
    )
    await ModelUser(model, Scenario(profile, TASK, SCENARIO.situation), **seated()).speak(Transcript())
    text = model.asked[0].messages[0].text
    wanted = [
        *(v for v in profile.demographics.model_dump().values()),
        "brisk",
        "terse",
        "casual",
        "7 unhelpful",
        "Welsh",
    ]
    wanted += [
        "pottery",
        "likes Uzbek (strongly)",
        "avoids sushi",
        "likes vegetarian",
        "plov",
        "2026-01-05",
        "phone",
        "Wednesday",
    ]
    wanted += [TASK.intent, "party: 4", "day: Friday", "Dana Kim"]
    assert [value for value in wanted if value not in text] == []
    assert "secret goal" not in text
    assert "noir" not in text
