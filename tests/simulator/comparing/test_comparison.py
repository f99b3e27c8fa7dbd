from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator.records import dialogue, preference, run

from duologue.agents.verdict import Score
from duologue.comparing.comparison import Difference, compare
from duologue.record.run import Run
from duologue.tasks.chance import unit
from duologue.tasks.written import BadInput


def found(comparison: object, metric: str = "success") -> Difference:
    (pairing,) = comparison.pairings  # type: ignore[attr-defined]
    return next(each for each in pairing.differences if each.metric == metric)


def duel(profiles: int, a: list[int], b: list[int], contexts: dict[str, tuple[str, ...]] | None = None) -> Run:
    """A run in which profile i gives a and b the personalisation a[i % len(a)] and b[i % len(b)]."""
    held = []
    for i in range(profiles):
        held.append(dialogue(f"p{i}", assistant="a", scores={"personalisation": a[i % len(a)]}))
        held.append(dialogue(f"p{i}", assistant="b", scores={"personalisation": b[i % len(b)]}))
    return run(*held, assistants={"a": (), "b": (), **(contexts or {})})


def test_pairs_of_equal_scenario_and_trial() -> None:
    held = run(
        dialogue("anna", assistant="a", scores={"personalisation": 4}),
        dialogue("anna", assistant="b", scores={"personalisation": 1}),
        dialogue("anna", assistant="a", trial=2, scores={"personalisation": 2}),
        dialogue("anna", assistant="b", trial=2, scores={"personalisation": 2}),
        dialogue("bo", assistant="a", situation={"device": "phone"}),
        dialogue("bo", assistant="b", situation={"device": "watch"}),
    )
    difference = found(compare([held]), "personalisation")
    assert (difference.pairs, difference.profiles) == (2, 1)
    assert (difference.a, difference.b, difference.difference) == (3.0, 1.5, 1.5)
    assert [(each.profile, each.why) for each in difference.dropped] == [("bo", "b: not run"), ("bo", "a: not run")]
    assert compare([held]).pairings[0].unpaired == {"not run by b": 1, "not run by a": 1}


@pytest.mark.parametrize(
    ("profiles", "a", "b", "finding"),
    [
        (12, [4, 3], [2, 1, 2], "a higher"),
        (12, [2, 1], [4, 3, 4], "b higher"),
        (12, [2, 3, 2, 3], [3, 2, 3, 2], "no difference shown"),
        (40, [4, 3], [2, 1, 2], "a higher"),
        (7, [4], [1], "too few profiles to tell"),
        (12, [3], [3], "no difference shown"),
    ],
)
def test_what_is_said_of_a_difference(profiles: int, a: list[int], b: list[int], finding: str) -> None:
    difference = found(compare([duel(profiles, a, b)]), "personalisation")
    assert difference.finding == finding
    assert (difference.low is None) == (profiles < 8)


def test_wins_ties_and_losses_are_of_profiles() -> None:
    held = run(
        *(dialogue("anna", assistant="a", trial=t, scores={"personalisation": s}) for t, s in ((1, 4), (2, 2))),
        *(dialogue("anna", assistant="b", trial=t, scores={"personalisation": s}) for t, s in ((1, 2), (2, 3))),
        dialogue("bo", assistant="a"),
        dialogue("bo", assistant="b"),
        dialogue("cy", assistant="a", scores={"personalisation": 1}),
        dialogue("cy", assistant="b"),
    )
    difference = found(compare([held]), "personalisation")
    assert (difference.wins, difference.ties, difference.losses) == (1, 1, 1)


def test_dropped_pairs_are_listed_with_what_they_could_change() -> None:
    held = run(
        dialogue("anna", assistant="a"),
        dialogue("anna", assistant="b"),
        dialogue("bo", assistant="a", reason="timeout", role="assistant"),
        dialogue("bo", assistant="b"),
        dialogue("cy", assistant="a", scores={"personalisation": Score(unscored="cut")}),
        dialogue("cy", assistant="b", reason="error", role="assistant"),
        dialogue("di", assistant="a", reason="interrupted"),
        dialogue("di", assistant="b"),
    )
    success, personal = found(compare([held])), found(compare([held]), "personalisation")
    assert success.pairs == 2
    assert success.difference == 0.5
    assert success.worst == (-0.25, 0.25)
    assert [each.why for each in success.dropped] == ["a: timeout (infrastructure)", "a: not finished"]
    assert [each.why for each in personal.dropped][1] == "a: judge: cut; b: error (assistant)"
    assert personal.worst == pytest.approx(((0 - 2 - 3 - 2) / 4, (0 + 1 + 3 + 1) / 4))
    assert found(compare([held]), "seconds").worst is None


