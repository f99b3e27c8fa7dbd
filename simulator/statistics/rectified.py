"""A judge's mean with its bias taken out by people's labels of a random part: prediction-powered inference."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from duologue.statistics.interval import FEWEST, Interval, interval
from duologue.statistics.resampling import quantile
from duologue.tasks.written import Written

__all__ = ["Rectified", "rectified"]


class Rectified(Written):
    """What people would say on average of the whole run. `mean` is None where that is refused, `why` tells it."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    tuning: float = 0.0
    """How far the judge is used: 0 not at all, 1 as if its errors were all bias."""
    labels: int
    dialogues: int
    """Labelled or not."""
    classical: Interval
    """The interval of the labels alone."""
    judged: float | None = None
    """The judge's plain mean over all dialogues."""
    method: str = ""
    why: str = ""


def rectified(
    labelled: Sequence[tuple[str, float, float]], unlabelled: Sequence[tuple[str, float]], key: Sequence[Any]
) -> Rectified:
    """The mean that people would give, from `labelled` (profile, judge, person), which must be drawn at random, and
    `unlabelled` (profile, judge).

    θ = Ȳ - λ (F̄ - F̄'), Y people's and F the judge's scores of the labelled, F' the judge's of the others
    (Angelopoulos et al. 2023, "Prediction-powered inference", Science 382; λ tuned as in Angelopoulos, Duchi and
    Zrnic 2023, "PPI++", arXiv 2311.01453). Both means share profiles, so that the variance is that of whole profiles:
    Σ_g (a_g + λ b_g)², with a_g the profile's share in Ȳ and b_g that in F̄' - F̄; the λ ≥ 0 at which it is least is
    taken, and t with (labelled profiles - 2) degrees of freedom. Refused below 8 labelled profiles.
    """
    share = all(0 <= value <= 1 for _, *both in labelled for value in both)
    classical = interval([(profile, person) for profile, _, person in labelled], key, share)
    scores = [score for _, score, _ in labelled] + [score for _, score in unlabelled]
    bare = Rectified(
        labels=len(labelled),
        dialogues=len(scores),
        classical=classical,
        judged=sum(scores) / len(scores) if scores else None,
    )
    if classical.profiles < FEWEST:
        return bare.changed(why=f"labels are of too few profiles: {classical.profiles} of {FEWEST}")
    mean = _mean([person for *_, person in labelled])
    tuning, error = _tuned(labelled, unlabelled, classical.profiles)
    if tuning == 0:
        why = "the judge's scores do not go with people's" if unlabelled else "every dialogue is labelled"
        return bare.changed(mean=mean, low=classical.low, high=classical.high, method="labels alone", why=why)
    mean -= tuning * (_mean([score for _, score, _ in labelled]) - _mean([score for _, score in unlabelled]))
    found = [mean, mean - error, mean + error]
    mean, low, high = (min(1.0, max(0.0, value)) for value in found) if share else found
    return bare.changed(mean=mean, low=low, high=high, tuning=tuning, method="prediction-powered")


def _tuned(
    labelled: Sequence[tuple[str, float, float]], unlabelled: Sequence[tuple[str, float]], profiles: int
) -> tuple[float, float]:
    """λ, and half the width of the 95 % interval; 0, 0 where the judge is of no use."""
    shares: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    judge, person = _mean([score for _, score, _ in labelled]), _mean([value for *_, value in labelled])
    for profile, score, value in labelled:
        shares[profile][0] += (value - person) / len(labelled)
        shares[profile][1] -= (score - judge) / len(labelled)
    other = _mean([score for _, score in unlabelled])
    for profile, score in unlabelled:
        shares[profile][1] += (score - other) / len(unlabelled)
    both, alone = math.fsum(a * b for a, b in shares.values()), math.fsum(b * b for _, b in shares.values())
    if not unlabelled or alone <= 0 or both >= 0:
        return 0.0, 0.0
    tuning = -both / alone
    spread = math.fsum((a + tuning * b) ** 2 for a, b in shares.values())
    return tuning, quantile(profiles - 2) * math.sqrt(profiles / (profiles - 2) * spread)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
