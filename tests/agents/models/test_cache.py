"""The cache of replies: what is kept, under which key, and what happens where its file fails."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.cache import Cache
from duologue.agents.models.call import Reply, Request, Schema
from duologue.agents.models.door import Models, ModelSpec
from duologue.agents.secrets import remember
from duologue.agents.usage import Tokens, Usage
from duologue.tasks.tool import Tool
from duologue.tasks.written import BadInput

ASKED = Request(messages=(Message("user", "Hello?"),), temperature=0.5, max_tokens=9, seed=1)


def spec(server: Any, name: str = "m", **more: Any) -> ModelSpec:
    return ModelSpec(model=f"openai:{name}", base_url=server.base_url, **more)


async def ask(path: Path, spec: ModelSpec, *requests: Request) -> list[Reply]:
    async with Models(path) as models:
        model = models.open(spec)
        return [await model.complete(request) for request in requests]


async def test_what_was_asked_before_is_answered_from_the_file(server: Any, servers: Any, tmp_path: Path) -> None:
    server.then(servers.say("First."), servers.say("Second."))
    [first] = await ask(tmp_path / "c.db", spec(server), ASKED)
    [again] = await ask(tmp_path / "c.db", spec(server), ASKED)
    assert (first.text, again.text, len(server.calls)) == ("First.", "First.", 1)
    assert again.seconds == first.seconds > 0
    assert (first.usage.stored, again.usage.stored, again.usage.calls) == (0, 1, 1)
    assert (again.usage.input, again.usage.output) == (first.usage.input, first.usage.output)
    assert (again.usage.paid, again.usage.spared) == (Tokens(0, 0, 0), Tokens(1, 0, 1))


OTHERS = {
    "seed": replace(ASKED, seed=2),
    "words": replace(ASKED, messages=(Message("user", "Hello!"),)),
    "role": replace(ASKED, messages=(Message("system", "Hello?"),)),
    "temperature": replace(ASKED, temperature=0.6),
    "top_p": replace(ASKED, top_p=0.6),
    "max_tokens": replace(ASKED, max_tokens=10),
    "stop": replace(ASKED, stop=("\n",)),
    "schema": replace(ASKED, schema=Schema("s", {"type": "object", "properties": {"a": {"type": "string"}}})),
    "tools": replace(ASKED, tools=(Tool("t", "Does it.", {"type": "object", "properties": {}}, "D", "get"),)),
    "extra": replace(ASKED, extra={"top_k": 3}),
    "conversation": replace(ASKED, conversation="that of another assistant"),
    "calls": replace(ASKED, messages=(*ASKED.messages, Message("assistant", "", (ToolCall("1", "t", {}),)))),
}


@pytest.mark.parametrize("what", OTHERS)
async def test_whatever_shapes_a_reply_is_in_the_key(server: Any, tmp_path: Path, what: str) -> None:
    said = await ask(tmp_path / "c.db", spec(server, "tools:never"), ASKED, OTHERS[what], ASKED, OTHERS[what])
    assert [bool(reply.usage.stored) for reply in said] == [False, False, True, True]


async def test_how_patiently_is_asked_is_not(server: Any, tmp_path: Path) -> None:
    await ask(tmp_path / "c.db", spec(server), ASKED)
    [reply] = await ask(tmp_path / "c.db", spec(server, limits={"call": 7}), ASKED)
    assert reply.usage.stored == 1


async def test_models_addresses_and_defaults_are_told_apart(server: Any, servers: Any, tmp_path: Path) -> None:
    async with servers.OpenAIServer() as elsewhere:
        specs = spec(server), spec(server, "n"), spec(server, top_p=0.5), spec(elsewhere)
        for each in specs:
            assert (await ask(tmp_path / "c.db", each, ASKED))[0].usage.stored == 0
        for each in specs:
            assert (await ask(tmp_path / "c.db", each, ASKED))[0].usage.stored == 1


async def test_a_call_of_no_trial_is_always_made(server: Any, tmp_path: Path) -> None:
    said = await ask(tmp_path / "c.db", spec(server), replace(ASKED, seed=None), replace(ASKED, seed=None))
    assert [reply.usage.stored for reply in said] == [0, 0]


@pytest.mark.parametrize("kind", ["500", "filter-400", "filter-finish", "refusal", "overflow", "html", "429"])
async def test_failures_are_never_kept(server: Any, tmp_path: Path, kind: str) -> None:
    hasty = spec(server, kind, limits={"tries": 1})
    for _ in range(2):
        with pytest.raises(Failure):
            await ask(tmp_path / "c.db", hasty, ASKED)
    assert len(server.calls) == 2


@pytest.mark.parametrize(("text", "finish"), [("Half a", "length"), ("", "stop"), ("  ", "stop")])
async def test_cut_and_empty_answers_are_never_kept(
    server: Any, servers: Any, tmp_path: Path, text: str, finish: str
) -> None:
    server.then(servers.say(text, finish), servers.say(text, finish))
    said = await ask(tmp_path / "c.db", spec(server), ASKED, ASKED)
    assert [reply.usage.stored for reply in said] == [0, 0]


async def test_calls_and_reasoning_come_back_as_they_were(server: Any, servers: Any, tmp_path: Path) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": '{"for": "Zoë \\ud83d"}'}}
    server.then(servers.say(None, "tool_calls", tool_calls=[call], reasoning_content="They ask."))
    first, again = await ask(tmp_path / "c.db", spec(server), ASKED, ASKED)
    assert (again.calls, again.reasoning) == (first.calls, "They ask.")
    assert again.calls[0].name == "book" and again.usage.stored == 1


async def test_equal_calls_at_one_time_are_made_once(server: Any, tmp_path: Path) -> None:
    async with Models(tmp_path / "c.db") as models:
        model = models.open(spec(server))
        said = await asyncio.gather(*(model.complete(ASKED) for _ in range(5)))
    assert len(server.calls) == 1
    assert sorted(reply.usage.stored for reply in said) == [0, 1, 1, 1, 1]


async def test_whoever_waits_for_a_call_that_fails_asks_itself(server: Any, servers: Any, tmp_path: Path) -> None:
    server.then(servers.error(400, "no"))
    async with Models(tmp_path / "c.db") as models:
        model = models.open(spec(server, limits={"tries": 1}))
        said = await asyncio.gather(*(model.complete(ASKED) for _ in range(3)), return_exceptions=True)
    assert [type(each).__name__ for each in said] == ["Failure", "Reply", "Reply"]
    assert len(server.calls) == 2


async def test_a_waiter_goes_on_where_the_call_it_waits_for_is_cancelled(
    server: Any, servers: Any, tmp_path: Path
) -> None:
    asked = asyncio.Event()

    async def hang(call: Any) -> Any:
        asked.set()
        return await servers.hang(call)

    server.then(hang)
    async with Models(tmp_path / "c.db") as models:
        model = models.open(spec(server))
        first, second = (asyncio.create_task(model.complete(ASKED)) for _ in range(2))
        await asked.wait()
        first.cancel()
        assert (await second).text


async def test_a_secret_in_an_answer_is_not_kept(server: Any, servers: Any, tmp_path: Path) -> None:
    remember("correct-horse-battery")
    server.then(servers.say("It is correct-horse-battery."), servers.say("It is sk-abcdef1234567890abcdef."))
    await ask(tmp_path / "c.db", spec(server), ASKED, replace(ASKED, seed=2))
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"correct-horse" not in held and b"sk-abcdef" not in held
    with sqlite3.connect(tmp_path / "c.db") as file:
        assert file.execute("SELECT count(*) FROM replies").fetchone() == (0,)
    file.close()


async def test_a_scripted_model_has_no_cache(tmp_path: Path) -> None:
    said = await ask(tmp_path / "c.db", ModelSpec(model="scripted:One.|Two."), ASKED, ASKED)
    assert [reply.text for reply in said] == ["One.", "Two."]
    assert not (tmp_path / "c.db").exists()


@pytest.mark.parametrize("kind", ["folder", "garbage", "below a file", "another database"])
def test_a_file_that_is_no_cache_is_told_before_anything_is_asked(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.db"
    if kind == "folder":
        path.mkdir()
    elif kind == "garbage":
        path.write_bytes(b"no database at all, but long enough to look like one" * 40)
    elif kind == "below a file":
        (tmp_path / "f").touch()
        path = tmp_path / "f" / "c.db"
    else:
        file = sqlite3.connect(path)
        file.execute("CREATE TABLE replies (a, b)")
        file.close()
    with pytest.raises(BadInput, match=r"is no cache to use .* Name another file for the cache"):
        Cache(path)


async def test_a_spoilt_answer_is_asked_for_again(server: Any, servers: Any, tmp_path: Path) -> None:
    server.then(servers.say("First."), servers.say("Second."))
    await ask(tmp_path / "c.db", spec(server), ASKED)
    file = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    file.execute("""UPDATE replies SET reply = replace(reply, 'First', 'Fist!')""")
    file.close()
    second, third = await ask(tmp_path / "c.db", spec(server), ASKED, ASKED)
    assert (second.text, third.text, third.usage.stored) == ("Second.", "Second.", 1)


async def test_a_file_that_breaks_under_way_is_done_without(server: Any, tmp_path: Path) -> None:
    async with Models(tmp_path / "c.db") as models:
        model = models.open(spec(server))
        await model.complete(ASKED)
        file = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
        file.execute("DROP TABLE replies")
        file.close()
        said = [await model.complete(ASKED) for _ in range(2)]
        told = models.adaptations
    assert [reply.usage.stored for reply in said] == [0, 0] and len(server.calls) == 3
    assert len(told) == 1 and "went on without it" in told[0]


async def test_a_file_that_somebody_else_writes_to_holds_nobody_up(server: Any, tmp_path: Path) -> None:
    async with Models(tmp_path / "c.db") as models:
        model = models.open(spec(server))
        await model.complete(ASKED)
        other = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        said = [await model.complete(ASKED), await model.complete(replace(ASKED, seed=2))]
        other.execute("COMMIT")
        other.close()
        said += [await model.complete(replace(ASKED, seed=n)) for n in (2, 2)]
        told = models.adaptations
    assert [reply.usage.stored for reply in said] == [1, 0, 0, 1]
    assert len(told) == 1 and "busy" in told[0]


async def test_several_processes_share_a_file(server: Any, tmp_path: Path) -> None:
    async with Models(tmp_path / "c.db") as one, Models(tmp_path / "c.db") as two:
        first, second = one.open(spec(server)), two.open(spec(server))
        for seed in range(20):
            await (first if seed % 2 else second).complete(replace(ASKED, seed=seed))
        said = [await (second if seed % 2 else first).complete(replace(ASKED, seed=seed)) for seed in range(20)]
    assert all(reply.usage.stored for reply in said) and len(server.calls) == 20


def test_sums_keep_apart_what_was_paid() -> None:
    paid, stored = Usage(input=100, cached=60, output=20), Usage(input=50, cached=10, output=5, retries=2).from_cache()
    total = paid + stored + stored
    assert (total.input, total.cached, total.output) == (200, 80, 30)
    assert (total.calls, total.stored, total.retries) == (3, 2, 0)
    assert total.paid == Tokens(100, 60, 20)
    assert Usage().paid is None
    assert Usage().from_cache().paid == Tokens(0, 0, 0)
