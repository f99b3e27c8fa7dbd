"""How likely a given text is: read of echoed prompts, and forced out of llama.cpp; told once where it cannot be."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from duologue.agents.ending import Failure
from duologue.agents.models import weights
from duologue.agents.models.call import CallLimits, Given, Request
from duologue.agents.models.connection import Endpoint
from duologue.agents.models.door import Models, ModelSpec
from duologue.agents.models.given import forced
from duologue.agents.models.known import KNOWN
from duologue.agents.models.local import open_local

REAL = "smollm2-135m"
QUICK = CallLimits(call=60, backoff=0.001, tries=2)
ASKED = Request(prompt="Where to eat?\n", given="Try soup.")


def echoing(servers: Any, tokens: list[str], marks: list[float | None]) -> Any:
    async def behave(call: Any) -> Any:
        whole = servers.completion(call, {"content": "".join(tokens)})
        whole["choices"][0]["logprobs"] = {"tokens": tokens, "token_logprobs": marks}
        return servers.web.json_response(whole)

    return behave


async def told(server: Any, servers: Any, tokens: list[str], marks: list[float | None], asked: Request = ASKED) -> Any:
    server.then(echoing(servers, tokens, marks))
    async with Models() as models:
        model = models.open(ModelSpec(model="openai:m", base_url=server.base_url, limits=QUICK))
        return (await model.complete(asked)).given


async def test_an_echoed_prompt_tells_it(server: Any, servers: Any) -> None:
    tokens = ["Where", " to", " eat", "?", "\n", "Try", " soup", ".", " It"]
    assert await told(server, servers, tokens, [None, -1, -1, -1, -1, -2.0, -3.5, -0.25, -9]) == Given(-5.75, 3)
    (call,) = server.calls
    assert call.path == "/v1/completions"
    assert call.body["prompt"] == "Where to eat?\nTry soup."
    assert (call.body["echo"], call.body["logprobs"], call.body["max_tokens"]) == (True, 1, 1)


@pytest.mark.parametrize(
    ("tokens", "counted"),
    [
        (["<s>", "Where to eat?\n", "Try", " soup."], 2),  # with the mark of a beginning
        (["▁Where", "▁to▁eat?", "\n", "Try", "▁soup."], 2),  # blanks as they stand in a vocabulary
        (["Where", "to", "eat?", "\n", "Try", "soup."], 2),  # without the blanks before words
        (["Where to eat", "?\nTry", " soup", "."], 3),  # one stands on either side
        (["Where to eat?\n", "Try soup."], 1),  # nothing made behind it
    ],
)
async def test_tokens_are_placed_in_the_text(server: Any, servers: Any, tokens: list[str], counted: int) -> None:
    marks: list[float | None] = [None, *[-1.0] * (len(tokens) - 1)]
    assert await told(server, servers, tokens, marks) == Given(-float(counted), counted)


async def test_parts_of_letters_are_placed_too(server: Any, servers: Any) -> None:
    asked = replace(ASKED, prompt="Eat 🍜?\n", given="🍜 it is.")
    tokens = ["Eat", " \ufffd", "\ufffd", "?", "\n", "\ufffd", "\ufffd", " it", " is", ".", " So"]
    marks: list[float | None] = [None, *[-1.0] * 10]
    assert await told(server, servers, tokens, marks, asked) == Given(-5.0, 5)


@pytest.mark.parametrize(
    ("tokens", "marks", "why"),
    [
        (["Where to eat?\n", "Quite", " another"], [None, -1.0, -1.0], "do not spell the text"),
        (["Where to eat?\n", "Try", " soup."], [None, None, -1.0], "leaves out probabilities"),
        (["Where to eat?\n", "Try", " soup."], [None, -1.0], "tells no probabilities"),
    ],
)
async def test_what_cannot_be_trusted_is_refused(
    server: Any, servers: Any, tokens: list[str], marks: list[float | None], why: str
) -> None:
    with pytest.raises(Failure, match=why):
        await told(server, servers, tokens, marks)


@pytest.mark.parametrize(
    ("status", "message"),
    [(404, "This is a chat model and not supported in the v1/completions endpoint"), (400, "echo is not supported")],
)
async def test_an_endpoint_that_cannot_says_so_once(server: Any, servers: Any, status: int, message: str) -> None:
    server.then(servers.error(status, message))
    async with Models() as models:
        model = models.open(ModelSpec(model="openai:m", base_url=server.base_url, limits=QUICK))
        with pytest.raises(Failure, match="does not tell how likely a given text is") as caught:
            await model.complete(ASKED)
    assert message[:20] in caught.value.detail and len(server.calls) == 1


async def test_an_endpoint_without_room_is_asked_again(server: Any, servers: Any) -> None:
    server.then(servers.error(503, "busy"))
    assert await told(server, servers, ["Where to eat?\n", "Try soup."], [None, -2.0]) == Given(-2.0, 1)
    assert len(server.calls) == 2


class Llama:
    """llama.cpp's own paths: a token a word, and of an emoji two parts of a letter."""

    def __init__(self, wrong: bool = False) -> None:
        self.asked: list[dict[str, Any]] = []
        self._words: list[str] = []
        self._wrong = wrong

    async def tokenize(self, request: web.Request) -> web.Response:
        told: list[dict[str, Any]] = []
        for word in re.findall(r"🍜|\s*[^\s🍜]+|\s+", (await request.json())["content"]):
            for part in ([240, 159], [141, 156]) if word == "🍜" else (word,):
                self._words.append(str(part))
                told.append({"id": len(self._words), "piece": part if word == "🍜" else word})
        return web.json_response({"tokens": told})

    async def completion(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        ids = [int(id) for id in re.findall(r"<\[(\d+)\]>", body["grammar"])]
        found = [{"id": id + self._wrong, "logprob": -float(id)} for id in ids]
        return web.json_response({"completion_probabilities": found})


@asynccontextmanager
async def running(llama: Llama) -> AsyncIterator[Endpoint]:
    app = web.Application()
    app.router.add_post("/tokenize", llama.tokenize)
    app.router.add_post("/completion", llama.completion)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    endpoint = Endpoint(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", "none")
    endpoint.enter()
    yield endpoint
    await endpoint.leave()
    await runner.cleanup()


@pytest.fixture
def llama() -> Llama:
    return Llama()


async def test_llama_is_made_to_say_it(llama: Llama) -> None:
    async with running(llama) as endpoint:
        reply = await forced(endpoint, Request(prompt="Where to eat?", given="Try hot soup."), QUICK)
    assert reply.given == Given(-(4.0 + 5 + 6), 3)
    (asked,) = llama.asked
    assert asked["prompt"] == [1, 2, 3] and asked["grammar"] == "root ::= <[4]> <[5]> <[6]>"
    assert (asked["n_predict"], asked["n_probs"], asked["cache_prompt"]) == (3, 1, False)


async def test_parts_of_letters_are_passed_over(llama: Llama) -> None:
    async with running(llama) as endpoint:
        reply = await forced(endpoint, Request(prompt="Eat?", given="Try 🍜 now."), QUICK)
    assert [asked["prompt"] for asked in llama.asked] == [[1], [1, 2, 3, 4, 5]]
    assert reply.given == Given(-(2.0 + 3 + 6), 3)
    assert [asked["cache_prompt"] for asked in llama.asked] == [False, True]


async def test_llama_that_says_something_else_is_not_believed() -> None:
    async with running(Llama(wrong=True)) as endpoint:
        with pytest.raises(Failure, match="something else than it was made to"):
            await forced(endpoint, ASKED, QUICK)


@pytest.mark.parametrize("told", [None, [1, 2], [{"id": 1}]])
async def test_a_llama_that_cuts_no_text_is_told(llama: Llama, told: Any) -> None:
    async def tokenize(request: web.Request) -> web.Response:
        return web.json_response({"tokens": told})

    llama.tokenize = tokenize  # type: ignore[method-assign]
    async with running(llama) as endpoint:
        with pytest.raises(Failure, match="does not tell how likely a given text is: it does not cut a text"):
            await forced(endpoint, ASKED, QUICK)


async def test_a_scripted_model_tells_nothing() -> None:
    async with Models() as models:
        assert (await models.open(ModelSpec(model="scripted:Hi.")).complete(ASKED)).given is None


async def test_the_embedded_model_goes_this_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    standin = str(Path(__file__).parent / "standin")
    monkeypatch.setenv("PYTHONPATH", standin)
    monkeypatch.syspath_prepend(standin)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    model = open_local(str(tmp_path / "tiny.gguf"), CallLimits())
    try:
        assert (await model.complete(ASKED)).given == Given(-8.0, 2)
    finally:
        await model.close()


@pytest.mark.skipif(not weights.found(KNOWN[REAL]), reason=f"the weights of {REAL} are not in the cache")
async def test_the_embedded_model_finds_what_fits_likelier() -> None:
    model = open_local(REAL, CallLimits())
    try:
        likely, unlikely = [
            (await model.complete(Request(prompt="One, two, three,", given=given))).given
            for given in (" four, five.", " cheese 🍜 five.")
        ]
    finally:
        await model.close()
    assert likely and unlikely
    assert -5 < likely.logprob < 0 and unlikely.logprob < likely.logprob - 5
    assert likely.tokens == 4
