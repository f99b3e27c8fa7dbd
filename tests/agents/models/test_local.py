"""The embedded model: its processes with a stand-in for llama.cpp, and the real one where its weights are there."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models import weights
from duologue.agents.models.call import CallLimits, Request, Schema
from duologue.agents.models.known import KNOWN
from duologue.agents.models.local import cores, open_local
from duologue.agents.models.process import CONTEXT, Process, explain
from duologue.tasks.written import BadInput

STANDIN = str(Path(__file__).parent / "standin")
SMALL = "smollm2-135m"
FORM = Schema("form", {"type": "object", "properties": {"pid": {"type": "integer"}}, "required": ["pid"]})

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A file that passes for a GGUF, and the stand-in in place of the library."""
    monkeypatch.setenv("PYTHONPATH", STANDIN)
    monkeypatch.syspath_prepend(STANDIN)
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
async def opened():
    """Opens models, and closes them afterwards."""
    models = []

    def open_one(*args, **kwargs):
        models.append(open_local(*args, **kwargs))
        return models[-1]

    yield open_one
    for model in models:
        await model.close()


def request(text="hi", conversation="", role="user", **more) -> Request:
    return Request(messages=(Message("user", text),), conversation=conversation, role=role, **more)


async def echo(model, *args, **kwargs) -> dict:
    """What the stand-in says it was asked: pid, threads and body."""
    return json.loads((await model.complete(request(*args, **kwargs))).text)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def children() -> set[int]:
    """The processes that this one started."""
    mine = str(os.getpid())
    return {int(path.parent.name) for path in Path("/proc").glob("[0-9]*/stat") if parent_of(path) == mine}


async def one_more_than(before: set[int]) -> int:
    """The process that is started within ten seconds."""
    for _ in range(500):
        if new := children() - before:
            return new.pop()
        await asyncio.sleep(0.02)
    raise AssertionError("no process was started")


