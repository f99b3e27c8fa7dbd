"""Limits: what a run does where an endpoint is busy, slow or silent, against a server on loopback."""

import asyncio
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.simulator.records import stored

from duologue.agents.events import AssistantTurn
from duologue.campaign import Campaign
from duologue.listener import Listener
from duologue.record.run import Run
from duologue.run import run
from duologue.tasks.written import parse

LINES = ["I would like to see a film this week.", "On Friday, please.", "Thanks, that is all."]


class Ear(Listener):
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.strains: dict[str, str] = {}

    def note(self, text: str) -> None:
        self.notes.append(text)

    def strained(self, endpoint: str, told: str) -> None:
        self.strains[endpoint] = told


def campaign(server: Any, *models: str, limits: dict[str, Any], **changes: Any) -> Campaign:
    """Scripted users before models of the server, all of which share its address."""
    table = {
        "name": "t",
        "user": {"script": LINES},
        "assistant": [
            {"name": f"a{n}", "model": model, "base_url": server.base_url, "tools": "off"}
            for n, model in enumerate(models)
        ],
        "select": {"profiles": 4, "domains": ["Movies"], "sample": 6},
        "limits": {"backoff": 0.02, **limits},
        **changes,
    }
    return parse(Campaign, table, "test")


def endings(done: Run) -> list[tuple[str, str]]:
    return sorted({(end.reason, end.role) for d in done.dialogues if (end := d.ending)})


def replies(done: Run) -> list[AssistantTurn]:
    return [event for d in stored(done) for event in d.events if isinstance(event, AssistantTurn)]


def retries(done: Run) -> int:
    """Of assistants and judges."""
    told = [reply.usage for reply in replies(done)] + [v.usage for d in stored(done) for v in d.verdicts]
    return sum(usage.retries for usage in told if usage)


@pytest.mark.parametrize("headers", [{}, {"retry_after": "0.1"}], ids=["alone", "with Retry-After"])
async def test_a_run_settles_at_what_its_endpoint_has_room_for(
    server: Any, servers: ModuleType, tmp_path: Path, headers: dict[str, str]
) -> None:
    room, ear = servers.Room(4, **headers), Ear()
    server.behave = lambda call: room
    judge = {"model": "judge", "base_url": server.base_url}
    plan = campaign(server, "one", "two", limits={"concurrency": 24}, judge=judge, trials=2)
    done = await run(plan, tmp_path / "r", [ear])
    assert len(done.dialogues) == 24
    assert endings(done) == [("satisfied", "user")]
    assert all(d.verdicts and not d.verdicts[0].unscored for d in stored(done))
    assert room.most == 4
    calls = len(room.begun)
    assert len(room.refused) <= 20 + 0.15 * calls  # the roles share the limit: each did not learn it for itself
    assert retries(done) == len(room.refused)
    told = next(note for note in ear.notes if "had no room" in note)
    assert told == ear.strains[server.url.removeprefix("http://")]
    assert f"had no room for {len(room.refused)} calls" in told and "to 4 at once (of " in told
    if headers:
        for when in room.refused:
            assert not [begun for begun in room.begun if when + 0.005 < begun < when + 0.09]


async def test_a_third_refused_and_a_tenth_broken_loses_nothing(server: Any, tmp_path: Path) -> None:
    plan = campaign(server, "flaky:3", "flaky:3", limits={"concurrency": 16}, trials=2)
    done = await run(plan, tmp_path / "r")
    assert endings(done) == [("satisfied", "user")]
    assert retries(done) == len(server.calls) - len(replies(done)) > 20


