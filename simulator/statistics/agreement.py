"""Agreement of raters beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha, intervals by whole clusters."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from duologue.statistics.interval import FEWEST
from duologue.statistics.resampling import ends, redrawn, tail
from duologue.tasks.written import Written

__all__ = ["Agreement", "cohen", "fleiss", "krippendorff"]

ONE_CLASS = "all ratings are of one class: chance alone would agree as well"
NO_SPREAD = "all ratings agree: there is no spread to make an interval of"


class Agreement(Written):
    """How far raters agree beyond chance: 1 is always, 0 as chance would have it. `why` tells what is missing."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    items: int
    """Those with two ratings or more."""
    raters: int
    observed: float | None = None
    """Share of pairs of ratings that are equal."""
    rates: dict[str, float] = Field(default_factory=dict)
    """Share of each class among all ratings."""
    method: str
    why: str = ""


def cohen(
    pairs: Sequence[tuple[str, Any, Any]],
    key: Sequence[Any],
    weights: Literal["", "linear", "quadratic"] = "",
    classes: Sequence[Any] = (),
) -> Agreement:
    """Cohen's kappa of two raters over `pairs` of (cluster, first, second).

    κ = 1 - Σ w_ij o_ij / Σ w_ij e_ij with o the shares of pairs (i, j), e the product of the raters' own shares and
    w_ij = [i ≠ j] (Cohen 1960, Educational and Psychological Measurement 20:1); with `weights` |i - j| or (i - j)²
    (Cohen 1968, Psychological Bulletin 70:4), by value for numbers, else by place in `classes` (default: sorted).
    """
    import numpy as np

    classes = _classes((value for _, *both in pairs for value in both), classes)
    place = {value: number for number, value in enumerate(classes)}
    size = len(classes)
    tables: dict[str, Any] = defaultdict(lambda: np.zeros((size, size)))
    for cluster, first, second in pairs:
        tables[cluster][place[first], place[second]] += 1
    away = _distances(classes, weights)

    def kappa(sums: Any) -> Any:
        table = sums.reshape(-1, size, size)
        count = table.sum(axis=(1, 2))
        chance = table.sum(axis=2)[:, :, None] * table.sum(axis=1)[:, None, :]
        return 1 - count * (away * table).sum(axis=(1, 2)) / (away * chance).sum(axis=(1, 2))

    equal = sum(first == second for _, first, second in pairs)
    bare = Agreement(
        items=len(pairs),
        raters=2,
        observed=equal / len(pairs) if pairs else None,
        rates=_rates([value for _, *both in pairs for value in both], classes),
        method=f"Cohen's kappa, {weights} weights" if weights else "Cohen's kappa",
    )
    return _measured(bare, tables, kappa, key)


def fleiss(items: Sequence[tuple[str, Sequence[Any]]], key: Sequence[Any]) -> Agreement:
    """Fleiss' kappa over `items` of (cluster, ratings), each with equally many ratings n ≥ 2.

    κ = (P̄ - P_e) / (1 - P_e), P̄ the mean of P_i = (Σ_j n_ij² - n) / (n (n - 1)), P_e = Σ_j p_j²
    (Fleiss 1971, Psychological Bulletin 76:5).
    """
    import numpy as np

    numbers = {len(ratings) for _, ratings in items}
    raters = max(numbers, default=0)
    if len(numbers) > 1 or raters == 1:
        why = "items have unlike numbers of ratings, use alpha" if len(numbers) > 1 else "only one rating an item"
        return Agreement(items=len(items), raters=raters, method="Fleiss' kappa", why=why)
    ratings = [value for _, held in items for value in held]
    classes = _classes(ratings, ())
    rows: dict[str, Any] = defaultdict(lambda: np.zeros(len(classes) + 2))
    for cluster, held in items:
        counts = np.array([held.count(value) for value in classes])
        equal = (counts @ counts - raters) / (raters * (raters - 1))
        rows[cluster] += np.array([*counts, equal, 1])

    def kappa(sums: Any) -> Any:
        shares = sums[:, :-2] / (raters * sums[:, -1:])
        chance = (shares**2).sum(axis=1)
        return (sums[:, -2] / sums[:, -1] - chance) / (1 - chance)

    equal = sum(row[-2] for row in rows.values())
    bare = Agreement(
        items=len(items),
        raters=raters,
        observed=equal / len(items) if items else None,
        rates=_rates(ratings, classes),
        method="Fleiss' kappa",
    )
    return _measured(bare, rows, kappa, key)


