"""How often intervals hold a known truth, in few runs; `tests/bench/coverage.py` does it in many."""

import numpy as np
import pytest
from tests.simulator.statistics import simulated as made

from duologue.statistics.contrast import contrast
from duologue.statistics.interval import bootstrapped, interval
from duologue.statistics.rectified import rectified

RUNS = 100


@pytest.mark.parametrize("profiles", [10, 20, 100])
def test_the_clustered_interval_holds_the_mean_and_an_unclustered_one_falls_short(profiles: int) -> None:
    covered = plain = 0
    for run in range(RUNS):
        random = np.random.default_rng([1, profiles, run])
        who = made.seated(random, profiles)
        values, truth = made.scores(random, who)
        observed = made.named(who, values)
        found = interval(observed, (run,))
        covered += made.within((found.low, found.high), truth)
        plain += made.within(made.unclustered(observed), truth)
    assert 0.89 < covered / RUNS <= 0.99
    assert plain / RUNS < 0.85


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_so_does_that_of_a_share_in_unequal_clusters(share: float) -> None:
    def holds(random: np.random.Generator) -> bool:
        who = made.seated(random, 20, unequal=True)
        values, truth = made.yes(share)(random, who)
        found = interval(made.named(who, values), ("k",), share=True)
        return made.within((found.low, found.high), truth)

    assert 0.89 < made.held(RUNS, "shares", holds) < 0.995


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("profiles", [8, 12])
def test_equal_assistants_that_suit_different_profiles_are_seldom_told_apart(profiles: int, binary: bool) -> None:
    test = span = 0
    for run in range(RUNS):
        random = np.random.default_rng([2, profiles, run])
        observed = made.alike(random, made.seated(random, profiles), binary)
        found = bootstrapped(observed, (run,))
        span += not made.within((found.low, found.high), 0)
        test += (contrast(observed, (run,), binary).p or 0) < 0.05
    assert test <= 0.08 * RUNS
    assert 0 < span <= 0.1 * RUNS


@pytest.mark.parametrize(("labels", "few"), [(100, 0), (100, 20)])
def test_the_rectified_mean_holds_the_truth_and_is_narrower_than_the_labels(labels: int, few: int) -> None:
    covered, ratios, judge = 0, [], 0
    for run in range(60):
        found = rectified(*made.judged(np.random.default_rng([3, run]), labels, few), (run,))
        assert found.low is not None and found.high is not None
        assert found.classical.low is not None and found.classical.high is not None
        covered += found.low <= 0 <= found.high
        ratios.append((found.high - found.low) / (found.classical.high - found.classical.low))
        judge += (found.judged or 0) > 0.5
    assert covered >= 53
    assert judge == 60
    assert np.median(ratios) < 0.75
