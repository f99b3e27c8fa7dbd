"""The spellings of a dialogue, and the turns that they make."""

from typing import Any

import pytest

from duologue.agents.ending import ending
from duologue.agents.events import AssistantTurn, CellEnded, Event, ToolAnswered, ToolCalled, UserTurn
from duologue.agents.transcript import transcript
from duologue.outside.spoken import parts_of
from duologue.outside.turned import as_events, turns_of
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Task
from duologue.tasks.written import BadInput

SCENARIO = Scenario(Profile(id="ann"), Task(id="t", domains=("d",), intent="i", goal="g"))


def events(turns: Any) -> list[Event]:
    made = turns_of(parts_of(turns, "f:1"), "f:1")
    return list(as_events(made, SCENARIO, "c1", "helper", 1, ending("held_elsewhere", "assistant"), 5.0))


def said(turns: Any) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in transcript(events(turns)).messages]


PLAIN = [("user", "Hello"), ("assistant", "Hi!"), ("user", "Bye"), ("assistant", "Bye.")]


def spelt(speaker: str, names: tuple[str, str], text: str, wrap: Any = str) -> list[dict[str, Any]]:
    """The plain dialogue as objects that say who speaks under `speaker`, and what under `text`."""
    return [{speaker: names[number % 2], text: wrap(words)} for number, (_, words) in enumerate(PLAIN)]


@pytest.mark.parametrize(
    "turns",
    [
        spelt("role", ("user", "assistant"), "content"),
        spelt("from", ("human", "gpt"), "value"),
        spelt("speaker", ("USER", " Bot "), "text"),
        spelt("author", ("customer", "agent"), "utterance"),
        spelt("role", ("user", "model"), "parts", lambda words: [{"text": words}]),
        spelt("role", ("user", "assistant"), "content", lambda words: [{"type": "text", "text": words}]),
        [words for _, words in PLAIN],
        ["User: Hello", "Assistant: Hi!", "**User:** Bye", "Assistant: Bye."],
        [{"user": "Hello", "assistant": "Hi!"}, {"Human": "Bye", "gpt": "Bye."}],
    ],
)
def test_the_usual_spellings_say_the_same(turns: Any) -> None:
    assert said(turns) == PLAIN


def test_several_messages_in_a_row_are_one_turn_and_a_greeting_follows_silence() -> None:
    turns = [
        {"role": "system", "content": "Be nice."},
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": "One."},
        {"role": "user", "content": "Two."},
        {"role": "assistant", "content": "Three."},
        {"role": "assistant", "content": "Four."},
        {"role": "user", "content": "Five."},
    ]
    assert said(turns) == [
        ("user", ""), ("assistant", "Welcome."), ("user", "One.\n\nTwo."), ("assistant", "Three.\n\nFour."),
        ("user", "Five."),
    ]  # fmt: skip


def call(id: str, name: str = "find", arguments: Any = '{"q": "Thai"}') -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_calls_and_their_answers_are_actions_in_their_turn() -> None:
    turns = [
        {"role": "user", "content": "A table."},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call("a"), call("b", "weather", "{broken")]},
        {"role": "tool", "tool_call_id": "b", "content": "rain"},
        {"role": "tool", "tool_call_id": "a", "content": '{"error": "closed"}'},
        {"role": "assistant", "content": None, "tool_calls": [call("a", "book")]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": '{"id": 7}'}]},
        {"role": "assistant", "content": "Booked."},
    ]
    script = transcript(events(turns))
    assert [(m.role, m.text) for m in script.messages] == [
        ("user", "A table."),
        ("assistant", "Let me see.\n\nBooked."),
    ]
    assert [(a.turn, a.step, a.call.id, a.call.name, a.call.arguments, a.answer) for a in script.actions] == [
        (1, 1, "a", "find", {"q": "Thai"}, {"error": "closed"}),
        (1, 1, "b", "weather", "{broken", {"result": "rain"}),
        (1, 2, "a-2", "book", {"q": "Thai"}, {"id": 7}),
    ]
    assert [each.ok for each in events(turns) if isinstance(each, ToolAnswered)] == [False, True, True]
    assert [each.of for each in events(turns) if isinstance(each, ToolCalled)] == [2, 2, 1]


