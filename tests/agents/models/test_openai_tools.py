import json
from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.call import CallLimits, Model, Reply, Request
from duologue.agents.models.door import Models, ModelSpec
from duologue.tasks.tool import Tool

QUICK = CallLimits(call=60, backoff=0.001, tries=3)
TOOLS = (
    Tool(
        "book", "Book a table.", {"type": "object", "properties": {"day": {"type": "string"}}}, "Restaurants", "create"
    ),
    Tool("look", "Look it up.", {"type": "object", "properties": {}}, "Restaurants", "search"),
)
ACTING = Request((Message("user", "A table on Friday."),), tools=TOOLS)


HELLO = Request((Message("user", "Hello"),))


class Door:
    """Models at the loopback server."""

    def __init__(self, models: Models, server: Any) -> None:
        self.models, self.server = models, server

    def open(self, name: str = "plausible") -> Model:
        return self.models.open(ModelSpec(model=name, base_url=self.server.base_url, limits=QUICK))

    async def ask(self, name: str = "plausible", request: Request = HELLO) -> Reply:
        return await self.open(name).complete(request)

    async def fail(self, name: str = "plausible", request: Request = ACTING) -> Failure:
        with pytest.raises(Failure) as caught:
            await self.ask(name, request)
        return caught.value


@pytest_asyncio.fixture
async def door(server: Any) -> AsyncIterator[Door]:
    async with Models() as models:
        yield Door(models, server)


def function(name: str, arguments: Any, id: str | None = "t1") -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return entry if id is None else {"id": id, **entry}


async def test_tools_are_sent_as_functions_and_calls_come_back(door: Door, servers: ModuleType) -> None:
    calls = [function("book", '{"day": "Friday"}'), function("look", "{}", "t2")]
    door.server.then(servers.say("A moment.", "tool_calls", tool_calls=calls))
    reply = await door.ask(request=ACTING)
    assert reply.calls == (ToolCall("t1", "book", {"day": "Friday"}), ToolCall("t2", "look", {}))
    assert (reply.text, reply.finish) == ("A moment.", "stop")
    assert door.server.bodies[0]["tools"] == [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in TOOLS
    ]
    await door.ask("say:Hi.")
    assert "tools" not in door.server.bodies[1]


async def test_calls_and_their_answers_are_sent_back_in_the_same_form(door: Door) -> None:
    called = Message(
        "assistant", "", calls=(ToolCall("t1", "book", {"day": "Freitag 👋"}), ToolCall("t2", "look", "{oh"))
    )
    answered = (Message("tool", '{"ok": 1}', call="t1"), Message("tool", "{}", call="t2"))
    await door.ask("say:Done.", Request((*ACTING.messages, called, *answered), tools=TOOLS))
    sent = door.server.bodies[0]["messages"]
    assert sent[1]["content"] is None
    assert [call["id"] for call in sent[1]["tool_calls"]] == ["t1", "t2"]
    read = [json.loads(call["function"]["arguments"]) for call in sent[1]["tool_calls"]]
    assert read == [{"day": "Freitag 👋"}, {"unreadable": "{oh"}]
    assert sent[2:] == [
        {"role": "tool", "tool_call_id": "t1", "content": '{"ok": 1}'},
        {"role": "tool", "tool_call_id": "t2", "content": "{}"},
    ]


async def test_names_that_no_server_takes_are_sent_back_without_what_they_may_not_hold(door: Door) -> None:
    named = ("book table", "functions.book", "", "x" * 99)
    called = Message("assistant", "", calls=tuple(ToolCall(f"t{n}", name, {}) for n, name in enumerate(named)))
    await door.ask("say:Done.", Request((*ACTING.messages, called), tools=TOOLS))
    sent = [call["function"]["name"] for call in door.server.bodies[0]["messages"][1]["tool_calls"]]
    assert sent == ["book_table", "functions_book", "unnamed", "x" * 64]


async def test_a_parameter_that_is_refused_because_of_tools_is_left_out(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.error(400, "'temperature' is not supported when tools are given", param="temperature"))
    await door.ask("say:Hi.", Request(ACTING.messages, tools=TOOLS, temperature=0))
    assert "temperature" not in door.server.bodies[1] and "tools" in door.server.bodies[1]


