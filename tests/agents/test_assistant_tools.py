"""Tools of the model assistant: passed natively, or told and read in plain text."""

import json
import time
from typing import Any

import pytest

from duologue.agents.assistant import ModelAssistant
from duologue.agents.message import ToolCall
from duologue.agents.models.call import Reply, Request, Traits
from duologue.agents.transcript import Action, Transcript
from duologue.agents.written_calls import described, in_words, read_calls
from duologue.tasks.tool import Tool

from .speaking import Listening, seated, talk

CUISINE = {"type": "string", "enum": ["Thai", "Polish"]}
TOOLS = (
    Tool(
        "search_restaurants",
        "Find restaurants.",
        {
            "type": "object",
            "properties": {"cuisine": CUISINE, "price": {"type": "string", "description": "At most this."}},
        },
        "Restaurants",
        "search",
    ),
    Tool(
        "book_table",
        "Make a reservation.",
        {
            "type": "object",
            "properties": {
                "restaurant": {"type": "string", "description": "The name of the restaurant."},
                "party": {"type": "number", "minimum": 1, "maximum": 20},
                "cuisine": CUISINE,
                "price": {"type": "number"},
                "extras": {"type": "array", "items": {"type": "string", "enum": ["window", "quiet"]}},
                "outside": {"type": "boolean"},
            },
            "required": ["restaurant", "party"],
        },
        "Restaurants",
        "create",
        "reservation",
    ),
)
NAMES = [tool.name for tool in TOOLS]
BOOK = ToolCall("", "book_table", {"restaurant": "Lotus", "party": 4})
WRITTEN = '{"tool": "book_table", "arguments": {"restaurant": "Lotus", "party": 4}}'


