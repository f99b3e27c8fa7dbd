"""`duologue profiles` and `duologue tasks`: people made and checked, as one types it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commandline import duologue
from tests.profiles.made_up import BREAD, TEA


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
    assert "–  least evenness        0.00 (Alarm: alarm volume)" in few.stdout
    assert "(at least" not in few.stdout and "nobody likes" not in few.stdout


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
    assert ["–", "tasks", "1,", "0", "of", "them"] in [line.split()[:6] for line in done.stdout.splitlines()]
    assert "(at least" not in done.stdout and "(none)" not in done.stdout
    found = json.loads(duologue(tmp_path, "tasks", "check", "--json").stdout)
    assert found["figures"]["tasks"] >= 130
    assert {bounded["bound"] for bounded in found["bounds"]} >= {"at least 20", "at least 130", "none"}


def own(folder: Path, **parts: dict[str, str]) -> None:
    """A folder of one's own with these domains, each in a folder of its name."""
    for name, files in parts.items():
        (folder / "domains" / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / "domains" / name / file).write_text(text, encoding="utf-8")


def made(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """The people of the folder `out` once they are made there."""
    done = duologue(folder, "profiles", "generate", "--n", "5", "--to", "out", *arguments)
    assert done.returncode == 0, done.stderr
    lines = (folder / "out" / "profiles.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "out" / "profiles.jsonl").unlink()
    return [json.loads(line) for line in lines]


def values(person: dict[str, Any], domain: str) -> dict[str, list[str]]:
    """What somebody likes and avoids in a domain."""
    return {type: [each["value"] for each in held] for type, held in person["preferences"][domain].items()}


def test_everybody_has_preferences_in_the_domains_of_a_folder_of_ones_own(tmp_path: Path) -> None:
    own(tmp_path / "mine", tea=TEA, bread=BREAD)
    shipped, people = made(tmp_path), made(tmp_path, "--data", "mine")
    for before, now in zip(shipped, people, strict=True):
        assert {"Tea", "Bread"} <= set(now["preferences"])
        assert now["preferences"].keys() - {"Tea", "Bread"} == before["preferences"].keys()
        assert all(values(now, name) == values(before, name) for name in before["preferences"])
    assert any(session["domain"] == "Tea" for person in people for session in person["history"])


def test_a_domain_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    alarm = {file: text.replace('name = "Tea"', 'name = "Alarm"') for file, text in TEA.items()}
    own(tmp_path / "mine", alarm=alarm)
    assert {tuple(person["preferences"]["Alarm"]) for person in made(tmp_path, "--data", "mine")} == {
        ("leaf", "strength")
    }


def test_where_people_of_a_folder_of_ones_own_belong_is_told(tmp_path: Path) -> None:
    own(tmp_path / "mine", tea=TEA, bread={"domain.toml": BREAD["domain.toml"]})
    aside = duologue(tmp_path, "profiles", "generate", "--data", "mine", "--n", "3", "--to", "aside")
    assert "put them into mine as profiles.jsonl, beside the domains" in aside.stdout
    assert "Nobody has preferences in Bread: there is no people.toml beside its domain.toml." in aside.stderr
    inside = duologue(tmp_path, "profiles", "generate", "--data", "mine", "--n", "3", "--to", "mine")
    assert 'To use them: data = "mine" in a campaign' in inside.stdout
    checked = duologue(tmp_path, "profiles", "check", "--data", "mine")
    assert checked.returncode == 0, checked.stdout


def test_what_is_wrong_with_people_of_ones_own_is_found(tmp_path: Path) -> None:
    wrong = {**TEA, "people.toml": TEA["people.toml"].replace("likes = [1, 2]", "likes = [1, 9]")}
    own(tmp_path / "mine", tea=wrong)
    for arguments in (["check"], ["generate", "--to", "out"]):
        done = duologue(tmp_path, "profiles", *arguments, "--data", "mine", COLUMNS="300")
        assert done.returncode == 2
        assert "likes: expected 1 <= from <= to <= 2, for there are 6 values" in done.stdout + done.stderr
    own(tmp_path / "yours", tea={**TEA, "people.toml": TEA["people.toml"].replace("the red bush", "rooibos")})
    done = duologue(tmp_path, "profiles", "check", "--data", "yours", COLUMNS="300")
    assert done.returncode == 2
    assert "says the value 'rooibos'" in done.stdout
