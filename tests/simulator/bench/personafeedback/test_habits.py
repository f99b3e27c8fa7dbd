"""Habits that sway judges: answers written by hand with each of them, and look-alikes; and their shares."""

import json
from pathlib import Path

import pytest
from tests.simulator.bench.personafeedback.made_up import answered, line, opened, write_release

from duologue.bench.personafeedback.cases import Persona
from duologue.bench.personafeedback.habits import PILE, calls_by_name, ends_on_note, stray_facts
from duologue.bench.question import Question

ANA = Persona(
    "1",
    {
        "Name": "Ana Costa",
        "Demographics": {"Age": 34, "City": "Porto", "Occupation": "architect"},
        "Preference": {"Music": ["always liked the cello"], "Hobby": "keeps bees on the roof"},
    },
)
ASKED = "Which music instrument should I learn?"
WRITTEN = [json.loads(each) for each in (Path(__file__).parent / "habits.jsonl").read_text("utf-8").splitlines()]
RULES = {
    "ends_on_note": ends_on_note,
    "calls_by_name": lambda answer: calls_by_name(answer, "Ana Costa"),
    "piles_up_facts": lambda answer: len(stray_facts(answer, ASKED, ANA)) >= PILE,
}


@pytest.mark.parametrize("written", WRITTEN, ids=lambda each: each["answer"][:40])
def test_what_is_a_habit_and_what_only_looks_like_one(written: dict[str, str]) -> None:
    assert RULES[written["habit"]](written["answer"]) is written["has"]


def test_which_facts_are_stray() -> None:
    assert stray_facts("Bees in Porto play no cello at 34, Ana.", ASKED, ANA) == ["Demographics, City: Porto"]
    keeps = "Your bees on the roof"
    assert stray_facts(keeps, ASKED, ANA) == ["Preference, Hobby: keeps bees on the roof"]
    assert stray_facts(keeps, "What is good for a hobby?", ANA) == []  # its label has to do with that
    assert stray_facts("Anything", ASKED, Persona("2", {"Name": "Bo"})) == []


def test_nobody_without_a_name_is_called() -> None:
    assert not calls_by_name("Well, go.", "") and not calls_by_name(", go", " ")


def test_the_shares_of_both_writers(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 3}), ("model", "judge", "reference"), style="generate")
    said = {
        ("1", "model"): "Ana, no meat in Porto, I know. I chose it for you. This answer reflects your profile.",
        ("1", "reference"): "A spicy soup.",
        ("2", "model"): "Walk.",
        ("2", "reference"): "Walk, Bo. A retired teacher distrusts apps.",
        ("3", "model"): "Alone.",
    }

    def say(question: Question) -> str | None:
        return said.get((question.id.split("/")[3], question.role), None if "answer/" in question.id else "A")

    _, _, table = bench.tables(answered(bench, say))
    mine, other = line(table, "model", "general"), line(table, "reference", "general")
    assert [mine[name].value for name in ("ends_on_note", "calls_by_name", "much_longer")] == [0.5, 0.5, 0.5]
    assert [other[name].value for name in ("ends_on_note", "calls_by_name", "much_longer")] == [0, 0.5, 0.5]
    assert (mine["piles_up_facts"].value, other["piles_up_facts"].value) == (0.5, 0)
    assert (mine["stray_facts"].value, other["stray_facts"].value) == (2 / 2, 1 / 2)  # the lake is asked about
    assert (mine["ends_on_note"].n, mine["ends_on_note"].unscored) == (2, 1)
    assert table.clusters == "persona" and "stray_facts" not in table.shares
    assert any("forced metaphors are not told" in note for note in bench.notes({}))
