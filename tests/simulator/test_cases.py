"""Cases from the field, as users meet them: a run never hangs, and stops where it is told to."""

import asyncio
import contextlib
import json
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.simulator.loopback import LINES, campaign, played_by
from tests.simulator.records import stored
from tests.simulator.views.screens import drawn

from duologue.record.run import read_run
from duologue.run import resume, run
from duologue.scores import alarms, summary
from duologue.views.live import Board

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")


async def watched(board: Board, wanted: Callable[[str], object]) -> str:
    """The first screen of `board` that is wanted."""
    while True:
        if wanted(screen := drawn(board.draw(), 120)):
            return screen
        await asyncio.sleep(0.02)


# 1


async def test_two_that_are_silent_among_eight_end_in_time_and_are_named(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    def behave(call: Any) -> Any:
        silent = {"mute": servers.hang, "slow": servers.drip(60)}
        return silent.get(call.model) if servers.turns_before(call) else None

    server.behave = behave
    names = ["mute", "slow", *(f"fine{n}" for n in range(6))]
    plan = campaign(server, names, limits={"call": 1, "tries": 2})
    board, began = Board(), time.perf_counter()
    seen = asyncio.create_task(watched(board, lambda screen: " 6/8 " in screen))
    done = await run(plan, tmp_path / "r", [board])
    assert 2 <= time.perf_counter() - began < 2 + 4
    held = {d.started.assistant: d for d in stored(done)}
    assert {name: held[name].ending.reason for name in names[2:]} == dict.fromkeys(names[2:], "satisfied")
    for name in ("mute", "slow"):
        end = held[name].ending
        assert (end.reason, end.owner, end.role) == ("timeout", "infrastructure", "assistant")
        assert "tried 2 times" in end.detail
        assert held[name].script.said_by("user") == tuple(LINES[:2])
        assert held[name].script.said_by("assistant") == (servers.ASSISTANT[0],)
    started = held["mute"].started
    waiting = [line.split() for line in (await asyncio.wait_for(seen, 1)).splitlines() if started.task in line]
    assert sorted((line[0], line[2], line[-1]) for line in waiting) == [
        ("assistant", "2", "mute"),
        ("assistant", "2", "slow"),
    ]
    assert all(f"{started.profile} × {started.task}" in " ".join(line) for line in waiting)
    assert "2 of 8 dialogues ended without scores" in " ".join(alarms(summary(done)))
    await asyncio.sleep(0.05)
    assert server.at_once == 0


@pytest.mark.parametrize("seat", ["user", "assistant", "judge"])
async def test_whoever_is_silent_the_screen_names_the_seat(
    server: Any, servers: ModuleType, tmp_path: Path, seat: str
) -> None:
    server.behave = lambda call: servers.hang if call.model == seat else None
    roles = played_by(server, "user", "judge")
    limits = {"call": 0.5, "tries": 1}
    board = Board()
    seen = asyncio.create_task(watched(board, lambda screen: f"\n{seat} " in screen))
    done = await run(campaign(server, ["assistant"], **roles, limits=limits), tmp_path / "r", [board])
    started = done.dialogues[0]
    assert f"{started.profile} × {started.task}  assistant" in await asyncio.wait_for(seen, 5)
    (one,) = stored(done)
    if seat == "judge":
        assert one.verdicts[0].unscored.startswith("timeout: ") and one.verdicts[0].owner == "infrastructure"
    else:
        assert one.ending and (one.ending.reason, one.ending.role) == ("timeout", seat)


# 2


async def test_refusals_of_all_kinds_lose_nothing_and_are_counted_by_role(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    refused: Counter[str] = Counter()
    came: dict[str, list[float]] = defaultdict(list)
    told_to_wait: dict[str, list[float]] = defaultdict(list)

    def behave(call: Any) -> Any:
        asked = json.dumps(call.body)
        came[asked].append(time.perf_counter())
        if call.number % 3 == 0:
            refused[call.model] += 1
            told_to_wait[asked].append(came[asked][-1])
            return servers.error(429, "Wait", "rate_limit_exceeded", retry_after="0.1")
        if call.number % 10 == 1:
            refused[call.model] += 1
            return servers.error(529 if call.number % 20 == 1 else 503, "Overloaded")
        return None

    server.behave = behave
    roles = played_by(server, "user", "judge")
    plan = campaign(
        server, ["assistant"], **roles,
        select={"profiles": 2, "domains": ["Movies"], "sample": 6}, limits={"concurrency": 6},
    )  # fmt: skip
    board = Board()
    done = await run(plan, tmp_path / "r", [board])
    assert len(done.dialogues) == done.manifest.cells == 6
    for one in stored(done):
        assert one.ending and one.ending.reason == "satisfied" and not one.verdicts[0].unscored
        assert one.script.said_by("user") == servers.USER and one.script.said_by("assistant") == servers.ASSISTANT
        assert [event.seq for event in one.events] == list(range(1, len(one.events) + 1))
    spent = summary(done).assistants[0].usage
    assert {role: used.retries for role, used in spent.items()} == refused and len(refused) == 3
    for asked, times in told_to_wait.items():
        for refusal in times:
            assert min(when for when in came[asked] if when > refusal) >= refusal + 0.1
    screen = drawn(board.draw(), 200)
    told = " · ".join(f"{role} {refused[role]}" for role in sorted(refused, key=lambda role: -refused[role]))
    assert f"retries {told}" in (" ".join(line.split()) for line in screen.splitlines())
    (slowed,) = [line for line in screen.splitlines() if line.startswith("slowed ")]
    assert "had no room for" in slowed and " at once (of " in slowed


# 7


@POSIX
@pytest.mark.parametrize("times", [1, 2])
async def test_an_interrupt_within_a_running_loop_leaves_the_loop_as_it_was(
    server: Any, servers: ModuleType, tmp_path: Path, times: int
) -> None:
    gate, all_in, ticks = asyncio.Event(), asyncio.Event(), 0

    async def slow(call: Any) -> Any:
        if server.at_once == 3:
            all_in.set()
        await gate.wait()
        return await servers.plausible(call)

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    before = signal.getsignal(signal.SIGINT)
    server.behave = lambda call: slow
    other = asyncio.create_task(tick())
    plan = campaign(server, select={"profiles": 2, "domains": ["Movies"], "sample": 6}, limits={"concurrency": 3})
    going = asyncio.create_task(run(plan, tmp_path / "r"))
    await asyncio.wait_for(all_in.wait(), 30)
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(0.1)
    assert not going.done()
    if times == 1:
        gate.set()
    else:
        os.kill(os.getpid(), signal.SIGINT)
    done = await asyncio.wait_for(going, 5)
    assert signal.getsignal(signal.SIGINT) is before and not other.done() and ticks > 5
    await asyncio.sleep(0.05)
    assert server.at_once == 0 and len(server.calls) == 3
    assert [len(d.script.messages) for d in stored(done)] == [3 - times] * 3
    assert [d.ending and d.ending.reason for d in done.dialogues] == ["interrupted" if times == 1 else None] * 3
    gate.set()
    assert {d.ending.reason for d in (await resume(tmp_path / "r")).dialogues if d.ending} == {"satisfied"}
    other.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await other


async def test_a_run_outside_the_main_thread_works(server: Any, tmp_path: Path) -> None:
    done = await asyncio.to_thread(asyncio.run, run(campaign(server), tmp_path / "r"))
    assert [d.ending.reason for d in done.dialogues if d.ending] == ["satisfied"]
    assert read_run(tmp_path / "r").dialogues == done.dialogues


@POSIX
async def test_an_interrupt_is_for_all_runs_of_a_loop_and_the_last_one_gives_the_signal_back(
    server: Any, tmp_path: Path
) -> None:
    before = signal.getsignal(signal.SIGINT)
    all_in = asyncio.Event()

    async def hold(call: Any) -> Any:
        if server.at_once == 2:
            all_in.set()
        return await asyncio.Event().wait()

    server.behave = lambda call: hold
    both = [asyncio.create_task(run(campaign(server), tmp_path / name)) for name in ("one", "two")]
    await asyncio.wait_for(all_in.wait(), 30)
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
    done = await asyncio.wait_for(asyncio.gather(*both), 5)
    assert [one.dialogues[0].ending for one in done] == [None, None]
    assert signal.getsignal(signal.SIGINT) is before
