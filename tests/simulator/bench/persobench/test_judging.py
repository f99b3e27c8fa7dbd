"""What a judge is asked of a reply, and what its labels show."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.persobench.files import BLENDED, CSV, FOCUS, SINGLE, answer, write, write_csv

from duologue.bench.persobench.judging import entailment_score, figures_of, labels_of, question
from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import read_data

E, N, C = "entailment", "neutral", "contradiction"


def row_of(tmp_path: Path, data: Any = SINGLE) -> Row:
    (held,) = read_data(write(tmp_path / "a.json", [data]), "corrected")
    return held.rows[0]


def labels(first: str, second: str, persona: str = N, context: str = N) -> dict[str, str]:
    return {"fact_1": first, "fact_2": second, "persona": persona, "context": context}


@pytest.mark.parametrize(("persona", "context", "score"), [(E, E, 2), (E, N, 1), (E, C, 1), (N, E, 0), (C, N, 0)])
def test_entailment_in_every_combination(persona: str, context: str, score: int) -> None:
    assert entailment_score(persona, context) == score


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (labels(E, N, E, E), (1, 0.5, 2, 0, 0.5, 1)),
        (labels(N, E, E, N), (1, 0.5, 1, 0, 0.5, 0)),
        (labels(E, C, C, E), (-1, 0, 0, 1, 0.5, 1)),
        (labels(C, C, C, C), (-1, -1, 0, 1, 0, 0)),
        (labels(N, N, N, E), (0, 0, 0, 0, 0, 0)),
    ],
)
def test_figures_of_one_reply(tmp_path: Path, given: dict[str, str], expected: tuple[float, ...]) -> None:
    """Consistency in one piece and by sentence, entailment, contradiction, coverage, the fact that should surface."""
    assert tuple(figures_of(given, row_of(tmp_path)).values()) == expected


def test_no_gold_fact_where_the_data_name_none_of_the_sentences(tmp_path: Path) -> None:
    assert "gold_fact_hit" not in figures_of(labels(E, N), row_of(tmp_path, BLENDED))
    assert "gold_fact_hit" not in figures_of(labels(E, N), row_of(tmp_path, {**SINGLE, "rm_persona": "i swim ."}))


def test_labels_are_read_whatever_their_case(tmp_path: Path) -> None:
    said = json.dumps(labels("Entailment", " NEUTRAL "))
    assert labels_of(answer(f"```json\n{said}\n```"), row_of(tmp_path)) == labels(E, N)


@pytest.mark.parametrize(
    "text",
    ["", "entailment", json.dumps(labels(E, "maybe")), json.dumps({"fact_1": E, "persona": E, "context": E})],
)
def test_what_is_not_labelled_whole_is_not_labelled(tmp_path: Path, text: str) -> None:
    assert labels_of(answer(text), row_of(tmp_path)) is None


def test_a_judge_that_did_not_answer_gave_no_labels(tmp_path: Path) -> None:
    assert labels_of(None, row_of(tmp_path)) is None
    assert labels_of(answer(json.dumps(labels(E, N)), fault="timeout"), row_of(tmp_path)) is None


def test_the_judge_sees_facts_context_and_reply(tmp_path: Path) -> None:
    asked = question(row_of(tmp_path), "cot", "Beans, mostly.")
    system, user = (message.text for message in asked.request.messages)
    assert (asked.id, asked.role) == ("judge/cot/a/1", "judge")
    assert "facts are about the one who replies" in system
    assert all(
        f"\n{each}\n" in user for each in ("fact_2: i've two dogs .", "User1: what do you eat ?", "Beans, mostly.")
    )
    assert asked.request.schema is not None
    assert asked.request.schema.schema["required"] == ["fact_1", "fact_2", "persona", "context"]


def test_the_judge_knows_whose_the_persona_is(tmp_path: Path) -> None:
    system, user = (message.text for message in question(row_of(tmp_path, FOCUS), "vanilla", "x").request.messages)
    assert "about the person who is replied to" in system
    assert user.startswith("The facts about User1:")


def test_the_judge_is_told_the_truth_where_the_model_was_not(tmp_path: Path) -> None:
    (held,) = read_data(write(tmp_path / "bst.json", [BLENDED]), "faithful")
    system, user = (message.text for message in question(held.rows[0], "vanilla", "x").request.messages)
    assert "facts are about the one who replies" in system
    assert user.startswith("The facts about User2:")


def test_facts_about_both_keep_their_speakers(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "own.csv", ("User1: I bake. User2: I row.", *CSV[1:]))
    (held,) = read_data(path, "corrected")
    system, user = (message.text for message in question(held.rows[0], "vanilla", "x").request.messages)
    assert "facts are about both people" in system
    assert user.startswith("The facts:\nfact_1: User1: I bake.\nfact_2: User2: I row.\n")
