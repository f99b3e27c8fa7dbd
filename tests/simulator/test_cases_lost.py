"""Cases from the field, as users meet them: nothing that was said is lost, and nothing is paid for twice."""

import asyncio
import json
import os
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.commandline import begun, called, ended
from tests.simulator.records import stored

from duologue.agents.events import AssistantTurn
from duologue.campaign import read_campaign
from duologue.run import resume, run
from duologue.scores import summary
from duologue.tasks.written import BadInput

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
CAMPAIGN = """
seed = 1
trials = TRIALS
user = { script = ["I would like to see a film this week.", "On Friday.", "Thanks, that is all."] }
JUDGE
select = { profiles = 2, domains = ["Movies"], sample = 10 }
limits = { concurrency = AT_ONCE, turns = 4 }
[[assistant]]
name = "a"
model = "openai:helper"
tools = "off"
base_url = "URL"
[prices]
"openai:helper" = { input = 1, output = 10 }
"openai:judge" = { input = 2, output = 20 }
"""


def written(folder: Path, server: Any, trials: int, at_once: int, judged: bool = False) -> Path:
    judge = f'judge = {{ model = "openai:judge", base_url = "{server.base_url}" }}' if judged else ""
    text = CAMPAIGN.replace("TRIALS", str(trials)).replace("AT_ONCE", str(at_once)).replace("JUDGE", judge)
    path = folder / "mine.toml"
    path.write_text(text.replace("URL", server.base_url), encoding="utf-8")
    return path


class Stalling:
    """Answers so many calls, each differently, and from then on none."""

    def __init__(self, servers: ModuleType, at_once: int) -> None:
        self.servers, self.at_once = servers, at_once
        self.room = 0
        self.answered: set[str] = set()
        self.silent = 0
        self.stalled = asyncio.Event()

    def __call__(self, call: Any) -> Any:
        return self._answer

    def rest(self, room: int) -> None:
        """Answer `room` more from now on."""
        self.room, self.silent = room, 0
        self.stalled.clear()

    async def _answer(self, call: Any) -> Any:
        if self.room == 0:
            self.silent += 1
            if self.silent == self.at_once:
                self.stalled.set()
            return await self.servers.hang(call)
        self.room -= 1
        text = f"Noted, that is number {call.number}."
        self.answered.add(text)
        return await self.servers.say(text)(call)


def replies(folder: Path) -> list[str]:
    return [e.text for d in stored(folder) for e in d.events if isinstance(e, AssistantTurn)]


# 3


@POSIX
async def test_killed_twice_a_run_of_a_hundred_repeats_only_the_calls_in_flight(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    written(tmp_path, server, trials=10, at_once=8)
    server.behave = stalling = Stalling(servers, 8)
    for room, command in ((61, ("run", "mine.toml", "--out", "r")), (97, ("resume", "r"))):
        stalling.rest(room)
        process = await begun(tmp_path, *command)
        await asyncio.wait_for(stalling.stalled.wait(), 60)
        await asyncio.sleep(0.3)
        process.kill()
        await ended(process)
        assert set(replies(tmp_path / "r")) == stalling.answered
    stalling.rest(1000)
    held = stored(await resume(tmp_path / "r"))
    assert len(held) == 100 and {d.ending.reason for d in held if d.ending} == {"satisfied"}
    assert all(len(d.script.said_by("assistant")) == 3 for d in held)
    assert len(replies(tmp_path / "r")) == len(set(replies(tmp_path / "r"))) == 300
    assert len(server.calls) == 300 + 2 * 8


# 5 and 7


@POSIX
async def test_of_two_on_one_run_the_second_stops_and_damage_is_told(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    written(tmp_path, server, trials=1, at_once=4)
    server.behave = stalling = Stalling(servers, 4)
    stalling.rest(9)
    first = await begun(tmp_path, "run", "mine.toml", "--out", "r")
    await asyncio.wait_for(stalling.stalled.wait(), 60)
    made = len(server.calls)
    second = await called(tmp_path, "resume", "r", COLUMNS="300")
    assert second.returncode == 2 and f"the run is in use by process {first.pid} on " in second.stderr
    assert len(server.calls) == made
    first.send_signal(signal.SIGINT)
    await asyncio.sleep(0.3)
    assert first.returncode is None  # it waits for the calls in flight
    first.send_signal(signal.SIGINT)
    assert (await asyncio.wait_for(ended(first), 10)).returncode == 130
    await asyncio.sleep(0.1)
    assert server.at_once == 0 and len(server.calls) == made
    assert set(replies(tmp_path / "r")) == stalling.answered

    path = tmp_path / "r" / "events-0001.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    shown = await called(tmp_path, "show", "r", COLUMNS="300")
    lines = whole.count(b"\n")
    assert shown.returncode == 0
    assert f"events-0001.jsonl:{lines}: the last line is torn and was dropped" in shown.stdout + shown.stderr
    path.write_bytes(whole.replace(b'"kind"', b'"kin', 1))
    refused = await called(tmp_path, "resume", "r", COLUMNS="300")
    assert refused.returncode == 2 and "r/events-0001.jsonl:1: damaged line" in refused.stderr
    assert "Traceback" not in refused.stderr


# 4


def timeless(said: Any) -> Any:
    """A summary without what depends on when and where it ran."""
    if isinstance(said, dict):
        untimed = ("seconds", "elapsed", "folder", "name", "notes")
        return {name: timeless(each) for name, each in said.items() if name not in untimed}
    return [timeless(each) for each in said] if isinstance(said, list) else said


@POSIX
async def test_interrupted_after_seven_of_twenty_exactly_thirteen_are_left(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    path = written(tmp_path, server, trials=2, at_once=1, judged=True)
    process = await begun(tmp_path, "run", "mine.toml", "--out", "r", "--json")

    def behave(call: Any) -> Any:
        if call.model == "judge" and sum(each.model == "judge" for each in server.calls) == 7:
            process.send_signal(signal.SIGINT)
        return None

    server.behave = behave
    first = await ended(process)
    assert first.returncode == 130 and "Stopping after the calls in flight" in first.stderr
    said = json.loads(first.stdout)
    assert (said["dialogues"], said["left"], said["scored"]) == (7, 13, 7)
    server.behave = None
    made, text = len(server.calls), path.read_text(encoding="utf-8")
    path.write_text(text.replace('model = "openai:helper"', 'model = "openai:other"'), encoding="utf-8")
    with pytest.raises(BadInput, match=r"assistant a: model openai:helper -> openai:other\. Put it back and resume"):
        await resume(tmp_path / "r")
    assert len(server.calls) == made
    path.write_text(text, encoding="utf-8")
    final = json.loads(summary(await resume(tmp_path / "r")).model_dump_json())
    second = [json.loads(line) for line in (tmp_path / "r" / "events-0002.jsonl").read_bytes().splitlines()]
    assert sum(event["kind"] == "cell_started" for event in second) == 13
    assert len({event["cell"] for event in second}) == 13
    calls = len(server.calls)
    whole = await run(read_campaign(path), tmp_path / "whole")
    assert len(server.calls) == 2 * calls == 2 * 20 * 4
    expected = json.loads(summary(whole).model_dump_json())
    assert timeless(final) == timeless(expected)
    for role, cost in final["assistants"][0]["cost"].items():
        assert cost == pytest.approx(said["assistants"][0]["cost"][role] * 20 / 7, rel=0.2) and cost > 0
