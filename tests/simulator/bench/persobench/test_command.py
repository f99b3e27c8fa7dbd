"""The bench as people call it: on a loopback server, and with the embedded model where its weights are here."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commandline import called
from tests.simulator.bench.persobench.files import BLENDED, FOCUS, people, plan, said, write
from tests.simulator.views.screens import drawn

from duologue.agents.models import weights
from duologue.agents.models.known import DEFAULT, KNOWN
from duologue.bench.performance import perform
from duologue.views.bench import draw

LABELS = json.dumps({"fact_1": "entailment", "fact_2": "neutral", "persona": "entailment", "context": "neutral"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "data"
    home.mkdir()
    write(home / "bst.json", [BLENDED, {**BLENDED, "personas": []}])
    write(home / "focus.json", {"data": [FOCUS]})
    write(home / "it.json", {"data": people(10)})
    return home


def figures(report: dict[str, Any], title: str, line: str) -> dict[str, Any]:
    table = next(each for each in report["tables"] if each["title"] == title)
    found = next(each for each in table["lines"] if each["name"][0] == line)
    return {name: figure["value"] for name, figure in found["figures"].items()}


async def bench(tmp_path: Path, *arguments: str) -> Any:
    done = await called(tmp_path, "bench", "persobench", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_replies_then_labels_on_a_server(folder: Path, tmp_path: Path, server: Any, servers: Any) -> None:
    """The second of every three replies is cut off, the third not JSON; each reply that is read is judged."""
    kinds = [servers.say(said("no meat for me")), servers.say('{"response": "I', "length"), servers.say("Well.")]
    replies = (kinds[number % 3] for number in range(12))
    server.behave = lambda call: servers.say(LABELS) if call.model == "judge" else next(replies)
    asked = ["--data", str(folder), "--base-url", server.base_url, "--concurrency", "1", "--out", "b"]
    report = await bench(tmp_path, *asked, "--model", "openai:m", "--judge", "openai:judge")
    assert (report["items"], report["asked"], report["answered"]) == (12, 16, 16)
    assert figures(report, "Every row, the worst value where no reply was read", "all rows")["failure_ratio"] == 8 / 12
    assert figures(report, "Judged, rows with a reply", "all rows")["judged_entailment"] == 1
    over_all = figures(report, "Judged, every row, the worst value where no reply was read", "all rows")
    assert over_all["judged_consistency"] == pytest.approx((4 - 8) / 12)
    bodies = [body for body in server.bodies if body["model"] == "m"]
    assert {body["max_tokens"] for body in bodies} == {110}
    assert not any("response_format" in body for body in bodies)
    assert any("bst.json, row 2: it has no personas" in note for note in report["notes"])

    before = server.asked
    again = await bench(tmp_path, *asked, "--model", "openai:m", "--judge", "openai:judge")
    assert (server.asked, again["tables"]) == (before, report["tables"])


async def test_its_screen(folder: Path, tmp_path: Path, server: Any, servers: Any) -> None:
    server.behave = lambda call: servers.say(LABELS if call.model == "judge" else said("no meat for me"))
    models = {role: {"model": f"openai:{role}", "base_url": server.base_url} for role in ("model", "judge")}
    report = await perform(plan(folder, models=models, options={"prompts": "vanilla,cot"}), tmp_path / "b")
    for columns in (80, 120):
        lines = drawn(draw(report), columns).splitlines()
        assert max(map(len, lines)) <= columns
        for told in ("The form, by level", "Judged, rows with a reply", "truncated", "latency", "100.0 %"):
            assert any(told in line for line in lines), told
        assert not any("…" in line for line in lines)


async def test_a_fault_of_the_data_is_told(tmp_path: Path, server: Any) -> None:
    write(tmp_path / "odd.json", [{"text": "x"}])
    done = await called(
        tmp_path, "bench", "persobench", "--data", "odd.json", "--model", "openai:m", "--base-url", server.base_url
    )
    assert done.returncode == 2
    assert "holds no rows of a known form (keys text)" in done.stderr
    assert server.asked == 0


@pytest.mark.skipif(not weights.found(KNOWN[DEFAULT]), reason="the embedded model's weights are not here")
async def test_the_embedded_model(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    report = await bench(
        tmp_path, "--data", str(folder), "--model", "local", "--sample", "2", "--set", "words=20", "--set", "tokens=40"
    )
    assert (report["items"], report["answered"]) == (2, 2)
    assert figures(report, "Rows with a reply", "all rows")["latency_seconds"] > 0
    assert figures(report, "The form, by level", "all rows")["failure_ratio"] is not None
