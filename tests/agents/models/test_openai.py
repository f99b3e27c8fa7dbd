import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator
from email.utils import formatdate
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.call import CallLimits, Model, Reply, Request, Schema
from duologue.agents.models.door import Models, ModelSpec
from duologue.agents.usage import Usage

QUICK = CallLimits(call=60, backoff=0.001, tries=3)
HELLO = Request((Message("system", "Be kind."), Message("user", "Hello")))
FORM = Schema("verdict", {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]})


class Door:
    """Models at the loopback server."""

    def __init__(self, models: Models, server: Any) -> None:
        self.models, self.server = models, server

    def open(self, name: str = "plausible", **spec: Any) -> Model:
        return self.models.open(ModelSpec(**{"model": name, "base_url": self.server.base_url, "limits": QUICK} | spec))

    async def ask(self, name: str = "plausible", request: Request = HELLO, **spec: Any) -> Reply:
        return await self.open(name, **spec).complete(request)

    async def fail(self, name: str = "plausible", request: Request = HELLO, **spec: Any) -> Failure:
        with pytest.raises(Failure) as caught:
            await self.ask(name, request, **spec)
        return caught.value


@pytest_asyncio.fixture
async def door(server: Any) -> AsyncIterator[Door]:
    async with Models() as models:
        yield Door(models, server)


async def test_a_call_says_what_was_asked_and_nothing_else(door: Door) -> None:
    asked = Request(HELLO.messages, temperature=0.2, max_tokens=9, seed=4, stop=("\n",), extra={"top_k": 1})
    reply = await door.ask("say:Hello there.", asked, top_p=0.9, temperature=0.7)
    assert (reply.text, reply.finish, reply.reasoning) == ("Hello there.", "stop", "")
    assert reply.seconds > 0
    assert door.server.bodies == [
        {
            "model": "say:Hello there.",
            "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}],
            "temperature": 0.2,
            "top_p": 0.9,
            "max_tokens": 9,
            "seed": 4,
            "stop": ["\n"],
            "top_k": 1,
        }
    ]


async def test_a_prompt_goes_to_completions(door: Door) -> None:
    reply = await door.ask("say:on it goes", Request(prompt="And so"))
    assert reply.text == "on it goes"
    assert door.server.calls[0].path == "/v1/completions"
    assert door.server.bodies == [{"model": "say:on it goes", "prompt": "And so"}]


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "text/event-stream", "application/octet-stream"])
async def test_an_answer_is_read_whatever_it_is_called(door: Door, servers: ModuleType, kind: str) -> None:
    assert (await door.ask(f"wrong-type:{kind}")).text == servers.ASSISTANT[0]


async def test_a_cut_answer_says_so(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.say("Hel", finish="length"))
    assert (await door.ask()).finish == "length"


@pytest.mark.parametrize(("name", "text"), [("null", ""), ("empty", ""), ("parts", "Hello, world."), ("tool", "")])
async def test_unusual_contents_are_read(door: Door, name: str, text: str) -> None:
    assert (await door.ask(name)).text == text


async def test_a_right_answer_is_read_whatever_type_it_claims(door: Door, servers: ModuleType) -> None:
    answer = '{"choices": [{"message": {"content": "Hello."}}]}'
    door.server.then(servers.body("\ufeff" + answer, kind="text/plain"), servers.body(f"[{answer}]", kind="text/html"))
    assert [(await door.ask()).text for _ in range(2)] == ["Hello.", "Hello."]


async def test_surrogates_become_characters_on_both_ways(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.body(r'{"choices": [{"message": {"content": "a\ud83d\ude00b\ud800c"}}]}'))
    assert (await door.ask()).text == "a😀b\ufffdc"
    await door.ask("say:x", Request((Message("user", "\udce9 é"),)))
    assert door.server.bodies[-1]["messages"][0]["content"] == "\ufffd é"


@pytest.mark.parametrize(
    ("name", "text", "reasoning"),
    [
        ("reasoning-field", "Hello.", "They greet."),
        ("reasoning-inline", "Hello.", "They greet."),
        ("reasoning-both", "Hello.", "Apart.\n\nInline."),
    ],
)
async def test_reasoning_is_kept_apart(door: Door, name: str, text: str, reasoning: str) -> None:
    reply = await door.ask(name)
    assert (reply.text, reply.reasoning) == (text, reasoning)


