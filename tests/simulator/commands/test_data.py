"""`duologue profiles` and `duologue tasks`: people made and checked, as one types it."""

import json
from pathlib import Path

import pytest
from tests.commandline import duologue


def test_people_are_made_in_a_folder_that_a_campaign_can_name(tmp_path: Path) -> None:
    done = duologue(tmp_path, "profiles", "generate", "--n", "12", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('Wrote 12 people (0.2 MB) to people/profiles.jsonl. To use them: data = "people"')
    listed = json.loads(duologue(tmp_path, "profiles", "list", "--data", "people", "--json").stdout)
    assert [person["id"] for person in listed] == [f"p3-{number:04d}" for number in range(1, 13)]


def test_a_file_may_be_named_and_the_same_seed_makes_the_same(tmp_path: Path) -> None:
    for name in ("a/one.jsonl", "b"):
        assert duologue(tmp_path, "profiles", "generate", "--n", "4", "--to", name).returncode == 0
    assert (tmp_path / "a" / "one.jsonl").read_bytes() == (tmp_path / "b" / "profiles.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--n", "0"], "--n: 0 is no number of people. Give 1 or more, e.g. --n 1500"),
        (["--n", "3", "--seed", "-1"], "--seed: -1 is no seed. Give 0 or more, e.g. --seed 1"),
        (["--n", "3", "--to", "taken.jsonl"], "taken.jsonl: is there already. Give a new name with --to"),
        (
            ["--n", "3", "--to", "taken.jsonl/below"],
            "cannot be written (Not a directory). Name another place with --to.",
        ),
        (["--n", "many"], "Invalid value for '--n'"),
        (["--n", "3", "--to", ""], "an empty name is no place to write to"),
    ],
)
def test_what_cannot_be_made_is_told_in_a_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "taken.jsonl").touch()
    done = duologue(tmp_path, "profiles", "generate", *arguments, COLUMNS="300")
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken.jsonl"]


def test_check_prints_figures_and_ends_with_one_where_a_bound_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    held = {"Alarm": {"alarm volume": ["full blast"]}}
    lines = [json.dumps({"id": f"p{number}", "preferences": held}) for number in range(100)]
    (tmp_path / "people" / "profiles.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = duologue(tmp_path, "profiles", "check", "--data", "people", COLUMNS="200")
    assert done.returncode == 1, done.stdout
    assert "✗  least evenness        0.00 (Alarm: alarm volume)" in done.stdout
    assert "✗  greatest modal share  100% (Alarm: alarm volume, full blast)" in done.stdout
    found = json.loads(duologue(tmp_path, "profiles", "check", "--data", "people", "--json").stdout)
    assert found["findings"] == []
    assert found["figures"]["types"][0]["modal_share"] == 1
    (tmp_path / "people" / "profiles.jsonl").write_text("\n".join(lines[:99]), encoding="utf-8")
    few = duologue(tmp_path, "profiles", "check", "--data", "people", COLUMNS="200")
    assert few.returncode == 0
    assert "Bounds hold from 100 profiles on." in few.stdout


def test_generated_people_pass_the_check(tmp_path: Path) -> None:
    assert duologue(tmp_path, "profiles", "generate", "--n", "120", "--seed", "5").returncode == 0
    done = duologue(tmp_path, "profiles", "check", "--data", "people", COLUMNS="200")
    assert done.returncode == 0, done.stdout
    assert "profiles: nothing wrong" in done.stdout
    assert done.stdout.count("✓") == 5


def test_tasks_are_counted_and_only_the_shipped_ones_bounded(tmp_path: Path) -> None:
    task = {"id": "a", "domains": ["Alarm"], "intent": "You want to wake up.", "goal": "An alarm is set.",
            "relevant": [["Alarm", "alarm volume"]], "slots": {"at": "07:00"}, "requests": ["Wake me."]}  # fmt: skip
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tasks.jsonl").write_text(json.dumps(task), encoding="utf-8")
    done = duologue(tmp_path, "tasks", "check", "--data", "mine", COLUMNS="200")
    assert done.returncode == 2
    assert "request 1 leaves out the slot 'at'. Name it as {at}, or withhold it." in done.stdout
    assert "✗" not in done.stdout
    found = json.loads(duologue(tmp_path, "tasks", "check", "--json").stdout)
    assert found["figures"]["tasks"] >= 130
    assert {bounded["bound"] for bounded in found["bounds"]} >= {"at least 20", "at least 130", "none"}
