"""pass^k over trials."""

from itertools import combinations

import pytest

from duologue.statistics.interval import interval
from duologue.statistics.repeats import repeats

OUTCOMES = [(f"p{i % 12}", [(i + t) % 4 > 0 and (i % 5 > 0 or t < 2) for t in range(4)]) for i in range(36)]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_it_is_the_share_of_all_choices_of_k_trials_that_all_succeed(k: int) -> None:
    shares = [
        (profile, sum(map(all, combinations(trials, k))) / len(list(combinations(trials, k))))
        for profile, trials in OUTCOMES
    ]
    found = repeats(OUTCOMES, k, ("k",))
    assert found.value == pytest.approx(sum(share for _, share in shares) / 36)
    assert found.interval == interval(shares, ("k", k), share=True)
    assert (found.k, found.scenarios, found.short) == (k, 36, 0)


def test_scenarios_of_fewer_trials_are_left_out_and_counted() -> None:
    found = repeats([*OUTCOMES, ("p0", [True, True])], 3, ("k",))
    assert (found.scenarios, found.short) == (36, 1)
    assert found.value == repeats(OUTCOMES, 3, ("k",)).value
    none = repeats([("p0", [True])], 2, ("k",))
    assert (none.value, none.interval.low, none.short) == (None, None, 1)