@pytest.mark.parametrize(
    "turns",
    [
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "x", "name": "sky", "input": {"at": "Rome"}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "sunny"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
        ],
        [
            {"from": "human", "value": "Weather?"},
            {"from": "gpt", "value": "Looking."},
            {"from": "function_call", "value": '{"name": "sky", "arguments": {"at": "Rome"}}'},
            {"from": "observation", "value": "sunny"},
            {"from": "gpt", "value": "Sunny."},
        ],
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": "Looking.",
             "function_call": {"name": "sky", "arguments": '{"at": "Rome"}'}},
            {"role": "function", "name": "sky", "content": "sunny"},
            {"role": "assistant", "content": "Sunny."},
        ],
    ],
)  # fmt: skip
def test_other_ways_to_call_a_tool(turns: Any) -> None:
    script = transcript(events(turns))
    assert [(m.role, m.text) for m in script.messages] == [("user", "Weather?"), ("assistant", "Looking.\n\nSunny.")]
    (action,) = script.actions
    assert (action.call.name, action.call.arguments, action.answer) == ("sky", {"at": "Rome"}, {"result": "sunny"})


def test_an_assistant_that_only_acts_says_nothing_in_that_turn() -> None:
    turns = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": None, "tool_calls": [call("a")]},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "Done."},
    ]
    assert said(turns) == [("user", "Do it."), ("assistant", ""), ("user", "And?"), ("assistant", "Done.")]


def test_reasoning_is_taken_apart() -> None:
    turns = [
        {"role": "user", "content": "Hello <think>not mine</think>"},
        {"role": "assistant", "content": "<think>Who is it?</think>Hi!", "reasoning_content": "A guest."},
    ]
    made = events(turns)
    (reply,) = (each for each in made if isinstance(each, AssistantTurn))
    assert (reply.text, reply.reasoning) == ("Hi!", "A guest.\n\nWho is it?")
    assert said(turns)[0] == ("user", "Hello <think>not mine</think>")


def test_content_that_is_no_text_is_named() -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:..."}},
        "Well?",
    ]
    turns = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]
    assert said(turns) == [("user", "What is this?\n(image url)\nWell?"), ("assistant", "No.")]


def test_events_are_in_order_and_say_that_they_come_from_elsewhere() -> None:
    made = events(["Hello", "Hi!", "Bye"])
    assert [each.seq for each in made] == list(range(1, len(made) + 1))
    assert {each.source for each in made if isinstance(each, UserTurn)} == {"elsewhere"}
    assert isinstance(made[-1], CellEnded) and made[-1].ending.scored and made[-1].state is None
    assert [each.turn for each in made] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([], "has no turns"), (None, "has no turns"), ("Hello", "its turns are no list"), ({"a": 1}, "are no list"),
        ([1, 2], "turn 1 is a number"), ([{"role": "user", "content": "Hi"}, None], "turn 2 is nothing"),
        ([{"role": "narrator", "content": "Once"}], "turn 1: nobody known speaks in it: 'narrator'"),
        ([{"role": "assistent", "content": "Hi"}], "did you mean 'assistant'?"),
        ([{"role": "user"}], "turn 1: nothing is said in it; its keys are role"),
        ([{"role": "user", "content": None}], "turn 1: nothing is said in it"),
        ([{"role": "user", "content": 5}], "its content is a number, not text"),
        ([{"role": "user", "content": [5]}], "a part of its content is a number"),
        ([{"role": "user", "content": [{"url": "x"}]}], "a part of its content has no text"),
        ([{"content": "Hello"}], "it does not tell who speaks"), ([{}], "it does not tell who speaks"),
        (["User: Hello", "Hi!"], "some turns begin with who speaks, turn 2 does not"),
        ([{"role": "user", "content": ""}, {"role": "assistant", "content": " "}], "nobody says anything"),
        ([{"role": "system", "content": "Be nice."}], "nobody says anything"),
        (
            [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "z", "content": "x"}],
            "a tool answers 'z', but was not called",
        ),
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": "find"}], "tool_calls holds str"),
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{}]}], "a tool call has no name"),
        ([{"from": "human", "value": "Hi"}, {"from": "function_call", "value": "find()"}], "the call in it is no JSON"),
    ],
)  # fmt: skip
def test_what_is_no_dialogue_for_certain_is_told_with_its_place(turns: Any, why: str) -> None:
    with pytest.raises(BadInput) as told:
        events(turns)
    assert why in str(told.value)
    assert str(told.value).startswith("f:1: ")