async def test_reasoning_in_typed_parts_is_kept_apart(door: Door, servers: ModuleType) -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "They greet."}]}
    door.server.then(servers.say([thinking, {"type": "text", "text": "Hello."}]))
    reply = await door.ask()
    assert (reply.text, reply.reasoning) == ("Hello.", "They greet.")


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("usage:inside", Usage(input=100, cached=60, output=20)),
        ("usage:outside", Usage(input=100, cached=60, output=20)),
        ("usage:absent", Usage()),
    ],
)
async def test_usage_is_counted_in_three_conventions(door: Door, name: str, usage: Usage) -> None:
    assert (await door.ask(name)).usage == usage


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_tried_again_and_counted(door: Door, servers: ModuleType, status: int) -> None:
    door.server.then(servers.error(status, "Not now"), servers.error(status, "Not now"))
    reply = await door.ask("say:Hello.")
    assert (reply.text, reply.usage.retries, len(door.server.calls)) == ("Hello.", 2, 3)


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("429", "rate_limit", "answered 429: Rate limit reached (tried 3 times)"),
        ("500", "provider_error", "answered 500: The server had an error (tried 3 times)"),
        ("529", "provider_error", "answered 529: Overloaded (tried 3 times)"),
        ("truncated", "provider_error", "JSON that is cut off or damaged"),
        ("close", "provider_error", "broke off"),
        ("hang-up", "provider_error", "broke off"),
        ("empty-choices", "provider_error", "without any choice"),
    ],
)
async def test_what_does_not_pass_fails_after_the_last_try(door: Door, name: str, reason: str, detail: str) -> None:
    failure = await door.fail(name)
    assert (failure.reason, len(door.server.calls)) == (reason, 3)
    assert detail in failure.detail


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("filter-400", "content_filter", "filtered"),
        ("filter-finish", "content_filter", "filtered"),
        ("refusal", "content_filter", "I cannot help with that."),
        ("overflow:openai", "context_overflow", "8192"),
        ("overflow:llamacpp", "context_overflow", "8192"),
        ("overflow:vllm", "context_overflow", "8192"),
        ("overflow:413", "context_overflow", "context window"),
        ("html", "provider_error", "an HTML page instead of JSON"),
        ("plain", "provider_error", "text/plain instead of JSON: upstream is fine"),
        ("stream", "provider_error", "text/event-stream instead of JSON: data: {"),
        ("filter-200", "content_filter", "The response was filtered"),
        ("error-200", "provider_error", "The model is not loaded"),
        ("echo-key", "provider_error", "(check the key)"),
    ],
)
async def test_what_will_not_pass_is_asked_once(door: Door, name: str, reason: str, detail: str) -> None:
    failure = await door.fail(name)
    assert (failure.reason, len(door.server.calls)) == (reason, 1)
    assert detail in failure.detail
    assert "\n" not in failure.detail
    assert len(failure.detail) < 400


@pytest.mark.parametrize(
    ("status", "check"),
    [
        (401, "check the key"),
        (403, "what the key may do"),
        (404, "model's name and the base URL"),
        (400, "Nope"),
        (501, "Nope"),
    ],
)
async def test_final_errors_say_what_to_check(door: Door, servers: ModuleType, status: int, check: str) -> None:
    door.server.then(servers.error(status, "Nope"))
    failure = await door.fail()
    assert (failure.reason, len(door.server.calls)) == ("provider_error", 1)
    assert check in failure.detail


@pytest.mark.parametrize(
    ("status", "text", "reason", "calls"),
    [
        (200, '{"error": {"message": "Slow down", "code": 429}}', "rate_limit", 3),
        (200, '{"error": {"message": "Upstream", "code": "503"}}', "provider_error", 3),
        (200, '{"error": {"message": "context_length_exceeded"}}', "context_overflow", 1),
        (200, '{"error": {"code": "content_filter", "message": "No."}}', "content_filter", 1),
        (200, '{"error": "no such model"}', "provider_error", 1),
        (200, '{"detail": "Not authenticated"}', "provider_error", 1),
        (200, "[]", "provider_error", 1),
        (200, '"fine"', "provider_error", 1),
        (200, "", "provider_error", 3),
        (200, '{"ok": true}', "provider_error", 1),
        (200, '{"choices": [null]}', "provider_error", 3),
        (200, "[" * 100_000, "provider_error", 1),
        (400, '{"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}}}', "content_filter", 1),
        (429, '{"error": {"code": "insufficient_quota", "message": "Pay."}}', "provider_error", 1),
        (502, "<html><body><h1>502 Bad Gateway</h1></body></html>", "provider_error", 3),
        (400, b"\xff\xfe\x00", "provider_error", 1),
    ],
)
async def test_errors_in_any_dress_are_told_apart(
    door: Door, servers: ModuleType, status: int, text: str | bytes, reason: str, calls: int
) -> None:
    door.server.then(*[servers.body(text, status)] * 3)
    failure = await door.fail()
    assert (failure.reason, len(door.server.calls)) == (reason, calls)


