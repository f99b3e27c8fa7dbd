"""A campaign whose tasks nobody could do is refused before anybody speaks; domains of one's own stand in folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.campaign import Campaign
from duologue.run import run
from duologue.scores import rows
from duologue.tasks.written import BadInput, parse

DOMAIN = """
name = "Teas"
[[preferences]]
name = "leaf"
values = ["green", "black", "white", "oolong"]
ask = "Which leaf?"
say = "I like {value}"
[entity]
name = "tea"
plural = "teas"
attributes = [{ name = "leaf" }, { name = "grams", kind = "number", search = "at_least" }]
[[records]]
name = "tea_order"
tools = { create = "order_tea" }
fields = [
  { name = "tea", kind = "entity", required = true },
  { name = "boxes", kind = "number", required = true, ask = "How many boxes?", say = "{value} boxes" },
]
"""
TASK = """
[[task]]
id = "tea-for-the-office"
domains = ["Teas"]
intent = "You want three boxes of one tea."
goal = "The assistant orders three boxes of one tea."
relevant = [["Teas", "leaf"]]
slots = { boxes = 3 }
require = [{ record = "tea_order", where = { boxes = 3 } }]
requests = ["Please order {boxes} boxes of one tea.", "I need {boxes} boxes of tea."]
"""
NAMES = ("Foggy Kettle", "Slow Moth", "Brass Heron", "Paper Moon", "Sunday Porch", "Tin Whistle")
LEAVES = ("green", "black", "white", "oolong")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one person and a domain in a folder of its own."""
    place = tmp_path / "data" / "domains" / "teas"
    place.mkdir(parents=True)
    (place / "domain.toml").write_text(DOMAIN, encoding="utf-8")
    (place / "tasks.toml").write_text(TASK, encoding="utf-8")
    teas = [{"name": name, "leaf": LEAVES[n % 4], "grams": 50 + n} for n, name in enumerate(NAMES)]
    (place / "catalogue.jsonl").write_text("\n".join(map(json.dumps, teas)), encoding="utf-8")
    (tmp_path / "data" / "profiles").mkdir()
    (tmp_path / "data" / "profiles" / "mia.toml").write_text('preferences.Teas.leaf = "white"\n', encoding="utf-8")
    return tmp_path / "data"


def campaign(folder: Path) -> Campaign:
    table: dict[str, Any] = {
        "data": str(folder),
        "user": {"agenda": True},
        "assistant": [{"reference": "floor"}, {"reference": "ceiling"}, {"reference": "asker"}],
    }
    return parse(Campaign, table, "test")


async def test_a_domain_in_a_folder_is_played_with_its_catalogue_and_tasks(folder: Path, tmp_path: Path) -> None:
    found = rows(await run(campaign(folder), tmp_path / "r"))
    assert {row.assistant: row.metrics["state_success"] for row in found} == {"floor": 1, "ceiling": 1, "asker": 1}
    assert {row.assistant: row.metrics["state_preferences_met"] for row in found if row.assistant != "floor"} == {
        "ceiling": 1,
        "asker": 1,
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("catalogue.jsonl", '"grams": 51', '"grains": 51', "catalogue line 2 .Slow Moth.: no attribute 'grains'"),
        ("catalogue.jsonl", '"grams": 51', '"grams": "many"', "grams: expected a number, found 'many'"),
        ("tasks.toml", "where = { boxes = 3 }", 'where = { boxes = "three" }', "boxes must be a number, not 'three'"),
        ("domain.toml", 'ask = "How many boxes?"', "most = 2", "boxes must lie between any number and 2, not 3"),
        (
            "tasks.toml",
            '[["Teas", "leaf"]]',
            '[["Teas", "leafs"]]',
            "relevant: no preference type 'leafs' in Teas.*'leaf'",
        ),
        ("../../profiles/mia.toml", '"white"', '"whyte"', "preferences.Teas.leaf: no value 'whyte'.*'white'"),
        ("../../profiles/mia.toml", "Teas.leaf", "Teas.leafs", "preferences.Teas: no preference type 'leafs'.*'leaf'"),
        (
            "../../profiles/mia.toml",
            "preferences.",
            "preferences.Tees.a = 'b'\npreferences.",
            "no domain 'Tees'.*'Teas'",
        ),
    ],
)
async def test_what_nobody_could_do_is_refused_before_the_first_word(
    folder: Path, tmp_path: Path, file: str, old: str, new: str, told: str
) -> None:
    path = folder / "domains" / "teas" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(BadInput, match=told):
        await run(campaign(folder), tmp_path / "r")
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("def reply(): return 'Hello.'", "takes no messages"),
        ("def reply(messages, mood): return 'Hello.'", "requires an argument 'mood'"),
        ("reply = 'Hello.'", "str is not a function"),
        ("def answer(messages): return 'Hello.'", "no 'reply' in it"),
        ("import nothing_of_that_name", "cannot be imported"),
    ],
)
async def test_a_function_that_cannot_be_called_is_refused_before_a_call_is_paid_for(
    server: Any, tmp_path: Path, function: str, told: str
) -> None:
    (tmp_path / "bot.py").write_text(function, encoding="utf-8")
    table = {
        "beside": str(tmp_path),
        "user": {"model": "plausible", "base_url": server.base_url},
        "assistant": [{"name": "a", "callable": "bot.py:reply"}],
        "select": {"profiles": 1, "sample": 1},
    }
    with pytest.raises(BadInput, match=told):
        await run(parse(Campaign, table, "test"), tmp_path / "r")
    assert not server.calls and not (tmp_path / "r").exists()
