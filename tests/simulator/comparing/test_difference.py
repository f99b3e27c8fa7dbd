"""What may be said of a difference, and how often it is said wrongly."""

import numpy as np
import pytest
from tests.simulator.records import dialogue, run

from duologue.agents.verdict import Score
from duologue.comparing.comparison import compare
from duologue.comparing.difference import LEVEL, Difference, alike, difference, settled
from duologue.comparing.pairs import Pair
from duologue.record.run import Run
from duologue.scoring.measures import EFFORT
from duologue.scoring.scorecard import Row
from duologue.statistics.contrast import contrast


def row(**metrics: float) -> Row:
    return Row.model_construct(metrics=metrics, unscored={}, finished=True)


def found(held: Run, metric: str) -> Difference:
    (pairing,) = compare([held]).pairings
    return next(each for each in pairing.differences if each.metric == metric)


def duel(profiles: int, **scores: tuple[list[object], list[object]]) -> Run:
    """A run in which profile i gives a and b of each score the i-th of both lists, over and over."""
    held = []
    for i in range(profiles):
        for name, place in (("a", 0), ("b", 1)):
            given = {score: lists[place][i % len(lists[place])] for score, lists in scores.items()}
            held.append(dialogue(f"p{i}", assistant=name, scores=given))
    return run(*held)


def observed(metric: str, p: float, low: float = 0.1, high: float = 0.3, **more: object) -> Difference:
    held = {"pairs": 20, "profiles": 20, "difference": 0.2, "wins": 12, "finding": "no difference shown"}
    return Difference(metric=metric, p=p, low=low, high=high, **{**held, **more})  # type: ignore[arg-type]


def test_a_difference_is_shown_where_the_adjusted_p_and_the_interval_both_say_so() -> None:
    one, other, third = settled([observed("success", 0.01), observed("personalisation", 0.04), observed("own", 0.9)])
    assert (one.adjusted, one.finding) == (pytest.approx(0.03), "a higher")
    assert (other.adjusted, other.finding) == (pytest.approx(0.08), "no difference shown")
    assert (third.adjusted, third.finding) == (0.9, "no difference shown")
    (wide,) = settled([observed("success", 0.01, low=-0.01)])
    assert (wide.adjusted, wide.finding) == (0.01, "no difference shown")
    (below,) = settled([observed("success", 0.01, low=-0.3, high=-0.1)])
    assert below.finding == "b higher"


def test_effort_and_what_cannot_differ_make_no_bound_stricter() -> None:
    equal = observed("state_success", 1.0, low=0, high=0, wins=0)
    unfair = observed("preferences_met", 0.001, finding="not ranked")
    done = settled([observed("success", 0.04), observed("tokens", 0.03), equal, unfair])
    assert [each.adjusted for each in done] == [0.04, 0.03, None, None]
    assert [each.finding for each in done] == ["a higher", "a higher", "no difference shown", "not ranked"]


def test_all_pairings_of_a_comparison_are_one_family() -> None:
    held = []
    for i in range(12):
        for name in ("a", "b", "c"):
            score = 2 + (i % 2) * (name == "a") + (i % 3 == 0) * (name == "c")
            held.append(dialogue(f"p{i}", assistant=name, scores={"personalisation": score}))
    several = compare([run(*held)]).pairings
    (two,) = compare([run(*held)], ["a", "b"]).pairings

    def of(differences: tuple[Difference, ...]) -> Difference:
        return next(each for each in differences if each.metric == "personalisation")

    assert of(two.differences).p == of(several[0].differences).p == of(two.differences).adjusted
    adjusted = of(several[0].differences).adjusted
    assert adjusted is not None and adjusted > (of(two.differences).p or 1)


def test_yes_and_no_with_a_pair_a_profile_is_mcnemars_and_else_flips_whole_profiles() -> None:
    each = found(duel(20, success=([True] * 6 + [False], [False] * 3 + [True] * 3 + [False])), "success")
    wins, losses = each.wins, each.losses
    assert (wins, losses, each.test) == (9, 0, "mcnemar")
    assert each.p == pytest.approx(2 * 0.5**9)
    twice = [
        dialogue(f"p{i}", assistant=name, trial=trial, scores={"success": name == "a" or i % 3 == 0})
        for i in range(12)
        for name in ("a", "b")
        for trial in (1, 2)
    ]
    clustered = found(run(*twice), "success")
    assert clustered.test.startswith("sign-flips")
    assert clustered.p == pytest.approx(2 / 2**8)  # eight profiles differ, whose two pairs count once


