"""Agreement on numbers worked out by hand, what is compared with what, and when there is no estimate."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.simulator import records
from tests.simulator.labelling.labelled import RUBRIC, labelled, made

from duologue.agents.rubric import Rubric, read_rubric
from duologue.labelling.accord import Accord, DimensionAccord, accord
from duologue.labelling.labels import LabelFile, labels_path, read_labels
from duologue.record.digest import digest
from duologue.record.run import Run
from duologue.tasks.chance import choose
from duologue.tasks.written import BadInput, parse

TABLE = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
"""Of two raters: equal 70 %, by chance 50 %, so that Cohen's kappa is 0.4."""


@pytest.fixture
def rubric(tmp_path: Path) -> Rubric:
    (tmp_path / "brief.toml").write_text(RUBRIC, encoding="utf-8")
    return read_rubric("brief.toml", tmp_path)


def evening(folder: Path, rubric: Rubric, values: list[Any], name: str = "success", profiles: int = 10) -> Run:
    """A run whose judge gave `values`, one a dialogue."""
    given = [(f"p{number % profiles}", {name: value}) for number, value in enumerate(values)]
    return made(folder / "run", rubric, given)


def only(found: Accord) -> DimensionAccord:
    (dimension,) = found.dimensions
    return dimension


def test_kappas_and_alpha_are_those_worked_out_by_hand(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [first for first, _ in TABLE])
    labelled(run, rubric, "ann", {at: {"success": first} for at, (first, _) in enumerate(TABLE)})
    labelled(run, rubric, "bob", {at: {"success": second} for at, (_, second) in enumerate(TABLE)})
    found = only(accord(run))
    (together, ann, bob), (pair,) = found.judge, found.people
    assert pair.kappa.value == pytest.approx(0.4) and bob.kappa.value == pytest.approx(0.4)
    assert (pair.kappa.items, pair.kappa.observed) == (50, pytest.approx(0.7))
    assert pair.kappa.low is not None and pair.kappa.high is not None and pair.kappa.low < 0.4 < pair.kappa.high
    assert ann.kappa.value == 1
    assert found.fleiss and found.fleiss.value == pytest.approx((0.7 - 0.505) / 0.495)
    assert found.alpha and found.alpha.value == pytest.approx(1 - 0.3 / 0.5)
    assert found.rates == {
        "judge": {"no": 0.5, "yes": 0.5},
        "ann": {"no": 0.5, "yes": 0.5},
        "bob": {"no": 0.4, "yes": 0.6},
    }
    assert (together.second, together.kappa.items, found.split) == ("people", 35, 15)


def test_on_scales_squared_distance_weighs(tmp_path: Path, rubric: Rubric) -> None:
    pairs = [(1, 1), (2, 2), (3, 2), (2, 3)]
    run = evening(tmp_path, rubric, [first for first, _ in pairs], "warmth")
    labelled(run, rubric, "ann", {at: {"warmth": second} for at, (_, second) in enumerate(pairs)})
    found = only(accord(run))
    # the mean square of the differences is 0.5; by chance, with 1, 2, 2, 3 on both sides, it is 1
    assert found.judge[0].kappa.value == pytest.approx(0.5) and "quadratic" in found.judge[0].kappa.method


def test_people_together_are_their_median(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [1, 2, 3, 3], "warmth")
    for name, values in {"ann": (1, 2, 3, 1), "bob": (1, 2, 2, 3), "cy": (3, 2, 3, 3)}.items():
        labelled(run, rubric, name, {at: {"warmth": value} for at, value in enumerate(values)})
    found = only(accord(run))
    assert found.judge[0].second == "people" and found.judge[0].kappa.value == 1
    assert [(each.first, each.second) for each in found.people] == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]


def test_gaps_and_skipped_questions_are_borne(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False, True, None])
    labelled(run, rubric, "ann", {0: {"success": True}, 1: {"success": None}, 3: {"success": False}})
    labelled(run, rubric, "bob", {0: {"success": True}, 1: {"success": False}, 2: {"success": False}})
    found = only(accord(run))
    assert (found.labelled, found.skipped, found.unjudged) == (4, 1, 1)
    assert [pair.kappa.items for pair in found.judge] == [3, 1, 3] and found.people[0].kappa.items == 1
    assert found.fleiss and found.fleiss.items == 1 and found.alpha and found.alpha.items == 1


