"""Annotators' votes: the agreement on an item, Fleiss' kappa, and votes in a file of their own."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.personafeedback.made_up import line, opened, row, write_lines, write_release

from duologue.bench.personafeedback.votes import observed
from duologue.tasks.written import BadInput

TEXTBOOK = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip
"""The worked example that is found everywhere: ten items, fourteen raters, five classes, kappa 0.210."""


@pytest.mark.parametrize(("most", "agreed"), [(9, 1.0), (8, 0.778), (7, 0.611), (6, 0.5), (5, 0.444)])
def test_nine_votes_on_an_item(most: int, agreed: float) -> None:
    assert observed(["chosen"] * most + ["rejected"] * (9 - most)) == pytest.approx(agreed, abs=5e-4)


def test_kappa_of_the_textbook(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    votes = [{str(kind): times for kind, times in enumerate(counts)} for counts in TEXTBOOK]
    write_lines(tmp_path / "data/general/easy.jsonl", [row(n, 1, votes=held) for n, held in enumerate(votes)])
    _, table, levels = opened(tmp_path).tables({})
    found = line(table, "general", "easy")
    assert found["fleiss_kappa"].value == pytest.approx(0.210, abs=5e-4)
    assert found["observed_agreement"].value == pytest.approx(0.378, abs=5e-4)
    assert sum(each.figures["share"].n for each in levels.lines) == 10


def test_agreement_by_tier_and_by_item(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1, "general/hard": 1})
    nine = lambda most: {"chosen": most, "rejected": 9 - most}  # noqa: E731
    write_lines(tmp_path / "data/general/easy.jsonl", [row(n, 1, votes=nine(most)) for n, most in enumerate((9, 8))])
    rows = [row(5, 1, votes=["chosen"] * 5 + ["rejected"] * 4), row(6, 1)]
    write_lines(tmp_path / "data/general/hard.jsonl", rows)
    _, table, levels = opened(tmp_path).tables({})
    assert line(table, "general", "easy")["observed_agreement"].value == pytest.approx((1 + 7 / 9) / 2)
    hard = line(table, "general", "hard")["observed_agreement"]
    assert (hard.value, hard.n, hard.unscored) == (pytest.approx(4 / 9), 1, 1)
    assert [(each.name, each.figures["share"].n) for each in levels.lines] == [
        (("1.000",), 1), (("0.778",), 1), (("0.444",), 1),
    ]  # fmt: skip


def test_without_votes_there_is_no_table_of_them(tmp_path: Path) -> None:
    assert len(opened(write_release(tmp_path)).tables({})) == 1


def votes_in(folder: Path, *lines: Any) -> Any:
    write_release(folder, {"general/easy": 2, "spedific/hard": 1})
    write_lines(folder / "votes.jsonl", lines)
    return opened(folder, annotations="votes.jsonl").tables({})[1]


def test_votes_in_a_file_of_their_own(tmp_path: Path) -> None:
    asked = "How do I get to the lake? (1)"
    table = votes_in(
        tmp_path,
        {"case": "specific/hard/1", "votes": ["chosen", "chosen", "rejected"]},
        {"user_id": 2, "question": f" {asked} ", "votes": {"chosen": 3}},
    )
    assert line(table, "specific", "hard")["observed_agreement"].value == pytest.approx(1 / 3)
    easy = line(table, "general", "easy")["observed_agreement"]
    assert (easy.value, easy.n, easy.unscored) == (1.0, 1, 1)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"case": "general/easy/9", "votes": ["a"]}], "votes.jsonl:1: there is no case 'general/easy/9'"),
        ([{"user_id": 1, "question": "Which?", "votes": ["a"]}], "votes.jsonl:1: names no case"),
        ([{"case": "general/easy/1"}], "votes.jsonl:1: holds neither votes nor relies_on"),
        ([{"case": "general/easy/1", "votes": 3}], "votes.jsonl:1: votes is neither a list nor a table of counts"),
        ([{"case": "general/easy/1", "votes": ["a"]}] * 2, "votes.jsonl:2: is about general/easy/1, which another"),
    ],
)
def test_a_file_of_votes_that_is_wrong_is_told(tmp_path: Path, lines: list[Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        votes_in(tmp_path, *lines)
    assert told in str(caught.value)


def test_a_question_asked_twice_names_no_single_case(tmp_path: Path) -> None:
    write_release(tmp_path, {"general/easy": 1})
    write_lines(tmp_path / "data/general/hard.jsonl", [row(0, 1)])
    asked = {"user_id": 1, "question": row(0, 1)["question"], "votes": ["a", "b"]}
    write_lines(tmp_path / "votes.jsonl", [asked])
    with pytest.raises(BadInput, match="those of general/easy/1 and general/hard/1"):
        opened(tmp_path, annotations="votes.jsonl")


def test_no_such_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        opened(write_release(tmp_path), annotations="votes.jsonl")
