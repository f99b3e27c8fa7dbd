"""How many it takes, against statsmodels' power of a paired t-test and variances that are known."""

import numpy as np
import pytest

from duologue.statistics.power import Variances, detectable, needed, power, variances

HALF = Variances(profile=4.0, task=0.0, profiles=10, scenarios=10, pairs=10)


def test_power_of_a_paired_t_test() -> None:
    # statsmodels 0.15: TTestPower().power(0.5, 34, 0.05) and (0.3, 20, 0.05)
    assert power(HALF, 1.0, 34) == pytest.approx(0.8077775012792737, abs=1e-9)
    assert power(HALF, -0.6, 20) == pytest.approx(0.2470890899680956, abs=1e-9)
    assert power(HALF, 0, 20) == pytest.approx(0.05)
    assert power(HALF, 500, 10) == pytest.approx(1)


def test_half_a_standard_deviation_needs_34_profiles() -> None:
    """The usual example: d = 0.5, 5 % level, 80 % power (Cohen 1988)."""
    assert needed(HALF, 1.0) == 34
    assert power(HALF, 1.0, 33) < 0.8 <= power(HALF, 1.0, 34)
    assert power(HALF, detectable(HALF, 34), 34) == pytest.approx(0.8)
    assert needed(HALF, 100.0) == 8
    assert needed(HALF, 1e-4) is None


def test_more_tasks_and_trials_help_where_the_variance_is_theirs() -> None:
    parts = Variances(profile=0.1, task=0.5, trial=2.0, profiles=10, scenarios=50, pairs=100)
    assert detectable(parts, 30, 4, 5) == pytest.approx(detectable(HALF, 30) * ((0.1 + (0.5 + 2 / 5) / 4) / 4) ** 0.5)
    sizes = [needed(parts, 0.3, tasks, trials) or 0 for tasks, trials in ((1, 1), (1, 4), (4, 1), (4, 4))]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 4
    none = Variances(profile=0, task=0, profiles=9, scenarios=9, pairs=9)
    assert (detectable(none, 10), needed(none, 0.1), power(none, 0.1, 10)) == (0, 8, 1)


def test_variances_of_a_balanced_design_are_those_of_the_mean_squares() -> None:
    values = np.random.default_rng(4).normal(0, 1, (12, 5, 3)) + np.random.default_rng(5).normal(0, 2, (12, 1, 1))
    found = variances((f"p{p}", f"t{t}", float(v)) for (p, t, _), v in np.ndenumerate(values))
    trial = values.var(axis=2, ddof=1).mean()
    task = values.mean(axis=2).var(axis=1, ddof=1).mean() - trial / 3
    profile = values.mean(axis=(1, 2)).var(ddof=1) - values.mean(axis=2).var(axis=1, ddof=1).mean() / 5
    assert found is not None
    assert (found.trial, found.task, found.profile) == pytest.approx((trial, max(0, task), profile))
    assert (found.profiles, found.scenarios, found.pairs) == (12, 60, 180)


def test_unequal_designs_find_the_variances_they_were_made_with() -> None:
    random, rows = np.random.default_rng(6), []
    for profile in range(600):
        own = random.normal(0, 1)
        for task in range(random.integers(1, 6)):
            there = own + random.normal(0, 0.7)
            rows += [(f"{profile}", f"{task}", there + random.normal(0, 0.5)) for _ in range(random.integers(1, 4))]
    found = variances(rows)
    assert found is not None
    assert (found.profile, found.task, found.trial) == pytest.approx((1, 0.49, 0.25), rel=0.15)


def test_what_the_pilot_cannot_part_stays_together() -> None:
    once = variances([(f"p{p}", f"t{t}", float((p * t) % 3)) for p in range(9) for t in range(3)])
    assert once is not None and once.trial is None and once.task > 0
    assert variances([("p", "t", 1.0), ("p", "u", 2.0)]) is None
    alone = variances([(f"p{p}", "t", float(p)) for p in range(9)])
    assert alone is not None
    assert (alone.profile, alone.task, alone.trial) == (pytest.approx(np.var(range(9), ddof=1)), 0, None)
