"""An HTTP endpoint as the assistant, against real servers on loopback."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from duologue.agents.ending import Failure
from duologue.agents.endpoint import EndpointAssistant, EndpointSpec
from duologue.agents.message import ToolCall
from duologue.agents.models.call import CallLimits
from duologue.agents.transcript import Action
from duologue.tasks.tool import Tool, as_function
from duologue.tasks.written import BadInput, parse

from .speaking import talk

SCRIPT = talk("Hi", "Hello.", 'A "table" {{context}}!')
QUICK = CallLimits(call=5, tries=3, backoff=0.001)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_post("/chat", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/chat"
    finally:
        await runner.cleanup()


async def asked(handler: Handler, limits: CallLimits = QUICK, **spec: Any) -> Any:
    async with serving(handler) as url:
        assistant = EndpointAssistant(
            EndpointSpec(url=url, **spec), session_id="s1", context="about Dana", limits=limits
        )
        try:
            return await assistant.speak(SCRIPT)
        finally:
            await assistant.close()


async def failure(handler: Handler, **spec: Any) -> tuple[str, str]:
    with pytest.raises(Failure) as caught:
        await asked(handler, **spec)
    return caught.value.reason, caught.value.detail


def says(data: Any) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.json_response(data)

    return handler


async def test_the_body_is_filled_by_structure_not_by_text() -> None:
    got: list[Any] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        got.append(await request.json())
        return web.json_response({"reply": "Done."})

    body = {
        "q": "{{message}}",
        "all": ["{{messages}}"],
        "meta": {"who": "{{context}}", "id": "{{session_id}}", "n": 3, "note": "id {{session_id}}: {{message}}"},
    }
    said = await asked(handler, body=body)
    words = 'A "table" {{context}}!'
    assert said.text == "Done."
    assert got[0]["q"] == words
    assert [m["content"] for m in got[0]["all"][0]] == ["Hi", "Hello.", words]
    assert got[0]["meta"] == {"who": "about Dana", "id": "s1", "n": 3, "note": f"id s1: {words}"}


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("reply", {"reply": "Grüezi 👋"}),
        ("choices.0.message.content", {"choices": [{"message": {"content": "Grüezi 👋"}}]}),
        ("out.-1", {"out": ["a", "Grüezi 👋"]}),
        ("0.text", [{"text": "Grüezi 👋"}]),
    ],
)
async def test_the_reply_is_read_at_its_path(path: str, data: Any) -> None:
    assert (await asked(says(data), reply=path)).text == "Grüezi 👋"


async def test_an_empty_reply_is_a_reply() -> None:
    assert (await asked(says({"reply": ""}))).text == ""


@pytest.mark.parametrize(
    ("path", "data", "told"),
    [
        ("reply", {"answer": "x", "id": 1}, "no 'reply' in the answer; keys are answer, id"),
        ("choices.0.text", {"choices": []}, "no '0' in the answer; it is a list of 0"),
        ("reply.text", {"reply": "x"}, "no 'text' in the answer; it is str"),
        ("reply", {"reply": None}, "'reply' holds NoneType, not text"),
        ("reply", {"error": {"message": "no model"}}, "no model"),
    ],
)
async def test_a_wrong_path_says_what_stands_there(path: str, data: Any, told: str) -> None:
    reason, detail = await failure(says(data), reply=path)
    assert reason == "provider_error" and told in detail


async def test_a_page_with_status_200_is_told_as_one() -> None:
    async def page(request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html><body>Login</body></html>", content_type="text/html")

    reason, detail = await failure(page)
    assert reason == "provider_error" and "an HTML page" in detail


async def test_headers_come_from_the_environment_and_appear_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hush-hush-4711")
    monkeypatch.setenv("MY_TOKEN", "psst-psst-4712")
    got: list[str] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        got.extend([request.headers["X-Key"], request.headers["Authorization"], request.headers["X-Team"]])
        return web.json_response({"detail": f"bad key {got[0]}"}, status=403)

    _, detail = await failure(handler, headers={"X-Key": "env:MY_KEY", "X-Team": "blue"}, bearer="MY_TOKEN")
    assert got == ["hush-hush-4711", "Bearer psst-psst-4712", "blue"]
    assert "403" in detail and "4711" not in detail


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"headers": {"X-Key": "hush-hush-4711"}}, "X-Key looks like a secret; write env:NAME"),
        ({"headers": {"Authorization": "Bearer abcdefghijk"}}, "looks like a secret"),
        ({"headers": {"X-Team": "sk-abcdefghijklmnop"}}, "looks like a secret"),
        ({"bearer": "sk-abcdefghijklmnop"}, "not a token"),
        ({"url": "localhost:80/chat"}, "is no address"),
        ({"body": {"text": "hello"}}, "nothing of the dialogue would be sent"),
        ({"repply": "x"}, "unknown key 'repply', did you mean 'reply'"),
    ],
)
def test_what_is_written_wrongly_is_told(spec: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        parse(EndpointSpec, {"url": "http://127.0.0.1/chat", **spec}, "campaign.toml")
    assert "4711" not in str(caught.value) and "abcdefgh" not in str(caught.value)


def test_a_variable_that_is_not_set_is_told_before_any_call() -> None:
    spec = EndpointSpec(url="http://127.0.0.1/chat", bearer="NO_SUCH_VARIABLE_OF_OURS")
    with pytest.raises(BadInput, match=r"NO_SUCH_VARIABLE_OF_OURS holds nothing. Set NO_SUCH"):
        EndpointAssistant(spec, session_id="s")


async def test_passing_troubles_are_tried_again_and_counted() -> None:
    calls = 0

    async def busy(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        if calls < 3:
            return web.json_response({"error": "busy"}, status=429, headers={"Retry-After": "0"})
        return web.json_response({"reply": "Done."})

    said = await asked(busy)
    assert (said.text, said.usage.retries, calls) == ("Done.", 2, 3)


@pytest.mark.parametrize(
    ("status", "text", "reason", "tries"),
    [
        (429, "slow down", "rate_limit", 3),
        (503, "busy", "provider_error", 3),
        (404, "nothing here", "provider_error", 1),
        (400, '{"error": {"code": "content_filter", "message": "no"}}', "content_filter", 1),
    ],
)
async def test_statuses_are_blamed_rightly(status: int, text: str, reason: str, tries: int) -> None:
    calls = 0

    async def refuses(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        return web.Response(status=status, text=text)

    assert (await failure(refuses))[0] == reason
    assert calls == tries


async def test_silence_is_a_timeout() -> None:
    async def hangs(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(20)
        return web.Response()

    reason, detail = await failure(hangs, limits=CallLimits(call=0.1, tries=2, backoff=0.001))
    assert reason == "timeout" and "tried 2 times" in detail


async def test_no_first_byte_is_a_timeout_that_says_so() -> None:
    async def hangs(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(20)
        return web.Response()

    async def dawdles(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        await asyncio.sleep(0.5)
        await answer.write(b'{"reply": "Done."}')
        return answer

    limits = CallLimits(first_byte=0.25, tries=2, backoff=0.001)
    reason, detail = await failure(hangs, limits=limits)
    assert reason == "timeout" and "no byte from http://127.0.0.1" in detail and "within 0.25 s (tried 2" in detail
    assert (await asked(dawdles, limits=limits)).text == "Done."


async def test_nobody_there_is_told() -> None:
    async with serving(says({})) as url:
        pass
    assistant = EndpointAssistant(EndpointSpec(url=url), session_id="s", limits=QUICK)
    with pytest.raises(Failure, match="provider_error"):
        await assistant.speak(SCRIPT)
    await assistant.close()
    await assistant.close()


def test_only_a_session_cannot_be_rebuilt() -> None:
    spec = EndpointSpec(url="http://127.0.0.1/chat")
    assert EndpointAssistant(spec, session_id="s").rebuildable
    assert not EndpointAssistant(spec.changed(session=True), session_id="s").rebuildable


BOOK = Tool("book", "Book.", {"type": "object", "properties": {"day": {"type": "string"}}}, "Restaurants", "create")
FUNCTION = {"name": "book", "arguments": '{"day": "Friday"}'}
CALLED = {"choices": [{"message": {"content": None, "tool_calls": [{"id": "t1", "function": FUNCTION}]}}]}
PATHS = {"reply": "choices.0.message.content", "calls": "choices.0.message.tool_calls"}


async def test_it_is_told_of_tools_and_of_what_they_answered() -> None:
    got: list[Any] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        got.append(await request.json())
        return web.json_response({"reply": "Booked."})

    body = {"m": "{{messages}}", "tools": "{{tools}}", "since": "{{results}}", "say": "{{message}}"}
    done = Action(2, 1, ToolCall("t1", "book", {"day": "Friday"}), {"id": 1})
    async with serving(handler) as url:
        assistant = EndpointAssistant(EndpointSpec(url=url, body=body), session_id="s1", tools=[BOOK], limits=QUICK)
        for script in (SCRIPT, SCRIPT.and_done(done)):
            await assistant.speak(script)
        await assistant.close()
    answered = {"role": "tool", "tool_call_id": "t1", "content": '{"id": 1}'}
    assert [each["tools"] for each in got] == [[as_function(BOOK)]] * 2
    assert [each["since"] for each in got] == [[], [answered]]
    assert [each["say"] for each in got] == [SCRIPT.messages[-1].text] * 2
    assert got[1]["m"][-1] == answered and got[1]["m"][-2]["tool_calls"][0]["function"] == FUNCTION


async def test_calls_are_read_at_their_path_and_the_reply_may_be_missing_beside_them() -> None:
    said = await asked(says(CALLED), **PATHS)
    assert (said.text, said.calls) == ("", (ToolCall("t1", "book", {"day": "Friday"}),))
    said = await asked(says({"calls": [FUNCTION]}), calls="calls")
    assert (said.text, said.calls) == ("", (ToolCall("", "book", {"day": "Friday"}),))
    for beside in ({}, {"calls": []}, {"calls": None}):
        said = await asked(says({"reply": "Hm.", **beside}), calls="calls")
        assert (said.text, said.calls) == ("Hm.", ())


@pytest.mark.parametrize(("calls", "told"), [("book", "holds no tool calls"), ([{"x": 1}], "has no name")])
async def test_what_stands_at_the_path_of_calls_and_is_none_is_told(calls: Any, told: str) -> None:
    reason, detail = await failure(says({"reply": "Hm.", "calls": calls}), calls="calls")
    assert reason == "provider_error" and told in detail
