"""A run whose assistants call tools, killed anywhere, is finished as if nothing had happened."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.records import stored

from duologue.agents.events import CellEnded, ToolAnswered, ToolCalled
from duologue.campaign import Campaign
from duologue.record.run import Run
from duologue.run import resume, run
from duologue.tasks.written import BadInput, parse

ALARM = {"time": "07:00", "day": "Monday"}
CALLS = '{"calls": [{"name": "list_alarms"}]}'
SETS = f'{{"say": "A moment.", "calls": [{{"name": "set_alarm", "arguments": {json.dumps(ALARM)}}}]}}'
THREE = json.dumps({"calls": [{"name": "set_alarm", "arguments": {**ALARM, "time": f"0{n}:00"}} for n in (5, 6, 8)]})
LINES = (CALLS, SETS, '"It is set for 7 on Monday."', '{"calls": [{"name": "set_alarm"}]}', '"Sorry, no second one."')


def campaign(folder: Path) -> Campaign:
    script = folder / "assistant.jsonl"
    script.write_text("\n".join(LINES), encoding="utf-8")
    table = {
        "name": "t",
        "user": {"script": ["Wake me on Monday at 7.", "And a second one, please.", "Thanks."]},
        "assistant": [{"name": "acts", "model": f"scripted:{script}"}, {"name": "asker", "reference": "asker"}],
        "select": {"profiles": 1, "domains": ["Alarm"]},
    }
    return parse(Campaign, table, "test")


def artefacts(done: Run) -> list[Any]:
    untimed: Any = {"time", "seconds"}
    held = sorted(stored(done), key=lambda dialogue: dialogue.cell)
    return [[each.model_dump(exclude=untimed) for each in (*dialogue.events, *dialogue.verdicts)] for dialogue in held]


def cut(whole: Run, folder: Path, lines: list[str]) -> Path:
    folder.mkdir()
    (folder / "run.json").write_bytes((whole.folder / "run.json").read_bytes())
    (folder / "events-0001.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


async def test_a_run_killed_anywhere_is_finished_the_same(tmp_path: Path) -> None:
    whole = await run(campaign(tmp_path), tmp_path / "whole")
    assert {event.kind for dialogue in stored(whole) for event in dialogue.events} >= {"tool_call", "tool_result"}
    acts = next(d for d in stored(whole) if d.started.assistant == "acts")
    assert isinstance(end := acts.events[-1], CellEnded)
    assert end.state and any(record["time"] == "07:00" for record in end.state["alarm"])
    lines = (whole.folder / "events-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for kept in range(1, len(lines), max(1, len(lines) // 4)):
        done = await resume(cut(whole, tmp_path / f"cut{kept}", lines[:kept]))
        assert artefacts(done) == artefacts(whole)


@pytest.mark.parametrize("kind", ["tool_result", "tool_call"])
async def test_a_record_that_the_world_does_not_bear_out_is_refused(tmp_path: Path, kind: str) -> None:
    whole = await run(campaign(tmp_path), tmp_path / "whole")
    lines = (whole.folder / "events-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    at = max(n for n, line in enumerate(lines) if f'"kind":"{kind}"' in line and "07:00" in line)
    lines[at] = lines[at].replace("07:00", "08:00")
    cell = json.loads(lines[at])["cell"]
    kept = [line for line in lines if json.loads(line)["kind"] != "cell_ended" or json.loads(line)["cell"] != cell]
    with pytest.raises(BadInput, match=rf"tool call call\d+ \(set_alarm, turn 1\) of dialogue {cell}"):
        await resume(cut(whole, tmp_path / "cut", kept))


async def test_calls_are_answered_once_however_the_run_was_cut(tmp_path: Path) -> None:
    whole = await run(campaign(tmp_path), tmp_path / "whole")
    lines = (whole.folder / "events-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if '"kind":"tool_call"' in line)
    done = await resume(cut(whole, tmp_path / "cut", lines[: at + 1]))
    for dialogue in stored(done):
        called = [event.call for event in dialogue.events if isinstance(event, ToolCalled)]
        assert [event.call for event in dialogue.events if isinstance(event, ToolAnswered)] == called


async def test_a_step_of_several_calls_cut_anywhere_is_finished_the_same(tmp_path: Path) -> None:
    script = tmp_path / "three.jsonl"
    script.write_text("\n".join([THREE, '"All set."', '"Bye."']), encoding="utf-8")
    seat = {"name": "three", "model": f"scripted:{script}"}
    table = campaign(tmp_path).model_dump(mode="json", exclude_defaults=True) | {"assistant": [seat]}
    table["select"] |= {"sample": 1}
    whole = await run(parse(Campaign, table, "test"), tmp_path / "whole")
    lines = (whole.folder / "events-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    calls = [n for n, line in enumerate(lines) if '"kind":"tool_call"' in line]
    assert len(calls) == 3
    for kept in range(calls[0] - 1, calls[0] + 7):
        for torn in ("", lines[kept][:-20]):
            folder = cut(whole, tmp_path / f"cut{kept}{bool(torn)}", [*lines[:kept], torn])
            assert artefacts(await resume(folder)) == artefacts(whole)
            again = await resume(folder)
            assert artefacts(again) == artefacts(whole)
