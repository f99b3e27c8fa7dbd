"""Tool-calling models on a loopback server, over all domains: what they do is what their end states and claims show."""

from pathlib import Path
from typing import Any

import pytest

from duologue.campaign import Campaign
from duologue.run import run
from duologue.scores import Row, rows
from duologue.tasks.written import parse

STYLES = ("well", "wrong", "badly", "never")


def assistants(url: str) -> list[dict[str, Any]]:
    return [{"name": style, "model": f"openai:tools:{style}", "base_url": url, "tools": "native"} for style in STYLES]


def mean(found: list[Row], metric: str) -> float:
    values = [value for row in found if (value := row.metrics.get(metric)) is not None]
    return sum(values) / len(values)


async def test_success_and_false_claims_differ_by_how_tools_are_called(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    table = {
        "name": "tools",
        "seed": 1,
        "user": {"agenda": True},
        "assistant": assistants(server.base_url),
        "select": {"sample": 21},
        "limits": {"concurrency": 20, "turns": 12},
    }
    done = await run(parse(Campaign, table, "test"), tmp_path / "r")
    held = {style: [row for row in rows(done) if row.assistant == style] for style in STYLES}
    assert len({row.domains for row in held["well"]}) >= 20
    success = {style: mean(held[style], "state_success") for style in STYLES}
    assert success["well"] > 0.3 > 0.1 > success["wrong"]
    assert success["badly"] == success["never"] == 0
    claims = {style: mean(held[style], "state_false_claims") for style in STYLES}
    assert claims["never"] >= 1 and claims["badly"] >= 1
    assert claims["well"] < 0.2
    never = [row for row in held["never"] if row.ending and row.ending.scored]
    assert never and all((row.metrics["state_false_claims"] or 0) >= 1 for row in never)
