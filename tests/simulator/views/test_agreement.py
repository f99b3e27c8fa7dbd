"""The screen of agreement: every figure whole at 80 columns, and every refusal with its reason."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.labelling.labelled import labelled, made
from tests.simulator.views.screens import drawn

from duologue.agents.rubric import Dimension, Rubric, read_rubric
from duologue.labelling.accord import Accord, accord
from duologue.record.run import Run
from duologue.views.agreement import draw

TRUTH = [
    {"success": at % 3 > 0, "personalisation": 1 + at % 4, "assistant_naturalness": 1 + at % 5} for at in range(120)
]
JUDGED = [{**each, "personalisation": min(4, each["personalisation"] + 1)} for each in TRUTH]


@pytest.fixture
def rubric() -> Rubric:
    return read_rubric("default")


def evening(folder: Path, rubric: Rubric, profiles: int = 17) -> Run:
    return made(folder / "run", rubric, [(f"p{at % profiles}", said) for at, said in enumerate(JUDGED)])


def off(said: dict[str, Any], at: int) -> dict[str, Any]:
    """`said`, otherwise every seventh time."""
    return said if at % 7 else {**said, "success": not said["success"], "personalisation": 2}


def seen(folder: Path, rubric: Rubric, drawn_at_random: bool = True, profiles: int = 17) -> Accord:
    run = evening(folder, rubric, profiles)
    labelled(run, rubric, "ann", {at: TRUTH[at] for at in range(60)}, drawn_at_random)
    labelled(run, rubric, "bob_with_a_long_name", {at: off(TRUTH[at], at) for at in range(60)}, drawn_at_random)
    return accord(run)


@pytest.mark.parametrize("width", [80, 120])
def test_all_figures_are_whole(tmp_path: Path, rubric: Rubric, width: int) -> None:
    shown = drawn(draw(seen(tmp_path, rubric)), width)
    assert "…" not in shown and max(map(len, shown.splitlines())) <= width
    for text in (
        "scripted:judge under the rubric default", "ann 60 drawn · bob_with_a_long_name 60 drawn",
        "judge, people together", "judge, ann", "ann, bob_with_a_long_name", "weighted kappa",
        "base rates", "judge: no 33 % · yes 67 %", "means over the whole run", "corrected", "60/120",
        "9 dialogues of which people say yes and no equally often",
        "what several people say of one dialogue is averaged",
    ):  # fmt: skip
        assert text in shown


def test_the_estimate_stands_beside_the_judge_and_the_labels(tmp_path: Path, rubric: Rubric) -> None:
    found = seen(tmp_path, rubric)
    (one,) = next(each for each in found.dimensions if each.name == "personalisation").estimates
    line = next(line for line in drawn(draw(found)).split("personalisation")[-1].splitlines() if "plain" in line)
    assert one.labels is not None and one.found.mean is not None and one.found.judged is not None
    for value in (one.found.judged, one.labels, one.found.mean, one.found.low, one.found.high):
        assert f"{value:.2f}" in line


def test_refusals_are_told_with_their_reason(tmp_path: Path, rubric: Rubric) -> None:
    picked = drawn(draw(seen(tmp_path / "a", rubric, drawn_at_random=False)))
    assert "refused  the labelled dialogues were picked by hand" in picked and "corrected" not in picked
    few = drawn(draw(seen(tmp_path / "b", rubric, profiles=5)), 120)
    assert "refused  labels are of too few profiles: 5 of 8" in few
    assert "too few profiles for an interval: 5 of 8" in few


def test_one_labeller_is_told_to_find_another(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric)
    labelled(run, rubric, "ann", {at: {"success": TRUTH[at]["success"]} for at in range(30)})
    shown = drawn(draw(accord(run)))
    assert "one labeller: a second one would show" in shown and "together" not in shown


def test_three_people_are_told_as_a_whole_too(tmp_path: Path, rubric: Rubric) -> None:
    assert "Fleiss" not in drawn(draw(seen(tmp_path / "two", rubric)))
    run = evening(tmp_path / "three", rubric)
    for name in ("ann", "bob", "cid"):
        labelled(run, rubric, name, {at: off(TRUTH[at], at) if name == "cid" else TRUTH[at] for at in range(60)})
    shown = drawn(draw(accord(run)))
    assert shown.count("all 3 people") == 6 and "Fleiss' kappa" in shown and "alpha" in shown


def test_a_judge_with_one_answer_agrees_no_more_than_chance_and_that_is_said(tmp_path: Path, rubric: Rubric) -> None:
    always = [(f"p{at % 17}", {"success": True, "personalisation": 3}) for at in range(60)]
    run = made(tmp_path / "run", rubric, always)
    labelled(run, rubric, "ann", {at: {"success": TRUTH[at]["success"], "personalisation": 3} for at in range(60)})
    found = accord(run, only=("success",))
    assert found.dimensions[0].judge[0].lone == {"judge": "yes"}
    shown = drawn(draw(found), 120)
    assert "the judge gave one answer only, yes: how far they agree cannot be told from chance" in shown
    (line,) = [line for line in shown.splitlines() if "judge, ann" in line]
    assert line.split()[2:] == ["–", "–", "67", "%", "60", "kappa"]
    assert "0.00" not in shown
    both = drawn(draw(accord(run, only=("personalisation",))), 120)
    assert "one answer only" not in both and "all ratings are of one class" in both


def test_what_was_always_skipped_takes_one_line(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric)
    said = {"success": True, "personalisation": None, "assistant_naturalness": None}
    labelled(run, rubric, "ann", dict.fromkeys(range(20), said))
    lines = drawn(draw(accord(run)), 120).splitlines()
    assert sum("personalisation" in line for line in lines) == 1
    assert any("personalisation, assistant naturalness: always skipped" in line for line in lines)


def test_a_reason_that_holds_for_many_names_a_few(tmp_path: Path, rubric: Rubric) -> None:
    found = seen(tmp_path, rubric, profiles=5)
    names = [f"zephyr-{number}" for number in range(12)]
    held = [
        each.model_copy(update={"estimates": [each.estimates[0].model_copy(update={"assistant": n}) for n in names]})
        for each in found.dimensions
        if each.estimates
    ]
    other = held[0].estimates[0].found.model_copy(update={"why": "", "mean": 1.0})
    held[0] = held[0].model_copy(
        update={"estimates": [*held[0].estimates, held[0].estimates[0].model_copy(update={"found": other})]}
    )
    shown = " ".join(drawn(draw(found.model_copy(update={"dimensions": tuple(held)})), 120).split())
    more = 12 * len(held) - 3
    assert f"zephyr-2 and {more} more: labels are of too few profiles" in shown and "of zephyr-7," not in shown


def test_a_rubric_that_is_named_has_its_questions_alone(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric)
    kind = Rubric(
        name="kind", preferences=False, dimensions=(Dimension(name="kindness", scale="yes_no", question="?"),)
    )
    labelled(run, rubric, "ann", {at: {"success": True} for at in range(20)})
    labelled(run, kind, "ann", {at: {"kindness": True} for at in range(20)})
    assert [each.name for each in accord(run).dimensions] == ["kindness", "success"]
    assert [each.name for each in accord(run, rubric.fingerprint).dimensions] == ["success"]
