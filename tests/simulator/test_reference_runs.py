"""Runs without any model: an agenda meets the references, and what comes of it is read from the end states."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.records import stored

from duologue.agents.events import CellEnded, ToolCalled, UserTurn
from duologue.agents.state.judge import NAME
from duologue.campaign import Campaign
from duologue.comparing.contest import contestants
from duologue.profiles.dataset import open_dataset, scenario
from duologue.record.run import Run, read_run
from duologue.run import judge_again, resume, run
from duologue.scores import summary
from duologue.selection import select
from duologue.tasks.written import BadInput, parse
from duologue.telling import Telling

SAMPLE = {"domains": ["Restaurants", "Alarm"], "sample": 4}


def campaign(*assistants: dict[str, Any], **changes: Any) -> Campaign:
    table = {"name": "t", "seed": 3, "user": {"agenda": True}, "assistant": list(assistants), "select": SAMPLE}
    return parse(Campaign, {**table, **changes}, "test")


FLOOR, CEILING = {"reference": "floor"}, {"reference": "ceiling"}
WRONG = {"name": "wrong", "reference": "ceiling", "whose": "wrong"}


def untimed(done: Run) -> list[Any]:
    held = sorted(stored(done), key=lambda dialogue: dialogue.cell)
    without: Any = {"time": True, "seconds": True}
    return [[each.model_dump(exclude=without) for each in (*of.events, *of.verdicts)] for of in held]


def means(done: Run, name: str) -> dict[str, float | None]:
    (found,) = [each for each in summary(done).assistants if each.name == name]
    return {metric: mean.mean for metric, mean in found.metrics.items()}


async def test_a_campaign_without_a_model_runs_and_is_read(tmp_path: Path) -> None:
    done = await run(campaign(FLOOR, CEILING, WRONG), tmp_path / "r")
    assert {verdict.judge for dialogue in done.dialogues for verdict in dialogue.verdicts} == {NAME}
    assert all(len(dialogue.verdicts) == 1 for dialogue in done.dialogues)
    assert {event.source for d in stored(done) for event in d.events if isinstance(event, UserTurn)} == {"agenda"}
    for name in ("floor", "ceiling", "wrong"):
        assert means(done, name)["state_success"] == 1.0
    ceiling, floor = means(done, "ceiling")["state_unasked"], means(done, "floor")["state_unasked"]
    assert ceiling is not None and floor is not None and ceiling > floor + 0.3
    assert done.manifest.domains and done.manifest.fingerprints["world"]
    assert any(name.startswith("domain ") for name in done.manifest.data)


async def test_each_scenario_has_one_world_whoever_acts_in_it(tmp_path: Path) -> None:
    done = await run(campaign(FLOOR, {**FLOOR, "name": "again"}), tmp_path / "r")
    made: dict[str, list[Any]] = {}
    for dialogue in stored(done):
        last = dialogue.events[-1]
        assert isinstance(last, CellEnded) and last.state is not None
        calls = [(e.name, e.arguments) for e in dialogue.events if isinstance(e, ToolCalled)]
        made.setdefault(dialogue.started.scenario, []).append((last.state, calls))
    assert all(len(held) == 2 and held[0] == held[1] for held in made.values())


async def test_concurrency_changes_nothing(tmp_path: Path) -> None:
    one, many = [await run(campaign(FLOOR, CEILING, limits={"concurrency": n}), tmp_path / str(n)) for n in (1, 32)]
    assert untimed(one) == untimed(many)


@pytest.mark.parametrize("kept", [0.2, 0.55, 0.9])
async def test_what_is_left_of_a_killed_run_is_finished_and_read(tmp_path: Path, kept: float) -> None:
    whole = await run(campaign(FLOOR, CEILING), tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "run.json").write_bytes((whole.folder / "run.json").read_bytes())
    events = (whole.folder / "events-0001.jsonl").read_bytes()
    (cut / "events-0001.jsonl").write_bytes(events[: int(len(events) * kept)])
    assert untimed(await resume(cut)) == untimed(whole)


async def test_an_end_state_that_was_not_read_is_read_by_judge_and_by_resume(tmp_path: Path) -> None:
    done = await run(campaign(FLOOR), tmp_path / "r")
    verdicts = done.folder / "verdicts-0001.jsonl"
    lines = verdicts.read_text(encoding="utf-8").splitlines(keepends=True)
    verdicts.write_text("".join(lines[1:]), encoding="utf-8")
    again, by = await judge_again(done.folder)
    assert by.of_state and untimed(again) == untimed(done)
    (done.folder / "verdicts-0002.jsonl").unlink()
    assert untimed(await resume(done.folder)) == untimed(done)
    assert len((done.folder / "verdicts-0002.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    await judge_again(done.folder)
    assert not (done.folder / "verdicts-0003.jsonl").exists()


async def test_a_judge_stands_beside_the_state_and_takes_none_of_its_place(tmp_path: Path) -> None:
    answer = {"success": {"reason": "so", "turn": 1, "quote": "x", "score": "no"}}
    judge = {"model": "scripted:" + json.dumps(answer)}
    done = await run(campaign(CEILING, judge=judge), tmp_path / "r")
    assert all({v.judge == NAME for v in dialogue.verdicts} == {True, False} for dialogue in done.dialogues)
    found = means(done, "ceiling")
    assert (found["state_success"], found["success"]) == (1.0, 0.0)
    assert summary(done, judge=NAME).judging.of_state
    assert "success" not in summary(done, judge=NAME).assistants[0].metrics


async def test_with_tools_off_there_is_no_world_and_nothing_to_read(tmp_path: Path) -> None:
    talker = {"name": "talker", "model": "scripted:I have booked it.", "tools": "off"}
    done = await run(campaign(talker), tmp_path / "r")
    assert all(isinstance(d.events[-1], CellEnded) and d.events[-1].state is None for d in stored(done))
    assert not any(dialogue.verdicts for dialogue in done.dialogues)
    assert "state_success" not in summary(done).assistants[0].metrics


TOOLS = """
def calls_nothing(messages, tools):
    return f"I have booked it for you, number {len(messages)}."

