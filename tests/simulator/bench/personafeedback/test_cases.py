"""The release as it is published, and every way in which its files can be wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.personafeedback.made_up import PERSONAS, row, write_lines, write_release

from duologue.bench.personafeedback.cases import read_cases
from duologue.tasks.written import BadInput


def fault(folder: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_cases(folder)
    return str(caught.value)


def test_the_layout_of_the_release(tmp_path: Path) -> None:
    held = read_cases(write_release(tmp_path, {"general/easy": 1, "spedific/hard": 2}))
    assert [case.id for case in held.cases] == ["general/easy/1", "specific/hard/1", "specific/hard/2"]
    last = held.cases[-1]
    assert (last.persona, last.chosen, last.rejected) == ("2", "Good 101.", "Poor answer 101.")
    assert held.personas["2"].facts == (
        "Name: Bo", "Demographics: A retired teacher who lives by a lake", "Bias: distrusts apps",
    )  # fmt: skip
    assert held.personas["1"].facts[1:3] == ("Demographics, Age: 34", "Demographics, City: Porto")


@pytest.mark.parametrize("name", ["spedific", "specific"])
def test_both_spellings_of_the_folder_hold_the_same_cases(tmp_path: Path, name: str) -> None:
    assert [case.id for case in read_cases(write_release(tmp_path, {f"{name}/easy": 1})).cases] == ["specific/easy/1"]


def test_both_spellings_at_once_are_refused(tmp_path: Path) -> None:
    told = fault(write_release(tmp_path, {"spedific/easy": 1, "specific/easy": 1}))
    assert "specific" in told and "twice" in told and "Take one of the folders away" in told


def test_tiers_may_be_spread_over_both_spellings(tmp_path: Path) -> None:
    held = read_cases(write_release(tmp_path, {"spedific/easy": 1, "specific/hard": 1}))
    assert [case.tier for case in held.cases] == ["easy", "hard"]


def test_rejected_may_be_spelt_out(tmp_path: Path) -> None:
    written = row(1, 1)
    written["rejected"] = written.pop("reject")
    write_release(tmp_path, {"general/easy": 0})
    write_lines(tmp_path / "data/general/easy.jsonl", [written])
    assert read_cases(tmp_path).cases[0].rejected == "Poor answer 1."


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"user_id": 4}, "user_id is 4, and persona/all_personas.jsonl has 3, the last on line 3"),
        ({"user_id": 0}, "user_id is 0"),
        ({"user_id": -1}, "user_id is -1"),
        ({"user_id": "first"}, "user_id is 'first'"),
        ({"user_id": None}, "user_id is None"),
        ({"user_id": True}, "user_id is True"),
        ({"user_id": 1.5}, "user_id is 1.5"),
        ({"question": "  "}, "question is empty"),
        ({"question": 7}, "question is no text"),
        ({"chosen": ""}, "chosen is empty"),
        ({"reject": None}, "reject is no text"),
        ({"votes": "chosen"}, "votes is neither a list nor a table of counts"),
        ({"votes": [["a"]]}, "votes is neither a list nor a table of counts"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    write_release(tmp_path, {"general/easy": 1})
    write_lines(tmp_path / "data/general/easy.jsonl", [row(1, 1), row(2, 1, **changes)])
    said = fault(tmp_path)
    assert said.startswith(f"{tmp_path / 'data/general/easy.jsonl'}:2: {told}")
    assert said.count(". ") or said.endswith("1")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    written = {key: value for key, value in row(1, 1).items() if key != "reject"}
    write_lines(tmp_path / "data/general/easy.jsonl", [written])
    assert ":1: reject is missing" in fault(tmp_path)


@pytest.mark.parametrize(
    ("line", "told"), [("{", "is not valid JSON"), ('["a"]', "is no JSON object"), ("7", "is no JSON object")]
)
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str, told: str) -> None:
    write_release(tmp_path, {"general/easy": 1})
    write_lines(tmp_path / "data/general/easy.jsonl", [row(1, 1), "", line])
    assert f"easy.jsonl:3: {told}" in fault(tmp_path)
    write_lines(tmp_path / "persona/all_personas.jsonl", [PERSONAS[0], line])
    assert f"all_personas.jsonl:2: {told}" in fault(tmp_path)


def test_a_user_id_may_be_written_as_text(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    write_lines(tmp_path / "data/general/easy.jsonl", [row(1, 1, user_id=" 3 ")])
    assert read_cases(tmp_path).cases[0].persona == "3"


def test_blank_lines_and_a_byte_order_mark_shift_nothing(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    personas = "\n".join(["", json.dumps(PERSONAS[0]), "", json.dumps(PERSONAS[1])])
    (tmp_path / "persona/all_personas.jsonl").write_text(f"\ufeff{personas}\n", encoding="utf-8")
    rows = "\r\n".join([json.dumps(row(1, 4)), "  ", json.dumps(row(2, 2))])
    (tmp_path / "data/general/easy.jsonl").write_bytes(f"\ufeff{rows}\r\n".encode())
    held = read_cases(tmp_path)
    assert [(case.id, case.persona) for case in held.cases] == [("general/easy/1", "4"), ("general/easy/3", "2")]
    assert {id: persona.sections["Name"] for id, persona in held.personas.items()} == {"2": "Ana", "4": "Bo"}
    write_lines(tmp_path / "data/general/easy.jsonl", [row(1, 3)])
    assert "has 2, the last on line 4" in fault(tmp_path)


def test_no_utf8_is_named(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    (tmp_path / "data/general/easy.jsonl").write_bytes(json.dumps(row(1, 1)).encode() + b"\n\xff\xfe\n")
    assert "easy.jsonl:2: is not UTF-8 text" in fault(tmp_path)


def test_another_folder_is_told_what_it_should_hold(tmp_path: Path) -> None:
    assert "has no persona/all_personas.jsonl" in fault(tmp_path)
    write_lines(tmp_path / "persona/all_personas.jsonl", PERSONAS)
    told = fault(tmp_path)
    assert "holds no cases" in told and "data/spedific/hard.jsonl" in told


def test_an_empty_file_of_personas_is_told(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    write_lines(tmp_path / "persona/all_personas.jsonl", [])
    assert "persona/all_personas.jsonl is empty" in fault(tmp_path)
