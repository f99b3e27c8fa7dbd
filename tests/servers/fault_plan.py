"""A server on loopback whose answers and faults are a function of a seed and of what it is asked alone.

So a run that is killed and gone on with meets what an undisturbed one meets. Faults that pass come the first time or
the first two times that a very request is made; final ones always.

    python -m tests.servers.fault_plan --seed 1 --share 0.2

Prints its address; when its standard input ends, what it gave, as one line of JSON.
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from aiohttp import web
from tests.bench.endpoint import words
from tests.servers.openai_server import (
    BEHAVIOURS,
    Behaviour,
    Call,
    OpenAIServer,
    body,
    completion,
    drip,
    error,
    fill,
    say,
    schema_of,
    turns_before,
)  # fmt: skip

FINAL_SHARE = 0.15
"""Of the faults."""
QUICKEST, SLOWEST = 0.005, 0.03
"""Seconds that an answer takes."""
STOPS = 0.25
"""How likely a user stops, from its second turn on."""
STALL = 1.0
ODD = 0.1
"""The share of good answers in an uncommon form."""
EMPTY, OTHERS_VOICE = 0.01, 0.03
"""The shares of answers without a word, and of a user's turns that its guard discards."""
DESK = re.compile(r"Desk (\w+)\.")
FOR_ACTORS, TOO_MANY = "too many calls at once", 65

_BUSY = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
PASSING: Mapping[str, tuple[Behaviour, int]] = {
    "429": (error(429, "Rate limit reached", "rate_limit_exceeded"), 6),
    "429 with Retry-After": (error(429, "Rate limit reached", "rate_limit_exceeded", retry_after="0.03"), 6),
    "500": (error(500, "The server had an error"), 8),
    "503": (error(503, "Overloaded"), 4),
    "529": (body(_BUSY, 529), 4),
    "hang": (BEHAVIOURS["hang"](""), 1),
    "a byte now and then": (drip(0.1), 1),
    "truncated": (BEHAVIOURS["truncated"](""), 8),
    "closes midway": (BEHAVIOURS["close"](""), 8),
    "hangs up": (BEHAVIOURS["hang-up"](""), 8),
    "no choices": (BEHAVIOURS["empty-choices"](""), 8),
    "no body": (body(""), 6),
    "error in a 200, passing": (body('{"error":{"message":"Overloaded","code":503}}'), 6),
    "finish reason error": (say("", "error"), 4),
    "calls that are none": (say(None, "tool_calls", tool_calls=[{"id": "t1", "type": "function"}]), 4),
}
"""Faults that pass, and how common they are."""

FINAL: Mapping[str, tuple[Behaviour, str]] = {
    "filter, 400": (BEHAVIOURS["filter-400"](""), "content_filter"),
    "filter, finish reason": (BEHAVIOURS["filter-finish"](""), "content_filter"),
    "filter, error in a 200": (BEHAVIOURS["filter-200"](""), "content_filter"),
    "refusal": (BEHAVIOURS["refusal"](""), "content_filter"),
    "overflow": (BEHAVIOURS["overflow"]("openai"), "context_overflow"),
    "overflow, llama.cpp": (BEHAVIOURS["overflow"]("llamacpp"), "context_overflow"),
    "overflow, vLLM": (BEHAVIOURS["overflow"]("vllm"), "context_overflow"),
    "overflow, 413": (BEHAVIOURS["overflow"]("413"), "context_overflow"),
    "HTML": (BEHAVIOURS["html"](""), "provider_error"),
    "plain words": (BEHAVIOURS["plain"](""), "provider_error"),
    "a stream": (BEHAVIOURS["stream"](""), "provider_error"),
    "error in a 200": (BEHAVIOURS["error-200"](""), "provider_error"),
    "401": (error(401, "Incorrect API key provided", "invalid_api_key"), "provider_error"),
}
"""Faults that stay, and the reason that they stand for. An assistant that acts has one more: FOR_ACTORS."""


