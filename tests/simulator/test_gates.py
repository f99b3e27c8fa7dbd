"""Bounds that a run's scores must keep to."""

from pathlib import Path

import pytest
from tests.simulator.records import dialogue, run

from duologue.agents.verdict import Score
from duologue.campaign import Campaign
from duologue.commands.require import kept
from duologue.gates import check_gates, gates, outcomes
from duologue.scores import summary
from duologue.scoring.scorecard import Summary
from duologue.tasks.written import BadInput, parse

NAMES = ("mine", "other: 2.0")


def said(profiles: int = 12, unscored: int = 0) -> Summary:
    held = []
    for i in range(profiles):
        score = Score(unscored="cut") if i < unscored else 2 + i % 2
        held.append(dialogue(f"p{i}", assistant="mine", scores={"personalisation": score}))
        held.append(dialogue(f"p{i}", assistant="other: 2.0", scores={"personalisation": 4}))
    return summary(run(*held))


def missed(*written: str, of: Summary | None = None) -> list[str]:
    return [str(each) for each in outcomes(gates(written), of or said()) if not each.met]


@pytest.mark.parametrize(
    ("bound", "lines"),
    [
        ("mine:personalisation.mean>=2.5", []),
        ("mine:personalisation.mean>2.5", ["mine: personalisation.mean is 2.5, asked > 2.5"]),
        ("mine:personalisation.high<=3", []),
        ("other: 2.0:personalisation.mean >= 4", []),
        ("mine:success.low>=0.9", ["mine: success.low is 0.7575, asked >= 0.9"]),
        ("mine: task success.mean>=1", []),
        ("assistant coherence.n<12", [f"{who}: assistant_coherence.n is 12, asked < 12" for who in NAMES]),
        ("personalisation.mean>=3", ["mine: personalisation.mean is 2.5, asked >= 3"]),
    ],
)
def test_a_bound_is_on_a_value_or_an_end_of_its_interval(bound: str, lines: list[str]) -> None:
    assert missed(bound) == lines


def test_a_bound_on_an_end_is_not_one_on_the_mean() -> None:
    held = said()
    low = held.assistants[0].metrics["personalisation"].low
    assert low is not None and low < 2.5
    (line,) = missed("mine:personalisation.low>=2.5", of=held)
    assert line == f"mine: personalisation.low is {low:.4g}, asked >= 2.5"


def test_a_missing_value_is_not_met_and_says_why() -> None:
    few = said(3)
    assert missed("mine:personalisation.low>=0", of=few) == [
        "mine: personalisation.low is missing (no interval: too few profiles), asked >= 0"
    ]
    none = said(12, unscored=12)
    assert missed("mine:personalisation.mean<=9", of=none) == [
        "mine: personalisation.mean is missing (judge: cut), asked <= 9"
    ]
    assert missed("mine:personalisation.unscored<=2", of=none) == ["mine: personalisation.unscored is 12, asked <= 2"]


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        ("personalisation>=3", "is no bound on a score"),
        ("personalisation.mean=3", "is no bound on a score"),
        ("personalisation.maen>=3", "a score has no 'maen', did you mean 'mean'"),
        ("personalisation.mean>=60%", "'60%' is no number"),
        ("personalisation.mean>=nan", "'nan' is no number"),
        ("personalization.mean>=3", "no score 'personalization', did you mean 'personalisation'.*There are: success"),
        ("mein:success.mean>=1", "no assistant 'mein', did you mean 'mine'"),
    ],
)
def test_what_is_no_bound_is_refused_in_a_sentence(bound: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        missed(bound)


def test_checked_before_the_run_a_score_that_nobody_gave_is_missing() -> None:
    (each,) = outcomes(gates(["mine:own.mean>=1"]), said(), checked=True)
    assert (each.met, str(each)) == (False, "mine: own.mean is missing (nothing was scored), asked >= 1")


def campaign(*assistants: dict[str, object], **more: object) -> Campaign:
    return parse(Campaign, {"user": {"agenda": True}, "assistant": assistants, **more}, "test")


def test_references_are_bound_only_by_name() -> None:
    floor, mine = {"reference": "floor"}, {"name": "mine", "script": ["x"]}
    check_gates(gates(["state_success.mean>=1", "floor:preferences met.mean<0.5"]), campaign(floor, mine))
    with pytest.raises(BadInput, match=r"binds nobody: there are only references.*floor:state_success"):
        check_gates(gates(["state_success.mean>=1"]), campaign(floor))


def test_a_score_that_the_judge_does_not_give_is_refused_before_the_run() -> None:
    mine = {"name": "mine", "script": ["x"]}
    judged = campaign(mine, judge={"model": "scripted:{}"})
    check_gates(gates(["personalisation.mean>=3", "success.low>=0.5"]), judged)
    with pytest.raises(BadInput, match="no score 'personalisation'"):
        check_gates(gates(["personalisation.mean>=3"]), campaign(mine))
    with pytest.raises(BadInput, match="no score 'wit'"):
        check_gates(gates(["wit.mean>=3"]), judged)


def test_a_rubric_of_ones_own_gives_the_scores_that_it_asks_for_alone(tmp_path: Path) -> None:
    dimension = '[[dimensions]]\nname = "brevity"\nquestion = "How short is it?"\nscale = {low = 1, high = 5}\n'
    own = tmp_path / "own.toml"
    own.write_text(f'name = "own"\npreferences = false\n{dimension}', encoding="utf-8")
    judge = {"model": "scripted:{}", "rubric": str(own)}
    judged = campaign({"name": "mine", "script": ["x"]}, judge=judge)
    check_gates(gates(["brevity.mean>=3", "state_success.mean>=0"]), judged)
    for name in ("success", "preferences_met"):
        with pytest.raises(BadInput, match=f"no score '{name}'"):
            check_gates(gates([f"{name}.mean>=0.5"]), judged)


def test_whose_requirements_are_met_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert kept(outcomes(gates(["personalisation.mean>=1", "mine:success.mean>=1"]), said()))
    assert capsys.readouterr().err == "2 requirements met, by mine, other: 2.0\n"
