"""An OpenAI-compatible server on loopback that behaves as it is told.

How it answers a request is decided, in this order, by what was queued with `then(...)`, by the callable
`behave`, and by the model's name: one of BEHAVIOURS with an optional argument ("say:Hello", "retry-after:0.1",
"hang"). Any other name plays a plausible user, assistant or judge, as the request asks for.

"tools:well", "tools:wrong", "tools:badly" and "tools:never" play an assistant that calls tools so.

From the command line: python -m tests.servers.openai_server --port 0
"""

import argparse
import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from tests.servers import tool_caller

USER = (
    "Hello, I would like some help with this, please.",
    "That sounds good so far. Could you take care of it for me?",
    "Perfect, that is all that I needed today.",
)
ASSISTANT = (
    "Gladly. Here is what I would suggest for you as a start.",
    "I have noted that down and picked an option that should fit you.",
    "It is done. Let me know in case anything should be different.",
)


@dataclass(frozen=True)
class Call:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    number: int
    peer: Any
    """Address and port of the other end: one for each connection."""
    request: web.Request = field(repr=False, compare=False)

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def raw(self) -> bool:
        return not self.path.endswith("/chat/completions")

    @property
    def texts(self) -> list[str]:
        if self.raw:
            return [str(self.body.get("prompt", ""))]
        return [str(m.get("content", "")) for m in self.body.get("messages", [])]


Behaviour = Callable[[Call], Awaitable[web.StreamResponse]]


class OpenAIServer:
    """The server. An async context; `calls` holds what was asked, unless it is not to `keep` it."""

    def __init__(self, behave: Callable[[Call], Behaviour | None] | None = None, *, keep: bool = True) -> None:
        self.behave, self._keep = behave, keep
        self.calls: list[Call] = []
        self.asked = 0
        self.queue: list[Behaviour] = []
        self.at_once = self.most_at_once = 0
        self.url = ""
        self._runner: web.AppRunner | None = None

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [call.body for call in self.calls]

    def then(self, *behaviours: Behaviour) -> None:
        """The next requests are answered so, one each."""
        self.queue.extend(behaviours)

    async def start(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_post("/v1/completions", self._answer)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=tls)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"

    async def stop(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def __aenter__(self) -> "OpenAIServer":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        self.asked += 1
        call = Call(request.path, dict(request.headers), asked, self.asked, _peer(request), request)
        if self._keep:
            self.calls.append(call)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._chosen(call)(call)
        finally:
            self.at_once -= 1

    def _chosen(self, call: Call) -> Behaviour:
        if self.queue:
            return self.queue.pop(0)
        if self.behave and (chosen := self.behave(call)):
            return chosen
        name, _, argument = call.model.partition(":")
        make = BEHAVIOURS.get(name)
        return make(argument) if make else plausible

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "plausible", "object": "model"}]})


def _peer(request: web.Request) -> Any:
    return request.transport.get_extra_info("peername") if request.transport else None


# Answers


