"""The campaigns of PersonaLens's protocol: who is told what, by which users, until when."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.personalens.lens import checkout, plan

from duologue.bench.personalens.campaigns import CONDITIONS, FIFTY, campaigns
from duologue.tasks.written import BadInput

URL = "http://127.0.0.1:1/v1"


def test_each_condition_adds_its_sources_and_nothing_else(tmp_path: Path) -> None:
    made = campaigns(plan(checkout(tmp_path), URL, options={"conditions": ",".join(CONDITIONS)}))
    told = {spec.name: spec.context for spec in made["single"].assistant}
    assert told == {
        "base": (), "D": ("demographics",), "P": ("history",), "S": ("situation",),
        "D+P": ("demographics", "history"), "D+S": ("demographics", "situation"), "P+S": ("history", "situation"),
        "D+P+S": ("demographics", "history", "situation"),
    }  # fmt: skip
    rest = {spec.model_dump_json(exclude={"name", "context"}) for spec in made["single"].assistant}
    assert len(rest) == 1
    assert all((spec.temperature, spec.max_tokens, spec.tools) == (0, 800, "off") for spec in made["multi"].assistant)


def test_parts_have_their_tasks_caps_and_rubric(tmp_path: Path) -> None:
    made = campaigns(plan(checkout(tmp_path), URL))
    assert {part: (each.select.tasks, each.limits.turns) for part, each in made.items()} == {
        "single": (("SD-Buses-task-1",), 20),
        "multi": (("MD-task-1",), 30),
    }
    assert all(each.judge and each.judge.rubric == "personalens" for each in made.values())
    assert (made["single"].user.temperature, made["single"].user.max_tokens) == (0.5, 800)


@pytest.mark.parametrize(("users", "known"), [("fifty", ("user53", "user7")), ("all", ("user53", "user7", "user8"))])
def test_the_papers_fifty_or_everybody(tmp_path: Path, users: str, known: tuple[str, ...]) -> None:
    made = campaigns(plan(checkout(tmp_path), URL, options={"users": users}))
    assert made["single"].select.profiles == known
    assert len(FIFTY) == len({*FIFTY}) == 50


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"conditions": "base,X"}, "no condition 'X'; there are base, D, P"),
        ({"parts": "half"}, "parts"),
        ({"user": "all"}, "did you mean 'users'"),
    ],
)
def test_what_cannot_be_chosen_is_told(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        campaigns(plan(checkout(tmp_path), URL, options=options))


def test_an_unknown_role_and_data_of_another_kind_are_told(tmp_path: Path) -> None:
    models = {"model": {"model": "local"}, "jugde": {"model": "local"}}
    with pytest.raises(BadInput, match="no role 'jugde'"):
        campaigns(plan(checkout(tmp_path), URL, models=models))
    with pytest.raises(BadInput, match="is no PersonaLens checkout"):
        campaigns(plan(tmp_path / "data" / "profile" / "user7", URL))
