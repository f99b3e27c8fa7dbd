"""Probabilities with an answer: asked for where somebody wants them, read, kept, and done without for good where an
endpoint does not give them."""

import math
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.answer import likely
from duologue.agents.models.call import CallLimits, Request, Token
from duologue.agents.models.door import Models, ModelSpec
from duologue.agents.models.fault import context_in
from duologue.agents.models.langchain import LangChainModel

QUICK = CallLimits(call=60, backoff=0.001, tries=2)
ASKED = Request((Message("user", "Grade it."),), temperature=0, seed=1, likely=5)
TOLD = {
    "content": [
        {"token": "4", "logprob": math.log(0.75), "bytes": [52], "top_logprobs": [
            {"token": "4", "logprob": math.log(0.75)}, {"token": "3", "logprob": math.log(0.2)},
            {"token": "x", "logprob": -40.0},
        ]}
    ]
}  # fmt: skip
READ = (Token("4", (("4", 0.75), ("3", 0.2))),)


def telling(servers: Any, told: Any = TOLD) -> Any:
    """Answer with probabilities, whether they were asked for or not."""

    async def behave(call: Any) -> Any:
        whole = servers.completion(call, {"content": "4"})
        whole["choices"][0]["logprobs"] = told
        return servers.web.json_response(whole)

    return behave


@pytest_asyncio.fixture
async def models() -> AsyncIterator[Models]:
    async with Models() as opened:
        yield opened


def spec(server: Any) -> ModelSpec:
    return ModelSpec(model="openai:m", base_url=server.base_url, limits=QUICK)


async def test_they_are_asked_for_and_read(models: Models, server: Any, servers: Any) -> None:
    server.then(telling(servers), telling(servers))
    model = models.open(spec(server))
    reply = await model.complete(ASKED)
    assert (reply.text, reply.tokens) == ("4", READ)
    assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 5)
    await model.complete(replace(ASKED, likely=0))
    assert not {"logprobs", "top_logprobs"} & set(server.bodies[1])
    assert model.adaptations == ()


async def test_an_endpoint_that_says_nothing_of_them_costs_nothing(models: Models, server: Any) -> None:
    model = models.open(spec(server))
    assert [(await model.complete(ASKED)).tokens for _ in range(3)] == [(), (), ()]
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("status", "message", "param"),
    [
        (400, "Unsupported parameter: 'logprobs' is not supported with this model.", "logprobs"),
        (403, "You are not allowed to request logprobs from this model.", None),
        (400, "Logprobs is not enabled for models/m", None),
        (422, "top_logprobs: extra inputs are not permitted", None),
        (400, "`log_probs` unavailable", None),
        (500, "logprobs requires a different backend", None),
        (400, "Bad request", None),
        (422, "invalid body", None),
        (400, "unknown field", None),
    ],
)
async def test_a_refusal_is_learnt_once_for_good(
    models: Models, server: Any, servers: Any, status: int, message: str, param: str | None
) -> None:
    def refuse(call: Any) -> Any:
        return servers.error(status, message, None, param) if "logprobs" in call.body else servers.say("4")

    server.behave = refuse
    model = models.open(spec(server))
    replies = [await model.complete(ASKED) for _ in range(3)]
    assert [(reply.text, reply.tokens) for reply in replies] == [("4", ())] * 3
    assert ["logprobs" in body for body in server.bodies] == [True, False, False, False]
    assert not [body for body in server.bodies[1:] if "top_logprobs" in body]
    assert len(model.adaptations) == 1
    assert "tells no probabilities" in model.adaptations[0]
    assert server.bodies[1]["temperature"] == 0


async def test_another_refusal_is_still_learnt_beside_it(models: Models, server: Any, servers: Any) -> None:
    server.behave = lambda call: servers.refuses("temperature", telling(servers))
    model = models.open(spec(server))
    assert (await model.complete(ASKED)).tokens == READ
    assert (await model.complete(ASKED)).tokens == READ
    assert [("temperature" in body, "logprobs" in body) for body in server.bodies] == [
        (True, True), (False, True), (False, True),
    ]  # fmt: skip


@pytest.mark.parametrize("status", [401, 404, 400])
async def test_what_fails_without_them_too_fails_as_ever(
    models: Models, server: Any, servers: Any, status: int
) -> None:
    server.behave = lambda call: servers.error(status, "No such model", "model_not_found")
    with pytest.raises(Failure) as failed:
        await models.open(spec(server)).complete(ASKED)
    assert failed.value.reason == "provider_error"
    assert "No such model" in failed.value.detail
    assert len(server.calls) == (2 if status == 400 else 1)


@pytest.mark.parametrize(
    "told",
    [
        None, [], {}, {"content": None}, {"content": [{"token": "4"}]},
        {"content": [{"token": "4", "top_logprobs": None}]},
        {"content": [{"token": "4", "top_logprobs": [{"token": "4", "logprob": "high"}]}]},
        {"content": [{"token": "4", "top_logprobs": [{"token": "4", "logprob": None}]}]},
        {"content": ["4"]}, {"content": [{"token": "4", "top_logprobs": [{"token": "4", "logprob": 1e9}]}]},
        {"tokens": ["4"], "top_logprobs": [{"4": -0.1}]},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_nothing(told: Any) -> None:
    assert likely(told) == ()


async def test_they_come_back_from_the_cache_and_are_part_of_its_key(server: Any, servers: Any, tmp_path: Path) -> None:
    server.then(telling(servers), servers.say("4"))
    requests = [ASKED, replace(ASKED, likely=0)]
    for stored in (0, 1):
        async with Models(tmp_path / "c.db") as models:
            model = models.open(spec(server))
            replies = [await model.complete(request) for request in requests]
        assert [reply.tokens for reply in replies] == [READ, ()]
        assert [reply.usage.stored for reply in replies] == [stored, stored]
    assert len(server.calls) == 2


async def test_langchain_tells_them_where_its_model_has_them(server: Any, servers: Any) -> None:
    chat = ChatOpenAI(model="m", base_url=server.base_url, api_key="none", max_retries=0)  # type: ignore[arg-type]
    server.then(telling(servers))
    assert (await LangChainModel(chat, "it", QUICK).complete(ASKED)).tokens == READ
    assert server.bodies[0]["top_logprobs"] == 5
    message = AIMessage("4", response_metadata={"logprobs": TOLD})
    seen: list[Any] = []
    other = LangChainModel(RunnableLambda(lambda asked, config: seen.append(config) or message), "it", QUICK)  # type: ignore[func-returns-value]
    assert (await other.complete(ASKED)).tokens == READ
    assert other.adaptations == ()


@pytest.mark.parametrize(
    ("told", "room"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 8192),
        ("request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("maximum context length of 131,072 tokens", 131072),
        ('{"n_prompt_tokens":9001,"n_ctx":8192}', 8192),
        ("Your input exceeds the context window of this model: context_length_exceeded", None),
        ("prompt is too long: 9001 tokens", None),
    ],
)
def test_an_overflow_tells_how_much_the_context_holds(told: str, room: int | None) -> None:
    assert context_in(told) == room


async def test_a_context_that_was_told_once_is_known(models: Models, server: Any, servers: Any) -> None:
    model = models.open(spec(server))
    assert model.traits.context is None
    server.then(servers.BEHAVIOURS["overflow"]("vllm"))
    with pytest.raises(Failure):
        await model.complete(ASKED)
    assert model.traits.context == 8192
