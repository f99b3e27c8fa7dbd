"""The screen of agreement: every figure whole at 80 columns, and every refusal with its reason."""

from pathlib import Path
from typing import Any

import pytest
from tests.simulator.labelling.labelled import labelled, made
from tests.simulator.views.screens import drawn

from duologue.agents.rubric import Rubric, read_rubric
from duologue.labelling.accord import Accord, accord
from duologue.record import Run
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
        "judge, people together", "judge, ann", "ann, bob_with_a_long_name", "weighted kappa", "Fleiss' kappa", "alpha",
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