@pytest.mark.parametrize(("right", "low", "high"), [(True, -0.1611, 0.1611), (False, 0.6777, 1.0)])
def test_twenty_of_twenty_successes_have_an_interval(right: bool, low: float, high: float) -> None:
    """Tango's score interval without a discordant pair, ±z²/(n + z²), and with none but those."""
    each = found(duel(20, success=([True], [right])), "success")
    assert (each.low, each.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert each.finding == ("no difference shown" if right else "a higher")


def test_points_that_happen_to_be_ones_are_no_yes() -> None:
    assert found(duel(12, personalisation=([1], [1])), "personalisation").low == 0.0
    assert found(duel(12, own=([1, 0], [1, 0])), "own").high == pytest.approx(0.2424, abs=1e-3)


def test_unequal_sets_are_paired_and_what_was_dropped_is_listed() -> None:
    held = [dialogue(f"p{i}", assistant="a") for i in range(14)]
    successes = {i: Score(unscored="cut") if i == 3 else True for i in range(2, 12)}
    held += [dialogue(f"p{i}", assistant="b", scores={"success": success}) for i, success in successes.items()]
    (pairing,) = compare([run(*held)]).pairings
    success = next(each for each in pairing.differences if each.metric == "success")
    assert (pairing.pairs, pairing.unpaired) == (10, {"not run by b": 4})
    assert (success.pairs, len(success.dropped)) == (9, 5)
    assert sorted(each.profile for each in success.dropped) == ["p0", "p1", "p12", "p13", "p3"]
    assert next(each.why for each in success.dropped if each.profile == "p3") == "b: judge: cut"


def test_verdicts_of_unlike_rubrics_are_never_averaged_together() -> None:
    """b's dialogues were judged anew for half of the profiles: neither rubric's scores are filled up by the other's."""
    held = []
    for i in range(12):
        held.append(dialogue(f"p{i}", assistant="a", rubric="r1", scores={"personalisation": 2}))
        newer = {"rubric": "r2", "time": 9000.0} if i < 6 else {"rubric": "r1"}
        held.append(dialogue(f"p{i}", assistant="b", scores={"personalisation": 4 if i < 6 else 2}, **newer))
    for rubric, pairs, mean in (("r1", 6, 2.0), ("r2", 0, None)):
        (pairing,) = compare([run(*held)], rubric=rubric).pairings
        each = next(of for of in pairing.differences if of.metric == "personalisation")
        assert (each.pairs, each.b, len(each.dropped)) == (pairs, mean, 12 - pairs)


def twins(times: int, profiles: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and successes of two assistants that are alike on average, though each suits some profiles and not others:
    by simulation, profile, trial and assistant."""
    random = np.random.default_rng(profiles)
    tastes, chances = random.normal(0, 1, (times, profiles, 1, 2)), random.beta(0.5, 0.5, (times, profiles, 1, 2))
    points = np.clip(np.rint(2.5 + tastes + random.normal(0, 0.5, (times, profiles, 2, 2))), 1, 4)
    return points, (random.random((times, profiles, 2, 2)) < chances).astype(float)


def claims(points: np.ndarray, success: np.ndarray, key: object) -> bool:
    """Whether a comparison says that the two differ. Only where some p is small enough can it."""
    both = {"personalisation": points, "success": success}
    apart = [[(f"p{i}", a - b) for i, held in enumerate(of.tolist()) for a, b in held] for of in both.values()]
    if all((contrast(each, (key,)).p or 1) > LEVEL for each in apart):
        return False
    pairs = [
        Pair(
            f"p{i}",
            "t",
            trial,
            *(row(**{name: float(of[i, trial, side]) for name, of in both.items()}) for side in (0, 1)),
        )
        for i in range(len(points))
        for trial in (0, 1)
    ]
    done = settled([difference(name, pairs, "a", "b", (key, name)) for name in both])
    return any(each.finding in ("a higher", "b higher") for each in done)


def test_two_that_are_alike_seldom_come_out_different() -> None:
    """In at most 6 % of 2,000 comparisons of two scores, under strong effects of profile by assistant."""
    points, success = twins(2000, 10)
    assert 0 < sum(map(claims, points, success, range(2000))) <= 120


def test_two_that_differ_come_out_different() -> None:
    points, success = twins(30, 20)
    points[..., 0] = np.clip(points[..., 0] + 1.5, 1, 4)
    assert sum(map(claims, points, success, range(30))) >= 27


def test_effort_is_tested_but_apart() -> None:
    held = duel(12, personalisation=([4, 3], [2, 1]))
    (pairing,) = compare([held]).pairings
    assert {each.metric for each in pairing.differences} & set(EFFORT) == {
        "user_turns",
        "questions",
        "tokens",
        "seconds",
    }
    assert all(each.adjusted is None for each in pairing.differences if each.metric in EFFORT)


def test_no_interval_reaches_beyond_what_the_scale_allows() -> None:
    """One of eight profiles differs from the others: an interval around that mean would pass the largest difference."""
    held = found(duel(8, personalisation=([4, 4, 4, 4, 4, 4, 4, 2], [1])), "personalisation")
    assert held.difference == pytest.approx(2.75) and held.low is not None and held.low < 2.75
    assert held.high == 3.0
    own = found(duel(8, wit=([9, 9, 9, 9, 9, 9, 9, 2], [1])), "wit")
    assert own.high is not None and own.high > 8


def around(low: float | None, high: float | None, metric: str = "state_preferences_met", **more: object) -> Difference:
    held = {"difference": 0.0, "p": 0.8, **more}
    return Difference.model_validate({**observed(metric, 0.8).model_dump(), **held, "low": low, "high": high})


@pytest.mark.parametrize(
    ("each", "equal"),
    [
        (around(0, 0), True),
        (around(-0.05, 0.05), True),
        (around(-0.05, 0.06), False),
        (around(0.01, 0.04), False),
        (around(None, None), False),
        (around(-0.15, 0.15, "personalisation"), True),
        (around(-0.16, 0.15, "personalisation"), False),
        (around(0, 0, "wit"), False),
        (around(0, 0, finding="too few profiles to tell"), False),
        (around(0, 0, finding="a higher"), False),
    ],
)
def test_two_are_alike_where_the_data_say_so(each: Difference, equal: bool) -> None:
    assert alike(each) == equal
