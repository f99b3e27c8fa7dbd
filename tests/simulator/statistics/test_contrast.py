"""Tests of paired differences, against scipy's permutation test and statsmodels' figures."""

import numpy as np
import pytest
from scipy.stats import permutation_test, wilcoxon

from duologue.statistics.contrast import contrast, holm


@pytest.mark.parametrize("profiles", [8, 12, 14])
def test_flips_of_few_profiles_are_all_looked_at(profiles: int) -> None:
    values = np.random.default_rng(profiles).normal(0.4, 1, profiles)
    wanted = permutation_test(
        (values, np.zeros(profiles)),
        lambda a, b, axis: (a - b).mean(axis),
        permutation_type="samples",
        n_resamples=2**15,
    ).pvalue
    found = contrast([(f"p{i}", v) for i, v in enumerate(values)], ("k",))
    assert (found.method, found.profiles) == ("sign-flips, exact", profiles)
    assert found.p == pytest.approx(wanted, abs=1e-12)


def test_ranks_as_differences_give_wilcoxons_exact_test() -> None:
    ranks = [float(rank) if rank not in (11, 14) else -float(rank) for rank in range(1, 15)]
    assert contrast([(f"p{i}", r) for i, r in enumerate(ranks)], ("k",)).p == pytest.approx(
        wilcoxon(ranks, method="exact").pvalue, abs=1e-12
    )


def test_whole_profiles_are_flipped_not_their_dialogues() -> None:
    few = [(f"p{g}", 1.0 if g < 6 else -1.0) for g in range(8)]
    assert contrast(few * 20, ("k",)).p == pytest.approx(contrast(few, ("k",)).p)
    # 2 of 8 or fewer heads, on either side: 2 · (1 + 8 + 28) / 256.
    assert contrast(few, ("k",)).p == pytest.approx(74 / 256)


def test_flips_of_many_profiles_are_drawn_and_depend_on_the_key_alone() -> None:
    values = [(f"p{i}", float(v)) for i, v in enumerate(np.random.default_rng(1).normal(0.3, 1, 30))]
    found = contrast(values, ("k",))
    assert found.method == "sign-flips"
    assert found == contrast(values[::-1], ("k",))
    assert found.p != contrast(values, ("other",)).p
    sums = np.array([v for _, v in values])
    flips = np.random.default_rng(9).choice([-1, 1], (40000, 30)) @ sums
    assert found.p == pytest.approx(np.mean(np.abs(flips) >= abs(sums.sum())), abs=0.015)
    assert contrast([(f"p{i}", 1.0) for i in range(40)], ("k",)).p == pytest.approx(1 / 10000)


def test_one_yes_or_no_a_profile_is_mcnemars_exact_test() -> None:
    differences = [(f"p{i}", 1.0 if i < 7 else -1.0 if i < 25 else 0.0) for i in range(60)]
    found = contrast(differences, ("k",), binary=True)
    assert (found.method, found.profiles) == ("mcnemar", 60)
    # statsmodels 0.15: mcnemar([[0, 7], [18, 0]]).pvalue
    assert found.p == pytest.approx(0.043285250663757324, abs=1e-12)
    assert contrast([*differences, ("p0", 0.0)], ("k",), binary=True).method == "sign-flips"


@pytest.mark.parametrize("binary", [False, True])
def test_no_difference_anywhere_is_p_1_and_too_few_profiles_is_none(binary: bool) -> None:
    assert contrast([(f"p{i}", 0.0) for i in range(20)], ("k",), binary).p == 1
    few = contrast([(f"p{i}", 1.0) for i in range(7)] * 9, ("k",), binary)
    assert (few.p, few.method, few.profiles) == (None, "too few profiles", 7)


def test_rounding_does_not_part_what_is_equal() -> None:
    """0.1 + 0.2 - 0.3 is no difference, and flips that tie with what was seen count."""
    values = [0.1, 0.2, -0.3, 0.1, 0.2, -0.3, 0.3, 0.3]
    tenths = [round(10 * value) for value in values]
    assert contrast([(f"p{i}", v) for i, v in enumerate(values)], ("k",)).p == pytest.approx(
        contrast([(f"p{i}", float(v)) for i, v in enumerate(tenths)], ("k",)).p
    )
    assert contrast([(f"p{g}", v) for g in range(9) for v in (0.1, 0.2, -0.3)], ("k",)).p == 1


def test_holm_leaves_out_what_is_none() -> None:
    # statsmodels 0.15: multipletests([.01, .04, .03, .005, .2, .6], method="holm")
    wanted = [0.05, 0.12, 0.12, 0.03, 0.4, 0.6]
    assert holm([0.01, 0.04, 0.03, 0.005, 0.2, 0.6]) == pytest.approx(wanted, abs=1e-12)
    assert holm([None, 0.01, None, 0.02]) == [None, 0.02, None, 0.02]
    assert holm([]) == []