@pytest.mark.parametrize(
    ("fields", "call"),
    [
        ({"tool_calls": [function("book", {"day": "Friday"})]}, ToolCall("t1", "book", {"day": "Friday"})),
        ({"tool_calls": [function("book", "{}", None)]}, ToolCall("", "book", {})),
        ({"tool_calls": [function("book", "")]}, ToolCall("t1", "book", {})),
        ({"tool_calls": [function("book", None)]}, ToolCall("t1", "book", {})),
        ({"tool_calls": [function("book", '{"day": "Fri')]}, ToolCall("t1", "book", '{"day": "Fri')),
        ({"tool_calls": [function("book", "[1]")]}, ToolCall("t1", "book", "[1]")),
        ({"tool_calls": [function("book", '{"n": NaN}')]}, ToolCall("t1", "book", '{"n": NaN}')),
        ({"tool_calls": [function("book", '{"n": 1e999}')]}, ToolCall("t1", "book", '{"n": 1e999}')),
        (
            {"tool_calls": [function("book", '{"d": "\\ud83d\\ude00\\ud800"}')]},
            ToolCall("t1", "book", {"d": "😀\ufffd"}),
        ),
        ({"tool_calls": [{"id": 7, "name": "book", "arguments": {}}]}, ToolCall("7", "book", {})),
        (
            {"function_call": {"name": "book", "arguments": '{"day": "Friday"}'}},
            ToolCall("", "book", {"day": "Friday"}),
        ),
    ],
)
async def test_calls_in_other_dress_are_read(
    door: Door, servers: ModuleType, fields: dict[str, Any], call: ToolCall
) -> None:
    door.server.then(servers.say(None, "stop", **fields))
    assert (await door.ask(request=ACTING)).calls == (call,)


async def test_arguments_nested_beyond_reason_stay_text(door: Door, servers: ModuleType) -> None:
    for depth in (50, 400, 3000):
        deep = '{"a":' * depth + "1" + "}" * depth
        door.server.then(servers.say(None, tool_calls=[function("book", deep)]))
        assert (await door.ask(request=ACTING)).calls == (ToolCall("t1", "book", deep),)


@pytest.mark.parametrize("calls", [[{"id": "t1"}], ["book"], "book", [{"function": {"arguments": "{}"}}]])
async def test_calls_that_are_none_are_asked_for_again_and_told(door: Door, servers: ModuleType, calls: Any) -> None:
    door.server.then(*[servers.say(None, tool_calls=calls)] * 3)
    failure = await door.fail(request=ACTING)
    assert (failure.reason, len(door.server.calls)) == ("provider_error", 3)
    assert "tool calls that cannot be read" in failure.detail


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
        (400, "registry.example/library/small:1b does not support tools"),
        (400, "Unsupported parameter: 'tools' is not supported with this model."),
        (404, "No endpoints found that support tool use. Try another model."),
        (400, "This model does not support function calling"),
        (
            422,
            '{"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs"}]}',
        ),
    ],
)
async def test_an_endpoint_that_refuses_tools_is_told_with_what_to_type(
    door: Door, servers: ModuleType, status: int, told: str
) -> None:
    door.server.then(servers.body(told, status) if told[0] == "{" else servers.error(status, told))
    assert door.open().traits.tools
    for _ in range(2):
        failure = await door.fail(request=ACTING)
        assert failure.reason == "provider_error"
        assert 'takes no tools; write tools = "text"' in failure.detail
    assert len(door.server.calls) == 1
    assert door.open().traits.tools  # what was tried decides for no later dialogue
    assert door.models.adaptations == (f"plausible at {door.server.base_url} takes no tools",)
    assert (await door.ask()).text


@pytest.mark.parametrize(
    "told",
    [
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "Invalid schema for function 'book': object schema missing properties",
    ],
)
async def test_another_error_about_tools_is_no_refusal_of_them(door: Door, servers: ModuleType, told: str) -> None:
    door.server.then(servers.error(400, told, "invalid_request_error", "messages"))
    assert told in (await door.fail(request=ACTING)).detail
    assert door.open().traits.tools


async def test_a_refused_parameter_beside_tools_is_still_left_out(door: Door) -> None:
    asked = Request(ACTING.messages, tools=TOOLS, temperature=0, seed=1)
    await door.ask("refuses:seed", asked)
    assert ["seed" in body for body in door.server.bodies] == [True, False]
    assert "tools" in door.server.bodies[1]
