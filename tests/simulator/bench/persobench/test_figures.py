"""Diversity, lengths, and the tables, to the digit on answers made by hand."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.persobench.files import BLENDED, CSV, SINGLE, answer, people, plan, said, write, write_csv

from duologue.bench.persobench.bench import open_bench
from duologue.bench.persobench.diversity import corpus_distinct, distinct
from duologue.bench.question import Answer
from duologue.bench.report import Figure, Table

E, N, C = "entailment", "neutral", "contradiction"
EVERY = "Every row, the worst value where no reply was read"


def test_distinct_n_grams_on_a_known_text() -> None:
    assert distinct("the cat the cat sat", 1) == 3 / 5
    assert distinct("the cat the cat sat", 2) == 3 / 4
    assert distinct("The the", 1) == 1
    assert distinct("one", 2) == distinct("", 1) == 0


def test_the_corpus_sees_what_a_reply_by_itself_does_not() -> None:
    same = ["i like tea"] * 4
    assert [distinct(text, 1) for text in same] == [1] * 4
    assert corpus_distinct(same, 1) == 3 / 12
    assert corpus_distinct(["a b", "b c"], 2) == 1
    assert corpus_distinct([], 1) == 0


def labels(first: str, second: str, persona: str, context: str) -> str:
    return json.dumps({"fact_1": first, "fact_2": second, "persona": persona, "context": context})


def table(path: Path, title: str, answers: Mapping[str, Answer], **changes: Any) -> Table:
    bench = open_bench(plan(path, **changes))
    return next(each for each in bench.tables(answers) if each.title == title)


def figures(path: Path, title: str, answers: Mapping[str, Answer], line: int = 0, **changes: Any) -> dict[str, Figure]:
    return table(path, title, answers, **changes).lines[line].figures


def values(path: Path, title: str, answers: Mapping[str, Answer], **changes: Any) -> dict[str, float | None]:
    return {name: figure.value for name, figure in figures(path, title, answers, **changes).items()}


def replies(*texts: str, name: str = "it", prompt: str = "vanilla") -> dict[str, Answer]:
    made = (answer(text, f"reply/{prompt}/{name}/{place}", seconds=place) for place, text in enumerate(texts, 1))
    return {each.id: each for each in made}


@pytest.fixture
def four(tmp_path: Path) -> Path:
    return write(tmp_path / "it.json", {"data": people(4)})


def test_the_worst_value_stands_for_a_failure_beside_the_valid_alone(four: Path) -> None:
    """Half of the rows fail: consistency 1 among the valid is 0 over all."""
    given = replies(said("no meat for me"), said("no meat no dogs"), "Hm.", '{"response": "I')
    given |= {f"judge/vanilla/it/{row}": answer(labels(E, E, E, E), role="judge") for row in (1, 2)}
    over_all = values(four, "Judged, every row, the worst value where no reply was read", given, judge=True)
    valid = values(four, "Judged, rows with a reply", given, judge=True)
    assert over_all == {"judged_consistency": 0, "judged_consistency_by_sentence": 0, "judged_entailment": 1}
    assert {name: valid[name] for name in over_all} == {**dict.fromkeys(over_all, 1), "judged_entailment": 2}


def test_the_form_is_told_by_level_and_cause(four: Path) -> None:
    given = replies(f"Sure: {said('tea')}", '{"reasoning": "x" "response": "y"}', '{"response": "I')
    fault = answer("", "reply/vanilla/it/4", fault="timeout")
    held = table(four, "The form, by level", {**given, fault.id: fault})
    shown = {line.name[2]: {name: figure.value for name, figure in line.figures.items()} for line in held.lines}
    none = {"truncated": 1, "no_json": 0, "missing_key": 0, "empty": 0, "api_error": 1}
    assert shown == {
        "strict": {"failure_ratio": 1, "failure_ratio_answered": 1, "bad_json": 2, **none},
        "first_object": {"failure_ratio": 3 / 4, "failure_ratio_answered": 2 / 3, "bad_json": 1, **none},
        "repair": {"failure_ratio": 2 / 4, "failure_ratio_answered": 1 / 3, "bad_json": 0, **none},
    }
    assert held.lines[0].figures["failure_ratio_answered"].unscored == 1


def test_what_needs_no_judge(four: Path) -> None:
    given = replies(said("tea tea"), said("tea and cake"), "Hm.", "Hm.")
    over_all = values(four, EVERY, given)
    assert over_all == {"failure_ratio": 0.5, "dist_1": 0.375, "dist_2": 0.5}
    assert values(four, "Rows with a reply", given) == {
        "dist_1": 0.75, "dist_2": 1, "words": 2.5, "corpus_dist_1": 3 / 5, "corpus_dist_2": 1, "latency_seconds": 2.5,
    }  # fmt: skip
    assert figures(four, "Rows with a reply", given)["dist_1"].unscored == 2


def test_the_level_chosen_decides_what_is_measured(four: Path) -> None:
    given = replies(f"Sure: {said('tea')}", said("tea and cake"), "Hm.", "Hm.")
    assert values(four, EVERY, given, options={"level": "strict"})["failure_ratio"] == 0.75
    assert values(four, "Rows with a reply", given, options={"level": "strict"})["words"] == 3


def test_rows_not_asked_yet_are_unscored_not_wrong(four: Path) -> None:
    found = figures(four, EVERY, replies(said("tea"), "Hm."))
    assert (found["failure_ratio"].value, found["failure_ratio"].n, found["failure_ratio"].unscored) == (0.5, 2, 2)
    nothing = figures(four, EVERY, {})["dist_1"]
    assert (nothing.value, nothing.unscored, nothing.why) == (None, 4, "nothing to count")


def test_the_corrected_block(four: Path) -> None:
    given = replies(*[said("tea")] * 3, "Hm.")
    judged = [labels(E, N, E, E), labels(N, C, C, N), "no labels"]
    given |= {f"judge/vanilla/it/{row}": answer(text, role="judge") for row, text in enumerate(judged, 1)}
    found = figures(four, "Judged, rows with a reply", given, judge=True)
    names = ("contradiction_rate", "coverage", "gold_fact_hit")
    assert [found[name].value for name in names] == [0.5, 0.25, 0.5]
    assert {(found[name].n, found[name].unscored) for name in names} == {(2, 2)}
    over_all = figures(four, "Judged, every row, the worst value where no reply was read", given, judge=True)
    assert (over_all["judged_consistency"].value, over_all["judged_consistency"].n) == (pytest.approx(-1 / 3), 3)


def test_gold_facts_only_where_the_data_name_them(tmp_path: Path) -> None:
    write(tmp_path / "bst.json", [BLENDED])
    write(tmp_path / "it.json", [SINGLE])
    given = replies(said("tea"), name="bst") | replies(said("tea"), name="it")
    given |= {f"judge/vanilla/{name}/1": answer(labels(E, N, E, E), role="judge") for name in ("bst", "it")}
    held = table(tmp_path, "Judged, rows with a reply", given, judge=True)
    assert [line.name[0] for line in held.lines] == ["bst", "it", "all rows"]
    assert ["gold_fact_hit" in line.figures for line in held.lines] == [False, True, True]
    assert held.lines[2].figures["gold_fact_hit"].n == 1


def test_intervals_are_clustered_by_persona(tmp_path: Path) -> None:
    texts = [said("tea tea"), said("tea and cake")] * 4 + ["Hm."]
    many = figures(write(tmp_path / "it.json", people(9)), EVERY, replies(*texts))["dist_1"]
    assert many.low is not None and many.high is not None and many.value is not None
    assert many.low < many.value < many.high
    one = figures(write(tmp_path / "it.json", [SINGLE] * 9), EVERY, replies(*texts))["dist_1"]
    assert (one.value, one.low) == (many.value, None)


def test_instructability_beside_a_cohort(four: Path) -> None:
    given = replies(said("tea"), said("tea"), said("tea"), "Hm.")
    assert values(four, EVERY, given, options={"cohort": "0.5,0.1"})["instructability"] == 0.5
    assert "instructability" not in values(four, EVERY, given)


@pytest.mark.parametrize(
    ("options", "comparable"),
    [
        ({"annotation": "faithful"}, True),
        ({}, False),
        ({"annotation": "faithful", "tokens": 110}, False),
        ({"annotation": "faithful", "words": 50}, False),
        ({"annotation": "faithful", "form": "schema"}, False),
        ({"annotation": "faithful", "level": "repair"}, False),
    ],
)
def test_what_compares_with_the_paper(four: Path, options: dict[str, Any], comparable: bool) -> None:
    held = table(four, EVERY, {}, options=options)
    assert held.comparable_to_paper == dict.fromkeys(("failure_ratio", "dist_1", "dist_2"), comparable)
    others = [each for each in open_bench(plan(four, judge=True, options=options)).tables({}) if each.title != EVERY]
    assert len(others) == 4
    assert not any(any(each.comparable_to_paper.values()) for each in others)


def test_the_papers_own_csv_compares_as_it_stands(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "own.csv", CSV)
    assert table(path, EVERY, {}).comparable_to_paper["dist_1"]
    assert not table(path, EVERY, {}, options={"persona_of": "responder"}).comparable_to_paper["dist_1"]
