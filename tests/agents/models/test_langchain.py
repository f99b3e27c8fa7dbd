import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import SecretStr

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.call import CallLimits, Request, Schema
from duologue.agents.models.door import ModelSpec, open_model
from duologue.agents.models.gate import Gate
from duologue.agents.models.langchain import LangChainModel
from duologue.agents.usage import Usage
from duologue.tasks.tool import Tool
from duologue.tasks.written import BadInput

QUICK = CallLimits(call=60, backoff=0.001, tries=2)
HELLO = Request((Message("system", "Be kind."), Message("user", "Hello")))
FORM = Schema("verdict", {"type": "object", "properties": {"score": {"type": "integer"}}})


def answering(answer: Any) -> LangChainModel:
    return LangChainModel(RunnableLambda(lambda messages: answer), "it", QUICK)


def raising(*errors: Exception) -> tuple[LangChainModel, list[int]]:
    """A runnable that raises each error once and then answers; and how often it was called."""
    calls: list[int] = []

    async def run(messages: Any) -> str:
        calls.append(1)
        if len(calls) <= len(errors):
            raise errors[len(calls) - 1]
        return "Hello."

    return LangChainModel(RunnableLambda(run), "it", QUICK), calls


class Odd(Exception):
    """An error as provider libraries make them."""

    def __init__(self, text: str, **about: Any) -> None:
        super().__init__(text)
        self.__dict__.update(about)


async def test_a_runnable_gets_the_messages_and_may_answer_in_many_forms() -> None:
    seen: list[Any] = []
    model = LangChainModel(RunnableLambda(lambda messages: seen.extend(messages) or "Hi."), "it")  # type: ignore[func-returns-value]
    assert (await model.complete(HELLO)).text == "Hi."
    assert [type(message) for message in seen] == [SystemMessage, HumanMessage]
    for answer in (AIMessage("Hi."), {"messages": [HumanMessage("Hello"), AIMessage("Hi.")]}):
        assert (await answering(answer).complete(HELLO)).text == "Hi."


async def test_another_answer_is_told() -> None:
    with pytest.raises(Failure, match="answered with int"):
        await answering(4).complete(HELLO)


async def test_a_message_is_read_in_full() -> None:
    message = AIMessage(
        content=[
            {"type": "thinking", "thinking": "Apart."},
            {"type": "text", "text": "<think>Inline.</think>Hi."},
        ],
        additional_kwargs={"reasoning_content": "Field."},
        response_metadata={"finish_reason": "length"},
        usage_metadata={
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 15,
            "input_token_details": {"cache_read": 4},
            "output_token_details": {"reasoning": 2},
        },
    )
    reply = await answering(message).complete(HELLO)
    assert (reply.text, reply.reasoning, reply.finish) == ("Hi.", "Field.\n\nApart.\n\nInline.", "length")
    assert reply.usage == Usage(input=10, cached=4, output=5, reasoning=2)


async def test_usage_that_is_not_told_is_unknown() -> None:
    assert (await answering("Hi.").complete(HELLO)).usage == Usage()


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("", response_metadata={"finish_reason": "SAFETY"}),
        AIMessage("", response_metadata={"stop_reason": "refusal"}),
        AIMessage("", additional_kwargs={"refusal": "No."}),
    ],
)
async def test_filters_are_told(message: AIMessage) -> None:
    with pytest.raises(Failure) as caught:
        await answering(message).complete(HELLO)
    assert caught.value.reason == "content_filter"


def _throttled() -> Exception:
    return Odd("ThrottlingException: slow down", response={"ResponseMetadata": {"HTTPStatusCode": 400}})


@pytest.mark.parametrize(
    ("error", "reason", "calls"),
    [
        (lambda: Odd("limit", status_code=429), "rate_limit", 2),
        (lambda: Odd("down", response=Odd("", status_code=503)), "provider_error", 2),
        (lambda: Odd("exhausted", code=429), "rate_limit", 2),
        (_throttled, "rate_limit", 2),
        (lambda: ConnectionResetError("gone"), "provider_error", 2),
        (lambda: TimeoutError("late"), "timeout", 2),
        (lambda: Odd("bad key", status_code=401), "provider_error", 1),
        (lambda: Odd("prompt is too long: 9 tokens > 8 maximum", status_code=400), "context_overflow", 1),
        (lambda: Odd("x", status_code=400, body={"error": {"code": "content_filter"}}), "content_filter", 1),
        (lambda: KeyError("own mistake"), "provider_error", 1),
        (lambda: Failure("context_overflow", "own words"), "context_overflow", 1),
    ],
)
async def test_exceptions_become_failures(error: Callable[[], Exception], reason: str, calls: int) -> None:
    model, called = raising(error(), error())
    with pytest.raises(Failure) as caught:
        await model.complete(HELLO)
    assert (caught.value.reason, len(called)) == (reason, calls)


async def test_what_passes_is_tried_again_and_counted() -> None:
    model, _ = raising(Odd("limit", status_code=429, response=Odd("", headers={"retry-after": "0.01"})))
    reply = await model.complete(HELLO)
    assert (reply.text, reply.usage.retries) == ("Hello.", 1)


async def test_a_provider_that_has_no_room_narrows_its_gate() -> None:
    gate = Gate()
    model, calls = raising(Odd("limit", status_code=429))
    asked = LangChainModel(model.runnable, "it", QUICK, gate)
    assert (await asked.complete(HELLO)).usage.retries == 1
    assert (gate.least, gate.refused, gate.answered, len(calls)) == (1, 1, 1, 2)