class Plan:
    """Decides what each call gets, and keeps what it gave."""

    def __init__(self, seed: int, share: float) -> None:
        self._seed, self._share = seed, share
        self._asked: Counter[str] = Counter()
        self.passing: Counter[str] = Counter()
        self.final: dict[str, list[str]] = {}
        """The final faults, by what they answered: model, seed and the assistant's desk."""
        self.repeated_final = 0
        self.kinds: Counter[str] = Counter()
        self.paid: defaultdict[str, list[list[float]]] = defaultdict(list)
        """When each good answer was begun and given, by request, on the machine's monotonic clock."""
        self.odd: Counter[str] = Counter()
        self.stalls: list[list[float]] = []
        """From when to when this process did not get to work, for a second or more."""

    def __call__(self, call: Call) -> Behaviour:
        return self.answer

    async def answer(self, call: Call) -> web.StreamResponse:
        raw = await call.request.read()
        key = hashlib.sha256(raw + str(self._seed).encode()).hexdigest()[:24]
        draw = random.Random(key)
        times, self._asked[key] = self._asked[key], self._asked[key] + 1
        if draw.random() < self._share:
            if draw.random() < FINAL_SHARE:
                return await self._fail(call, draw)
            kind = draw.choices(list(PASSING), [weight for _, weight in PASSING.values()])[0]
            if times < draw.choice((1, 1, 2)):
                self.passing[kind] += 1
                return await PASSING[kind][0](call)
        return await self._pay(key, call, random.Random(f"answer {key}"))

    async def _fail(self, call: Call, draw: random.Random) -> web.StreamResponse:
        kind = draw.choice([*FINAL, *([FOR_ACTORS] if call.body.get("tools") else [])])
        behave, reason = FINAL.get(kind, (_too_many, "loop"))
        place = " ".join((call.model, str(call.body.get("seed")), _desk(call)))
        self.repeated_final += place in self.final and not place.endswith(" -")  # both assistants meet the opener's
        self.final[place] = [reason, kind]
        self.kinds[kind] += 1
        return await behave(call)

    async def _pay(self, key: str, call: Call, draw: random.Random) -> web.StreamResponse:
        begun = time.monotonic()
        try:
            await asyncio.sleep(draw.uniform(QUICKEST, SLOWEST))
            message, finish = reply(call, draw)
            return self._written(completion(call, message, finish, _usage(call, draw)), draw)
        finally:
            self.paid[key].append([begun, time.monotonic()])

    def _written(self, answer: dict[str, Any], draw: random.Random) -> web.Response:
        """An answer, now and then in an uncommon form that means the same."""
        kind, content = "application/json", json.dumps(answer)
        if draw.random() < ODD:
            form = draw.choice(("text/plain", "no type", "a list", "BOM", "reasoning"))
            self.odd[form] += 1
            kind = {"text/plain": "text/plain", "no type": "application/octet-stream"}.get(form, kind)
            message = answer["choices"][0]["message"]
            if form == "a list" and message.get("content"):
                message["content"] = [{"type": "text", "text": message["content"]}]
            if form == "reasoning":
                message["reasoning_content"] = "They think."
            content = ("\ufeff" if form == "BOM" else "") + json.dumps(answer)
        return web.Response(body=content.encode(), headers={"Content-Type": kind})

    async def watch(self) -> None:
        """Note where the machine leaves no time to answer."""
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0.1)
            if (now := time.monotonic()) > begun + STALL:
                self.stalls.append([begun, now])

    def told(self) -> dict[str, Any]:
        """What was given, for a report."""
        return {
            "asked": self._asked.total(),
            "requests": len(self._asked),
            "passing": self.passing,
            "final": self.final,
            "repeated_final": self.repeated_final,
            "kinds": self.kinds,
            "odd": self.odd,
            "stalls": self.stalls,
            "paid": self.paid,
        }


def reply(call: Call, draw: random.Random) -> tuple[dict[str, Any], str]:
    """The message that answers a call, and its finish reason."""
    if draw.random() < EMPTY and (call.model in ("user", "judge") or any(map(DESK.search, call.texts))):
        return {"content": ""}, "stop"
    schema = schema_of(call) if call.model in ("user", "judge") else None
    if schema is None:
        return acting(call, draw) if call.body.get("tools") else (_words_of_assistant(call, draw), "stop")
    if call.model == "judge":
        return {"content": json.dumps(_verdict(schema, draw, call))}, "stop"
    return {"content": json.dumps(_user(call, draw))}, "stop"


def acting(call: Call, draw: random.Random) -> tuple[dict[str, Any], str]:
    """A step of an assistant that acts: it looks something up, makes a record of it, lists what there is; now and
    then it calls what is not there, or with arguments that are no JSON."""
    messages = call.body["messages"]
    last = max(n for n, message in enumerate(messages) if message["role"] == "user")
    step = sum(bool(message.get("tool_calls")) for message in messages[last:])
    tools = [tool["function"] for tool in call.body["tools"]]
    wanted = draw.choice((0, 1, 1, 2, 3))
    if step >= wanted:
        return _words_of_assistant(call, draw), "stop"
    found = _found(messages[last:])
    calls = [_call(draw.choice(tools), draw, found) for _ in range(draw.choice((1, 1, 2, 3)))]
    said = draw.choice((None, "A moment, please."))
    return {"content": said, "tool_calls": calls}, "tool_calls"


