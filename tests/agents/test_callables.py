"""A Python callable as the assistant: its signature, its faults, its silence."""

import asyncio
import functools
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.callables import CallableAssistant, check_signature, load
from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.transcript import Action
from duologue.tasks.tool import Tool, as_function
from duologue.tasks.written import BadInput

from .speaking import talk

SCRIPT = talk("Hi", "Hello.", "A table!")


def seat(function: Callable[..., Any], **options: Any) -> CallableAssistant:
    return CallableAssistant(function, session_id="s1", context="about Dana", **options)


async def failure(function: Callable[..., Any], **options: Any) -> tuple[str, str]:
    with pytest.raises(Failure) as caught:
        await seat(function, **options).speak(SCRIPT)
    return caught.value.reason, caught.value.detail


async def test_it_gets_the_dialogue_and_what_else_it_takes() -> None:
    got: dict[str, Any] = {}

    def every(messages: list[dict[str, str]], **rest: Any) -> str:
        got.update(rest, messages=messages)
        return "Done."

    assert (await seat(every).speak(SCRIPT)).text == "Done."
    assert got["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "A table!"},
    ]
    assert (got["tools"], got["context"], got["session_id"]) == ([], "about Dana", "s1")

    async def some(history: list[Any], session_id: str, other: int = 3) -> str:
        return f"{len(history)} {session_id} {other}"

    assert (await seat(some).speak(SCRIPT)).text == "3 s1 3"


@pytest.mark.parametrize("result", ["Hm.", Message("assistant", "Hm."), {"role": "assistant", "content": "Hm."}])
async def test_text_a_message_and_a_mapping_are_replies(result: Any) -> None:
    assert (await seat(lambda messages: result).speak(SCRIPT)).text == "Hm."


async def test_an_empty_text_is_a_reply() -> None:
    assert (await seat(lambda messages: "").speak(SCRIPT)).text == ""


@pytest.mark.parametrize("result", [None, 3, {"text": "Hm."}, {"content": None}, ["Hm."]])
async def test_anything_else_is_the_assistants_error(result: Any) -> None:
    reason, detail = await failure(lambda messages: result)
    assert reason == "error" and detail.startswith("the callable returned")


class Bot:
    async def __call__(self, messages: list[Any]) -> str:
        await asyncio.sleep(0)
        return "async object"

    def reply(self, messages: list[Any], context: str) -> str:
        return context


async def test_objects_methods_and_partials_are_called_too() -> None:
    assert (await seat(Bot()).speak(SCRIPT)).text == "async object"
    assert (await seat(Bot().reply).speak(SCRIPT)).text == "about Dana"
    assert (await seat(functools.partial(lambda messages, tone: tone, tone="calm")).speak(SCRIPT)).text == "calm"


async def test_what_it_raises_is_told_in_one_line_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_API_KEY", "very-secret-value-123")

    def broken(messages: list[Any]) -> str:
        raise ValueError("no\nsuch table very-secret-value-123")

    async def broken_too(messages: list[Any]) -> str:
        raise ValueError("no such table")

    reason, detail = await failure(broken)
    assert reason == "error"
    assert detail.startswith("ValueError: no such table [secret] (test_callables.py:")
    assert (await failure(broken_too))[1].startswith("ValueError: no such table (test_callables.py:")


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), TimeoutError(), StopIteration()])
async def test_even_an_exit_of_its_own_is_its_error(error: BaseException) -> None:
    def leaves(messages: list[Any]) -> str:
        raise error

    async def leaves_too(messages: list[Any]) -> str:
        raise error

    assert (await failure(leaves))[0] == "error"
    if not isinstance(error, StopIteration):
        assert (await failure(leaves_too))[0] == "error"


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
async def test_a_break_raised_by_its_own_thread_is_its_error(error: type[BaseException]) -> None:
    def breaks(messages: list[Any]) -> str:
        raise error

    assert (await failure(breaks, timeout=5))[0] == "error"


async def test_an_async_one_that_cancels_itself_is_in_error() -> None:
    async def cancels(messages: list[Any]) -> str:
        raise asyncio.CancelledError

    assert (await failure(cancels))[0] == "error"


async def test_a_hung_one_times_out_and_stops_no_other() -> None:
    released = threading.Event()

    def hangs(messages: list[Any]) -> str:
        released.wait(20)
        return "late"

    async def hangs_too(messages: list[Any]) -> str:
        await asyncio.sleep(20)
        return "late"

    began = time.monotonic()
    late = [asyncio.create_task(failure(f, timeout=0.2)) for f in (hangs, hangs_too)]
    assert (await seat(lambda messages: "quick").speak(SCRIPT)).text == "quick"
    assert [reason for reason, _ in await asyncio.gather(*late)] == ["timeout", "timeout"]
    assert time.monotonic() - began < 5
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "duologue-callable")
    released.set()


async def test_leaving_the_dialogue_ends_the_call() -> None:
    ended = asyncio.Event()

    async def waits(messages: list[Any]) -> str:
        try:
            await asyncio.sleep(20)
        finally:
            ended.set()
        return ""

    task = asyncio.create_task(seat(waits).speak(SCRIPT))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 2)


def _nothing() -> str:
    return ""


def _context_first(context: str) -> str:
    return context


def _wants_more(messages: list[Any], temprature: float) -> str:
    return ""


def _near(messages: list[Any], sesion_id: str) -> str:
    return ""


def _keywords(*, messages: list[Any]) -> str:
    return ""


@pytest.mark.parametrize("function", [_nothing, _context_first, _wants_more, _near, _keywords, 3, Bot, "text"])
def test_a_wrong_signature_is_told_before_any_call(function: Any) -> None:
    with pytest.raises(BadInput, match=r"def reply\(messages\)"):
        check_signature(function, "bot:reply")


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(BadInput, match="did you mean 'session_id'"):
        check_signature(_near)