async def test_a_call_that_hangs_times_out_and_is_cancelled() -> None:
    stopped: list[int] = []

    async def hang(messages: Any) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(1)
        return ""

    model = LangChainModel(RunnableLambda(hang), "it", QUICK.changed(call=0.05))
    with pytest.raises(Failure) as caught:
        await model.complete(HELLO)
    await asyncio.sleep(0)
    assert (caught.value.reason, len(stopped)) == ("timeout", 2)


async def test_a_chat_model_without_schemas_is_asked_in_words() -> None:
    class Noting(GenericFakeChatModel):
        seen: list[Any] = []  # noqa: RUF012

        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            self.seen.append(messages)
            return super()._generate(messages, *args, **kwargs)

    chat = Noting(messages=iter([AIMessage('{"score": 3}')]))
    model = LangChainModel(chat, "fake", QUICK)
    assert not model.traits.schemas
    assert (await model.complete(Request(HELLO.messages, schema=FORM, max_tokens=4))).text == '{"score": 3}'
    assert '"score"' in chat.seen[0][0].content


async def test_a_chat_model_of_a_provider_goes_the_whole_way(server: Any) -> None:
    async with DefaultAsyncHttpxClient() as client:
        chat = ChatOpenAI(
            model="refuses:seed", base_url=server.base_url, api_key=SecretStr("none"), http_async_client=client
        )
        model = LangChainModel(chat, "openai:refuses:seed", QUICK)
        reply = await model.complete(Request(HELLO.messages, schema=FORM, temperature=0.1, seed=2))
    assert reply.text == '{"score": 3}'
    assert reply.usage.output == 3
    assert [body.get("seed") for body in server.bodies] == [2, None]
    assert server.bodies[0]["response_format"]["type"] == "json_schema"
    assert model.adaptations == ("openai:refuses:seed refuses seed; it is left out",)


async def test_a_provider_is_opened_with_its_retries_off(unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "mirabelle-plum-9")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{unused_tcp_port}")
    model = open_model(ModelSpec(model="azure_openai:some-deployment", limits=QUICK))
    with pytest.raises(Failure, match="azure_openai:some-deployment: Connection error"):
        await model.complete(HELLO)
    assert isinstance(model, LangChainModel)
    assert model.runnable.max_retries == 0  # type: ignore[attr-defined]


def test_a_provider_that_cannot_be_built_is_told() -> None:
    with pytest.raises(BadInput, match="azure_openai:x cannot be opened"):
        open_model(ModelSpec(model="azure_openai:x"))


TOOL = Tool("book", "Book.", {"type": "object", "properties": {"day": {"type": "string"}}}, "Restaurants", "create")
ACTING = Request((Message("user", "A table."),), tools=(TOOL,))


async def test_calls_of_a_chat_model_go_the_whole_way(server: Any, servers: Any) -> None:
    async with DefaultAsyncHttpxClient() as client:
        chat = ChatOpenAI(
            model="say:Booked.", base_url=server.base_url, api_key=SecretStr("none"), http_async_client=client
        )
        model = LangChainModel(chat, "it", QUICK)
        assert model.traits.tools
        good = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": '{"day": "Friday"}'}}
        bad = {"id": "t2", "type": "function", "function": {"name": "book", "arguments": '{"day": '}}
        server.then(servers.say("A moment.", "tool_calls", tool_calls=[good, bad]))
        reply = await model.complete(ACTING)
        assert reply.calls == (ToolCall("t1", "book", {"day": "Friday"}), ToolCall("t2", "book", '{"day": '))
        assert reply.text == "A moment."
        answers = (Message("tool", "{}", call="t1"), Message("tool", '{"error": "no"}', call="t2"))
        seen = (*ACTING.messages, Message("assistant", "", reply.calls), *answers)
        assert (await model.complete(Request(seen, tools=(TOOL,)))).text == "Booked."
    assert server.bodies[0]["tools"][0]["function"]["name"] == "book"
    assert [m["role"] for m in server.bodies[1]["messages"]] == ["user", "assistant", "tool", "tool"]
    assert [m.get("tool_call_id") for m in server.bodies[1]["messages"]] == [None, None, "t1", "t2"]
    assert [call["id"] for call in server.bodies[1]["messages"][1]["tool_calls"]] == ["t1", "t2"]


async def test_a_chat_model_whose_server_refuses_tools_is_told(server: Any, servers: Any) -> None:
    async with DefaultAsyncHttpxClient() as client:
        chat = ChatOpenAI(model="x", base_url=server.base_url, api_key=SecretStr("none"), http_async_client=client)
        model = LangChainModel(chat, "it", QUICK)
        server.then(servers.error(400, "library/small does not support tools"))
        with pytest.raises(Failure, match='it takes no tools; write tools = "text"'):
            await model.complete(ACTING)
    assert len(server.calls) == 1


async def test_what_cannot_bind_tools_takes_none() -> None:
    fake = LangChainModel(GenericFakeChatModel(messages=iter([AIMessage("Hi.")])), "fake")
    for model in (fake, answering("Hi.")):
        assert not model.traits.tools
        with pytest.raises(Failure, match="takes no tools"):
            await model.complete(ACTING)


async def test_the_older_form_of_a_call_is_read() -> None:
    older = AIMessage("", additional_kwargs={"function_call": {"name": "book", "arguments": '{"day": "Friday"}'}})
    assert (await answering(older).complete(HELLO)).calls == (ToolCall("", "book", {"day": "Friday"}),)
