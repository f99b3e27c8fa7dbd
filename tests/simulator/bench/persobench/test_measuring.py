"""What measures are asked of a reply, and what is made of what they tell."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.persobench.files import BLENDED, FOCUS, SINGLE, answer, people, plan, said, write

from duologue.bench.persobench.bench import open_bench
from duologue.bench.persobench.measuring import MEASURES, check_measure, figures, measures
from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import read_data
from duologue.bench.question import Answer
from duologue.tasks.written import BadInput

REPLY = "I eat beans. No meat!"
E, N, C = (3, 1, 0), (0, 2, 1), (0, 1, 5)
"""Logits of entailment, neutral, contradiction; the largest counts."""
NAMES = ("entailment", "neutral", "contradiction")


def row_of(tmp_path: Path, data: Any = SINGLE, annotation: Any = "corrected") -> Row:
    (held,) = read_data(write(tmp_path / "a.json", {"data": [data]} if data is FOCUS else [data]), annotation)
    return held.rows[0]


def asked(role: str, row: Row) -> dict[str, tuple[str, ...]]:
    """The texts of a role's questions, by the last part of their ids."""
    return {q.id.rpartition("/")[2]: q.request.texts for q in measures(role, row, "vanilla", REPLY)}


def shown(role: str, row: Row, told: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The figures of the reply where the role's questions were answered so."""
    held = {q.id: q for q in measures(role, row, "vanilla", REPLY)}
    answers: dict[str, Answer] = {
        id: answer("", id, role, figures=dict(told[name])) for id in held if (name := id.rpartition("/")[2]) in told
    }
    return figures([role], row, "vanilla", REPLY, answers)


def logits(values: tuple[float, ...], names: tuple[str, ...] = NAMES) -> dict[str, float]:
    return dict(zip(names, values, strict=True))


def test_the_paper_joins_reply_and_persona_into_one_text_and_pairs_are_pairs(tmp_path: Path) -> None:
    persona = "i eat no meat . i've two dogs ."
    assert asked("nli", row_of(tmp_path)) == {
        "joined": (f"{REPLY} {persona}",),
        "pair": (persona, REPLY),
        "fact_1": (REPLY, "i eat no meat ."),
        "fact_2": (REPLY, "i've two dogs ."),
    }
    assert asked("snli", row_of(tmp_path)) == {
        "persona_joined": (f"{persona} [SEP] {REPLY}",),
        "persona_pair": (persona, REPLY),
        "reference_joined": (f"mostly beans . [SEP] {REPLY}",),
        "reference_pair": ("mostly beans .", REPLY),
    }


def test_the_persona_is_the_one_that_the_model_was_shown(tmp_path: Path) -> None:
    assert asked("nli", row_of(tmp_path, FOCUS, "faithful"))["pair"][0] == "I like bridges.I dont fly."


def test_unieval_is_asked_sentence_by_sentence_how_engaging_it_is(tmp_path: Path) -> None:
    found = asked("unieval", row_of(tmp_path))
    assert list(found) == [
        "naturalness", "coherence", "engagingness_1", "engagingness_2", "groundedness", "understandability",
    ]  # fmt: skip
    assert "response: No meat! </s> dialogue history: what do you eat ?" in found["engagingness_2"][0]
    assert found["groundedness"][0].endswith(f"response: {REPLY} </s> fact: i eat no meat . i've two dogs .")


def test_stop_words_do_not_count_and_punctuation_stays(tmp_path: Path) -> None:
    assert asked("similarity", row_of(tmp_path)) == {"persona": ("eat meat . i've two dogs .", "eat beans. meat!")}
    assert asked("bertscore", row_of(tmp_path)) == {"reference": (REPLY, "mostly beans .")}


def test_c_score_and_what_each_sentence_shows(tmp_path: Path) -> None:
    told = {"joined": logits(C), "pair": logits(E), "fact_1": logits(E), "fact_2": logits(C)}
    assert shown("nli", row_of(tmp_path), told) == {
        "c_score": -1,
        "c_score_pairs": 1,
        "nli_contradiction_rate": 1,
        "nli_coverage": 0.5,
        "nli_gold_fact_hit": 1,
    }
    told["fact_1"] = logits(N)
    assert shown("nli", row_of(tmp_path), told)["nli_gold_fact_hit"] == 0
    assert "nli_gold_fact_hit" not in shown("nli", row_of(tmp_path, BLENDED), told)


@pytest.mark.parametrize(("persona", "reference", "score"), [(E, E, 2), (E, N, 1), (E, C, 1), (N, E, 0), (C, C, 0)])
def test_ue_score(tmp_path: Path, persona: Any, reference: Any, score: int) -> None:
    told = {f"persona_{way}": logits(persona) for way in ("joined", "pair")}
    told |= {f"reference_{way}": logits(reference) for way in ("joined", "pair")}
    assert shown("snli", row_of(tmp_path), told) == {"ue_score": score, "ue_score_pairs": score}


@pytest.mark.parametrize(
    ("role", "names", "values", "score"),
    [
        ("nli", ("LABEL_0", "LABEL_1", "LABEL_2"), (5, 1, 0), -1),  # Dialogue NLI: negative, neutral, positive
        ("nli", ("LABEL_0", "LABEL_1", "LABEL_2"), (0, 1, 5), 1),
        ("nli", ("negative", "neutral", "positive"), (0, 1, 5), 1),
        ("nli", ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), (5, 1, 0), 1),
        ("nli", ("0_contra", "1_neutral", "2_entail"), (0, 5, 1), 0),
    ],
)
def test_labels_by_name_and_else_by_the_numbers_of_the_papers_models(
    tmp_path: Path, role: str, names: tuple[str, ...], values: Any, score: int
) -> None:
    told = dict.fromkeys(("joined", "pair", "fact_1", "fact_2"), logits(values, names))
    assert shown(role, row_of(tmp_path), told)["c_score"] == score
    numbered = logits((5, 1, 0), ("LABEL_0", "LABEL_1", "LABEL_2"))  # SNLI: entailment first
    both = dict.fromkeys(("persona_joined", "persona_pair", "reference_joined", "reference_pair"), numbered)
    assert shown("snli", row_of(tmp_path), both)["ue_score"] == 2