def test_one_labeller_alone_has_nobody_to_agree_with(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    labelled(run, rubric, "ann", {0: {"success": True}, 1: {"success": False}})
    found = only(accord(run))
    assert found.people == () and found.fleiss is None and found.alpha is None
    assert [pair.second for pair in found.judge] == ["ann"]


def test_the_last_label_of_a_dialogue_counts(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    labelled(run, rubric, "ann", {0: {"success": False}, 1: {"success": False}})
    labelled(run, rubric, "ann", {0: {"success": True}})
    assert only(accord(run)).judge[0].kappa.observed == 1


def test_only_answers_to_the_judges_question_are_compared(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False, True])
    other = rubric.model_dump()
    other["dimensions"][0]["question"] = "Was it any good?"
    labelled(run, rubric, "ann", {0: {"success": True}, 1: {"success": False}})
    labelled(run, parse(Rubric, other, ""), "bob", {0: {"success": False}, 1: {"success": True}})
    found = only(accord(run))
    assert [pair.second for pair in found.judge] == ["ann"] and found.other == 2 and not found.why


def test_an_equal_question_in_another_rubric_is_the_same_question(tmp_path: Path) -> None:
    shipped = read_rubric("default")
    mine = parse(Rubric, {**shipped.model_dump(), "name": "mine", "preferences": False}, "")
    assert mine.fingerprint != shipped.fingerprint
    run = evening(tmp_path, shipped, [True, False])
    labelled(run, mine, "ann", {0: {"success": True}, 1: {"success": False}})
    assert [pair.kappa.observed for pair in only(accord(run)).judge] == [1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"question": "Was it any good?"}, "was asked another question of that name"),
        ({"name": "luck"}, "was not asked for it under the rubric default"),
    ],
)
def test_why_a_judge_is_not_compared_is_told(tmp_path: Path, change: dict[str, str], told: str) -> None:
    shipped = read_rubric("default")
    one = {**shipped.dimensions[0].model_dump(), **change}
    mine = parse(Rubric, {"name": "mine", "preferences": False, "dimensions": [one]}, "")
    run = evening(tmp_path, shipped, [True, False])
    for name in ("ann", "bob"):
        labelled(run, mine, name, {0: {one["name"]: True}, 1: {one["name"]: False}})
    found = only(accord(run))
    assert told in found.why and found.judge == () and found.estimates == ()
    assert found.people[0].kappa.value == 1  # people are compared all the same