def talks(messages):
    return "Your table is booked."
"""


async def test_a_callable_acts_where_it_takes_tools(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOLS, encoding="utf-8")
    names = ("calls_nothing", "talks")
    assistants = [{"name": name, "callable": f"{tmp_path / 'mine.py'}:{name}"} for name in names]
    done = await run(campaign(*assistants), tmp_path / "r")
    assert (means(done, "calls_nothing")["state_success"], means(done, "talks")["state_success"]) == (0.0, None)
    claims = means(done, "calls_nothing")["state_false_claims"]
    assert claims is not None and claims > 0


async def test_a_callable_that_takes_no_tools_is_not_given_any(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOLS, encoding="utf-8")
    talks = {"name": "talks", "callable": f"{tmp_path / 'mine.py'}:talks", "tools": "native"}
    with pytest.raises(BadInput, match=r"takes no tools\. Add an argument `tools` to the function, or write tools"):
        await run(campaign(talks), tmp_path / "r")
    assert not (tmp_path / "r").exists()


async def test_runs_in_unlike_worlds_are_no_pairs(tmp_path: Path) -> None:
    one, other = [await run(campaign(each), tmp_path / each["reference"]) for each in (FLOOR, CEILING)]
    assert len(contestants([one, other]).chosen) == 2
    manifest = json.loads((other.folder / "run.json").read_text(encoding="utf-8"))
    manifest["fingerprints"]["world"] = "another"
    (other.folder / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(BadInput, match="they differ in world"):
        contestants([one, read_run(other.folder)])


async def test_tools_that_a_model_has_not_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    from duologue.agents.models.call import Traits
    from duologue.cast import _check_tools

    class Toolless:
        name, traits = "local:small", Traits(tools=False)

    spec = campaign({"name": "a", "model": "local", "tools": "native"}).assistant[0]
    with pytest.raises(BadInput, match="local:small takes no tools as such"):
        _check_tools(spec, Toolless())  # type: ignore[arg-type]


def test_another_user_is_drawn_by_key_and_popular_values_are_the_others() -> None:
    data = open_dataset("shipped")
    told = {"name": "told", "script": ["x"], "context": "preferences", "whose": "wrong"}
    most = {"name": "most", "script": ["x"], "context": "preferences", "whose": "popular"}
    read = campaign(told, most, CEILING, WRONG)
    wrong, popular, ceiling, misled = read.assistant
    telling = Telling(read, data)
    for key in select(read, data):
        case = scenario(data, key)
        shown = telling.told(wrong, case)
        assert shown == Telling(read, data).told(wrong, case)
        assert shown.preferences != telling.told(wrong.changed(whose="own"), case).preferences
        likes = {(domain, type): likes for domain, type, likes, _ in telling.told(popular, case).preferences}
        assert all(likes[pair][0] == telling.popular(case.profile)[pair][0] for pair in likes)
        assert set(telling.known(ceiling, case, shown).values()) <= {"verbatim"}
        assert {(each.domain, each.type) for each in telling.read(misled, case)} <= {
            (each.domain, each.type) for each in telling.read(ceiling, case)
        }
