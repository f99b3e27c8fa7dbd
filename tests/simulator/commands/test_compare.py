"""`duologue compare`, `plan` and `--require` as people call them."""

import json
from pathlib import Path

import pytest
from tests.commandline import duologue

CAMPAIGN = """
seed = 1
user = { agenda = true }
select = { sample = 10 }
assistant = [{ reference = "floor" }, { reference = "ceiling" }, { reference = "asker" }]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a campaign and a run of it."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "refs.toml").write_text(CAMPAIGN, encoding="utf-8")
    done = duologue(folder, "run", "refs.toml", "--out", "runs/refs", "--require", "ceiling:state_success.mean>=1")
    assert done.returncode == 0 and done.stderr.rstrip().endswith("1 requirement met, by ceiling"), done.stderr
    return folder


def test_a_bound_that_is_not_met_ends_with_1_and_a_line(place: Path) -> None:
    bounds = ("--require", "floor:preferences met.mean>=0.9", "--require", "asker:state_unasked.high>=0.5")
    done = duologue(place, "show", "refs", *bounds, "--json")
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first.startswith("not met: floor: state_preferences_met.mean is 0.") and first.endswith("asked >= 0.9")
    assert second.startswith("not met: asker: state_unasked.high is ")
    assert json.loads(done.stdout)["summary"]["dialogues"] == 30


def test_what_is_asked_of_a_score_that_is_not_there_is_refused_before_the_run(place: Path) -> None:
    done = duologue(place, "run", "refs.toml", "--out", "runs/none", "--require", "asker:personalisation.mean>=3")
    assert done.returncode == 2 and "no score 'personalisation'" in done.stderr
    assert not (place / "runs" / "none").exists()
    assert duologue(place, "show", "refs", "--require", "success>=1").returncode == 2
    assert duologue(place, "show", "refs", "1", "--require", "asker:state_success.n>=1").returncode == 2


def test_the_campaign_may_hold_bounds_and_resume_keeps_to_them(place: Path) -> None:
    bound = 'require = ["asker:state_unasked.mean>=0.9"]\n'
    (place / "bound.toml").write_text(bound + CAMPAIGN.replace("sample = 10", "sample = 2"), encoding="utf-8")
    extra = ("--require", "floor:state_success.n>=3")
    done = duologue(place, "run", "bound.toml", "--out", "runs/bound", *extra)
    told = [line for line in done.stderr.splitlines() if line.startswith("not met")]
    assert done.returncode == 1 and len(told) == 2
    again = duologue(place, "resume", "runs/bound")
    assert again.returncode == 1 and [line for line in again.stderr.splitlines() if line.startswith("not met")] == told


def test_too_much_that_failed_goes_before_a_bound(place: Path) -> None:
    (place / "broken.py").write_text("def reply(messages, tools):\n    raise ValueError('no')\n", encoding="utf-8")
    broken = CAMPAIGN.partition("assistant =")[0] + 'assistant = [{ name = "mine", callable = "broken.py:reply" }]\n'
    (place / "broken.toml").write_text(broken, encoding="utf-8")
    done = duologue(place, "run", "broken.toml", "--out", "runs/broken", "--require", "state_preferences_met.mean>=0")
    assert done.returncode == 3
    assert "not met: mine: state_preferences_met.mean is missing (error (assistant)), asked >= 0" in done.stderr


def test_a_comparison_of_three_by_group_and_a_plan(place: Path) -> None:
    done = duologue(place, "compare", "refs", COLUMNS="100")
    assert done.returncode == 0 and "preferences met by state  ceiling > asker > floor" in done.stdout, done.stderr
    done = duologue(place, "compare", "refs", "--by", "device", COLUMNS="100")
    assert done.returncode == 0 and "\nby device\n" in done.stdout, done.stderr
    assert "ceiling > asker" not in done.stdout
    plan = duologue(place, "plan", "refs", "--effect", "0.05", "-a", "floor", "-a", "asker", COLUMNS="100")
    assert plan.returncode == 0 and "a difference of 5 points" in plan.stdout, plan.stderr
