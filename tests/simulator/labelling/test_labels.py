"""Labels on the disk: who may write, and what a cut line loses."""

from pathlib import Path

import pytest

from duologue.labelling.labels import Label, LabelFile, labeller, labels_path, newest, read_labels
from duologue.tasks.written import BadInput


def said(cell: str, value: bool, name: str = "ann", question: str = "q1") -> Label:
    known = {"rubric": "r", "rubric_name": "brief", "questions": {"success": question}}
    return Label(cell=cell, attempt=1, labeller=name, scores={"success": value}, **known)  # type: ignore[arg-type]


def keep(folder: Path, *labels: Label) -> Path:
    with LabelFile(path := labels_path(folder, labels[0].labeller)) as file:
        file.keep(labels)
    return path


def test_labels_are_read_as_they_were_written(tmp_path: Path) -> None:
    keep(tmp_path, said("c1", True), said("c2", False))
    keep(tmp_path, said("c1", True, "bob"))
    keep(tmp_path, said("c3", True))
    assert [(each.labeller, each.cell) for each in read_labels(tmp_path, [])] == [
        ("ann", "c1"), ("ann", "c2"), ("ann", "c3"), ("bob", "c1"),
    ]  # fmt: skip


def test_whole_numbers_and_yes_and_no_are_kept_apart(tmp_path: Path) -> None:
    keep(tmp_path, said("c1", True).changed(scores={"success": True, "one": 1, "none": None}))
    (read,) = read_labels(tmp_path, [])
    assert [(type(value), value) for value in read.scores.values()] == [(bool, True), (int, 1), (type(None), None)]


def test_the_last_word_counts_among_answers_to_the_same_question(tmp_path: Path) -> None:
    keep(tmp_path, said("c1", True), said("c1", False), said("c1", True, question="q2"))
    held = newest(read_labels(tmp_path, []), "ann", {"success": "q1"})
    assert held["c1", 1].scores == {"success": False} and len(held) == 1


def test_a_torn_last_line_is_dropped_and_said_and_then_taken_away(tmp_path: Path) -> None:
    path = keep(tmp_path, said("c1", True), said("c2", True))
    path.write_bytes(path.read_bytes()[:-20])
    torn: list[str] = []
    assert [each.cell for each in read_labels(tmp_path, torn)] == ["c1"]
    assert torn == [f"{path}:2: the last line is torn and was dropped"]
    keep(tmp_path, said("c3", True))
    assert [each.cell for each in read_labels(tmp_path, [])] == ["c1", "c3"]


def test_a_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = keep(tmp_path, said("c1", True))
    path.write_bytes(path.read_bytes()[:-1])
    keep(tmp_path, said("c2", True))
    assert [each.cell for each in read_labels(tmp_path, [])] == ["c1", "c2"]


def test_a_damaged_line_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = keep(tmp_path, said("c1", True), said("c2", True))
    path.write_text("{" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"labels-ann\.jsonl:1: is not valid JSON"):
        read_labels(tmp_path, [])


def test_a_copied_file_is_refused(tmp_path: Path) -> None:
    keep(tmp_path, said("c1", True)).rename(labels_path(tmp_path, "bob"))
    with pytest.raises(BadInput, match=r"labels-bob\.jsonl: holds labels by 'ann'\. Call it labels-ann\.jsonl"):
        read_labels(tmp_path, [])


@pytest.mark.parametrize("name", ["", "  ", "../etc", "a/b", "ann-2", "9", "É", "judge", "People", "state", "a" * 41])
def test_names_that_cannot_be_a_file_or_are_taken_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"--as|another column"):
        labeller(name)


def test_names_are_small() -> None:
    assert labeller(" Ann_2 ") == "ann_2"
