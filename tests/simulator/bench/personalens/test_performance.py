"""PersonaLens's protocol performed against the loopback server: its tables, and what is asked when it goes on."""

import asyncio
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.commandline import duologue
from tests.simulator.bench.personalens.lens import checkout, plan

from duologue.bench.personalens.performance import perform, reported
from duologue.bench.report import Report
from duologue.tasks.written import BadInput

METRICS = {
    "success", "personalisation", "user_naturalness", "user_coherence", "assistant_naturalness", "assistant_coherence",
    "preferences_met", "cut_off",
}  # fmt: skip


def figures(report: Report) -> dict[str, dict[str, dict[str, float | None]]]:
    """By table and line, the values."""
    return {
        table.title: {
            " ".join(line.name): {name: figure.value for name, figure in line.figures.items()} for line in table.lines
        }
        for table in report.tables
    }


async def test_both_parts_are_held_judged_and_told(server: Any, tmp_path: Path) -> None:
    report = await perform(plan(checkout(tmp_path / "lens"), server.base_url), tmp_path / "b")
    assert (report.items, report.answered, report.failed, report.stopped) == (8, 8, {}, "")
    told = figures(report)
    assert list(told) == ["Tasks in one domain", "Tasks in one domain, domain by domain", "Tasks that cross domains"]
    for title in ("Tasks in one domain", "Tasks that cross domains"):
        assert set(told[title]) == {"base", "D+P"}
        assert all(set(line) == METRICS and None not in line.values() for line in told[title].values())
    assert set(told["Tasks in one domain, domain by domain"]) == {"base Buses", "D+P Buses"}
    assert not any(value for table in report.tables for value in table.comparable_to_paper.values())


async def test_what_stands_is_not_asked_again(server: Any, tmp_path: Path) -> None:
    asked = plan(checkout(tmp_path / "lens"), server.base_url, options={"parts": "single"})
    first = await perform(asked, tmp_path / "b")
    calls = len(server.calls)
    again = await perform(asked, tmp_path / "b")
    assert len(server.calls) == calls
    assert figures(again) == figures(first) == figures(reported(tmp_path / "b"))
    (file,) = (tmp_path / "b" / "single").glob("events-*.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    assert figures(await perform(asked, tmp_path / "b")) == figures(first)
    with pytest.raises(BadInput, match="holds another bench"):
        await perform(plan(tmp_path / "lens", server.base_url, seed=2), tmp_path / "b")


async def test_the_cap_is_recorded_where_it_is_hit(server: Any, servers: Any, tmp_path: Path) -> None:
    asked = plan(checkout(tmp_path / "lens"), server.base_url, options={"parts": "single", "preferences": False})
    asked = asked.changed(models={**asked.models, "user": {"model": "openai:talker", "base_url": server.base_url}})
    words = iter(range(10_000))

    def behave(call: Any) -> Any:
        number = next(words)
        if call.model == "talker":
            told = f"And what about {number} and the {'x' * (number % 7)} seats, {number * 37}?"
            return servers.say(f'{{"message": "{told}", "told": [], "stop": false, "reason": "none"}}')
        said = f"There are {number * 13} of them, and number {number} is the {'y' * (number % 5)} one."
        return servers.say(said) if "schema" not in str(call.body) else None

    server.behave = behave
    report = await perform(asked, tmp_path / "b")
    (line, *_) = report.tables[0].lines
    assert line.figures["cut_off"].value == 1.0 and line.figures["cut_off"].n == 2


async def test_the_command_prints_it_and_show_prints_it_again(server: Any, tmp_path: Path) -> None:
    async def typed(*words: str) -> CompletedProcess[str]:
        return await asyncio.to_thread(duologue, tmp_path, *words)

    home = checkout(tmp_path / "lens")
    options = ["--set", "conditions=base", "--set", "parts=multi", "--base-url", server.base_url]
    done = await typed("bench", "personalens", "--data", str(home), "--model", "openai:helper", *options)
    assert done.returncode == 0, done.stderr
    assert "Tasks that cross domains" in done.stdout and "2, of the paper's fifty" in done.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    assert (await typed("show", folder.name)).stdout == done.stdout
    assert (await typed("resume", folder.name)).stdout == done.stdout
    assert "base" in (await typed("show", str(folder / "multi"))).stdout