def test_where_the_judge_answered_the_peoples_question_is_told(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    shipped = [
        digest(records.dialogue("p0", f"task-{at}", rubric=read_rubric().fingerprint, time=3000.0)) for at in (0, 1)
    ]
    both = [replace(one, verdicts=one.verdicts + two.verdicts) for one, two in zip(run.dialogues, shipped, strict=True)]
    run = replace(run, dialogues=tuple(both))
    labelled(run, rubric, "ann", {0: {"warmth": 1}, 1: {"warmth": 2}})
    found = only(accord(run))
    assert found.why.endswith(f"there are verdicts on the people's question: --rubric {rubric.fingerprint[:8]}")
    assert not only(accord(run, rubric=rubric.fingerprint[:8])).why


def test_a_rubric_that_is_gone_is_told(tmp_path: Path, rubric: Rubric) -> None:
    run = made(tmp_path / "run", rubric, [("anna", {"success": True})])
    other = parse(Rubric, {**rubric.model_dump(), "calls": "each"}, "")
    labelled(run, other, "ann", {0: {"success": True}})
    assert "is nowhere to be found, so its questions are unknown" in only(accord(run)).why


def test_without_a_judge_people_are_compared(tmp_path: Path, rubric: Rubric) -> None:
    bare = records.run(records.dialogue("anna", "one", judged=False), records.dialogue("anna", "two", judged=False))
    run = made(tmp_path / "run", rubric, [])
    run = Run(run.folder, bare.manifest, bare.dialogues)
    for name in ("ann", "bob"):
        labelled(run, rubric, name, {0: {"success": True}, 1: {"success": False}})
    found = only(accord(run))
    assert found.why == "no judge has scored the run" and found.people[0].kappa.value == 1


def test_another_judge_can_be_named(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    labelled(run, rubric, "ann", {0: {"success": True}, 1: {"success": False}})
    assert accord(run, judge="judge").judging.judge == "scripted:judge"
    with pytest.raises(BadInput, match="no verdict by 'nobody'"):
        accord(run, judge="nobody")


def test_labels_of_an_earlier_attempt_are_left_out_and_said(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    labelled(run, rubric, "ann", {0: {"success": True}, 1: {"success": False}})
    held = read_labels(run.folder, [])
    with LabelFile(labels_path(run.folder, "ann")) as file:
        file.keep([held[0].changed(attempt=9)])
    found = accord(run)
    assert only(found).labelled == 2 and found.notes[-1].startswith("1 labelled dialogue")


def test_what_is_not_labelled_is_told(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False])
    with pytest.raises(BadInput, match=r"nobody has labelled it\. Begin: duologue label"):
        accord(run)
    labelled(run, rubric, "ann", {0: {"success": True}})
    with pytest.raises(BadInput, match=r"nobody has labelled 'warmth'.*There are: success"):
        accord(run, only=["warmth"])


def test_the_judges_bias_is_taken_out(tmp_path: Path, rubric: Rubric) -> None:
    values = [choose((1, 2, 3), "truth", number) for number in range(200)]
    run = evening(tmp_path, rubric, [value + 1 for value in values], "warmth", profiles=20)
    labelled(run, rubric, "ann", {at: {"warmth": values[at]} for at in range(0, 200, 3)})
    (one,) = only(accord(run)).estimates
    mean = sum(values) / len(values)
    assert one.found.judged == pytest.approx(mean + 1)
    assert one.found.mean == pytest.approx(mean, abs=0.05)
    assert one.found.low is not None and one.found.high is not None and one.found.low < mean < one.found.high
    assert (one.found.labels, one.found.dialogues, one.assistant) == (67, 200, "plain")
    assert one.labels == pytest.approx(sum(values[::3]) / 67)


def test_what_several_people_say_is_averaged_for_the_estimate(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True] * 40)
    labelled(run, rubric, "ann", {at: {"success": True} for at in range(20)})
    labelled(run, rubric, "bob", {at: {"success": False} for at in range(20)})
    found = only(accord(run))
    assert found.split == 20 and found.estimates[0].labels == 0.5


def test_hand_picked_labels_give_no_estimate(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False] * 20)
    labelled(run, rubric, "ann", {at: {"success": at % 2 == 0} for at in range(20)}, drawn=False)
    found = accord(run)
    assert "picked by hand" in only(found).refused and only(found).estimates == ()
    assert (found.labellers[0].drawn, found.labellers[0].picked) == (0, 20)
    assert only(found).judge[0].kappa.value == 1  # agreement is shown all the same


def test_hand_picked_labels_beside_drawn_ones_are_passed_over(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False] * 20)
    labelled(run, rubric, "ann", {at: {"success": at % 2 == 0} for at in range(20)})
    labelled(run, rubric, "ann", {at: {"success": True} for at in range(20, 40)}, drawn=False)
    assert only(accord(run)).estimates[0].found.labels == 20


def test_a_draw_from_fewer_dialogues_gives_no_estimate(tmp_path: Path, rubric: Rubric) -> None:
    before = evening(tmp_path, rubric, [True, False] * 10)
    labelled(before, rubric, "ann", {at: {"success": True} for at in range(10)})
    after = evening(tmp_path, rubric, [True, False] * 20)
    assert "drawn from 20, and 40 are scored now; draw anew with another --seed" in only(accord(after)).refused


def test_too_few_labels_are_refused_with_the_reason(tmp_path: Path, rubric: Rubric) -> None:
    run = evening(tmp_path, rubric, [True, False] * 20)
    labelled(run, rubric, "ann", {at: {"success": True} for at in range(5)})
    (one,) = only(accord(run)).estimates
    assert one.found.mean is None and "too few profiles: 5 of 8" in one.found.why
