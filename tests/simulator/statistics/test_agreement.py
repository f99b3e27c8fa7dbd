"""Agreement beyond chance, against published examples and the figures of other libraries."""

from typing import Any, Literal

import pytest

from duologue.statistics.agreement import cohen, fleiss, krippendorff

TABLE = [[22, 4, 1, 0], [6, 15, 5, 2], [1, 3, 17, 7], [0, 2, 4, 31]]
PAIRS = [(i + 1, j + 1) for i in range(4) for j in range(4) for _ in range(TABLE[i][j])]
SPREAD = [(f"p{n % 30}", *pair) for n, pair in enumerate(PAIRS)]
# Of the 14 raters of 10 items, how many chose each of five classes: the worked example of Fleiss' kappa, 0.210.
CHOSEN = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Krippendorff 2011, example C: four observers, twelve units, with gaps.
RATINGS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS: list[tuple[str, dict[str, Any]]] = [
    (f"p{u}", {name: row[u] for name, row in zip("ABCD", RATINGS, strict=True) if row[u] is not None})
    for u in range(12)
]


@pytest.mark.parametrize(
    ("weights", "wanted"), [("", 0.6078065178821552), ("linear", 0.7349709114414997), ("quadratic", 0.8351477449455676)]
)
def test_cohens_kappa(weights: Literal["", "linear", "quadratic"], wanted: float) -> None:
    """As statsmodels 0.15 has it: cohens_kappa(TABLE, wt=weights).kappa."""
    found = cohen(SPREAD, ("k",), weights)
    assert found.value == pytest.approx(wanted, abs=1e-12)
    assert found.observed == pytest.approx(85 / 120)
    assert found.rates == pytest.approx({"1": 56 / 240, "2": 52 / 240, "3": 55 / 240, "4": 77 / 240})
    assert found.low is not None and found.high is not None
    assert found.low < wanted < found.high
    assert found == cohen(SPREAD[::-1], ("k",), weights)


def test_weights_go_by_value_or_by_place() -> None:
    words = dict(zip((1, 2, 3, 4), ("poor", "fair", "good", "best"), strict=True))
    named = [(p, words[a], words[b]) for p, a, b in SPREAD]
    by_place = cohen(named, ("k",), "linear", classes=list(words.values()))
    assert by_place.value == pytest.approx(0.7349709114414997, abs=1e-12)
    assert cohen(named, ("k",), "linear").value != pytest.approx(0.7349709114414997)
    twice = [(p, 2 * a, 2 * b) for p, a, b in SPREAD]
    assert cohen(twice, ("k",), "linear").value == pytest.approx(0.7349709114414997, abs=1e-12)


def test_the_interval_is_of_whole_clusters() -> None:
    alone = cohen([(f"p{n}", *pair) for n, pair in enumerate(PAIRS)], ("k",))
    copied = cohen([(f"p{n}", *pair) for n, pair in enumerate(PAIRS)] * 4, ("k",))
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    # statsmodels 0.15: cohens_kappa(TABLE).kappa_low and kappa_upp, for independent pairs.
    assert (alone.low, alone.high) == pytest.approx((0.498671, 0.716942), abs=0.015)


def test_fleiss_kappa() -> None:
    items = [(f"p{i}", [k for k, n in enumerate(row) for _ in range(n)]) for i, row in enumerate(CHOSEN)]
    found = fleiss(items, ("k",))
    assert found.value == pytest.approx(0.20993070442195522, abs=1e-12)
    assert (found.items, found.raters) == (10, 14)
    assert found.observed == pytest.approx(0.378022, abs=1e-6)
    assert list(found.rates.values()) == pytest.approx([0.142857, 0.2, 0.278571, 0.15, 0.228571], abs=1e-6)
    assert found.low is not None and found.high is not None and found.low < 0.21 < found.high


def test_fleiss_kappa_of_unlike_numbers_of_ratings_is_refused() -> None:
    found = fleiss([("a", [1, 2]), ("b", [1, 2, 3])], ("k",))
    assert (found.value, found.why) == (None, "items have unlike numbers of ratings, use alpha")
    assert fleiss([("a", [1])], ("k",)).why == "only one rating an item"


@pytest.mark.parametrize(
    ("level", "published", "wanted"),
    [
        ("nominal", 0.743, 0.743421052631579),
        ("ordinal", 0.815, 0.8153875037548814),
        ("interval", 0.849, 0.8491071428571428),
    ],
)
def test_krippendorffs_alpha(level: Literal["nominal", "ordinal", "interval"], published: float, wanted: float) -> None:
    """As published and as krippendorff 0.9 has it: alpha(RATINGS, level_of_measurement=level)."""
    found = krippendorff(UNITS, ("k",), level)
    assert found.value == pytest.approx(published, abs=5e-4)
    assert found.value == pytest.approx(wanted, abs=1e-12)
    assert (found.items, found.raters) == (11, 4)
    assert found.low is not None and found.high is not None and found.low < published < found.high


def test_what_cannot_be_told_is_none_and_says_why() -> None:
    same = cohen([(f"p{n}", 4, 4) for n in range(20)], ("k",))
    assert (same.value, same.observed) == (None, 1)
    assert same.why == "all ratings are of one class: chance alone would agree as well"
    perfect = cohen([(f"p{n}", n % 3, n % 3) for n in range(20)], ("k",))
    assert (perfect.value, perfect.low) == (1, None)
    assert "no spread" in perfect.why
    few = cohen([(f"p{n % 7}", n % 3, n % 2) for n in range(40)], ("k",))
    assert few.value is not None and few.low is None
    assert few.why == "too few profiles for an interval: 7 of 8"
    for nothing in (cohen([], ("k",)), fleiss([], ("k",)), krippendorff([("a", {"x": 1})], ("k",), "nominal")):
        assert (nothing.value, nothing.why) == (None, "nothing was rated twice")