def test_scenarios_where_no_preference_is_decided_are_no_loss() -> None:
    undecided = [preference("cuisine", "infeasible")]
    held = run(dialogue(assistant="a", preferences=undecided), dialogue(assistant="b", preferences=undecided))
    difference = found(compare([held]), "preferences_met")
    assert (difference.finding, difference.dropped, difference.worst) == ("no pairs", (), None)


def test_who_reads_the_answers_is_not_ranked_in_personalisation() -> None:
    comparison = compare([duel(12, [4, 3], [1, 2], {"a": ("history", "preferences")})])
    assert [(side.label, side.reads_answers) for side in comparison.sides] == [("a", True), ("b", False)]
    assert found(comparison, "personalisation").finding == "not ranked"
    assert found(comparison, "user_coherence").finding == "no difference shown"
    assert "a alone reads the user's preferences" in comparison.pairings[0].notes[0]


def test_two_readers_are_ranked() -> None:
    comparison = compare([duel(12, [4, 3], [1, 2], {"a": ("preferences",), "b": ("history", "preferences")})])
    assert found(comparison, "personalisation").finding == "a higher"
    assert "contexts differ" in comparison.pairings[0].notes[0]


def one(name: str, assistant: str = "plain", **fields: object) -> Run:
    return run(*(dialogue(f"p{i}", assistant=assistant) for i in range(3)), name=name, **fields)  # type: ignore[arg-type]


def test_two_runs_are_compared_when_all_that_pairs_share_is_equal() -> None:
    comparison = compare([one("monday"), one("tuesday", "new"), one("wednesday")], ["plain", "new"])
    assert [side.label for side in comparison.sides] == ["plain @ monday", "plain @ wednesday", "new"]
    assert len(comparison.pairings) == 3


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"user": "u2"}, "user: u1 and u2"),
        ({"prompts": "p2"}, "prompts: p1 and p2"),
        ({"judge": "j2"}, "judge: j1 and j2"),
        ({"seed": 5}, "seed: 0 and 5"),
        ({"prompts": "p2", "user": "u2"}, "prompts: p1 and p2; user: u1 and u2"),
    ],
)
def test_runs_that_differ_are_refused_field_by_field(fields: dict[str, object], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        compare([one("monday"), one("tuesday", **fields)])


def test_runs_pair_when_what_they_share_is_equal_and_not_otherwise() -> None:
    """Unequal selections are paired where they overlap; a profile that reads otherwise is not the same person."""
    monday, tuesday = one("monday"), one("tuesday")

    def using(run: Run, **data: str) -> Run:
        return replace(
            run, manifest=run.manifest.changed(data={name.replace("_", " "): of for name, of in data.items()})
        )

    overlap = compare([using(monday, profile_anna="1", task_a="1"), using(tuesday, profile_anna="1", profile_bob="2")])
    assert len(overlap.pairings) == 1
    with pytest.raises(BadInput, match="differ in profile anna"):
        compare([using(monday, profile_anna="1"), using(tuesday, profile_anna="2")])


def test_runs_judged_again_alike_are_compared_under_that_rubric() -> None:
    assert len(compare([one("monday"), one("tuesday", judge="j2")], rubric="default").pairings) == 1


def test_verdicts_of_one_rubric_are_used_for_both_sides() -> None:
    newer = dialogue(assistant="b", rubric="r2", time=9000.0)
    difference = found(compare([run(dialogue(assistant="a"), newer)]), "personalisation")
    assert [each.why for each in difference.dropped] == ["a: not judged"]


def test_a_comparison_takes_two() -> None:
    with pytest.raises(BadInput, match="takes two assistants"):
        compare([one("monday")])
    with pytest.raises(BadInput, match="no assistant 'plane', did you mean 'plain'"):
        compare([one("monday")], ["plane", "plain"])
    with pytest.raises(BadInput, match="nothing to compare"):
        compare([])


def test_a_run_is_not_compared_with_itself() -> None:
    monday = one("monday")
    with pytest.raises(BadInput, match="the same run is named twice"):
        compare([monday, monday])
    with pytest.raises(BadInput, match="runs/copy: is a copy of runs/monday"):
        compare([monday, replace(monday, folder=Path("runs/copy"))])


def test_the_judge_can_be_named() -> None:
    runs = [one("monday"), one("tuesday", judge="j2")]
    assert compare(runs, judge="scripted:judge").judging.judge == "scripted:judge"
    with pytest.raises(BadInput, match="no verdict by 'nobody'"):
        compare(runs, judge="nobody")


def test_order_of_dialogues_does_not_matter() -> None:
    held = duel(12, [4, 3, 1], [2, 1])
    turned = replace(held, dialogues=tuple(sorted(held.dialogues, key=lambda d: unit(d.cell))))
    sides = ["a", "b"]
    assert found(compare([held], sides), "personalisation") == found(compare([turned], sides), "personalisation")