class Calling(Listening):
    """A model that answers with replies as they are given."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__("")
        self.traits, self._replies = Traits(), list(replies)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return self._replies[min(len(self.asked), len(self._replies)) - 1]


def acted(*actions: tuple[int, int, ToolCall, dict[str, Any] | None]) -> Transcript:
    script = talk("A table for four.", "Where?", "At Lotus.")
    for turn, step, call, answer in actions:
        script = script.and_done(Action(turn, step, call, answer))
    return script


async def test_native_tools_are_passed_and_calls_are_said() -> None:
    model = Calling(Reply("A moment.", calls=(BOOK,)), Reply("Booked."))
    assistant = ModelAssistant(model, tools=TOOLS, **seated())
    said = await assistant.speak(talk("A table."))
    assert (said.text, said.calls) == ("A moment.", (BOOK,))
    assert (await assistant.speak(acted((2, 1, BOOK, {})))).calls == ()
    assert [request.tools for request in model.asked] == [TOOLS, TOOLS]
    assert [m.role for m in model.asked[1].messages] == ["system", "user", "assistant", "user", "assistant", "tool"]
    assert "search_restaurants" not in model.asked[0].messages[0].text


async def test_each_step_has_a_seed_of_its_own() -> None:
    model = Calling(Reply("Hm."))
    for script in (talk("A table."), acted((2, 1, BOOK, {})), acted((2, 1, BOOK, {}), (2, 2, BOOK, {}))):
        await ModelAssistant(model, tools=TOOLS, **seated()).speak(script)
    assert len({request.seed for request in model.asked}) == 3


async def test_prompts_differ_by_the_block_alone_in_every_form_of_tools() -> None:
    forms: list[dict[str, Any]] = [{}, {"tools": TOOLS}, {"tools": TOOLS, "form": "text"}]
    systems = []
    for form in forms:
        for context in ("", "BLOCK"):
            model = Listening("Hm.")
            await ModelAssistant(model, context=context, **form, **seated()).speak(talk("Hi"))
            systems.append(model.asked[0].messages[0].text)
        assert systems[-1].startswith(systems[-2]) and systems[-1].endswith("BLOCK")
    off, native, text = systems[::2]
    assert native.startswith(off) and text.startswith(native)
    assert "tool" not in off


async def test_in_text_tools_are_told_and_calls_are_read_out_of_the_words() -> None:
    model = Listening(f"I book it now.\n```json\n{WRITTEN}\n```", "Booked.")
    assistant = ModelAssistant(model, tools=TOOLS, form="text", **seated())
    said = await assistant.speak(talk("A table."))
    assert (said.text, said.calls) == ("I book it now.", (BOOK,))
    search = ToolCall("t2", "search_restaurants", {})
    script = acted((1, 1, search, {"total": 0}), (2, 1, ToolCall("t1", BOOK.name, BOOK.arguments), {"id": 1}))
    script = script.and_done(Action(2, 1, ToolCall("t3", "", '{"tool": "bo'), {"error": "?"}))
    assert (await assistant.speak(script)).calls == ()
    assert all(not request.tools for request in model.asked)
    told = [(m.role, m.text) for m in model.asked[1].messages[1:]]
    assert [role for role, _ in told] == ["user", "assistant", "user", "assistant", "user", "assistant", "user"]
    assert told[5][1] == f'{WRITTEN}\n{{"tool": "bo'
    assert told[6][1].endswith('book_table -> {"id": 1}\nunreadable call -> {"error": "?"}')


async def test_in_text_each_call_extends_the_last_one() -> None:
    model = Listening("Hm.")
    assistant = ModelAssistant(model, tools=TOOLS, form="text", **seated())
    answered = Action(2, 1, BOOK, {})
    for script in (talk("Hi", "Yes?", "A table."), talk("Hi", "Yes?", "A table.").and_done(answered)):
        await assistant.speak(script)
    first, second = (request.messages for request in model.asked)
    assert second[: len(first)] == first


async def test_without_tools_json_is_words() -> None:
    for form in ("native", "text"):
        assistant = ModelAssistant(Listening(WRITTEN), form=form, **seated())  # type: ignore[arg-type]
        said = await assistant.speak(talk("A table."))
        assert (said.text, said.calls) == (WRITTEN, ())


def test_tools_are_told_in_signatures_and_each_argument_once() -> None:
    told = described(TOOLS)
    assert "- book_table(restaurant, party, cuisine?, price?, extras?, outside?): Make a reservation." in told
    assert told.count("one of Thai | Polish") == 1
    for line in (
        "- price of search_restaurants: text. At most this",
        "- price of book_table: number",
        "- party: number from 1 to 20",
        "- extras: list, one of window | quiet",
        "- outside: true or false",
    ):
        assert line in told.splitlines()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WRITTEN, ""),
        (f"Let me see.\n\n{WRITTEN}", "Let me see."),
        (f"```json\n{WRITTEN}\n```", ""),
        (f"```\n{WRITTEN}\n```\nOne moment.", "One moment."),
        (f"```tool_call\n[{WRITTEN}]\n```", ""),
        (f"[{WRITTEN}]", ""),
        (f"<tool_call>\n{WRITTEN}\n</tool_call>", ""),
        (f"Sure. <tool_call>{WRITTEN}", "Sure."),
        (f"```json\n{WRITTEN}", ""),
        ('{"name": "book_table", "parameters": {"restaurant": "Lotus", "party": 4}}', ""),
        ('{"name": "book_table", "arguments": "{\\"restaurant\\": \\"Lotus\\", \\"party\\": 4}"}', ""),
        (
            '{"id": "t", "function": {"name": "book_table", "arguments": {"restaurant": "Lotus", "party": 4}}}',
            "",
        ),
        (
            '{"tool_calls": [{"function": {"name": "book_table", "arguments": {"restaurant": "Lotus", "party": 4}}}]}',
            "",
        ),
        ('{"tool": "book_table", "restaurant": "Lotus", "party": 4}', ""),
        ('{"thought": "{now}", "tool": "book_table", "arguments": {"restaurant": "Lotus", "party": 4,},}', ""),
    ],
)
def test_a_call_is_read_in_any_dress(text: str, words: str) -> None:
    assert read_calls(text, NAMES) == (words, (BOOK,))


def test_several_calls_are_read_in_their_order() -> None:
    search = '{"tool": "search_restaurants", "arguments": {}}'
    first = ToolCall("", "search_restaurants", {})
    for text in (
        f"{search}\n{WRITTEN}",
        f"[{search}, {WRITTEN}]",
        f"```json\n{search}\n```\nand then\n```json\n{WRITTEN}\n```",
        f"<tool_call>{search}</tool_call><tool_call>{WRITTEN}</tool_call>",
        f'{{"calls": [{search}, {WRITTEN}]}}',
    ):
        words, calls = read_calls(text, NAMES)
        assert (words.replace("and then", "").strip(), calls) == ("", (first, BOOK))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"tool": "book_table", "arguments": {"restaurant": "Lotus"', "book_table"),
        ('{"tool": "book_table" "arguments": {}}', "book_table"),
        ("{'tool': 'book_table', 'arguments': {'party': 4}}", "book_table"),
        ('{"tool": "book_table", "arguments": {"party": NaN}}', "book_table"),
        ("<tool_call>book_table(party=4)</tool_call>", ""),
        ('<tool_call>{"arguments": {}}</tool_call>', ""),
        ('```json\n{"tool": "serach", "arguments": {"a": }\n```', "serach"),
    ],
)
def test_a_malformed_call_is_one_whose_arguments_are_text(text: str, name: str) -> None:
    words, (call,) = read_calls(f"One moment. {text}", NAMES)
    assert (words, call.name) == ("One moment.", name)
    assert isinstance(call.arguments, str) and call.arguments in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The set {Thai, Polish} is empty.",
        'Here is your record: {"name": "Dana Kim", "party": 4}',
        '```json\n{"restaurant": "Lotus"}\n```',
        "```python\nprint({name: 1})\n```",
        '{"tool": null}',
        "I used the book_table tool.",
    ],
)
def test_what_is_no_call_is_left_as_it_is(text: str) -> None:
    assert read_calls(text, NAMES) == (text, ())


def test_arguments_that_are_no_object_stay_text() -> None:
    _, (call,) = read_calls('{"tool": "book_table", "arguments": "Lotus, 4"}', NAMES)
    assert call == ToolCall("", "book_table", "Lotus, 4")


@pytest.mark.parametrize("text", ["{a" * 100_000, '{"tool": ' * 50_000, "<tool_call>" * 20_000, "[" * 200_000 + "{"])
def test_monstrous_texts_are_read_in_time(text: str) -> None:
    began = time.process_time()
    read_calls(text, NAMES)
    assert time.process_time() - began < 2


def test_in_words_a_dialogue_without_calls_is_as_it_was() -> None:
    messages = talk("Hi", "", "A table.").messages
    assert in_words(messages) == messages
    assert json.loads(WRITTEN)["tool"] == BOOK.name
