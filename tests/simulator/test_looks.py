"""Several looks, panels and changed rubrics: what is asked, what stands, what is taken over."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from tests.commandline import called, duologue
from tests.simulator.records import stored
from tests.simulator.test_run import VERDICT, artefacts, table
from tests.simulator.views.screens import drawn

from duologue.agents.models.door import ModelSpec
from duologue.campaign import Campaign, JudgeSpec
from duologue.money.estimate import estimate
from duologue.reconsideration import PREFERENCES
from duologue.record.run import Run, read_run
from duologue.run import judge_again, resume, run
from duologue.scores import rows, summary
from duologue.scoring.consensus import told
from duologue.scoring.judging import heard, judging
from duologue.scoring.kinship import kinship
from duologue.tasks.written import BadInput, parse
from duologue.views import verdict as views
from duologue.views.summary import draw

ONE = {"select": {"profiles": 1, "domains": ["Movies"], "sample": 1}, "limits": {"tries": 1, "backoff": 0}}


def verdict(**scores: Any) -> str:
    """A judge's answer, with some scores otherwise."""
    said = json.loads(VERDICT)
    return json.dumps({name: {**table, "score": scores.get(name, table["score"])} for name, table in said.items()})


def campaign(server: Any = None, model: str = "openai:judge", **changes: Any) -> Campaign:
    """One dialogue of each of two assistants, judged at `server`."""
    judge = {"model": model, "base_url": server.base_url} if server else {"model": f"scripted:{VERDICT}"}
    return parse(Campaign, table(**{**ONE, **changes, "judge": {**judge, **changes.get("judge", {})}}), "test")


def graded(servers: Any, call: Any, **fields: Any) -> Any:
    """A server's answer in the form that is asked for, with these grades of personalisation."""
    said = json.loads(servers.plausible_text(call))
    said["scores"]["personalisation"] |= fields
    return json.dumps(said)


def alternating(servers: Any, *values: int) -> Any:
    """A server's behaviour: a judge that gives other scores every time."""
    turns = itertools.cycle(values)
    return lambda call: servers.say(graded(servers, call, score=next(turns)))


def looks(done: Run) -> list[list[tuple[str, int]]]:
    """Judge and look of the judges' verdicts, dialogue by dialogue."""
    return [[(v.judge, v.look) for v in each.verdicts if v.rubric_name != "state"] for each in stored(done)]


async def test_case_20_twenty_looks_that_alternate_show_their_spread_and_are_unstable(
    server: Any, servers: Any, tmp_path: Path
) -> None:
    server.behave = alternating(servers, 3, 4)
    plan = campaign(
        server, assistant=[{"name": "plain", "script": ["Noted.", "Noted, booked."]}], judge={"samples": 20}
    )
    done = await run(plan, tmp_path / "r")
    assert len(server.calls) == 20 and looks(done) == [[("judge", n) for n in range(1, 21)]]
    assert len({call.body["seed"] for call in server.calls}) == 20
    (row,) = rows(done)
    assert (row.metrics["personalisation"], row.spreads["personalisation"], row.unstable) == (
        3.5,
        1,
        ("personalisation",),
    )
    screen = drawn(draw(summary(done)))
    assert "20 looks" in screen and "unstable" in screen and "1 of 1    1.00" in screen
    (one,) = stored(done)
    found = heard(one.verdicts, judging([done]))
    shown = drawn(views.draw(told(found), found))
    assert "folded from 20 looks" in shown
    assert "20 looks: 3 (10 ×), 4 (10 ×); unstable, spread 1" in " ".join(shown.split())


async def test_only_looks_that_are_missing_are_taken(server: Any, servers: Any, tmp_path: Path) -> None:
    server.behave = alternating(servers, 3)
    plan = campaign(server)
    done = await run(plan, tmp_path / "r")
    assert looks(done) == [[("judge", 1)]] * 2 and len(server.calls) == 2
    assert plan.judge is not None
    more = plan.judge.model_copy(update={"samples": 3})
    server.then(servers.error(500, "down"))
    again, by = await judge_again(done.folder, more)
    assert len(server.calls) == 6 and by.judge == "judge"
    assert [v.owner for each in stored(again) for v in each.verdicts].count("infrastructure") == 1
    assert {row.spreads["personalisation"] for row in rows(again)} == {0.0}
    whole, _ = await judge_again(done.folder, more)
    assert len(server.calls) == 7
    assert [len(heard(each.verdicts, by)) for each in whole.dialogues] == [3, 3]
    assert not any(v.unscored for each in whole.dialogues for v in heard(each.verdicts, by))
    await judge_again(done.folder, more)
    assert len(server.calls) == 7


