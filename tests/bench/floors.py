"""The calls of the engine's bench, made by hand: `python tests/bench/floors.py sdk|aiohttp URL DIALOGUES AT_ONCE`.

Standard input holds the bodies of the calls of one dialogue as Duologue makes them, as a JSON list: prompts, schemas
and parameters are taken from there. Nothing is checked, logged or shown. Prints the seconds that it took.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

TURNS = 5
Ask = Callable[[dict[str, Any]], Awaitable[Any]]


@asynccontextmanager
async def sdk(url: str) -> AsyncIterator[Ask]:
    """Through the openai SDK: its aiohttp transport and its low-level post."""
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async def ask(body: dict[str, Any]) -> Any:
        answer = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        return json.loads(answer.content)

    transport = DefaultAioHttpClient(trust_env=False)
    async with AsyncOpenAI(base_url=url, api_key="none", http_client=transport, max_retries=0, timeout=None) as client:
        yield ask


@asynccontextmanager
async def aiohttp(url: str) -> AsyncIterator[Ask]:
    """Through aiohttp alone."""
    from aiohttp import ClientSession, TCPConnector

    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}

    async def ask(body: dict[str, Any]) -> Any:
        async with session.post(f"{url}/chat/completions", data=json.dumps(body).encode(), headers=headers) as answer:
            return json.loads(await answer.read())

    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        yield ask


async def talk(ask: Ask, sample: dict[str, dict[str, Any]]) -> None:
    """One dialogue of five turns a side, and the judge's verdict on it."""
    user, assistant = (list(sample[role]["messages"]) for role in ("user", "assistant"))
    turns: list[str] = []
    for turn in range(1, TURNS + 1):
        wish = json.loads(await said(ask, {**sample["user"], "messages": user}))["message"]
        user.append({"role": "assistant", "content": wish})
        assistant.append({"role": "user", "content": wish})
        reply = await said(ask, {**sample["assistant"], "messages": assistant})
        user.append({"role": "user", "content": reply})
        assistant.append({"role": "assistant", "content": reply})
        turns += [f"[{turn}] user:\n| {wish}", f"[{turn}] assistant:\n| {reply}"]
    guide, case = sample["judge"]["messages"]
    told = {"role": "user", "content": "\n".join([case["content"], *turns])}
    json.loads(await said(ask, {**sample["judge"], "messages": [guide, told]}))


async def said(ask: Ask, body: dict[str, Any]) -> str:
    answer = await ask(body)
    return str(answer["choices"][0]["message"]["content"])


def first_of_each(bodies: list[str]) -> dict[str, dict[str, Any]]:
    """The first body of each role; of the judge's case only what stands before the turns."""
    sample: dict[str, dict[str, Any]] = {}
    for body in map(json.loads, bodies):
        sample.setdefault(body["model"], body)
    sample["assistant"]["messages"] = sample["assistant"]["messages"][:1]
    case = sample["judge"]["messages"][-1]
    case["content"] = case["content"].partition("[1] user:")[0]
    return sample


async def work(ask: Ask, sample: dict[str, dict[str, Any]], queue: Iterator[int]) -> None:
    for _ in queue:
        await talk(ask, sample)


async def perform(contender: str, url: str, dialogues: int, at_once: int, bodies: list[str]) -> float:
    """Hold the dialogues; gives the seconds from the first call to the last answer."""
    sample, queue = first_of_each(bodies), iter(range(dialogues))
    async with {"sdk": sdk, "aiohttp": aiohttp}[contender](url) as ask:
        begun = time.time()
        await asyncio.gather(*(work(ask, sample, queue) for _ in range(min(at_once, dialogues))))
        return time.time() - begun


if __name__ == "__main__":
    _, which, address, many, together = sys.argv
    print(asyncio.run(perform(which, address, int(many), int(together), json.load(sys.stdin))))
