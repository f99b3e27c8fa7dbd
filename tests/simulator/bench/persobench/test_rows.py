"""The rows of the published forms, as they are and as the paper prepared them; and rows that cannot be used."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.persobench.files import BLENDED, CSV, FOCUS, SINGLE, write, write_csv

from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import read_data
from duologue.tasks.written import BadInput


def only(path: Path, annotation: Any = "corrected", **choices: Any) -> Row:
    (held,) = read_data(path, annotation, **choices)
    (row,) = held.rows
    return row


def turns(row: Row) -> list[str]:
    return [f"{turn.speaker}: {turn.text}" for turn in row.context]


def test_blended_skill_talk_is_the_first_guided_turn(tmp_path: Path) -> None:
    row = only(write(tmp_path / "bst.json", [BLENDED]))
    assert row.id == "bst/1"
    assert turns(row) == ["User1: Do you work outdoors?", "User2: Most of the day.", "User1: What do you do there?"]
    assert (row.speaker, row.reply) == ("User2", "I look after my hives.")
    assert row.persona == ("I keep bees.", "my sister's a pilot")
    assert (row.persona_of, row.told_of) == ("responder", "responder")


def test_the_papers_label_of_blended_skill_talk_is_the_other_speaker(tmp_path: Path) -> None:
    row = only(write(tmp_path / "bst.json", [BLENDED]), "faithful")
    assert (row.persona_of, row.told_of) == ("responder", "interlocutor")


def test_focus_is_the_machines_last_turn_and_the_persona_the_humans(tmp_path: Path) -> None:
    row = only(write(tmp_path / "focus.json", {"data": [FOCUS]}))
    assert turns(row) == ["User1: Where's this?", "User2: A bridge.", "User1: How old?"]
    assert (row.speaker, row.reply) == ("User2", "Very old; you like bridges.")
    assert (row.persona_of, row.told_of, row.shown) == ("interlocutor", "interlocutor", ())


def test_the_papers_focus_is_joined_unlabelled_and_without_apostrophes(tmp_path: Path) -> None:
    row = only(write(tmp_path / "focus.json", {"data": [FOCUS]}), "faithful")
    assert row.shown == ("I like bridges.I dont fly.",)
    assert row.persona == ("I like bridges.", "I don't fly.")
    assert (row.persona_of, row.told_of) == ("interlocutor", "")
    assert turns(row)[0] == "User1: Wheres this?"


def test_single_turns_name_the_sentence_that_surfaces(tmp_path: Path) -> None:
    row = only(write(tmp_path / "it.json", {"data": [SINGLE]}))
    assert turns(row) == ["User1: what do you eat ?"]
    assert (row.speaker, row.reply, row.surfacing) == ("User2", "mostly beans .", ("I eat no meat.",))
    assert row.persona_of == "responder"


def test_the_papers_single_turns_are_joined_by_full_stops(tmp_path: Path) -> None:
    row = only(write(tmp_path / "it.json", {"data": [SINGLE]}), "faithful")
    assert row.shown == ("i eat no meat ..ive two dogs .",)


def test_lines_of_json_are_read_too(tmp_path: Path) -> None:
    path = write(tmp_path / "it.jsonl", SINGLE)
    path.write_text("\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert only(path).id == "it/2"


def test_a_csv_is_read_by_its_labels(tmp_path: Path) -> None:
    row = only(write_csv(tmp_path / "own.csv", CSV))
    assert turns(row) == ["User1: Hello.", "User2: Hi.", "User1: Hobbies?"]
    assert (row.speaker, row.reply) == ("User2", "My bees.")
    assert row.persona == ("I keep bees.", "I have a sister.")
    assert row.shown == ("I keep bees. I have a sister.",)
    assert (row.persona_of, row.told_of) == ("responder", "responder")


@pytest.mark.parametrize(
    ("persona", "whose", "told"),
    [
        ("User1's persona: I keep bees.", "interlocutor", "interlocutor"),
        ("user 1: I keep bees.", "interlocutor", "interlocutor"),
        ("I keep bees.", "responder", ""),
        ("User1 personas: I keep bees. User2 personas: I row.", "both", "both"),
    ],
)
def test_whose_the_persona_of_a_csv_is(tmp_path: Path, persona: str, whose: str, told: str) -> None:
    row = only(write_csv(tmp_path / "own.csv", (persona, *CSV[1:])))
    assert (row.persona_of, row.told_of) == (whose, told)


def test_personas_of_both_keep_their_speakers(tmp_path: Path) -> None:
    row = only(write_csv(tmp_path / "own.csv", ("User1: I keep bees.I bake. User2: I row.", *CSV[1:])))
    assert row.persona == ("User1: I keep bees.", "User1: I bake.", "User2: I row.")


def test_an_option_says_whose_the_persona_of_a_csv_is(tmp_path: Path) -> None:
    row = only(write_csv(tmp_path / "own.csv", ("User1: I keep bees.", *CSV[1:])), persona_of="responder")
    assert (row.persona_of, row.told_of) == ("responder", "responder")


def test_a_csv_without_labels_is_one_turn(tmp_path: Path) -> None:
    row = only(write_csv(tmp_path / "own.csv", ("I pay 3.50 for tea.I walk.", "What is this?", "A bridge.")))
    assert (turns(row), row.speaker, row.reply) == (["User1: What is this?"], "User2", "A bridge.")
    assert row.persona == ("I pay 3.50 for tea.", "I walk.")


def test_each_file_of_a_folder_is_a_data_set(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [BLENDED])
    write_csv(tmp_path / "a.csv", CSV)
    write(tmp_path / "it.json", {"data": [SINGLE]})
    (tmp_path / "README.md").write_text("Not data.", encoding="utf-8")
    held = read_data(tmp_path, "corrected")
    assert [(each.name, each.form) for each in held] == [("a.csv", "csv"), ("a.json", "bst"), ("it", "it-convai2")]
    assert [row.id for each in held for row in each.rows] == ["a.csv/1", "a.json/1", "it/1"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({k: v for k, v in BLENDED.items() if k != "personas"}, "it has no personas"),
        ({**BLENDED, "personas": [""]}, "it has no persona"),
        ({**BLENDED, "personas": [["I keep bees."]]}, "its personas is no list of texts"),
        ({**BLENDED, "free_messages": []}, "it has no free_messages"),
        ({**BLENDED, "free_messages": [" "]}, "it has a turn without text"),
        ({**BLENDED, "guided_messages": [" "]}, "it has no reply"),
        ([1], "it is no object"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_and_left_out(tmp_path: Path, row: Any, fault: str) -> None:
    (held,) = read_data(write(tmp_path / "bst.json", [row, BLENDED]), "corrected")
    assert held.faults == (f"bst.json, row 1: {fault}",)
    assert [each.id for each in held.rows] == ["bst/2"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({**FOCUS, "utterance": []}, "it has no utterance"),
        ({**FOCUS, "utterance": [{"other": 1}]}, "it has no dialogue"),
        ({**FOCUS, "utterance": [{"dialogue1": ["Hi.", "Yes.", "And?"]}]}, "does not end with a turn of the machine"),
    ],
)
def test_faults_of_focus(tmp_path: Path, row: Any, fault: str) -> None:
    with pytest.raises(BadInput, match=f"no row that can be used .*row 1: .*{fault}"):
        read_data(write(tmp_path / "focus.json", {"data": [row]}), "corrected")


def test_faults_of_a_csv(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "own.csv", CSV, ("I row.", "", "Yes."), ("I row.", "Hm?"), ("User1:", "Hm?", "Yes."))
    (held,) = read_data(path, "corrected")
    assert held.faults == (
        "own.csv, row 2: it has no context",
        "own.csv, row 3: it has no act_response",
        "own.csv, row 4: it has no persona",
    )


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", b"{", "is not valid JSON"),
        ("a.json", b"[]", "holds no rows of a known form"),
        ("a.json", b'{"data": 1}', "holds no list of rows"),
        ("a.json", b'[{"text": 1, "more": 2}]', r"holds no rows of a known form \(keys more, text\)"),
        ("a.json", b"\xff[]", "is not UTF-8 text"),
        ("a.jsonl", b"{\n", "is not valid JSON"),
        ("a.csv", b"personas,context\n", "has no column 'act_response'"),
        ("a.csv", b"personas,context,act_response\n", "has no row that can be used .it is empty"),
        ("a.csv", b"personas,context,act_response\n\xff,b,c\n", "is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=told):
        read_data(path, "corrected")


@pytest.mark.parametrize("name", ["absent.json", "absent.csv", "absent.jsonl"])
def test_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_data(tmp_path / name, "corrected")


def test_a_folder_without_data(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no \.json, \.jsonl or \.csv file"):
        read_data(tmp_path, "corrected")