def completion(call: Call, message: Mapping[str, Any], finish: str = "stop", usage: Any = None) -> dict[str, Any]:
    """The body of an answer."""
    said = str(message.get("content") or "")
    told = (
        usage
        if usage is not None
        else {"prompt_tokens": sum(map(len, call.texts)) // 4, "completion_tokens": len(said) // 4}
    )
    choice = {"index": 0, "finish_reason": finish, "logprobs": None}
    choice |= {"text": said} if call.raw else {"message": {"role": "assistant", **message}}
    kind = "text_completion" if call.raw else "chat.completion"
    whole = {"id": f"c{call.number}", "object": kind, "created": 0, "model": call.model, "choices": [choice]}
    return whole | ({"usage": told} if told else {})


def say(text: Any, finish: str = "stop", usage: Any = None, **fields: Any) -> Behaviour:
    """Answer with `text` (or a list of parts, or None) and further fields of the message."""

    async def behave(call: Call) -> web.StreamResponse:
        return web.json_response(completion(call, {"content": text, **fields}, finish, usage))

    return behave


def body(content: str | bytes, status: int = 200, kind: str = "application/json", **headers: str) -> Behaviour:
    """Answer with exactly `content`."""
    data = content.encode() if isinstance(content, str) else content
    named = {"Content-Type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}}

    async def behave(_: Call) -> web.StreamResponse:
        return web.Response(body=data, status=status, headers=named)

    return behave


def error(status: int, message: str, code: str | None = None, param: str | None = None, **headers: str) -> Behaviour:
    """Answer with an error object."""
    told = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}
    return body(json.dumps(told), status, **headers)


def wrong_type(kind: str) -> Behaviour:
    """Answer plausibly, and call the JSON something else."""

    async def behave(call: Call) -> web.StreamResponse:
        whole = completion(call, {"content": plausible_text(call)})
        return await body(json.dumps(whole), kind=kind)(call)

    return behave


async def hang(_: Call) -> web.StreamResponse:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError


def drip(every: float) -> Behaviour:
    """Answer rightly, a byte every so many seconds."""

    async def behave(call: Call) -> web.StreamResponse:
        data = json.dumps(completion(call, {"content": "Hello."})).encode()
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        answer.content_length = len(data)
        await answer.prepare(call.request)
        for byte in data:
            try:
                await answer.write(bytes([byte]))
            except ConnectionError:
                break
            await asyncio.sleep(every)
        return answer

    return behave


async def close_midway(call: Call) -> web.StreamResponse:
    """Hang up in the middle of the body."""
    answer = web.StreamResponse(headers={"Content-Type": "application/json"})
    answer.content_length = 1000
    await answer.prepare(call.request)
    await answer.write(b'{"choices": [')
    if call.request.transport:
        call.request.transport.close()
    return answer


async def close_at_once(call: Call) -> web.StreamResponse:
    """Hang up without an answer."""
    if call.request.transport:
        call.request.transport.close()
    await asyncio.sleep(0.01)
    return web.Response()


async def stream(call: Call) -> web.StreamResponse:
    """Answer in pieces, as if a stream had been asked for."""
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await answer.prepare(call.request)
    for word in ("Hello", " there."):
        piece = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
        await answer.write(f"data: {json.dumps(piece)}\n\n".encode())
    await answer.write(b"data: [DONE]\n\n")
    return answer


async def echo_key(call: Call) -> web.StreamResponse:
    """Complain, repeating the Authorization header."""
    return await error(401, f"Incorrect API key provided: {call.headers.get('Authorization', '')}.", "invalid_api_key")(
        call
    )


def refuses(name: str, answer: Behaviour | None = None) -> Behaviour:
    """Refuse the parameter `name`, and answer where it is not there."""

    async def behave(call: Call) -> web.StreamResponse:
        if name in call.body:
            told = f"Unsupported parameter: '{name}' is not supported with this model."
            return await error(400, told, "unsupported_parameter", name)(call)
        return await (answer or plausible)(call)

    return behave


async def wants_completion_tokens(call: Call) -> web.StreamResponse:
    """Refuse max_tokens in favour of max_completion_tokens."""
    if "max_tokens" in call.body:
        told = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        return await error(400, told, "unsupported_parameter", "max_tokens")(call)
    return await plausible(call)


def refuses_formats(*kinds: str) -> Behaviour:
    """Refuse response_format of those types."""

    async def behave(call: Call) -> web.StreamResponse:
        kind = call.body.get("response_format", {}).get("type")
        if kind in kinds:
            return await error(400, f"'response_format' of type '{kind}' is not supported with this model")(call)
        return await plausible(call)

    return behave


def flaky(every: int, wait: str = "0.02") -> Behaviour:
    """Answer every so-manieth call with 429 and Retry-After, every tenth with 503 or 529; the others rightly."""

    async def behave(call: Call) -> web.StreamResponse:
        if call.number % every == 0:
            return await error(429, "Rate limit reached", "rate_limit_exceeded", retry_after=wait)(call)
        if call.number % 10 == 1:
            return await error(529 if call.number % 20 == 1 else 503, "Overloaded")(call)
        return await plausible(call)

    return behave


class Room:
    """A behaviour that answers so many calls at once, each after so many `seconds`, and refuses the others.

    `refused` holds when it refused some, and `begun` when calls came that it had room for, by the loop's clock.
    """

    def __init__(self, calls: int, seconds: float = 0.01, answer: Behaviour | None = None, **headers: str) -> None:
        self.calls, self.seconds, self.answer, self.headers = calls, seconds, answer, headers
        self.inside = self.most = 0
        self.refused: list[float] = []
        self.begun: list[float] = []

    async def __call__(self, call: Call) -> web.StreamResponse:
        now = asyncio.get_running_loop().time()
        if self.inside >= self.calls:
            self.refused.append(now)
            return await error(429, "Too many at once", "rate_limit_exceeded", **self.headers)(call)
        self.begun.append(now)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await asyncio.sleep(self.seconds)
            return await (self.answer or plausible)(call)
        finally:
            self.inside -= 1


def tools(style: str) -> Behaviour:
    """Call the tools of the request: well, wrong, badly or never."""

    async def behave(call: Call) -> web.StreamResponse:
        message = tool_caller.reply(call.body, style or "well")
        return await say(
            finish="tool_calls" if message.get("tool_calls") else "stop", text=message.pop("content"), **message
        )(call)

    return behave


def acts(*steps: str | Sequence[tuple[str, Any]]) -> Behaviour:
    """Go through `steps` by how often it has spoken: words, or the tools to call and their arguments."""

    async def behave(call: Call) -> web.StreamResponse:
        step = steps[min(sum(m["role"] == "assistant" for m in call.body["messages"]), len(steps) - 1)]
        if isinstance(step, str):
            return await say(step)(call)
        written = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in step]
        calls = [{"type": "function", "function": {"name": name, "arguments": given}} for name, given in written]
        return await say(None, "tool_calls", tool_calls=calls)(call)

    return behave