def krippendorff(
    items: Sequence[tuple[str, Mapping[str, Any]]],
    key: Sequence[Any],
    level: Literal["nominal", "ordinal", "interval"],
) -> Agreement:
    """Krippendorff's alpha over `items` of (cluster, ratings by rater); a rater may leave items out.

    α = 1 - D_o / D_e, over the coincidences o_ck: each pair of ratings of an item with m of them counts 1 / (m - 1).
    D_o = Σ o_ck δ²_ck / n, D_e = Σ n_c n_k δ²_ck / (n (n - 1)), with δ² = [c ≠ k] (nominal), (c - k)² (interval),
    or (Σ_{g=c..k} n_g - (n_c + n_k) / 2)² (ordinal) (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability"; 2004, Content Analysis, 2nd edition, chapter 11). Items with one rating do not count.
    """
    import numpy as np

    paired = [(cluster, list(held.values())) for cluster, held in items if len(held) > 1]
    ratings = [value for _, held in paired for value in held]
    classes = _classes(ratings, ())
    size = len(classes)
    tables: dict[str, Any] = defaultdict(lambda: np.zeros((size, size)))
    for cluster, held in paired:
        counts = np.array([held.count(value) for value in classes])
        tables[cluster] += (np.outer(counts, counts) - np.diag(counts)) / (len(held) - 1)
    fixed = None if level == "ordinal" else _distances(classes, "quadratic" if level == "interval" else "")

    def alpha(sums: Any) -> Any:
        table = sums.reshape(-1, size, size)
        counts = table.sum(axis=2)
        away = _ranks_apart(counts) if fixed is None else fixed
        chance = (away * counts[:, :, None] * counts[:, None, :]).sum(axis=(1, 2))
        return 1 - (counts.sum(axis=1) - 1) * (away * table).sum(axis=(1, 2)) / chance

    equal = sum(float(np.trace(table)) for table in tables.values())
    bare = Agreement(
        items=len(paired),
        raters=len({rater for _, held in items for rater in held}),
        observed=equal / len(ratings) if ratings else None,
        rates=_rates(ratings, classes),
        method=f"Krippendorff's alpha, {level}",
    )
    return _measured(bare, tables, alpha, key)


def _measured(
    bare: Agreement, tables: Mapping[str, Any], statistic: Callable[[Any], Any], key: Sequence[Any]
) -> Agreement:
    """`bare` with value and interval. `tables` are the sums of each cluster, `statistic` as in `redrawn`."""
    import numpy as np

    if not bare.items:
        return bare.changed(why="nothing was rated twice")
    if len([rate for rate in bare.rates.values() if rate]) == 1:
        return bare.changed(why=ONE_CLASS)
    sums = np.array([np.ravel(tables[cluster]) for cluster in sorted(tables)])
    value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
    if len(sums) < FEWEST:
        return bare.changed(value=value, why=f"too few profiles for an interval: {len(sums)} of {FEWEST}")
    if bare.observed == 1:
        return bare.changed(value=value, why=NO_SPREAD)
    low, high = ends(redrawn(sums, statistic, key), tail(len(sums)))
    why = "too many resamples are of one class to make an interval" if low is None else ""
    return bare.changed(value=value, low=low, high=high, why=why)


def _classes(values: Iterable[Any], known: Sequence[Any]) -> list[Any]:
    """`known` and whatever else was chosen, the latter sorted."""
    others = {value for value in values if value not in known}
    return [*known, *(sorted(others) if _numbers(others) else sorted(others, key=str))]


def _distances(classes: Sequence[Any], weights: str) -> Any:
    """Square array of how far apart each two classes are: 0 or 1 without `weights`."""
    import numpy as np

    places = np.asarray(classes, dtype=float) if _numbers(classes) else np.arange(float(len(classes)))
    apart = np.abs(places[:, None] - places[None, :])
    if not weights:
        return (apart > 0).astype(float)
    return apart if weights == "linear" else apart**2


def _ranks_apart(counts: Any) -> Any:
    """The ordinal δ² for each row of class counts: shape (rows, classes, classes)."""
    import numpy as np

    middle = np.cumsum(counts, axis=1) - counts / 2
    return (middle[:, :, None] - middle[:, None, :]) ** 2


def _numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _rates(values: Sequence[Any], classes: Sequence[Any]) -> dict[str, float]:
    counts = Counter(values)
    return {_label(value): counts[value] / len(values) for value in classes} if values else {}


def _label(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
