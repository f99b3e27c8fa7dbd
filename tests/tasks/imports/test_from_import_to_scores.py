"""The whole way, as one types it: goals imported, checked, and played with users and assistants without a model."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commandline import duologue
from tests.tasks.imports.made_up import HOTELS, TRAINS, diners, dinner, lodging, system, trains, user, weather, written

from duologue.campaign import Campaign
from duologue.run import run
from duologue.scores import summary
from duologue.tasks.written import parse

RIDE = {"info": {"destination": "norwich", "arriveBy": "11:00"}, "book": {"people": "1"}}
STAY = {"info": {"area": "north"}, "book": {"day": "monday", "people": "2"}, "reqt": ["phone"]}
FORECAST = {"dialogue_id": "2", "turns": [user("GetForecast", "Skies_1", ("wind",), town="Brack")]}


def sgd(folder: Path) -> Path:
    return written(folder, train__schema=[diners(), weather()], train__dialogues_001=[dinner(), FORECAST])


def multiwoz(folder: Path) -> Path:
    goals = {"A.json": {"goal": {"hotel": STAY, "train": RIDE}}}
    return written(folder, schema=[lodging(), trains()], data=goals, hotel_db=HOTELS, train_db=TRAINS)


def imported(folder: Path, name: str) -> str:
    """Import what was made up of the format into `data`, and what the command said."""
    {"sgd": sgd, "multiwoz": multiwoz}[name](folder / "source")
    done = duologue(folder, "tasks", "import", "source", "--from", name, "--to", "data")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "task", "licence"), [("sgd", "sgd-train-1_00000", "CC BY-SA 4.0"), ("multiwoz", "multiwoz-A", "MIT")]
)
async def test_what_was_imported_passes_the_check_and_can_be_done(
    tmp_path: Path, name: str, task: str, licence: str
) -> None:
    told = imported(tmp_path, name)
    assert "domains to data. The data keep their own licence" in told and licence in told
    assert "tasks checked in the world: 1" in told
    checked = duologue(tmp_path, "tasks", "check", "--data", "data", "--json")
    assert checked.returncode == 0, checked.stdout
    assert {each[3] for each in map(_finding, json.loads(checked.stdout)["findings"])} == {"note"}
    (tmp_path / "data" / "profiles.jsonl").write_text(json.dumps({"id": "mia", "name": "Mia"}), encoding="utf-8")
    table = {
        "seed": 1, "data": str(tmp_path / "data"), "select": {"tasks": [task]}, "user": {"agenda": True},
        "assistant": [{"reference": kind} for kind in ("floor", "asker")],
    }  # fmt: skip
    found = await run(parse(Campaign, table, "test"), tmp_path / "run")
    assert [each.ending and each.ending.reason for each in found.dialogues] == ["satisfied"] * 2
    for each in summary(found).assistants:
        assert (each.metrics["state_success"].mean, each.metrics["state_false_claims"].mean) == (1.0, 0.0)


def _finding(found: Any) -> tuple[Any, ...]:
    return tuple(found.values()) if isinstance(found, dict) else tuple(found)


def test_domains_that_stand_there_stay_and_an_import_can_be_done_again(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    domains = tmp_path / "data" / "domains.jsonl"
    domains.write_text(json.dumps({"name": "Persona"}) + "\n", encoding="utf-8")
    imported(tmp_path, "sgd")
    first = domains.read_bytes()
    assert [json.loads(line)["name"] for line in first.splitlines()] == ["Persona", "SGD Diners_1", "SGD Skies_1"]
    imported(tmp_path, "sgd")
    assert domains.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["source", "--from", "swg"], "unknown format 'swg', did you mean 'sgd'? Known: personalens, sgd, multiwoz"),
        (["source", "--from", "personachat"], "Type: duologue profiles import --from personachat"),
        (["nowhere", "--from", "sgd"], "nowhere: no such folder"),
        (["empty", "--from", "sgd"], "empty: holds no goal of which a task can be made"),
        (["source", "--from", "sgd", "--to", "taken"], "cannot be written"),
    ],
)
def test_what_cannot_be_imported_is_told_in_a_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    sgd(tmp_path / "source")
    nothing = {"dialogue_id": "1", "turns": [user("NONE"), system()]}
    written(tmp_path / "empty", schema=[diners()], dialogues_001=[nothing])
    (tmp_path / "taken").touch()
    done = duologue(tmp_path, "tasks", "import", *arguments, COLUMNS="300")
    assert done.returncode == 2
    assert told in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "imported").exists()
    if arguments[0] == "empty":
        assert "dropped   dialogues whose goal has no intent: 1" in done.stdout


def test_help_names_the_formats(tmp_path: Path) -> None:
    assert "personalens, sgd, multiwoz" in duologue(tmp_path, "tasks", "import", "--help", COLUMNS="200").stdout