# A plausible partner


async def plausible(call: Call) -> web.StreamResponse:
    """A user where the answer's form has a message and a stop, a judge for any other form, else an assistant."""
    return await say(plausible_text(call))(call)


def plausible_text(call: Call) -> str:
    schema = schema_of(call)
    turn = turns_before(call)
    if schema is None:
        return (USER if call.raw else ASSISTANT)[min(turn, 2)] + (f" ({turn + 1})" if turn > 2 else "")
    known = schema.get("properties", {})
    answer = fill(schema, schema)
    if "message" in known and "stop" in known:
        answer |= {"message": USER[min(turn, 2)], "stop": turn >= 2}
        if "reason" in known:
            answer["reason"] = _reason(known["reason"], schema, turn >= 2)
    return json.dumps(answer)


def turns_before(call: Call) -> int:
    """How many turns the speaker has had, by its own messages or by labelled lines."""
    own = sum(m.get("role") == "assistant" for m in call.body.get("messages", []))
    labelled = len(re.findall(r"(?mi)^\W*(?:assistant|agent)\b[^:\n]{0,20}:", call.texts[-1] if call.texts else ""))
    return max(own, labelled)


def schema_of(call: Call) -> dict[str, Any] | None:
    """The JSON schema that the answer must meet, from response_format or from the words."""
    asked = call.body.get("response_format", {}).get("json_schema")
    if asked:
        return dict(asked["schema"])
    decoder = json.JSONDecoder()
    for text in call.texts:
        for start in re.finditer(r"\{", text):
            try:
                value, _ = decoder.raw_decode(text, start.start())
            except ValueError:
                continue
            if isinstance(value, dict) and isinstance(value.get("properties"), dict):
                return value
    return None