async def test_no_key_in_an_error(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "quince-jelly-42")
    failure = await door.fail("echo-key", key="MY_KEY")
    assert door.server.calls[0].headers["Authorization"] == "Bearer quince-jelly-42"
    assert "quince" not in str(failure)
    assert "[secret]" in failure.detail


@pytest.mark.parametrize("name", ["hang", "drip:0.02"])
async def test_a_whole_call_has_a_limit(door: Door, name: str) -> None:
    began = time.perf_counter()
    failure = await door.fail(name, limits=CallLimits(call=0.15, backoff=0, tries=2))
    assert failure.reason == "timeout"
    assert "within 0.15 s" in failure.detail
    assert "tried 2 times" in failure.detail
    assert 0.3 <= time.perf_counter() - began < 30


async def test_a_timeout_is_tried_again(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.hang)
    reply = await door.ask("say:Hello.", limits=CallLimits(call=0.3, backoff=0, tries=20))
    assert reply.text == "Hello."
    assert reply.usage.retries >= 1


async def test_cancelling_ends_the_call(door: Door) -> None:
    came, left = asyncio.Event(), asyncio.Event()

    async def wait(_: Any) -> Any:
        came.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    door.server.then(wait)
    call = asyncio.create_task(door.ask())
    await came.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.wait_for(left.wait(), 30)


async def test_retry_after_is_obeyed_in_seconds_and_as_a_date(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.error(429, "Wait", retry_after="0.2"))
    began = time.perf_counter()
    await door.ask()
    assert 0.2 <= time.perf_counter() - began < 30
    door.server.then(servers.error(429, "Wait", retry_after=formatdate(time.time() + 1.2, usegmt=True)))
    began = time.perf_counter()
    await door.ask()
    assert 0.1 <= time.perf_counter() - began < 30


async def test_retry_after_is_capped_and_nonsense_passed_over(door: Door, servers: ModuleType) -> None:
    limits = QUICK.changed(retry_after_cap=0.05)
    for value in ("3600", "inf", "nan", "soon", "-5", formatdate(time.time() + 9999, usegmt=True)):
        door.server.then(servers.error(429, "Wait", retry_after=value))
        began = time.perf_counter()
        await door.ask(limits=limits)
        assert time.perf_counter() - began < 30


