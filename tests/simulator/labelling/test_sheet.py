"""Labels made elsewhere: read as spreadsheets and scripts write them, or refused with one sentence."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator import records
from tests.simulator.labelling.labelled import RUBRIC

from duologue.agents.rubric import Dimension, read_rubric
from duologue.labelling.labels import Value
from duologue.labelling.sample import Place
from duologue.labelling.sheet import read_sheet
from duologue.record.run import Run
from duologue.tasks.written import BadInput

HELD = records.run(
    records.dialogue("anna", "one"),
    records.dialogue("anna", "two"),
    records.dialogue("anna", "three", reason="timeout", role="assistant"),
)
FIRST = HELD.dialogues[0].cell


@pytest.fixture
def dimensions(tmp_path: Path) -> tuple[Dimension, ...]:
    (tmp_path / "brief.toml").write_text(RUBRIC, encoding="utf-8")
    return read_rubric("brief.toml", tmp_path).dimensions


def read(folder: Path, name: str, text: str | bytes, dimensions: Sequence[Dimension]) -> dict[Place, dict[str, Value]]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    run: Run = replace(HELD, folder=Path("runs/one"))
    # warmth makes no sense for the second dialogue
    return read_sheet(path, run, dimensions, lambda place: dimensions[: 1 + (place[0] == FIRST)])


@pytest.mark.parametrize(
    "text",
    [
        "dialogue,success,warmth\n1,yes,3\n2,no,\n",
        "\ufeffdialogue;warmth;success\r\n1;3.0;TRUE\r\n2;;FALSE\r\n",
        f"cell\tdialogue\twarmth\tsuccess\n{FIRST}\t1\t3\tY\n\t2\t\t0\n\n",
        'dialogue,"success",warmth\n" 1 ",Yes," 3"\n2,n,\n',
    ],
)
def test_a_spreadsheet_is_read(tmp_path: Path, dimensions: tuple[Dimension, ...], text: str) -> None:
    first, second = read(tmp_path, "a.csv", text, dimensions).values()
    assert first == {"success": True, "warmth": 3} and second == {"success": False}


def test_json_lines_are_read(tmp_path: Path, dimensions: tuple[Dimension, ...]) -> None:
    text = f'{{"cell": "{FIRST}", "success": true, "warmth": 3}}\n{{"dialogue": 2, "success": null}}\n'
    first, second = read(tmp_path, "a.jsonl", text, dimensions).values()
    assert first == {"success": True, "warmth": 3} and second == {"success": None}


FAULTS = {
    "no columns": ("a.csv", "", "a.csv: holds no labels. Give it a row a dialogue: dialogue, success, warmth"),
    "no rows": ("a.csv", "dialogue,success\n", "a.csv: holds no labels"),
    "no score": ("a.csv", "dialogue,success\n1,\n", "a.csv: holds no score. Fill in the columns: success, warmth"),
    "not UTF-8": ("a.csv", b"dialogue,success\n1,\xff\n", "a.csv: is not UTF-8 text. Save it as UTF-8."),
    "not UTF-8 either": ("a.jsonl", b"\xff\n", "a.jsonl:1: is not UTF-8 text"),
    "another kind": ("a.xlsx", "PK", "a.xlsx: is neither .csv nor .jsonl. Save the labels as one of them"),
    "broken CSV": ("a.csv", 'dialogue,success\n1,"yes\n', "a.csv:2: is not valid CSV"),
    "ragged": ("a.csv", "dialogue,success\n1,yes,3\n", "a.csv:2: has 3 fields under 2 columns"),
    "twice a column": ("a.csv", "dialogue,success,success\n1,y,n\n", "a.csv:1: two columns are named 'success'"),
    "a nameless column": ("a.csv", "dialogue,success,\n1,y,n\n", "a.csv:2: a column has no name"),
    "broken JSON": ("a.jsonl", '{"dialogue": 1,', "a.jsonl:1: is not valid JSON"),
    "no object": ("a.jsonl", "[1, 2]\n", "a.jsonl:1: is no object of columns and values"),
    "unknown column": ("a.csv", "dialogue,sucess\n1,y\n", "a.csv:2: unknown column 'sucess', did you mean 'success'?"),
    "foreign column": ("a.jsonl", '{"dialogue": 1, "zz": 1}', "a.jsonl:1: unknown column 'zz' (known: cell, dialogue,"),
    "no dialogue column": (
        "a.csv",
        "success\nyes\n",
        "a.csv:2: does not say which dialogue it labels. Give it a column",
    ),
    "no dialogue": ("a.csv", "dialogue,success\n,yes\n", "a.csv:2: does not say which dialogue it labels. Fill in"),
    "no score column": ("a.csv", "dialogue\n1\n", "a.csv:2: has no column for a score"),
    "unknown dialogue": ("a.csv", "dialogue,success\n9,yes\n", "a.csv:2: no dialogue '9' in runs/one. See them"),
    "unknown cell": ("a.csv", "cell,success\nabc,yes\n", "a.csv:2: no cell 'abc' in runs/one"),
    "odd dialogue": ("a.jsonl", '{"dialogue": [1], "success": "yes"}', "a.jsonl:1: no dialogue '[1]'"),
    "two dialogues": (
        "a.csv",
        f"cell,dialogue,success\n{FIRST},2,yes\n",
        "a.csv:2: its cell and its number are of two",
    ),
    "once more": ("a.csv", f"cell,dialogue,success\n{FIRST},,y\n,1,n\n", "a.csv:3: labels the dialogue of"),
    "unscored": ("a.csv", "dialogue,success\n3,yes\n", "a.csv:2: dialogue 3 ended without scores"),
    "off the scale": ("a.csv", "dialogue,warmth\n1,4\n", "a.csv:2: '4' is no point of warmth. It takes 1, 2, 3, or"),
    "between points": ("a.csv", "dialogue,warmth\n1,2.5\n", "a.csv:2: '2.5' is no point of warmth"),
    "no word": ("a.jsonl", '{"dialogue": 1, "success": "perhaps"}', "a.jsonl:1: 'perhaps' is no point of success"),
    "yes on a scale": ("a.jsonl", '{"dialogue": 1, "warmth": true}', "a.jsonl:1: 'yes' is no point of warmth"),
    "pointless": ("a.csv", "dialogue,warmth\n2,3\n", "a.csv:2: warmth makes no sense for this dialogue"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_told_in_a_sentence(tmp_path: Path, dimensions: tuple[Dimension, ...], fault: str) -> None:
    name, text, told = FAULTS[fault]
    with pytest.raises(BadInput) as raised:
        read(tmp_path, name, text, dimensions)
    assert str(raised.value).replace(f"{tmp_path}/", "").startswith(told)
    assert len(str(raised.value).splitlines()) == 1


def test_a_file_that_is_not_there_and_a_folder_are_told(tmp_path: Path, dimensions: tuple[Dimension, ...]) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, told in (("none.csv", "no such file"), ("none.jsonl", "no such file"), ("folder.csv", "cannot be read")):
        with pytest.raises(BadInput, match=told):
            read_sheet(tmp_path / name, HELD, dimensions, lambda place: dimensions)
