"""pass^k: how often an assistant succeeds in all of k trials of the same scenario."""

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

from duologue.statistics.interval import Interval, interval
from duologue.tasks.written import Written

__all__ = ["Repeats", "repeats"]


class Repeats(Written):
    """The share of scenarios of which k trials all succeed; `value` is None where none has k trials."""

    k: int
    value: float | None = None
    interval: Interval
    scenarios: int
    """Those with k trials or more."""
    short: int
    """Those with fewer, which do not count."""


def repeats(outcomes: Iterable[tuple[str, Sequence[bool]]], k: int, key: Sequence[Any]) -> Repeats:
    """pass^k over `outcomes` of (profile, success of each trial), one a scenario.

    The mean over scenarios of C(c, k) / C(n, k), which is unbiased, with c of n trials successful (Yao et al. 2024,
    "τ-bench", arXiv 2406.12045). Scenarios of fewer than k trials are left out and counted.
    """
    held = list(outcomes)
    shares = [(profile, comb(sum(trials), k) / comb(len(trials), k)) for profile, trials in held if len(trials) >= k]
    return Repeats(
        k=k,
        value=sum(share for _, share in shares) / len(shares) if shares else None,
        interval=interval(shares, (*key, k), share=True),
        scenarios=len(shares),
        short=len(held) - len(shares),
    )