def test_engagingness_is_a_sum_and_overall_the_mean_of_five(tmp_path: Path) -> None:
    yes = {"naturalness": 0.9, "coherence": 0.5, "engagingness_1": 0.8, "engagingness_2": 0.7, "groundedness": 0.1,
           "understandability": 1.0}  # fmt: skip
    found = shown("unieval", row_of(tmp_path), {name: {"yes": value} for name, value in yes.items()})
    assert found["unieval_engagingness"] == pytest.approx(1.5)
    assert found["unieval_overall"] == pytest.approx((0.9 + 0.5 + 1.5 + 0.1 + 1.0) / 5)


def test_a_measure_that_told_only_a_part_tells_nothing(tmp_path: Path) -> None:
    assert shown("nli", row_of(tmp_path), {"joined": logits(E), "pair": logits(E)}) == {}


def test_tables_count_the_worst_without_a_reply_and_hold_the_composite(tmp_path: Path) -> None:
    models = {
        "model": {"model": "scripted:x"},
        **{role: {"model": f"{measure.kinds[0]}:x"} for role, measure in MEASURES.items()},
    }
    bench = open_bench(plan(write(tmp_path / "a.json", people(2)), models=models, options={"cohort": [0.8]}))
    replies = list(bench.stages[0]({}))
    answers = {replies[0].id: answer(said(REPLY), replies[0].id), replies[1].id: answer("no form", replies[1].id)}
    told = {"nli": logits(E), "snli": logits(E), "unieval": {"yes": 0.5}, "similarity": {"cosine": 0.6},
            "bertscore": {"precision": 0.8, "recall": 0.9, "f1": 0.85}}  # fmt: skip
    for question in bench.stages[1](answers):
        answers[question.id] = answer("", question.id, question.role, figures=told[question.role])
    every, valid = (table.lines[0].figures for table in bench.tables(answers)[-2:])
    assert {name: figure.value for name, figure in every.items()} == pytest.approx(
        {
            "c_score": 0.0, "c_score_pairs": 0.0, "ue_score": 1.0, "ue_score_pairs": 1.0,
            "unieval_naturalness": 0.25, "unieval_coherence": 0.25, "unieval_engagingness": 0.5,
            "unieval_groundedness": 0.25, "unieval_understandability": 0.25, "unieval_overall": 0.3,
            "bertscore_precision": 0.4, "bertscore_recall": 0.45, "bertscore_f1": 0.425, "persona_similarity": 0.3,
            "composite": (100 * (1.0 + 0.3 + 0.25 + 0.0) + 0.375) / 5,
            "composite_corrected": 100 * (0.5 + 0.3 + 0.25 + 0.5 + 0.375) / 5,
        }
    )  # fmt: skip
    assert valid["c_score"].value == 1
    assert valid["nli_coverage"].value == 1
    assert (valid["ue_score"].n, valid["ue_score"].unscored) == (1, 1)


def test_a_role_takes_models_of_its_kind(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nli takes classifier:PATH, not openai:x"):
        check_measure("nli", "openai:x")
    check_measure("similarity", "encoder:x")
    with pytest.raises(BadInput, match="no role 'bertscor', did you mean 'bertscore'"):
        models = {"model": {"model": "scripted:x"}, "bertscor": {"model": "encoder:x"}}
        open_bench(plan(write(tmp_path / "a.json", people(2)), models=models))
