"""The mean with the judge's bias taken out, against its formula and where it must give way."""

import numpy as np
import pytest
from scipy.stats import t

from duologue.statistics.rectified import rectified

RANDOM = np.random.default_rng(8)
PEOPLE = RANDOM.normal(0, 1, 400)
JUDGE = 0.7 * PEOPLE + 0.5 + RANDOM.normal(0, 0.4, 400)
LABELLED = [(f"p{i}", float(JUDGE[i]), float(PEOPLE[i])) for i in range(40)]
OTHERS = [(f"q{i}", float(JUDGE[i])) for i in range(40, 400)]


def test_independent_dialogues_give_the_prediction_powered_mean() -> None:
    """Mean and variance as in PPI++ (2023), equations 1 to 4, with sums of squares over n and N."""
    found = rectified(LABELLED, OTHERS, ("k",))
    people, judge, other = PEOPLE[:40], JUDGE[:40], JUDGE[40:]
    tuning = (np.cov(people, judge, ddof=0)[0, 1] / 40) / (judge.var() / 40 + other.var() / 360)
    mean = people.mean() - tuning * (judge.mean() - other.mean())
    variance = (people - tuning * judge).var() / 40 + tuning**2 * other.var() / 360
    reach = t.ppf(0.975, 38) * np.sqrt(40 / 38 * variance)
    assert found.tuning == pytest.approx(tuning)
    assert (found.mean, found.low, found.high) == pytest.approx((mean, mean - reach, mean + reach))
    assert (found.labels, found.dialogues, found.method, found.why) == (40, 400, "prediction-powered", "")
    assert found.judged == pytest.approx(JUDGE.mean())


def test_the_judges_bias_is_taken_out() -> None:
    kinder = [(p, judge + 10, person) for p, judge, person in LABELLED]
    found = rectified(kinder, [(p, judge + 10) for p, judge in OTHERS], ("k",))
    assert found.mean == pytest.approx(rectified(LABELLED, OTHERS, ("k",)).mean)
    assert found.judged == pytest.approx(JUDGE.mean() + 10)


def test_dialogues_of_one_profile_count_as_one() -> None:
    once = rectified(LABELLED, OTHERS, ("k",))
    assert rectified(LABELLED * 5, OTHERS * 5, ("k",)).high == pytest.approx(once.high)


def test_a_judge_that_does_not_go_with_people_is_left_out() -> None:
    against = [(p, -judge, person) for p, judge, person in LABELLED]
    found = rectified(against, [(p, -judge) for p, judge in OTHERS], ("k",))
    assert (found.tuning, found.low, found.high) == (0, found.classical.low, found.classical.high)
    assert (found.method, found.why) == ("labels alone", "the judge's scores do not go with people's")
    constant = rectified([(p, 3.0, person) for p, _, person in LABELLED], [(p, 3.0) for p, _ in OTHERS], ("k",))
    assert constant.tuning == 0
    assert rectified(LABELLED, [], ("k",)).why == "every dialogue is labelled"


def test_labels_of_fewer_than_eight_profiles_are_refused() -> None:
    found = rectified([(f"p{i % 7}", judge, person) for i, (_, judge, person) in enumerate(LABELLED)], OTHERS, ("k",))
    assert (found.mean, found.low, found.high, found.method) == (None, None, None, "")
    assert found.why == "labels are of too few profiles: 7 of 8"
    assert rectified([], [], ("k",)).judged is None


def test_a_share_stays_a_share() -> None:
    labelled = [(f"p{i}", float(i % 19 > 0), float(i % 20 > 0)) for i in range(20)]
    found = rectified(labelled, [(f"q{i}", 1.0) for i in range(50)], ("k",))
    assert found.mean is not None and found.high is not None
    assert found.mean <= found.high <= 1
