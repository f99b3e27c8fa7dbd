"""Several looks at one dialogue, folded into one."""

from dataclasses import replace
from typing import Any

import pytest
from tests.simulator.records import Script, dialogue, preference, run

from duologue.agents.verdict import NOTHING_RELEVANT, Evidence, Score, Verdict
from duologue.record.digest import VerdictDigest, judged
from duologue.record.run import Dialogue, Run
from duologue.scores import rows, summary
from duologue.scoring.consensus import EVEN, agreed, folded, told
from duologue.scoring.judging import Judging, heard, judging, others


def looks(*scores: Any, **fields: Any) -> list[Verdict]:
    """A verdict for each of `scores`: what it says of personalisation, or a table of fields."""
    tables = [each if isinstance(each, dict) else {"scores": {"personalisation": each}} for each in scores]
    return [Script().verdict(look=number, **{**fields, **each}) for number, each in enumerate(tables, 1)]


def fold(*scores: Any, **fields: Any) -> VerdictDigest:
    return folded([judged(each) for each in looks(*scores, **fields)])


@pytest.mark.parametrize(
    ("values", "value"),
    [
        ([3], 3.0),
        ([3, 4], 3.5),
        ([1, 4, 4], 4.0),
        ([2, 3, 3, 4], 3.0),
        ([True, False, True], True),
        ([True, False], None),
        ([False, False, True, True], None),
        ([False], False),
    ],
)
def test_scales_fold_to_their_median_and_yes_or_no_to_the_majority(values: list[Any], value: Any) -> None:
    assert agreed(values) == value and isinstance(agreed(values), type(value))


def test_an_even_split_is_unscored_with_why_and_the_spread_is_kept() -> None:
    both = fold({"scores": {"success": True, "personalisation": 2}}, {"scores": {"success": False}})
    assert (both.scores["success"].value, both.scores["success"].unscored) == (None, EVEN)
    assert both.scores["personalisation"].value == 2.5
    assert both.spreads is not None
    assert both.spreads["success"] == (2, 2, 1.0, True)
    assert both.spreads["personalisation"] == (2, 2, 1.0, True)
    assert both.spreads["user_coherence"] == (2, 2, 0.0, False)


def test_what_some_looks_left_unscored_is_folded_over_the_others() -> None:
    found = fold(Score(unscored="9 is off the scale"), 3, {"unscored": "not JSON", "scores": {}, "owner": "judge"}, 4)
    assert found.scores["personalisation"].value == 3.5 and not found.unscored
    assert found.spreads is not None and found.spreads["personalisation"] == (4, 2, 1.0, True)
    none = fold(Score(unscored="b"), Score(unscored="a"), Score(unscored="a"))
    assert (none.scores["personalisation"].value, none.scores["personalisation"].unscored) == (None, "a")
    failed = fold(*[{"unscored": "not JSON", "scores": {}, "owner": "judge"}] * 2)
    assert (failed.unscored, failed.owner) == ("not JSON", "judge")
    excused = fold(*[Score(unscored=NOTHING_RELEVANT)] * 2)
    assert excused.scores["personalisation"].unscored == NOTHING_RELEVANT


def test_expected_scores_fold_to_their_mean() -> None:
    found = fold(Score(value=3, expected=2.8, mass=0.9), Score(value=4, expected=3.4, mass=1.0), 4)
    assert found.scores["personalisation"][0] == 4.0
    assert found.scores["personalisation"][3:] == pytest.approx((3.1, 0.95))


def test_a_quote_of_any_look_bears_the_score_out() -> None:
    there, missing = (Evidence(turn=1, role="user", quote="q", found=found) for found in (True, False))
    assert fold(Score(value=3, evidence=missing), Score(value=3, evidence=there)).scores["personalisation"].quoted
    assert fold(Score(value=3, evidence=missing), 3).scores["personalisation"].quoted is False
    assert fold(3, 3).scores["personalisation"].quoted is None


