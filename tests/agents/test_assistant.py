"""The model assistant, and what it is told about the user."""

import json

import pytest

from duologue.agents.assistant import ModelAssistant
from duologue.agents.context import KINDS, check_kinds, describe
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.tasks.task import Situation
from duologue.tasks.written import BadInput

from .speaking import PROFILE, SCENARIO, TASK, Listening, seated, talk

HOME = Situation(day="Wednesday", device="phone")
MARKS = {
    "demographics": ("Dana Kim", "34", "Leeds", "pottery"),
    "history": ("plov", "2026-01-05"),
    "situation": ("Wednesday", "phone"),
    "preferences": ("likes Uzbek", "avoids sushi", "likes vegetarian"),
}


def told(*kinds: str, **options: object) -> str:
    return describe(PROFILE, TASK, HOME, kinds, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", MARKS)
def test_each_kind_tells_its_own_and_nothing_of_the_others(kind: str) -> None:
    text = told(kind)
    assert [mark for mark in MARKS[kind] if mark not in text] == []
    assert [mark for other in MARKS if other != kind for mark in MARKS[other] if mark in text] == []


def test_kinds_add_up_in_one_order() -> None:
    every = told("situation", "history", "preferences", "demographics")
    assert [mark for marks in MARKS.values() for mark in marks if mark not in every] == []
    assert every == told("demographics", "preferences", "history", "situation")


def test_none_is_nothing() -> None:
    assert told("none") == told() == ""


def test_all_domains_are_told_unless_the_scope_is_the_task() -> None:
    assert "noir" in told("preferences") and "black-and-white" in told("history")
    assert "noir" not in told("preferences", scope="task") and "black-and-white" not in told("history", scope="task")


def test_the_newest_session_stands_first_and_the_answer_key_nowhere() -> None:
    evidence = {"domain": "Restaurants", "type": "cuisine", "value": "Uzbek", "kind": "explicit"}
    sessions = [s.model_dump(mode="json") | {"evidence": [evidence]} for s in PROFILE.history]
    text = describe(PROFILE.changed(history=sessions), TASK, HOME, ["history"])
    assert text.index("2026-03-01") < text.index("2026-01-05")
    assert "explicit" not in text and "Uzbek" not in text


def test_turns_of_a_session_are_told_whole() -> None:
    turns = [{"role": "user", "text": "Soup, please."}, {"role": "assistant", "text": "Which one?"}]
    profile = Profile.model_validate({"id": "p", "history": [{"domain": "Restaurants", "turns": turns}]})
    text = describe(profile, TASK, HOME, ["history"])
    assert "user: Soup, please." in text and "assistant: Which one?" in text


def test_beyond_the_budget_whole_sessions_go_and_it_is_said() -> None:
    sessions = [
        {"domain": "Restaurants", "date": f"2026-01-{day:02}", "summary": f"visit {day} " + "x" * 390}
        for day in range(1, 11)
    ]
    profile = PROFILE.changed(history=sessions)
    text = describe(profile, TASK, HOME, ["history", "preferences"], budget=500)
    kept = [day for day in range(1, 11) if f"visit {day} " in text]
    assert kept == list(range(11 - len(kept), 11)) and 0 < len(kept) < 10
    assert text.count("x" * 390) == len(kept)
    assert f"({10 - len(kept)} more sessions are left out for length.)" in text
    assert "likes Uzbek" in text
    assert len(text) <= 2000
    assert "left out" not in describe(profile, TASK, HOME, ["history"])


def test_an_unknown_kind_is_named_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="unknown context 'histroy', did you mean 'history'"):
        told("histroy")
    with pytest.raises(BadInput, match="beside another"):
        check_kinds(["none", "history"])
    assert check_kinds(["history", "history"]) == ("history",)
    assert set(MARKS) == set(KINDS) - {"none"}


async def test_prompts_are_the_same_but_for_the_context_block() -> None:
    systems = []
    for context in ("", "BLOCK"):
        model = Listening("Hm.")
        await ModelAssistant(model, context=context, **seated()).speak(talk("Hi"))
        systems.append(model.asked[0].messages[0].text)
    bare, full = systems
    assert full.startswith(bare) and full.endswith("BLOCK")
    assert "Dana" not in bare


async def test_the_assistant_hears_the_dialogue_and_an_empty_reply_is_its_turn() -> None:
    model = Listening("  ")
    said = await ModelAssistant(model, **seated()).speak(talk("Hi", "Hello.", "A table!"))
    assert (said.text, said.stop) == ("", False)
    request = model.asked[0]
    assert [(m.role, m.text) for m in request.messages[1:]] == [
        ("user", "Hi"),
        ("assistant", "Hello."),
        ("user", "A table!"),
    ]
    assert (request.role, request.conversation, request.temperature) == ("assistant", "c", None)


async def test_a_small_model_is_kept_short_and_cool_unless_told_otherwise() -> None:
    model = Listening("Hm.", small=True)
    await ModelAssistant(model, **seated()).speak(talk("Hi"))
    await ModelAssistant(model, **seated(temperature=1.0, max_tokens=9)).speak(talk("Hi"))
    assert [(r.temperature, r.max_tokens) for r in model.asked] == [(0.3, 80), (1.0, 9)]
    assert "short sentence" in model.asked[0].messages[0].text


async def test_what_looks_like_json_is_delivered_as_it_came() -> None:
    text = json.dumps({"message": "Hi"})
    assert (await ModelAssistant(Listening(text), **seated()).speak(Transcript())).text == text
    assert SCENARIO.task is TASK