async def _too_many(call: Call) -> web.StreamResponse:
    tool = {"type": "function", "function": {"name": "find", "arguments": "{}"}}
    return await say(None, "tool_calls", tool_calls=[tool] * TOO_MANY)(call)


def _call(tool: Mapping[str, Any], draw: random.Random, found: str) -> dict[str, Any]:
    schema = tool["parameters"]
    given = fill(schema, schema)
    for name, inner in schema.get("properties", {}).items():
        if inner.get("type") == "string" and "enum" not in inner and "pattern" not in inner and found:
            given[name] = found
        elif "enum" in inner:
            given[name] = draw.choice(inner["enum"])
    kind = draw.choices(("good", "no JSON", "unknown tool", "no object"), (12, 1, 1, 1))[0]
    arguments = {"no JSON": '{"when": ', "no object": "[1]"}.get(kind, json.dumps(given))
    name = "do_everything" if kind == "unknown tool" else tool["name"]
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def _found(messages: list[Mapping[str, Any]]) -> str:
    """The name of what a look-up found last, if any did."""
    names = (re.search(r'"(?:name|id)": ?"([^"]+)"', str(m["content"])) for m in messages if m["role"] == "tool")
    return next((name[1] for name in reversed(list(names)) if name), "")


def _words_of_assistant(call: Call, draw: random.Random) -> dict[str, Any]:
    said = json.loads(words(b"assistant", draw.getrandbits(16), turns_before(call)))
    return {"content": f"Desk {call.model}. {said}"}


def _user(call: Call, draw: random.Random) -> dict[str, Any]:
    turn = turns_before(call)
    said: dict[str, Any] = json.loads(json.loads(words(b"user", draw.getrandbits(16), turn)))
    if draw.random() < OTHERS_VOICE:
        said["message"] = "How can I help you today? As an AI language model I am here for you."
    if turn and draw.random() < STOPS:
        said |= {"stop": True, "reason": draw.choice(("satisfied", "gave_up"))}
    return said


def _verdict(schema: Mapping[str, Any], draw: random.Random, call: Call) -> Any:
    """A valid verdict, whose scores differ, and which cites the first words of the dialogue."""
    quote = re.search(r"^\| (.{20,60})(?= )", call.texts[-1], re.MULTILINE)

    def given(inner: Mapping[str, Any], name: str = "") -> Any:
        if "properties" in inner:
            return {key: given(each, key) for key, each in inner["properties"].items()}
        if "enum" in inner:
            return draw.choice(inner["enum"])
        if inner.get("type") == "integer":
            return 1 if name == "turn" else draw.randint(inner["minimum"], inner["maximum"])
        return quote[1] if quote and name == "quote" else "The turns show it."

    return given(schema)


def _usage(call: Call, draw: random.Random) -> dict[str, Any]:
    """Tokens in one of the conventions; now and then none."""
    taken, given, cached = sum(map(len, call.texts)) // 4, draw.randint(20, 90), draw.randint(0, 50)
    return draw.choice((
        {"prompt_tokens": taken, "completion_tokens": given, "prompt_tokens_details": {"cached_tokens": cached}},
        {"input_tokens": taken, "output_tokens": given, "cache_read_input_tokens": cached},
        {"prompt_tokens": taken, "completion_tokens": given, "completion_tokens_details": {"reasoning_tokens": 3}},
        {},
    ))  # fmt: skip


def _desk(call: Call) -> str:
    """Which assistant a call is about, as far as it holds a word of one."""
    if call.model not in ("user", "judge"):
        return call.model
    named = (DESK.search(text) for text in call.texts)
    return next((found[1] for found in named if found), "-")


async def _serve(seed: int, share: float) -> None:
    plan = Plan(seed, share)
    heard = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(heard), sys.stdin)
    async with OpenAIServer(plan, keep=False) as server:
        print(server.base_url, flush=True)
        watching = asyncio.create_task(plan.watch())
        await heard.read()
        watching.cancel()
    print(json.dumps(plan.told()), flush=True)


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--share", type=float, default=0.2)
    asked = reader.parse_args()
    asyncio.run(_serve(asked.seed, asked.share))