async def test_requests_a_minute_are_kept_by_all_roles_together(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    room = servers.Room(100)
    server.behave = lambda call: room
    limits = {"concurrency": 20, "requests_per_minute": 1200}
    await run(
        campaign(server, "one", "two", limits=limits, select={"profiles": 1, "domains": ["Movies"]}), tmp_path / "r"
    )
    assert len(room.begun) > 15
    assert room.begun[-1] - room.begun[0] >= 0.05 * (len(room.begun) - 1) - 0.25


@pytest.mark.parametrize("fault", ["hang", "drip:0.05"])
async def test_silence_ends_in_time_and_is_blamed_on_who_was_silent(server: Any, tmp_path: Path, fault: str) -> None:
    limits = {"concurrency": 8, "call": 0.3, "tries": 2}
    began = time.perf_counter()
    done = await run(campaign(server, fault, "plausible", limits=limits), tmp_path / "r")
    assert time.perf_counter() - began < 0.3 * 2 * (1 + len(done.dialogues) / 2 / 4) + 5
    ends = {(d.started.assistant, d.ending.reason, d.ending.role) for d in stored(done) if d.ending}
    assert ends == {("a0", "timeout", "assistant"), ("a1", "satisfied", "user")}
    silent = [d for d in stored(done) if d.started.assistant == "a0"]
    assert all(any(event.kind == "user_turn" for event in d.events) for d in silent)
    assert all(d.ending and "tried 2 times" in d.ending.detail for d in silent)


@pytest.mark.parametrize("kind", ["model", "callable", "thread", "endpoint"])
async def test_a_dialogue_ends_at_its_deadline(server: Any, servers: ModuleType, tmp_path: Path, kind: str) -> None:
    (tmp_path / "silent.py").write_text(
        "import asyncio, time\n"
        "async def waits(messages):\n    if len(messages) > 1:\n        await asyncio.sleep(60)\n    return 'Noted.'\n"
        "def blocks(messages):\n    if len(messages) > 1:\n        time.sleep(60)\n    return 'Noted.'\n",
        encoding="utf-8",
    )
    slow: dict[str, Any] = {
        "model": {"model": "slow", "base_url": server.base_url, "tools": "off"},
        "callable": {"callable": "silent.py:waits"},
        "thread": {"callable": "silent.py:blocks"},
        "endpoint": {"endpoint": {"url": f"{server.base_url}/chat/completions", "reply": "choices.0.message.content"}},
    }[kind]
    server.behave = lambda call: servers.hang if len(call.body["messages"]) > 2 else servers.say("Noted.")
    quick = {"name": "quick", "script": ["Noted.", "Booked."]}
    limits = {"concurrency": 16, "call": 50, "tries": 4, "dialogue": 1.5}
    plan = campaign(
        server,
        limits=limits,
        assistant=[{"name": "slow", **slow}, quick],
        beside=str(tmp_path),
        select={"profiles": 1, "domains": ["Movies"], "sample": 2},
    )
    began = time.perf_counter()
    done = await run(plan, tmp_path / "r")
    assert time.perf_counter() - began < 10
    ends = {(d.started.assistant, d.ending.reason, d.ending.role) for d in stored(done) if d.ending}
    assert ends == {("slow", "timeout", "assistant"), ("quick", "satisfied", "user")}
    late = next(d for d in stored(done) if d.started.assistant == "slow")
    assert late.ending and "1.5 s" in late.ending.detail and "limits.dialogue" in late.ending.detail
    assert late.ending.owner == "infrastructure"
    assert [event.kind for event in late.events if event.kind in ("user_turn", "assistant_turn")] == [
        "user_turn", "assistant_turn", "user_turn",
    ]  # fmt: skip
    await asyncio.sleep(0.05)
    assert server.at_once == 0  # no call goes on in the background


async def test_a_user_who_is_silent_at_the_deadline_is_named(server: Any, tmp_path: Path) -> None:
    user = {"model": "hang", "base_url": server.base_url}
    plan = campaign(
        server, limits={"concurrency": 4, "dialogue": 0.3}, user=user, assistant=[{"name": "s", "script": ["Hm."]}]
    )
    done = await run(plan, tmp_path / "r")
    assert endings(done) == [("timeout", "user")]


async def test_assistants_behind_one_url_share_its_limit(server: Any, servers: ModuleType, tmp_path: Path) -> None:
    room = servers.Room(3)
    server.behave = lambda call: room
    url = f"{server.base_url}/chat/completions"
    endpoint = {"url": url, "reply": "choices.0.message.content"}
    two = [{"name": name, "endpoint": endpoint} for name in ("one", "two")]
    ear = Ear()
    done = await run(campaign(server, limits={"concurrency": 12}, assistant=two, trials=2), tmp_path / "r", [ear])
    assert endings(done) == [("satisfied", "user")]
    assert retries(done) == len(room.refused) <= 9 + 0.2 * len(room.begun)
    assert [note for note in ear.notes if "to 3 at once" in note]