def test_outcomes_fold_to_what_most_looks_say_whatever_their_order() -> None:
    said = [
        [preference("cuisine", "met", "asked"), preference("price", "met", "told")],
        [preference("price", "unmet"), preference("cuisine", "met", "unasked")],
        [preference("cuisine", "violated"), preference("price", "unscored", unscored="cut")],
    ]
    found = fold(*({"preferences": each} for each in said))
    assert [(each.type, each.outcome, each.route) for each in found.preferences] == [
        ("cuisine", "met", ""),
        ("price", "unscored", ""),
    ]
    assert found.preferences[1].unscored == EVEN
    assert found.spreads is not None and found.spreads["preferences_met"] == (3, 3, 1.0, True)
    words = told(looks(*({"preferences": each} for each in said)))
    assert [(each.outcome, each.unscored) for each in words.preferences] == [("met", ""), ("unscored", EVEN)]


def test_in_words_the_reason_is_that_of_a_look_that_says_what_is_agreed() -> None:
    said = looks(*(Score(value=value, reason=f"so {value}") for value in (1, 4, 4)), judge="a")
    said.append(said[0].model_copy(update={"judge": "b"}))
    found = told(said[:3])
    assert found.scores["personalisation"].model_dump(include={"value", "reason"}) == {"value": 4.0, "reason": "so 4"}
    assert (told(said).judge, told(said[:1]) == said[0]) == ("a + b", True)


def test_verdicts_of_unlike_rubrics_are_never_folded() -> None:
    one, other = looks(3, 4)
    with pytest.raises(ValueError, match="unlike rubrics"):
        folded([judged(one), judged(other.model_copy(update={"rubric": "r2"}))])


def several(*verdicts: Verdict, judges: tuple[str, ...] = ()) -> Run:
    """A run of one dialogue with these verdicts, under a campaign with these judges."""
    one = dialogue()
    held = tuple(each.model_copy(update={"cell": one.cell}) for each in verdicts)
    found = run(Dialogue(one.started, one.events, held))
    return replace(found, manifest=found.manifest.model_copy(update={"judges": judges}))


def test_a_panel_of_the_campaign_counts_together_and_one_of_it_where_it_is_named() -> None:
    a, b = (Script().verdict(judge=f"x:{name}", scores={"personalisation": n}) for name, n in (("a", 1), ("b", 4)))
    held = several(a, b, judges=("x:a", "x:b"))
    panel = Judging(rubric="r1", rubric_name="default", judge="x:a + x:b", panel=("x:a", "x:b"))
    assert judging([held]) == judging([held], judge="a + b") == judging([held], judge="x:a + x:b") == panel
    said = summary(held)
    (row,) = rows(held)
    assert (row.metrics["personalisation"], row.spreads["personalisation"]) == (2.5, 3.0)
    assert row.unstable == ("personalisation",)
    assert (said.set_aside, said.others, said.judging) == (0, (), panel)
    assert rows(held, judge="a")[0].metrics["personalisation"] == 1.0
    alone = summary(held, judge="b")
    assert (alone.judging.judge, alone.set_aside, alone.others) == ("x:b", 1, (panel,))
    assert judging([several(a, b)]).panel == () and judging([several(a, b)], judge="x:b + x:a").panel == ("x:b", "x:a")


def test_a_judge_of_no_panel_that_judged_since_is_the_newest() -> None:
    a, b = (Script().verdict(judge=name, time=1.0) for name in "ab")
    since = Script().verdict(judge="c", time=9.0)
    held = several(a, b, since, judges=("a", "b"))
    assert judging([held]).judge == "c"
    assert [each.judge for each in others(held, judging([held]), Judging())] == ["a + b"]


def test_of_each_look_the_newest_counts() -> None:
    first, second, again = looks(1, 2, 4)
    found = heard([first, second, again.model_copy(update={"look": 1})], judging([several(first)]))
    assert [each.scores["personalisation"].value for each in found] == [4, 2]


def test_a_run_tells_how_far_its_looks_lie_apart_and_what_was_expected() -> None:
    first, second = looks(Score(value=3, expected=3.5, mass=0.9), Score(value=4, expected=3.7, mass=1.0))
    (plain,) = summary(several(first, second)).assistants
    mean = plain.metrics["personalisation"]
    assert mean.looks is not None and mean.looks.model_dump() == {"dialogues": 1, "unstable": 1, "spread": 1.0}
    assert mean.expected is not None
    assert (mean.expected.n, mean.expected.stated) == (1, 3.5)
    assert (mean.expected.mean, mean.expected.mass) == pytest.approx((3.6, 0.95))
    assert plain.metrics["user_coherence"].expected is None
    assert summary(several(first)).assistants[0].metrics["personalisation"].looks is None