@pytest.mark.parametrize("kept", [0, 1, 3])
async def test_resume_goes_on_with_the_looks_of_a_panel_that_are_missing(tmp_path: Path, kept: int) -> None:
    other = {"model": "scripted:" + verdict(personalisation=2)}
    plan = campaign(judge={"samples": 2, "panel": [other]})
    whole = await run(plan, tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    for name in ("run.json", "events-0001.jsonl"):
        (cut / name).write_bytes((whole.folder / name).read_bytes())
    lines = (whole.folder / "verdicts-0001.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "verdicts-0001.jsonl").write_bytes(b"".join(lines[:kept]))
    done = await resume(cut)
    assert artefacts(done) == artefacts(whole)
    assert {len(each) for each in looks(done)} == {4}
    assert {row.metrics["personalisation"] for row in rows(done)} == {2.5}
    assert summary(done).judging.panel == summary(read_run(cut)).judging.panel == tuple(v.judge for v in _two(done))


def _two(done: Run) -> list[Any]:
    first = [v for v in stored(done)[0].verdicts if v.rubric_name != "state"]
    return [first[0], first[2]]


async def test_workers_ask_the_same_looks(tmp_path: Path) -> None:
    other = {"model": "scripted:" + verdict(success="no")}
    plans = [
        campaign(judge={"samples": 2, "panel": [other]}, select={"profiles": 2, "sample": 2}, limits={"workers": n})
        for n in (1, 2)
    ]
    one, two = [await run(plan, tmp_path / str(number)) for number, plan in enumerate(plans)]
    assert artefacts(one) == artefacts(two)
    assert {why for row in rows(two) for why in row.unscored.values()} >= {"judge: the looks are evenly split"}


def test_judges_that_could_not_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="two judges are 'openai:a'"):
        JudgeSpec(model="openai:a", panel=(ModelSpec(model="openai:a"),))


async def test_judges_that_are_called_alike_are_refused(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/v1"
    panel = [{"model": "a", "base_url": url}]
    with pytest.raises(BadInput, match="two judges are called 'a'"):
        await run(campaign(judge={"model": "openai:a", "base_url": url, "panel": panel}), tmp_path / "r")


async def test_an_estimate_counts_looks_and_judges(tmp_path: Path) -> None:
    prices = {"openai:judge": {"input": 1, "output": 1}, "openai:second": {"input": 10, "output": 10}}
    once = await estimate(campaign(judge={"model": "openai:judge"}, prices=prices))
    panel = [{"model": "openai:second"}]
    often = await estimate(campaign(judge={"model": "openai:judge", "samples": 3, "panel": panel}, prices=prices))
    (one,), (first, second) = ([r for r in found.roles if r.role.startswith("judge")] for found in (once, often))
    assert (one.calls.high, first.calls.high, second.calls.high) == (2, 6, 6)
    assert first.input.high == 3 * one.input.high and first.cost and second.cost
    assert second.cost.high == pytest.approx(10 * first.cost.high)
    assert any("3 times" in sentence for sentence in often.assumed)


async def test_a_budget_pays_each_judge_by_its_own_price(server: Any, servers: Any, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 0}
    server.behave = lambda call: servers.say(graded(servers, call), usage=usage)
    prices = {"openai:judge": {"input": 1, "output": 1}, "openai:second": {"input": 100, "output": 1}}
    panel = [{"model": "openai:second", "base_url": server.base_url}]
    limits = {"concurrency": 1, "budget": 0.05}
    done = await run(campaign(server, judge={"panel": panel}, prices=prices, limits=limits), tmp_path / "r")
    assert len(server.calls) == 2 and "is spent (0.1 USD)" in done.stopped
    plain = summary(done).assistants[0]
    assert plain.cost["judge"] == pytest.approx(0.101)


RUBRIC = """
name = "own"
calls = "each"
preferences = false

[[dimensions]]
name = "warmth"
scale = { low = 1, high = 5 }
question = "How warm is the assistant?"

[[dimensions]]
name = "pace"
scale = "yes_no"
question = "Does the assistant come to the point?"
"""


async def test_case_22_a_changed_rubric_asks_only_what_it_changes(server: Any, servers: Any, tmp_path: Path) -> None:
    asked: list[str] = []

    def behave(call: Any) -> Any:
        name = next(
            name for name in ("warmth", "pace", "grace") if f'"{name}"' in json.dumps(call.body["response_format"])
        )
        asked.append(name)
        score = {"warmth": len(asked), "pace": "yes", "grace": 2}[name]
        return servers.say(
            json.dumps({"scores": {name: {"reason": "so", "turn": 1, "quote": "Noted", "score": score}}})
        )

    server.behave = behave
    path = tmp_path / "own.toml"
    path.write_text(RUBRIC, encoding="utf-8")
    lone = [{"name": "plain", "script": ["Noted.", "Noted, booked."]}]
    done = await run(campaign(server, assistant=lone, judge={"rubric": str(path)}), tmp_path / "r")
    assert asked == ["warmth", "pace"]
    (first,) = (v for v in stored(done)[0].verdicts if v.rubric_name == "own")
    assert set(first.parts) == {"warmth", "pace"} and not first.taken
    more = '[[dimensions]]\nname = "grace"\nscale = { low = 1, high = 5 }\nquestion = "How graceful is it?"\n'
    path.write_text(RUBRIC.replace("come to the point", "hurry") + more, encoding="utf-8")
    spec = campaign(server, judge={"rubric": str(path)}).judge
    again, by = await judge_again(done.folder, spec)
    assert asked[2:] == ["pace", "grace"]
    second = stored(again)[0].verdicts[-1]
    assert (second.taken, second.rubric == by.rubric, by.rubric == first.rubric) == (("warmth",), True, False)
    assert second.scores["warmth"] == first.scores["warmth"] and second.scores["grace"].value == 2
    assert "taken over from an earlier verdict" in drawn(views.draw(second))
    said = summary(again)
    assert said.judging.rubric == by.rubric and said.set_aside == 1
    path.write_text(RUBRIC.replace("come to the point", "hurry").replace("own", "mine"), encoding="utf-8")
    last, _ = await judge_again(done.folder, campaign(server, judge={"rubric": str(path)}).judge)
    assert len(asked) == 4 and stored(last)[0].verdicts[-1].taken == ("warmth", "pace")


async def test_what_the_infrastructure_spoilt_is_asked_again_beside_what_is_taken_over(
    server: Any, servers: Any, tmp_path: Path
) -> None:
    score = {"reason": "so", "turn": 1, "quote": "Noted", "score": 3}
    server.behave = lambda call: servers.say(
        json.dumps({"scores": {"warmth": score, "pace": {**score, "score": "no"}}})
    )
    path = tmp_path / "own.toml"
    path.write_text(RUBRIC, encoding="utf-8")
    lone = [{"name": "plain", "script": ["Noted.", "Noted, booked."]}]
    done = await run(campaign(server, assistant=lone, judge={"rubric": str(path)}), tmp_path / "r")
    path.write_text(RUBRIC.replace("come to the point", "hurry"), encoding="utf-8")
    spec = campaign(server, judge={"rubric": str(path)}).judge
    server.then(servers.error(500, "down"))
    spoilt = stored((await judge_again(done.folder, spec))[0])[0].verdicts[-1]
    assert spoilt.unscored and spoilt.owner == "infrastructure" and not spoilt.taken
    whole = stored((await judge_again(done.folder, spec))[0])[0].verdicts[-1]
    assert whole.taken == ("warmth",) and whole.scores["pace"].value is False and PREFERENCES not in whole.parts


@pytest.mark.parametrize(
    ("judge", "assistant", "found"),
    [
        ("gpt-4.1", "openai:gpt-4.1", "self"),
        ("gpt-4.1", "openai:gpt-4.1-mini", "family"),
        ("o3-mini", "openai:gpt-4o", "family"),
        ("openai:org/Llama-3.1-8B", "llama-3.3-70b", "family"),
        ("anthropic:claude-x", "openai:gpt-4o", ""),
        ("local:", "local", "self"),
        ("scripted:/a/b.toml", "scripted:b.toml", "self"),
        ("scripted:one", "scripted:one more", ""),
        ("gpt-4.1", "", ""),
    ],
)
def test_who_is_akin(judge: str, assistant: str, found: str) -> None:
    assert kinship(judge, assistant) == found


async def test_a_judge_that_is_the_assistants_own_model_warns(server: Any, servers: Any, tmp_path: Path) -> None:
    server.behave = lambda call: servers.say(graded(servers, call) if "response_format" in call.body else "Noted.")
    url = {"base_url": server.base_url}
    own = [{"name": "mine", "model": "openai:gpt-judge", "tools": "off", **url}]
    plan = campaign(server, model="openai:gpt-judge", assistant=own)
    done = await run(plan, tmp_path / "r")
    warning = "The judge gpt-judge is the model of the assistant mine: it may favour its own words."
    assert summary(done).kin == (warning,)
    assert f"Note: {warning}" in " ".join(drawn(draw(summary(done))).split())
    assert stored(done)[0].verdicts[-1].warnings[:1] == ("the judge is the assistant's own model",)
    told = await called(tmp_path, "show", "r", COLUMNS="200")
    assert warning in told.stdout and told.returncode == 0


async def test_judge_samples_from_the_command_line(server: Any, servers: Any, tmp_path: Path) -> None:
    server.behave = alternating(servers, 2, 3, 4)
    done = await run(campaign(server), tmp_path / "r")
    told = await called(tmp_path, "judge", "r", "--samples", "3", OPENAI_API_KEY="none", COLUMNS="80")
    assert told.returncode == 0, told.stderr
    assert len(server.calls) == 6 and {len(each) for each in looks(read_run(done.folder))} == {3}
    assert "2 of 2" not in told.stdout and "1 of 1" in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_samples_without_a_judge_say_what_to_type(tmp_path: Path) -> None:
    sets = ("--set", "select.sample=1", "--out", "r")
    assert duologue(tmp_path, "run", "references", *sets).returncode == 0
    told = duologue(tmp_path, "judge", "r", "--samples", "3")
    assert told.returncode == 2 and "--samples 3 --model MODEL" in told.stderr
