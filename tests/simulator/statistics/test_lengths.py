"""Win rates at equal length, against statsmodels' logistic regression with clustered errors."""

import pytest
from scipy.special import expit
from scipy.stats import t

from duologue.statistics.lengths import length_controlled

LENGTHS = [((i * 7) % 11 - 5) / 5 for i in range(60)]
SCORES = [[1, 0, 1, 1, 0.5, 0, 1][i % 7] if i % 3 else float(LENGTHS[i] > 0) for i in range(60)]
ALIKE = "lengths always differ alike, so that their part cannot be told apart"
DUELS = [(f"p{i // 5}", score, length) for i, (score, length) in enumerate(zip(SCORES, LENGTHS, strict=True))]


def test_the_rate_is_the_intercept_of_a_logistic_regression() -> None:
    # statsmodels 0.15: GLM(scores, lengths, Binomial()).fit(cov_type="cluster", use_correction=False)
    base, slope, error = 0.44253213654021617, 1.0120489971009443, 0.28792216408816423
    found = length_controlled(DUELS, ("k",))
    assert found.rate == pytest.approx(expit(base), abs=1e-9)
    assert found.slope == pytest.approx(slope, abs=1e-8)
    reach = t.ppf(0.975, 10) * error * (12 / 11) ** 0.5
    assert (found.low, found.high) == pytest.approx((expit(base - reach), expit(base + reach)), abs=1e-8)
    assert found.raw == pytest.approx(sum(SCORES) / 60)
    assert (found.duels, found.raw_interval.profiles, found.why) == (60, 12, "")


def test_a_longer_side_that_wins_by_length_alone_is_no_better() -> None:
    lengths = [0.5 * (i % 5) - 0.5 for i in range(200)]
    duels = [(f"p{i % 20}", float(i // 5 % 10 < 10 * expit(2 * n)), n) for i, n in enumerate(lengths)]
    found = length_controlled(duels, ("k",))
    assert found.raw is not None and found.raw > 0.6
    assert found.low is not None and found.high is not None and found.low < 0.5 < found.high


@pytest.mark.parametrize(
    ("duels", "why"),
    [
        ([], "no duels"),
        ([(f"p{i}", 1.0, i / 9) for i in range(20)], "one side wins every duel"),
        ([(f"p{i}", float(i % 2), 0.5) for i in range(20)], ALIKE),
        ([(f"p{i}", float(i > 9), i - 9.5) for i in range(20)], "length alone tells who wins"),
        ([(f"p{i}", float(i < 9) or 0.5 * (i == 9), i - 9.0) for i in range(20)], "length alone tells who wins"),
    ],
)
def test_what_cannot_be_told_is_none_and_says_why(duels: list[tuple[str, float, float]], why: str) -> None:
    found = length_controlled(duels, ("k",))
    assert (found.rate, found.low, found.why) == (None, None, why)
    assert (found.raw is None) is (not duels)


def test_few_profiles_have_a_rate_without_an_interval() -> None:
    found = length_controlled([(f"p{i % 7}", score, length) for i, (_, score, length) in enumerate(DUELS)], ("k",))
    assert found.rate is not None and found.low is None
    assert found.why == "too few profiles for an interval: 7 of 8"