def fill(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The smallest valid value: an enum's first, an integer in the middle, every property of an object."""
    if "$ref" in schema:
        return fill(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return fill(next((s for s in schema[key] if s.get("type") != "null"), {"type": "null"}), root)
    kind = schema.get("type", "object")
    return _FILLS[kind[0] if isinstance(kind, list) else kind](schema, root)


def _middle(schema: Mapping[str, Any], root: Mapping[str, Any]) -> int:
    low, high = schema.get("minimum", 1), schema.get("maximum", 5)
    return int(low + high) // 2


def _text(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    text = "It went as one would expect."
    return text.ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", len(text))]


def _array(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Any]:
    if "prefixItems" in schema:
        return [fill(item, root) for item in schema["prefixItems"]]
    return [fill(schema["items"], root) for _ in range(schema.get("minItems", 0))]


def _object(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fill(inner, root) for name, inner in schema.get("properties", {}).items()}


def _reason(schema: Mapping[str, Any], root: Mapping[str, Any], stops: bool) -> Any:
    options = schema.get("enum") or next((s["enum"] for s in schema.get("anyOf", []) if "enum" in s), None)
    if options is None:
        return "satisfied" if stops else ""
    wanted = "satisfied" if stops else ""
    return wanted if wanted in options else fill(schema, root)


_FILLS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Any]] = {
    "integer": _middle,
    "number": _middle,
    "boolean": lambda schema, root: True,
    "null": lambda schema, root: None,
    "string": _text,
    "array": _array,
    "object": _object,
}

_HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"
_INSIDE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}
_OUTSIDE = {"input_tokens": 40, "output_tokens": 20, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 0}
_OVERFLOWS = {
    "openai": error(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        "context_length_exceeded",
        "messages",
    ),
    "llamacpp": body(
        '{"error":{"code":400,"message":"request (9001 tokens) exceeds the available context size (8192 tokens), try '
        'increasing it","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":8192}}',
        400,
    ),
    "vllm": body(
        '{"object":"error","message":"This model\'s maximum context length is 8192 tokens. However, you requested 9001 '
        'tokens in the messages","type":"BadRequestError","param":null,"code":400}',
        400,
    ),
    "413": error(413, "Your input exceeds the context window of this model: context_length_exceeded"),
}

BEHAVIOURS: dict[str, Callable[[str], Behaviour]] = {
    "say": lambda text: say(text),
    "429": lambda _: error(429, "Rate limit reached", "rate_limit_exceeded"),
    "retry-after": lambda wait: flaky(2, wait),
    "500": lambda _: error(500, "The server had an error"),
    "503": lambda _: error(503, "Overloaded"),
    "529": lambda _: body('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 529),
    "hang": lambda _: hang,
    "drip": lambda every: drip(float(every or 0.05)),
    "truncated": lambda _: body('{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hel'),
    "html": lambda _: body(_HTML, kind="text/html"),
    "close": lambda _: close_midway,
    "hang-up": lambda _: close_at_once,
    "plain": lambda _: body("upstream is fine", kind="text/plain"),
    "stream": lambda _: stream,
    "wrong-type": lambda kind: wrong_type(kind or "text/plain"),
    "empty-choices": lambda _: body('{"id":"c1","object":"chat.completion","choices":[]}'),
    "null": lambda _: say(None),
    "empty": lambda _: say(""),
    "parts": lambda _: say([{"type": "text", "text": "Hello, "}, {"type": "text", "text": "world."}]),
    "tool": lambda _: say(
        None,
        "tool_calls",
        tool_calls=[{"id": "t1", "type": "function", "function": {"name": "book", "arguments": "{}"}}],
    ),
    "tools": tools,
    "error-200": lambda _: body('{"error":{"message":"The model is not loaded","type":"server_error"}}'),
    "filter-400": lambda _: error(400, "The response was filtered", "content_filter"),
    "filter-finish": lambda _: say("", "content_filter"),
    "filter-200": lambda _: body('{"error":{"message":"The response was filtered","code":"content_filter"}}'),
    "refusal": lambda _: say(None, refusal="I cannot help with that."),
    "overflow": lambda style: _OVERFLOWS[style or "openai"],
    "usage": lambda style: say("Hello.", usage={"inside": _INSIDE, "outside": _OUTSIDE}.get(style, {})),
    "refuses": lambda name: refuses(name or "temperature"),
    "completion-tokens": lambda _: wants_completion_tokens,
    "no-json-schema": lambda _: refuses_formats("json_schema"),
    "no-json": lambda _: refuses_formats("json_schema", "json_object"),
    "reasoning-field": lambda _: say("Hello.", reasoning_content="They greet."),
    "reasoning-inline": lambda _: say("<think>They greet.</think>\n\nHello."),
    "reasoning-both": lambda _: say("<think>Inline.</think>Hello.", reasoning="Apart."),
    "echo-key": lambda _: echo_key,
    "flaky": lambda every: flaky(int(every or 3)),
}


async def _serve(port: int) -> None:
    server = OpenAIServer()
    await server.start(port)
    print(server.base_url, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description="An OpenAI-compatible server on loopback, for tests.")
    reader.add_argument("--port", type=int, default=0)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(reader.parse_args().port))
