"""The screen of a plan."""

import pytest
from tests.simulator.comparing.test_planning import pilot
from tests.simulator.views.screens import drawn

from duologue.comparing.planning import plan
from duologue.views.plan import draw


@pytest.mark.parametrize("width", [80, 120])
def test_designs_are_a_line_each_with_what_they_take(width: int) -> None:
    found = plan(pilot(12, tasks=3, trials=2), 0.3, "personalisation")
    lines = drawn(draw(found), width).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[:2] == ["a  against  b", "  personalisation · a difference of 0.30 · found 80 % of the time"]
    first = found.designs[0]
    cells = [line.split() for line in lines]
    assert ["1", "1", f"{first.profiles:,}", f"{first.cautious:,}", f"{first.dialogues:,}"] in cells
    assert not any("cost" in line for line in lines)
    assert f"duologue run CAMPAIGN.toml {found.select}" in " ".join(" ".join(lines).split())


def test_costs_and_what_is_out_of_reach_are_told() -> None:
    found = plan(pilot(), 0.3, "personalisation")
    priced = found.designs[0].model_copy(update={"cost": 12.3})
    never = priced.model_copy(update={"profiles": None, "cautious": None, "dialogues": None, "cost": None})
    lines = drawn(draw(found.model_copy(update={"designs": (priced, never), "currency": "EUR"}))).splitlines()
    assert any(line.endswith("12.30 EUR") for line in lines)
    assert any("over a million" in line and line.endswith("–") for line in lines)
