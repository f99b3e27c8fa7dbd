"""What the bench asks, of whom and in which order; what it says of its choices."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.persobench.files import (
    BLENDED,
    CSV,
    FOCUS,
    SINGLE,
    answer,
    people,
    plan,
    said,
    write,
    write_csv,
)

from duologue.bench.persobench.bench import open_bench
from duologue.tasks.written import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "bst.json", [BLENDED])
    write(tmp_path / "focus.json", {"data": [FOCUS]})
    write(tmp_path / "it.json", {"data": people(6)})
    return tmp_path


def asked(path: Path, **changes: Any) -> list[Any]:
    return list(open_bench(plan(path, **changes)).stages[0]({}))


def test_each_row_is_asked_once_a_prompt(folder: Path) -> None:
    ids = [each.id for each in asked(folder, options={"prompts": "vanilla,cot"})]
    assert len(ids) == len(set(ids)) == 16
    assert ids[:2] == ["reply/vanilla/bst/1", "reply/vanilla/focus/1"]
    assert ids[8] == "reply/cot/bst/1"


def test_as_the_paper_asks(folder: Path) -> None:
    vanilla, cot = (asked(folder, options={"prompt": prompt})[0].request for prompt in ("vanilla", "cot"))
    assert (vanilla.max_tokens, cot.max_tokens) == (110, 220)
    assert {each.temperature for each in (vanilla, cot)} == {0}
    assert {each.schema for each in (vanilla, cot)} == {None}
    assert '{"response": "..."}' in vanilla.messages[0].text
    assert '{"reasoning": "...", "response": "..."}' in cot.messages[0].text
    assert "at most 110 words" in vanilla.messages[0].text


def test_other_caps_and_a_schema(folder: Path) -> None:
    options = {"prompts": "vanilla,cot", "tokens": 400, "words": 40, "form": "schema"}
    first, *_, last = (each.request for each in asked(folder, options=options))
    assert (first.max_tokens, last.max_tokens) == (400, 400)
    assert "at most 40 words" in first.messages[0].text
    assert [each.schema.schema["required"] for each in (first, last)] == [["response"], ["reasoning", "response"]]


@pytest.mark.parametrize(
    ("annotation", "heads"),
    [
        ("corrected", ["You are User2:", "The person you reply to (User1):", "You are User2:"]),
        ("faithful", ["The person you reply to (User1):", "A persona:", "You are User2:"]),
    ],
)
def test_the_model_is_told_whose_the_persona_is(folder: Path, annotation: str, heads: list[str]) -> None:
    users = [each.request.messages[1].text for each in asked(folder, options={"annotation": annotation})[:3]]
    assert [user.splitlines()[0] for user in users] == heads
    assert all(user.endswith("Give the next turn, that of User2, as one JSON object.") for user in users)


def test_the_reference_is_never_shown(folder: Path) -> None:
    assert not any("I look after my hives" in str(each.request.messages) for each in asked(folder))


def test_the_judge_is_asked_of_replies_alone(folder: Path) -> None:
    bench = open_bench(plan(folder, judge=True))
    _, labels = bench.stages
    assert list(labels({})) == []
    given = {"reply/vanilla/it/2": answer(said("Beans.")), "reply/vanilla/it/3": answer("Hm.")}
    (only,) = labels(given)
    assert (only.id, only.role) == ("judge/vanilla/it/2", "judge")
    assert "Beans." in only.request.messages[1].text


def test_without_a_judge_nothing_is_judged(folder: Path) -> None:
    bench = open_bench(plan(folder))
    assert len(bench.stages) == 1
    assert [table.title for table in bench.tables({}) if "udged" in table.title] == []


def test_a_sample_takes_the_data_sets_by_turns(folder: Path) -> None:
    names = [each.id.split("/")[2] for each in asked(folder, sample=4)]
    assert names == ["bst", "focus", "it", "it"]
    assert asked(folder, sample=4)[2].id == asked(folder, sample=4)[2].id
    drawn = {tuple(each.id for each in asked(folder, sample=3, seed=seed)) for seed in range(8)}
    assert len(drawn) > 1


def test_contents_follow_rows_prompts_and_annotation(folder: Path) -> None:
    bench = open_bench(plan(folder))
    assert bench.items == 8
    assert bench.contents == open_bench(plan(folder)).contents
    others = [{"prompts": "cot"}, {"words": 50}, {"annotation": "faithful"}]
    assert len({bench.contents, *(open_bench(plan(folder, options=each)).contents for each in others)}) == 4
    write(folder / "it.json", {"data": people(5)})
    assert open_bench(plan(folder)).contents != bench.contents


def test_choices_in_words(folder: Path) -> None:
    told = open_bench(plan(folder, options={"prompts": "vanilla,cot"})).options
    assert told["tokens"] == "at most 110 (vanilla), 220 (cot), as in the paper"
    assert (told["words"], told["annotation"]) == ("at most 110 by the prompt", "corrected")
    told = open_bench(plan(folder, options={"tokens": 300, "persona_of": "both", "cohort": [0.5]})).options
    assert (told["tokens"], told["persona of a CSV"]) == ("at most 300 (vanilla)", "of both")
    assert told["cohort"] == "failure ratios 0.5"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prompt": "fast"}, "vanilla. or .cot"),
        ({"level": "loose"}, "level"),
        ({"tokens": 0}, "tokens"),
        ({"cohort": "2"}, "2.0 is no share from 0 to 1"),
        ({"anotation": "faithful"}, "did you mean 'annotation'"),
    ],
)
def test_choices_that_there_are_not(folder: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        open_bench(plan(folder, options=options))


def test_a_role_that_there_is_not(folder: Path) -> None:
    models = {"model": {"model": "scripted:x"}, "reference": {"model": "scripted:x"}}
    with pytest.raises(BadInput, match="no role 'reference'"):
        open_bench(plan(folder, models=models))


def test_notes_say_what_a_reader_must_know(folder: Path) -> None:
    write(folder / "it.json", [SINGLE, *[{**SINGLE, "label": ""}] * 5])
    bench = open_bench(plan(folder, judge=True, options={"annotation": "faithful", "prompts": "vanilla,cot"}))
    told = " ".join(bench.notes({}))
    assert "it: 5 rows left out: it.json, row 2: it has no label;" in told
    assert "and 2 more." in told
    assert "bst: the persona is the one's who replies; focus: the persona is the one's who is replied to" in told
    assert "bst: the model is told that the persona is the other speaker's" in told
    for each in ("one reply of many", "--set tokens=N", "not the paper's C-score", "Longer replies", "our own"):
        assert each in told
    assert "judge" not in " ".join(open_bench(plan(folder)).notes({}))


def test_a_csv_is_said_to_be_taken_as_it_stands(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "own.csv", CSV)
    assert any("--set persona_of=responder" in note for note in open_bench(plan(path)).notes({}))


def test_rows_that_ask_the_same_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "it.json", [SINGLE, {**SINGLE, "label": "beans"}, *people(2)])
    assert "it: 1 of its 4 rows ask what another one asks." in open_bench(plan(path)).notes({})


def test_answers_that_were_all_reasoning_are_told(folder: Path) -> None:
    bench = open_bench(plan(folder))
    given = {"reply/vanilla/it/1": answer("", finish="length"), "reply/vanilla/it/2": answer("")}
    assert any("cut off before they said anything: 1." in note for note in bench.notes(given))
    assert not any("cut off" in note for note in bench.notes({}))
