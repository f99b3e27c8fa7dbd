"""What may change while a run is interrupted, and what is told where something else did."""

import os
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.events import AssistantTurn, Event
from duologue.alterations import differences
from duologue.campaign import Campaign, read_campaign
from duologue.listener import Listener
from duologue.record.run import Run, read_dialogues, read_manifest
from duologue.run import resume, run
from duologue.scores import summary
from duologue.tasks.written import BadInput

CAMPAIGN = """
seed = 1
user = { script = ["I would like to see a film this week.", "On Friday.", "Thanks, that is all."] }
judge = { model = "scripted:Not a verdict." }
select = { profiles = 2, domains = ["Movies"], sample = 20 }
limits = { concurrency = 1, turns = 4 }
[[assistant]]
name = "a"
model = "openai:helper"
tools = "off"
base_url = "URL"
"""


class StopAfter(Listener):
    """Sends the signal of Ctrl-C after so many dialogues."""

    def __init__(self, dialogues: int) -> None:
        self.left = dialogues

    def event(self, event: Event) -> None:
        if event.kind == "cell_ended":
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), 2)


def write(folder: Path, server: Any, *changes: tuple[str, str]) -> Path:
    text = CAMPAIGN.replace("URL", server.base_url)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def said(done: Run) -> list[Any]:
    return sorted((d.cell, str(d.script), str(d.ending)) for d in read_dialogues(done))


async def test_a_changed_model_is_refused_and_put_back_goes_on(server: Any, tmp_path: Path) -> None:
    path = write(tmp_path, server)
    whole = await run(read_campaign(path), tmp_path / "whole")
    cells = len(whole.dialogues)
    server.calls.clear()
    first = await run(read_campaign(path), tmp_path / "r", [StopAfter(3)])
    held = sum(bool(d.ending and d.ending.finished) for d in first.dialogues)
    assert 3 <= held < cells
    made = len(server.calls)
    write(tmp_path, server, ("openai:helper", "openai:other"), ("seed = 1", "seed = 2"))
    with pytest.raises(BadInput) as refused:
        await resume(tmp_path / "r")
    told = str(refused.value)
    assert "seed 1 -> 2; assistant a: model openai:helper -> openai:other" in told
    assert f"duologue run {path}" in told
    assert len(server.calls) == made
    write(tmp_path, server)
    done = await resume(tmp_path / "r")
    assert said(done) == said(whole)
    turns = sum(isinstance(event, AssistantTurn) for d in read_dialogues(done) for event in d.events)
    assert len(server.calls) == turns
    for one, other in zip(summary(done).assistants, summary(whole).assistants, strict=True):
        assert (one.usage, one.metrics["success"]) == (other.usage, other.metrics["success"])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("turns = 4", "turns = 5", "limits: turns 4 -> 5"),
        ("profiles = 2", "profiles = 3", "select: profiles 2 -> 3"),
        ('"On Friday."', '"On Monday."', "user: script "),
        ('name = "a"', 'name = "b"', "assistant a is gone; assistant b is new"),
        ('judge = { model = "scripted:Not a verdict." }\n', "", "judge is gone"),
        (
            'tools = "off"\n',
            'tools = "off"\ncontext = "preferences"\n',
            'assistant a: context (none) -> ["preferences"]',
        ),
        ("seed = 1", "seed = 1\ndata = 'elsewhere'", "data shipped -> elsewhere"),
        ("seed = 1", "seed = 1\ntrials = 3", "trials 1 -> 3"),
        ("seed = 1", "sead = 1", "unknown key 'sead'"),
    ],
)
async def test_each_difference_is_named(server: Any, tmp_path: Path, old: str, new: str, told: str) -> None:
    await run(read_campaign(write(tmp_path, server)), tmp_path / "r", [StopAfter(1)])
    write(tmp_path, server, (old, new))
    with pytest.raises(BadInput) as refused:
        await resume(tmp_path / "r")
    assert told in str(refused.value)


async def test_limits_prices_and_cache_may_change(server: Any, tmp_path: Path) -> None:
    await run(read_campaign(write(tmp_path, server)), tmp_path / "r", [StopAfter(1)])
    extra = f'\n[prices]\n"openai:helper" = {{ input = 1, output = 2 }}\n[cache]\npath = "{tmp_path / "c.db"}"\n'
    path = write(tmp_path, server, ("concurrency = 1", "concurrency = 3, budget = 100"))
    path.write_text(path.read_text(encoding="utf-8") + extra, encoding="utf-8")
    done = await resume(tmp_path / "r")
    found = summary(done)
    assert found.left == 0 and found.budget == 100
    assert found.assistants[0].cost["assistant"]
    assert (tmp_path / "c.db").exists()
    assert read_manifest(tmp_path / "r").campaign["limits"]["concurrency"] == 3


async def test_where_the_file_is_gone_the_record_serves(server: Any, tmp_path: Path) -> None:
    path = write(tmp_path, server)
    await run(read_campaign(path), tmp_path / "r", [StopAfter(1)])
    path.unlink()
    assert summary(await resume(tmp_path / "r")).left == 0


async def test_what_was_set_on_the_command_line_still_is(server: Any, tmp_path: Path) -> None:
    path = write(tmp_path, server)
    await run(read_campaign(path, ["limits.turns=2", "assistant.a.max_tokens=50"]), tmp_path / "r", [StopAfter(1)])
    assert summary(await resume(tmp_path / "r")).left == 0


async def test_a_campaign_that_was_changed_after_it_was_read_has_no_file(server: Any, tmp_path: Path) -> None:
    read = read_campaign(write(tmp_path, server)).changed(seed=5)
    await run(read, tmp_path / "r", [StopAfter(1)])
    assert "source" not in read_manifest(tmp_path / "r").campaign
    assert summary(await resume(tmp_path / "r")).left == 0


def test_equal_campaigns_do_not_differ(server: Any, tmp_path: Path) -> None:
    read = read_campaign(write(tmp_path, server))
    again = Campaign.model_validate(read.model_dump(mode="json", exclude_defaults=True))
    assert differences(read, again) == []