async def test_nothing_answers(door: Door, unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    failure = await door.fail(base_url=url)
    assert failure.reason == "provider_error"
    assert f"nothing answers at {url}" in failure.detail
    assert "tried 3 times" in failure.detail


async def test_a_self_signed_certificate_is_told_and_may_be_trusted(
    servers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = Path(servers.__file__).with_name("self_signed.pem")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(pem)
    server = servers.OpenAIServer()
    await server.start(tls=tls)
    async with Models() as models:
        failure = await Door(models, server).fail()
    assert failure.reason == "provider_error"
    assert "is not trusted" in failure.detail
    assert not server.calls
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    async with Models() as models:
        assert (await Door(models, server).ask("say:Hello.")).text == "Hello."
    await server.stop()


async def test_a_server_without_tls_is_told(door: Door) -> None:
    failure = await door.fail(base_url=door.server.base_url.replace("http:", "https:"))
    assert "does not speak TLS; write http://" in failure.detail


async def test_proxies_are_used_but_never_for_loopback(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", door.server.url)
    assert (await door.ask("say:Hello.")).text == "Hello."
    assert door.server.calls[-1].headers["Host"].startswith("127.0.0.1")
    assert (await door.ask("say:Hello.", base_url="http://models.invalid/v1")).text == "Hello."
    assert door.server.calls[-1].headers["Host"] == "models.invalid"


@pytest.mark.parametrize("name", ["temperature", "top_p", "seed", "stop", "top_k", "max_tokens"])
async def test_a_refused_parameter_is_left_out_once_and_for_all(door: Door, name: str) -> None:
    asked = Request(HELLO.messages, temperature=0, top_p=0.5, seed=1, stop=("x",), max_tokens=5, extra={"top_k": 3})
    model = door.open(f"refuses:{name}")
    replies = [await model.complete(asked) for _ in range(2)]
    assert [name in body for body in door.server.bodies] == [True, False, False]
    assert all(len(body) == 7 for body in door.server.bodies[1:])
    assert [reply.usage.retries for reply in replies] == [0, 0]
    assert door.models.adaptations == (f"refuses:{name} at {door.server.base_url} refuses {name}; it is left out",)


async def test_other_words_for_a_refused_parameter(door: Door, servers: ModuleType) -> None:
    refusals = [
        '{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}',
        '{"error": "unknown parameter top_p"}',
        '{"error": {"message": "Unsupported value: \'temperature\' does not support 0.2 with this model. Only the '
        'default (1) value is supported.", "param": "temperature", "code": "unsupported_value"}}',
    ]
    door.server.then(*[servers.body(text, 400) for text in refusals])
    await door.ask("say:Hi.", Request(HELLO.messages, temperature=0.2, top_p=0.5, seed=1))
    assert set(door.server.bodies[-1]) == {"model", "messages"}


async def test_a_wrong_value_is_an_error_and_no_adaptation(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.error(400, "temperature must be at most 2", "invalid_value", "temperature"))
    failure = await door.fail(request=Request(HELLO.messages, temperature=3))
    assert "at most 2" in failure.detail
    assert door.models.adaptations == ()


async def test_fifty_at_once_adapt_once(door: Door) -> None:
    model = door.open("refuses:temperature")
    await asyncio.gather(*[model.complete(Request(HELLO.messages, temperature=0)) for _ in range(50)])
    assert len(door.models.adaptations) == 1
    assert len(door.server.calls) <= 100


async def test_max_tokens_goes_by_its_longer_name_where_that_is_wanted(door: Door) -> None:
    model = door.open("completion-tokens", max_tokens=7)
    for _ in range(2):
        await model.complete(HELLO)
    asked = [(b.get("max_tokens"), b.get("max_completion_tokens")) for b in door.server.bodies]
    assert asked == [(7, None), (None, 7), (None, 7)]
    assert "max_completion_tokens" in door.models.adaptations[0]


async def test_a_schema_is_sent_in_its_strict_shape(door: Door) -> None:
    reply = await door.ask(request=Request(HELLO.messages, schema=FORM))
    assert json.loads(reply.text) == {"score": 3}
    sent = door.server.bodies[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert (sent["json_schema"]["name"], sent["json_schema"]["strict"]) == ("verdict", True)
    assert sent["json_schema"]["schema"]["additionalProperties"] is False
    assert len(door.server.calls) == 1


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("no-json-schema", ["json_schema", "json_object", "json_object"]),
        ("no-json", ["json_schema", "json_object", None, None]),
        ("refuses:response_format", ["json_schema", "json_object", None, None]),
    ],
)
async def test_where_a_schema_is_refused_the_words_ask_for_it(door: Door, name: str, formats: list[str | None]) -> None:
    model = door.open(name)
    assert model.traits.schemas
    for _ in range(2):
        reply = await model.complete(Request(HELLO.messages, schema=FORM))
        assert json.loads(reply.text) == {"score": 3}
    assert [b.get("response_format", {}).get("type") for b in door.server.bodies] == formats
    assert '"score"' in door.server.bodies[-1]["messages"][0]["content"]
    assert not model.traits.schemas
    assert len(door.models.adaptations) == len(formats) - 2


async def test_bounds_that_a_schema_may_not_hold_are_left_out(door: Door, servers: ModuleType) -> None:
    bounded = {"type": "object", "properties": {"pattern": {"type": "string", "maxLength": 9}}}
    told = "Invalid schema for response_format 'verdict': In context=(), 'maxLength' is not permitted."
    door.server.then(servers.error(400, told, None, "response_format"))
    for _ in range(2):
        await door.ask(request=Request(HELLO.messages, schema=Schema("verdict", bounded)))
    sent = [body["response_format"]["json_schema"]["schema"]["properties"] for body in door.server.bodies]
    assert sent == [{"pattern": {"type": "string", "maxLength": 9}}] + [{"pattern": {"type": "string"}}] * 2
    assert len(door.models.adaptations) == 1
    assert door.open().traits.schemas


async def test_an_endpoint_that_ignores_a_schema_is_asked_in_words_too(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.say("I would give it a three."))
    reply = await door.ask(request=Request(HELLO.messages, schema=FORM))
    assert json.loads(reply.text) == {"score": 3}
    assert reply.usage.calls == 2
    assert '"score"' in door.server.bodies[1]["messages"][0]["content"]
    door.server.then(servers.say("A three, I said."))
    assert (await door.ask(request=Request(HELLO.messages, schema=FORM))).text == "A three, I said."


async def test_a_cut_or_empty_answer_says_nothing_of_schemas(door: Door, servers: ModuleType) -> None:
    door.server.then(servers.say('{"sco', finish="length"), servers.say(""))
    for _ in range(2):
        await door.ask(request=Request(HELLO.messages, schema=FORM))
    assert door.models.adaptations == ()


async def test_a_third_limited_and_a_tenth_overloaded_all_come_through(door: Door) -> None:
    model = door.open("flaky:3", limits=CallLimits(backoff=0.001, tries=8))
    replies = await asyncio.gather(*[model.complete(HELLO) for _ in range(40)])
    assert all(reply.text for reply in replies)
    assert sum(reply.usage.retries for reply in replies) == len(door.server.calls) - 40 > 0
