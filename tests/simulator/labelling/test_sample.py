"""The sample: drawn at random by its seed, the same for everybody, in another order for each."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator import records

from duologue.labelling.sample import draw, ordered, sample_path
from duologue.record.run import Run
from duologue.tasks.written import BadInput


def evening(folder: Path, count: int = 40) -> Run:
    """A run of `count` scored dialogues, and of one that the infrastructure ended."""
    folder.mkdir(exist_ok=True)
    failed = records.dialogue("anna", "failed", reason="timeout", role="assistant")
    held = [records.dialogue("anna", f"task-{number}") for number in range(count)]
    return replace(records.run(failed, *held), folder=folder)


def test_a_seed_draws_the_same_and_another_seed_another(tmp_path: Path) -> None:
    one, two = evening(tmp_path / "one"), evening(tmp_path / "two")
    assert draw(one, 10, 1) == draw(two, 10, 1)
    assert draw(one, 10, 1).dialogues != draw(one, 10, 2).dialogues
    assert len({*draw(one, 10, 1).dialogues}) == 10


def test_only_scored_dialogues_are_drawn_all_where_they_are_few(tmp_path: Path) -> None:
    run = evening(tmp_path, 5)
    sample = draw(run, 100, 1)
    assert (sample.drawn.n, sample.drawn.of) == (5, 5)
    assert run.dialogues[0].cell not in {cell for cell, _ in sample.dialogues}


def test_each_dialogue_is_as_likely_to_be_drawn(tmp_path: Path) -> None:
    run = evening(tmp_path, 10)
    drawn = [cell for seed in range(300) for cell, _ in draw(run, 3, seed).dialogues]
    counts = [drawn.count(dialogue.cell) for dialogue in run.dialogues[1:]]
    assert min(counts) > 60 and max(counts) < 125  # 90 each on average, with a standard deviation of 8


def test_a_larger_sample_holds_the_smaller_one(tmp_path: Path) -> None:
    run = evening(tmp_path)
    assert {*draw(run, 8, 1).dialogues} < {*draw(run, 12, 1).dialogues}


def test_a_draw_stays_when_the_run_grows(tmp_path: Path) -> None:
    before = draw(evening(tmp_path, 20), 10, 1)
    grown = evening(tmp_path, 40)
    assert draw(grown, 10, 1) == before
    sample_path(tmp_path, 10, 1).unlink()
    assert draw(grown, 10, 1).drawn.of == 40


def test_each_labeller_sees_it_in_another_order(tmp_path: Path) -> None:
    sample = draw(evening(tmp_path), 20, 1)
    ann, bob = ordered(sample, "ann"), ordered(sample, "bob")
    assert ann != bob and ann == ordered(sample, "ann")
    assert {*ann} == {*bob} == {*sample.dialogues}


def test_nothing_to_draw_from_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no dialogue is scored"):
        draw(evening(tmp_path, 0), 10, 1)


def test_a_damaged_draw_is_told(tmp_path: Path) -> None:
    sample_path(tmp_path, 10, 1).write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match=r"sample-10-by-1\.json: is not valid JSON.*Delete it"):
        draw(evening(tmp_path), 10, 1)