def test_stateful_ones_cannot_be_rebuilt() -> None:
    assert seat(lambda messages: "").rebuildable
    assert not seat(lambda messages: "", stateful=True).rebuildable


async def test_load_from_a_file_and_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "words_of_bot.py").write_text("HELLO = 'Grüezi'\n", encoding="utf-8")
    (tmp_path / "my_bot.py").write_text(
        "from words_of_bot import HELLO\ncalls = []\n"
        "def reply(messages):\n    calls.append(1)\n    return f'{HELLO} {len(calls)}'\n"
        "class Bot:\n    def say(self, messages):\n        return 'bot'\nbot = Bot()\n",
        encoding="utf-8",
    )
    assert (await seat(load("my_bot.py:reply", tmp_path)).speak(SCRIPT)).text == "Grüezi 1"
    assert (await seat(load("my_bot.py:reply", tmp_path)).speak(SCRIPT)).text == "Grüezi 2"
    assert (await seat(load("my_bot:bot.say", tmp_path)).speak(SCRIPT)).text == "bot"
    for name in ("my_bot", "words_of_bot"):
        del sys.modules[name]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("nothing", "names no callable"),
        ("gone.py:reply", "no such file"),
        ("no_such_module_of_ours:reply", "cannot be imported .ModuleNotFoundError"),
        ("bad.py:reply", "cannot be imported .ZeroDivisionError: division by zero .bad.py:1"),
        ("exits.py:reply", "cannot be imported .SystemExit"),
        ("broken.py:reply", "cannot be imported .SyntaxError"),
        ("fine.py:replly", "no 'replly' in it, did you mean 'reply'"),
        ("fine.py:wrong", r"def reply\(messages\)"),
    ],
)
def test_what_cannot_be_loaded_is_told(target: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    texts = {
        "bad": "1 / 0",
        "exits": "raise SystemExit(0)",
        "broken": "def (",
        "fine": "def reply(messages): ...\ndef wrong(): ...",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=told):
        load(target, tmp_path)


BOOK = Tool("book", "Book.", {"type": "object", "properties": {"day": {"type": "string"}}}, "Restaurants", "create")
CALL = ToolCall("t1", "book", {"day": "Friday"})


async def test_it_gets_tools_as_functions_and_its_calls_with_their_answers_among_the_messages() -> None:
    got: dict[str, Any] = {}

    def acting(messages: list[dict[str, Any]], tools: list[Any]) -> str:
        got.update(messages=messages, tools=tools)
        tools[0]["function"]["parameters"].clear()
        return "Booked."

    script = SCRIPT.and_done(Action(2, 1, CALL, {"id": 1}, text="A moment."))
    assert (await seat(acting, tools=[BOOK]).speak(script)).text == "Booked."
    assert got["tools"][0]["function"]["name"] == "book"
    assert as_function(BOOK)["function"]["parameters"]["properties"]
    assert got["messages"][3:] == [
        {
            "role": "assistant",
            "content": "A moment.",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "book", "arguments": '{"day": "Friday"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": '{"id": 1}'},
    ]


async def test_what_it_does_to_its_tools_is_gone_at_its_next_turn() -> None:
    got = []

    def spoiling(messages: list[dict[str, Any]], tools: list[Any]) -> str:
        got.append([tool["function"]["name"] for tool in tools])
        tools[0]["function"]["name"] = "gone"
        tools.clear()
        return "Hm."

    assistant = seat(spoiling, tools=[BOOK])
    for _ in range(2):
        await assistant.speak(SCRIPT)
    assert got == [["book"], ["book"]]


FUNCTION = {"name": "book", "arguments": {"day": "Friday"}}


@pytest.mark.parametrize(
    "result",
    [
        Message("assistant", "", calls=(CALL,)),
        {"content": None, "tool_calls": [{"id": "t1", "type": "function", "function": FUNCTION}]},
        {"tool_calls": [{"id": "t1", "function": {"name": "book", "arguments": '{"day": "Friday"}'}}]},
        {"content": "", "tool_calls": ({"id": "t1", **FUNCTION},)},
        {"tool_calls": [CALL]},
    ],
)
async def test_calls_come_in_a_message_or_in_the_common_form(result: Any) -> None:
    said = await seat(lambda messages: result).speak(SCRIPT)
    assert (said.text, said.calls) == ("", (CALL,))


async def test_arguments_of_any_kind_become_plain_json() -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd"

    circle: dict[str, Any] = {}
    circle["self"] = circle
    for given, plain in (({"a": (1, 2), 3: {Odd()}}, {"a": [1, 2], "3": ["odd"]}), ({(1, 2): 3}, "{(1, 2): 3}")):
        result = {"tool_calls": [{"name": "book", "arguments": given}]}
        said = await seat(lambda messages, result=result: result).speak(SCRIPT)  # type: ignore[misc]
        assert said.calls == (ToolCall("", "book", plain),)
    said = await seat(lambda messages: {"tool_calls": [{"name": "book", "arguments": circle}]}).speak(SCRIPT)
    assert isinstance(said.calls[0].arguments, str)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([{"arguments": {}}], "a tool call has no name; its keys are arguments"),
        (["book"], "a tool call is str, not an object"),
        ("book", "tool_calls holds str, not a list"),
        ({"name": "book"}, "tool_calls holds dict, not a list"),
    ],
)
async def test_calls_that_are_none_are_its_error(calls: Any, told: str) -> None:
    reason, detail = await failure(lambda messages: {"tool_calls": calls})
    assert reason == "error" and told in detail
