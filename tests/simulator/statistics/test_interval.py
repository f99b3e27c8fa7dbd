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
def test_differences_with_one_a_profile_are_students_t(groups: int) -> None:
    observed = spread(groups)
    values = [value for _, value in observed]
    wanted = stats.t.interval(0.95, groups - 1, loc=np.mean(values), scale=stats.sem(values))
    found = bootstrapped(observed, ("k",))
    assert found.method == "t"
    assert (found.low, found.high) == pytest.approx(wanted)


def test_equal_values_within_profiles_count_once() -> None:
    once = spread(12)
    assert interval(once * 5, ("k",)).low == pytest.approx(interval(once, ("k",)).low)


def test_unequal_clusters_are_the_jackknife_with_fewer_degrees_of_freedom() -> None:
    observed = [(f"p{g}", float(g % 4 + i)) for g in range(10) for i in range(1 + g % 3)]
    mean = np.mean([v for _, v in observed])
    without = np.array([np.mean([v for p, v in observed if p != f"p{g}"]) for g in range(10)])
    sizes = np.array([1 + g % 3 for g in range(10)])
    reach = stats.t.ppf(0.975, (sizes**2).sum() ** 2 / (sizes**4).sum() - 1) * np.sqrt(
        0.9 * ((without - mean) ** 2).sum()
    )
    found = bootstrapped(observed, ("k",))
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach))


@pytest.mark.parametrize("groups", [8, 40])
def test_a_share_is_wilsons_for_as_many_as_the_dialogues_are_worth(groups: int) -> None:
    share, n, t = 0.25, groups - 1, stats.t.ppf(0.975, groups - 1)
    middle = (share + t * t / (2 * n)) / (1 + t * t / n)
    reach = t * math.sqrt(share * (1 - share) / n + t * t / (4 * n * n)) / (1 + t * t / n)
    found = interval([(f"p{g}", float(g % 4 == 0)) for g in range(groups)] * 3, ("k",), share=True)
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((middle - reach, middle + reach))


def test_the_interval_reaches_further_to_the_side_of_the_long_tail() -> None:
    observed = [(f"p{g}", 0.01 * g + (3.0 if g % 5 == 0 else 0.0)) for g in range(40)]
    mean, found = np.mean([v for _, v in observed]), interval(observed, ("k",))
    assert found.low is not None and found.high is not None
    assert found.high - mean > 1.1 * (mean - found.low)


def test_values_that_hardly_vary_are_students_t() -> None:
    observed = [(f"p{g}", 4.0 if g else 1.0) for g in range(12)]
    wanted = stats.t.interval(0.95, 11, loc=3.75, scale=stats.sem([v for _, v in observed]))
    found = interval(observed, ("k",))
    assert found.method == "t"
    assert (found.low, found.high) == pytest.approx(wanted)


def test_with_tasks_the_variances_of_profiles_and_tasks_add_up() -> None:
    effects = np.random.default_rng(3).normal(0, 1, 40)
    observed = [(f"p{p}", float(effects[p] + effects[10 + t])) for p in range(10) for t in range(20)]
    tasks = [f"t{t}" for _ in range(10) for t in range(20)]
    means = np.array([v for _, v in observed]).reshape(10, 20)
    cells = (means - means.mean()).var(ddof=0) / 199
    error = math.sqrt(means.mean(1).var(ddof=1) / 10 + means.mean(0).var(ddof=1) / 20 - cells)
    found = interval(observed, ("k",), tasks=tasks)
    assert found.method == "t"
    assert found.high == pytest.approx(means.mean() + stats.t.ppf(0.975, 9) * error)
    assert interval(observed, ("k",), tasks=["one"] * 200).method == "too few tasks"
    shares = [(profile, float(value > 0)) for profile, value in observed]
    alone, both = interval(shares, ("k",), True), interval(shares, ("k",), True, tasks)
    assert both.low is not None and alone.low is not None and both.low < alone.low


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
    assert found.high is not None and 8 / 9 < found.high < 1.0
    assert found.low is not None and found.low < 8 / 9
