import math

import numpy as np
import pytest
from scipy import stats

from duologue.statistics.interval import bootstrapped, interval


def spread(groups: int, each: int = 1) -> list[tuple[str, float]]:
    random = np.random.default_rng(7)
    return [(f"p{g}", float(v)) for g in range(groups) for v in random.normal(g % 3, 1, each)]


@pytest.mark.parametrize("groups", [0, 1, 7])
def test_below_eight_profiles_there_is_no_interval(groups: int) -> None:
    found = interval(spread(groups, 3), ("k",))
    assert (found.low, found.high, found.method, found.profiles) == (None, None, "too few profiles", groups)
    assert bootstrapped(spread(groups, 3), ("k",)).low is None


@pytest.mark.parametrize("groups", [8, 20, 29])
def test_with_one_value_a_profile_it_is_students_t(groups: int) -> None:
    observed = spread(groups)
    values = [value for _, value in observed]
    wanted = stats.t.interval(0.95, groups - 1, loc=np.mean(values), scale=stats.sem(values))
    found = interval(observed, ("k",))
    assert found.method == "t"
    assert (found.low, found.high) == pytest.approx(wanted)


def test_equal_values_within_profiles_count_once() -> None:
    once = spread(12)
    assert interval(once * 5, ("k",)).low == pytest.approx(interval(once, ("k",)).low)


def test_unequal_clusters_by_the_formula() -> None:
    observed = [(f"p{g}", float(g % 4 + i)) for g in range(10) for i in range(1 + g % 3)]
    total, mean = len(observed), sum(v for _, v in observed) / len(observed)
    residual = {g: sum(v - mean for p, v in observed if p == f"p{g}") for g in range(10)}
    error = math.sqrt(10 / 9 * sum(r * r for r in residual.values())) / total
    assert interval(observed, ("k",)).high == pytest.approx(mean + stats.t.ppf(0.975, 9) * error)


def test_from_thirty_profiles_the_bootstrap_agrees_with_t_and_depends_on_its_key_alone() -> None:
    observed = spread(60, 3)
    found = interval(observed, ("k", 1))
    means = [np.mean([v for p, v in observed if p == f"p{g}"]) for g in range(60)]
    low, high = stats.t.interval(0.95, 59, loc=np.mean(means), scale=stats.sem(means))
    assert found.method == "bootstrap"
    assert found.low == pytest.approx(low, abs=0.06)
    assert found.high == pytest.approx(high, abs=0.06)
    assert interval(observed[::-1], ("k", 1)) == found
    assert interval(observed, ("k", 2)) != found


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("groups", [8, 20, 40])
def test_all_yes_or_all_no_is_wilsons_over_profiles(value: float, groups: int) -> None:
    found = interval([(f"p{g}", value) for g in range(groups)] * 2, ("k",), share=True)
    wanted = stats.binomtest(int(value * groups), groups).proportion_ci(method="wilson")
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


def test_a_scale_without_spread_has_no_interval() -> None:
    found = interval([(f"p{g}", 4.0) for g in range(40)], ("k",))
    assert (found.low, found.high, found.method) == (None, None, "no spread")


def test_the_interval_of_a_share_stays_a_share() -> None:
    found = interval([(f"p{g}", float(g > 0)) for g in range(9)], ("k",), share=True)
    assert found.high == 1.0
    assert found.low is not None and found.low < 8 / 9


@pytest.mark.parametrize(("groups", "each"), [(8, 2), (12, 4), (30, 2)])
def test_identical_assistants_come_out_different_in_at_most_six_percent(groups: int, each: int) -> None:
    random = np.random.default_rng(groups)
    runs = 600
    able = random.normal(0, 1, (runs, groups, 1, 1))
    scores = (random.normal(able + 1, 1.5, (runs, groups, each, 2)) > 0).astype(float)
    differences = scores[..., 0] - scores[..., 1]
    profiles = [f"p{g}" for g in range(groups) for _ in range(each)]
    found = [bootstrapped(zip(profiles, run.ravel().tolist(), strict=True), (i,)) for i, run in enumerate(differences)]
    wrong = sum(each.low > 0 or each.high < 0 for each in found if each.low is not None and each.high is not None)
    assert 0.005 * runs < wrong <= 0.06 * runs
