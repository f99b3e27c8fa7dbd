"""`duologue bench` as people call it: stopped, killed, gone on with, and what it ends with."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.commandline import begun, called, ended
from tests.simulator.bench.asking import CASES, A, answers
from tests.simulator.bench.personafeedback.made_up import write_release

ALL = 2 * CASES


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_release(tmp_path / "data", {"general/easy": CASES})
    return tmp_path


def words(server: Any, *more: str, model: str = f"say:{A}") -> tuple[str, ...]:
    at = ("--data", "data", "--model", model, "--base-url", server.base_url, "--concurrency", "1", "--out", "b")
    return ("bench", "personafeedback", *at, *more)


async def until(count: int, server: Any) -> None:
    async with asyncio.timeout(60):
        while server.asked < count:  # noqa: ASYNC110 (it is another process that asks)
            await asyncio.sleep(0.01)


async def test_it_prints_its_table(place: Path, server: Any) -> None:
    done = await called(place, *words(server), COLUMNS="120")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{ALL} of {ALL} questions answered" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.split()[:2] == ["general", "easy"])
    assert row.split()[4:] == ["50.0", "%", "0.0", "%", "100.0", "%", "100.0", "%", "0.0", "%"]
    shown = await called(place, "resume", "b", "--json")
    assert json.loads(shown.stdout)["items"] == CASES
    assert len(server.calls) == ALL


async def test_killed_it_goes_on_where_it_was(place: Path, server: Any, servers: Any) -> None:
    server.then(*[servers.say(A)] * 3, servers.hang)
    process = await begun(place, *words(server))
    await until(4, server)
    await asyncio.sleep(0.5)  # what was answered is written within a quarter of a second
    process.kill()
    await ended(process)
    assert len(answers(place / "b")) == 3
    done = await called(place, "resume", "b")
    assert done.returncode == 0 and f"{ALL} of {ALL} questions answered" in done.stdout
    assert len(server.calls) == ALL + 1  # the one that hung is asked again


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
async def test_interrupted_it_stops_and_says_how_to_go_on(place: Path, server: Any, servers: Any) -> None:
    let = asyncio.Event()

    async def wait(call: Any) -> Any:
        await let.wait()
        return await servers.say(A)(call)

    server.then(servers.say(A), wait)
    process = await begun(place, *words(server))
    await until(2, server)
    process.send_signal(signal.SIGINT)
    await asyncio.sleep(0.3)
    let.set()
    stopped = await ended(process)
    assert stopped.returncode == 130
    assert f"2 of {ALL} questions answered" in stopped.stdout and "duologue resume" in stopped.stdout
    done = await called(place, "resume", "b")
    assert done.returncode == 0 and len(server.calls) == ALL


async def test_too_much_that_failed_has_its_own_exit_code(place: Path, server: Any, servers: Any) -> None:
    server.behave = lambda call: servers.error(401, "who are you")
    done = await called(place, *words(server))
    assert done.returncode == 3 and f"{ALL} infrastructure: provider_error" in done.stdout


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--set", "style=generate"), "needs a judge. Type: --judge openai:NAME"),
        (("--set", "setting"), "'setting' sets nothing"),
        (("--set", "style=likelihood"), "does not tell how likely a given text is"),
    ],
)
async def test_what_is_wrong_is_told_in_a_line(place: Path, server: Any, more: tuple[str, ...], told: str) -> None:
    done = await called(place, *words(server, *more))
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 2 and not (place / "b").exists()