def parent_of(stat: Path) -> str:
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[1]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def gone(pid: int) -> bool:
    """Whether it goes within ten seconds."""
    until = time.monotonic() + 10
    while lives(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not lives(pid)


# What the server is asked


async def test_penalties_only_without_a_schema(tiny, opened):
    model = opened(str(tiny), CallLimits())
    said = (await echo(model, extra={"repeat_penalty": 2.0, "min_p": 0.1}))["body"]
    assert said["dry_multiplier"] == 0.8
    assert said["dry_penalty_last_n"] == 1024
    assert said["repeat_penalty"] == 2.0
    assert said["min_p"] == 0.1
    formed = (await echo(model, schema=FORM, extra={"min_p": 0.1}))["body"]
    assert "dry_multiplier" not in formed
    assert "repeat_penalty" not in formed
    assert formed["min_p"] == 0.1
    assert formed["response_format"]["type"] == "json_schema"


async def test_a_raw_prompt_goes_as_it_is(tiny, opened):
    model = opened(str(tiny), CallLimits(), {"temperature": 0.25})
    reply = await model.complete(Request(prompt="Dana:", stop=("\n",), seed=7, max_tokens=9))
    body = json.loads(reply.text)["body"]
    assert (body["prompt"], body["stop"], body["seed"], body["max_tokens"]) == ("Dana:", ["\n"], 7, 9)
    assert body["temperature"] == 0.25
    assert body["dry_multiplier"] == 0.8


async def test_the_cache_is_off_at_the_first_call_of_each_role(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    told = []
    for conversation in "ab":
        for role in ("user", "assistant", "user", "assistant", "judge"):
            body = (await echo(model, "hi", conversation, role))["body"]
            told.append((body["id_slot"], body["cache_prompt"]))
        await model.release(conversation)
    assert told == 2 * [(0, False), (1, False), (0, True), (1, True), (1, False)]


async def test_names_and_traits(tiny, opened):
    model = opened(str(tiny), CallLimits())
    assert model.name == f"local:{tiny}"
    assert model.traits.small
    assert model.traits.raw
    assert model.traits.schemas
    assert not model.traits.tools
    with tiny.open("r+b") as file:
        file.truncate(3_500_000_000)
    assert not opened(f"local:{tiny}", CallLimits()).traits.small


# The pool


@pytest.mark.skipif(cores() < 2, reason="one core")
async def test_a_process_serves_one_conversation_at_a_time(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=2)
    assert model.pool.pids == []
    a, b = await asyncio.gather(echo(model, "hi", "a"), echo(model, "hi", "b"))
    assert a["pid"] != b["pid"]
    assert a["threads"] == b["threads"] == 1
    assert (await echo(model, "hi", "a", "assistant"))["pid"] == a["pid"]
    waiting = [asyncio.create_task(echo(model, "hi", name)) for name in "cd"]
    await asyncio.sleep(0.1)
    assert not any(task.done() for task in waiting)
    await model.release("b")
    assert (await waiting[0])["pid"] == b["pid"]
    await asyncio.sleep(0.1)
    assert not waiting[1].done()
    await model.release("c")
    assert (await waiting[1])["pid"] == b["pid"]


async def test_one_after_another_needs_one_process(tiny, opened):
    model = opened(str(tiny), CallLimits())
    pids = {(await echo(model))["pid"] for _ in range(3)}
    for conversation in "abc":
        pids.add((await echo(model, "hi", conversation))["pid"])
        await model.release(conversation)
    assert len(pids) == 1
    assert model.pool.pids == list(pids)


async def test_a_single_process_has_all_cores_but_one(tiny, opened):
    assert (await echo(opened(str(tiny), CallLimits(), processes=1)))["threads"] == max(1, cores() - 1)


async def test_two_calls_of_one_conversation_share_its_process(tiny, opened):
    model = opened(str(tiny), CallLimits())
    both = await asyncio.gather(echo(model, "hi", "a"), echo(model, "hi", "a", "judge"))
    assert both[0]["pid"] == both[1]["pid"]


async def test_models_opened_together_share_processes(tiny, opened):
    pools = {}
    user = opened(str(tiny), CallLimits(), {"temperature": 0.7}, pools)
    assistant = opened(str(tiny), CallLimits(), {"temperature": 0.3}, pools)
    first, second = await echo(user, "hi", "a"), await echo(assistant, "hi", "a", "assistant")
    assert first["pid"] == second["pid"]
    assert (first["body"]["temperature"], second["body"]["temperature"]) == (0.7, 0.3)


async def test_who_gives_up_waiting_takes_no_seat(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    await echo(model, "hi", "a")
    impatient = asyncio.create_task(echo(model, "hi", "b"))
    await asyncio.sleep(0.05)
    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    await model.release("b")
    await model.release("a")
    async with asyncio.timeout(10):
        await echo(model, "hi", "c")


# Death


@posix
async def test_a_call_whose_process_died_is_asked_again_of_a_new_one(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    before = await echo(model, "hi", "a")
    assert (await echo(model, "hi", "a"))["body"]["cache_prompt"]
    reply = await model.complete(request("die once", "a"))
    after = json.loads(reply.text)
    assert after["pid"] != before["pid"]
    assert not after["body"]["cache_prompt"]
    assert reply.usage.retries == 1
    assert model.pool.pids == [after["pid"]]


@posix
async def test_a_process_killed_between_calls_is_replaced(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    before = await echo(model, "hi", "a")
    os.kill(before["pid"], signal.SIGKILL)
    assert gone(before["pid"])
    after = await echo(model, "hi", "a")
    assert not after["body"]["cache_prompt"]
    assert (await echo(model, "hi", "a"))["body"]["cache_prompt"]


@posix
async def test_what_kills_every_process_is_a_failure(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    with pytest.raises(Failure) as failed:
        await model.complete(request("die", "a"))
    assert failed.value.reason == "provider_error"
    assert (await echo(model, "hi", "a"))["pid"]


async def test_a_call_that_takes_too_long_ends_with_its_process(tiny, opened):
    model = opened(str(tiny), CallLimits(call=0.5), processes=1)
    with pytest.raises(Failure) as failed:
        await model.complete(request("hang"))
    assert failed.value.reason == "timeout"
    assert model.pool.pids == []


async def test_a_cancelled_call_goes_on_nowhere(tiny, opened):
    model = opened(str(tiny), CallLimits(), processes=1)
    pid = (await echo(model, "hi", "a"))["pid"]
    hanging = asyncio.create_task(model.complete(request("hang", "a")))
    await asyncio.sleep(0.1)
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_start_that_is_cancelled_leaves_no_process(tiny, opened, monkeypatch):
    monkeypatch.setenv("STANDIN", "slow")
    before = children()
    starting = asyncio.create_task(opened(str(tiny), CallLimits()).complete(request()))
    pid = await one_more_than(before)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert gone(pid)


async def test_closing_leaves_no_process(tiny, opened):
    model = opened(str(tiny), CallLimits())
    pids = [(await echo(model, "hi", name))["pid"] for name in "ab"[: min(2, cores())]]
    await model.close()
    assert all(gone(pid) for pid in pids)
    assert model.pool.pids == []


PARENT = """
import asyncio, json, sys
from duologue.agents.message import Message
from duologue.agents.models.call import CallLimits, Request
from duologue.agents.models.known import KNOWN
from duologue.agents.models.local import open_local
async def main():
    model = open_local(sys.argv[1], CallLimits())
    reply = await model.complete(Request(messages=(Message("user", "hi"),)))
    print(json.loads(reply.text)["pid"], flush=True)
    {then}
asyncio.run(main())
"""


def parent(tiny: Path, then: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PARENT.format(then=then), str(tiny)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


@posix
async def test_a_killed_parent_leaves_no_process(tiny):
    with parent(tiny, "await asyncio.sleep(60)") as process:
        pid = int(process.stdout.readline())
        assert lives(pid)
        process.kill()
    assert gone(pid)


@posix
async def test_the_terminals_interrupt_reaches_the_parent_alone(tiny):
    with parent(tiny, "await asyncio.sleep(60)") as process:
        pid = int(process.stdout.readline())
        assert os.getsid(pid) == pid
        os.killpg(process.pid, signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=20)[1]
    assert gone(pid)


@posix
async def test_leaving_without_closing_leaves_no_process(tiny):
    with parent(tiny, "raise SystemExit(3)") as process:
        pid = int(process.stdout.readline())
        said = process.communicate(timeout=20)[1]
        assert process.returncode == 3
    assert gone(pid)
    assert "noise" not in said


# What goes wrong at the start


@posix
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("libgomp", "needs the system's libgomp, which is missing. Type: apt install libgomp1"),
        ("illegal", "does not run on this processor: xllamacpp is built for AVX2"),
        ("memory", "is too large for this machine's memory. Take a smaller one"),
    ],
)
async def test_a_machine_that_lacks_something(tiny, opened, monkeypatch, fault, sentence):
    monkeypatch.setenv("STANDIN", fault)
    model = opened(str(tiny), CallLimits())
    with pytest.raises(BadInput) as refused:
        await model.start()
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(Failure) as failed:
        await model.complete(request())
    assert failed.value.reason == "provider_error"
    assert sentence in failed.value.detail
    assert model.pool.pids == []


@pytest.mark.parametrize(
    ("code", "answer", "noise", "sentence"),
    [
        (0, {"fault": "import", "text": "No module named 'xllamacpp'"}, "", "pip install 'duologue[local]'"),
        (0, {"fault": "import", "text": "DLL load failed while importing x"}, "", "Visual C++ Redistributable"),
        (0, {"fault": "import", "text": "broken"}, "", "xllamacpp does not load (broken)"),
        (0xC000001D, {}, "", "AVX2"),
        (-9, {}, "", "too large for this machine's memory"),
        (1, {}, "Traceback\nValueError: odd", "cannot run this model (ValueError: odd)"),
        (3, {}, "", "its process ended with code 3"),
        (
            0,
            {"fault": "load", "text": "No."},
            "0.0.1 E load: file is cut\n0.0.2 E srv init: bye",
            "model (file is cut)",
        ),
    ],
)
def test_why_it_did_not_start(code, answer, noise, sentence):
    assert sentence in str(explain(code, answer, noise, Path("x.gguf")))


def test_without_the_library_one_sentence(tiny, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(BadInput, match=r"needs xllamacpp\. Type: pip install 'duologue\[local\]'"):
        open_local(str(tiny), CallLimits())


def test_files_that_are_none(tiny, tmp_path):
    with pytest.raises(BadInput, match=r"cannot read this model \(No such file.*Known models: local:qwen"):
        open_local(str(tmp_path / "absent.gguf"), CallLimits())
    tiny.write_bytes(b"PK\3\4")
    with pytest.raises(BadInput, match="is not a GGUF file"):
        open_local(str(tiny), CallLimits())
    with pytest.raises(BadInput, match="did you mean 'smollm2-135m'"):
        open_local("smollm-135m", CallLimits())


# The real thing


@pytest.fixture
def real():
    """The path of a small real model."""
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    if path := weights.found(KNOWN[SMALL]):
        return path
    if os.environ.get("DUOLOGUE_FETCH") != "1":
        pytest.skip(f"the weights of {SMALL} are not in the cache, and DUOLOGUE_FETCH=1 is not set")
    return weights.fetch(KNOWN[SMALL])


async def exchange(model, conversation: str, seed: int = 0, turns: int = 3) -> list[str]:
    """So many turns between a guest and a host, two calls each."""
    said: list[str] = []
    for at in range(2 * turns):
        role = "assistant" if at % 2 else "user"
        system = "You are a friendly host of a restaurant." if at % 2 else "You are a guest who wants a table."
        told = tuple(Message("assistant" if i % 2 == at % 2 else "user", text) for i, text in enumerate(said))
        messages = (Message("system", system), *(told or (Message("user", "Welcome."),)))
        how = {"seed": seed + at, "temperature": 0.8, "max_tokens": 8}
        said.append((await model.complete(Request(messages, conversation=conversation, role=role, **how))).text)
    await model.release(conversation)
    return said


async def test_the_real_one_repeats_itself(real, opened):
    model = opened(SMALL, CallLimits(), processes=1)
    first = await exchange(model, "a")
    assert all(first)
    assert await exchange(model, "b", seed=100, turns=1) != first[:2]
    assert await exchange(model, "c") == first
    os.kill(model.pool.pids[0], signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    assert await exchange(model, "d", turns=1) == first[:2]
    long = request("Tell me of the sea. " * 8, "e", max_tokens=1)
    cached = [(await model.complete(long)).usage.cached for _ in range(2)]
    assert cached[0] == 0
    assert cached[1] > 20


async def test_the_real_one_fills_a_form_and_refuses_what_is_too_long(real, opened):
    model = opened(SMALL, CallLimits(), processes=1)
    form = {"reason": {"type": "string", "maxLength": 40}, "score": {"type": "integer", "minimum": 1, "maximum": 5}}
    schema = Schema("verdict", {"type": "object", "properties": form, "required": ["reason", "score"]})
    reply = await model.complete(
        request("The waiter was kind. Grade him.", schema=schema, max_tokens=80, temperature=0.0, likely=5)
    )
    verdict = json.loads(reply.text)
    assert len(verdict["reason"]) <= 40
    assert verdict["score"] in range(1, 6)
    assert "".join(token.text for token in reply.tokens).strip() == reply.text
    assert all(0 < sum(probability for _, probability in token.likely) <= 1.001 for token in reply.tokens)
    assert reply.usage.input > 5
    raw = await model.complete(Request(prompt="The capital of France is", max_tokens=4, temperature=0.0))
    assert "Paris" in raw.text
    with pytest.raises(Failure) as failed:
        await model.complete(request("long " * CONTEXT))
    assert failed.value.reason == "context_overflow"
    pid = model.pool.pids[0]
    await model.close()
    assert gone(pid)


async def test_a_damaged_real_file_says_what_is_wrong(real, tmp_path):
    cut = tmp_path / "cut.gguf"
    with real.open("rb") as whole:
        cut.write_bytes(whole.read(4_000_000))
    with pytest.raises(BadInput, match=r"llama\.cpp cannot run this model \(.*corrupted or incomplete"):
        await Process.start(cut, 1)
