"""What PersoBench ranks models by: obedience to the form beside a cohort's worst, and a composite of five figures.

Source: Afzoon et al. 2024, arXiv 2410.03198, and its released notebooks.
"""

from collections.abc import Iterable

from duologue.bench.persobench.row import Annotation

__all__ = ["composite", "instructability"]


def instructability(failure: float, cohort: Iterable[float]) -> float:
    """(worst - failure) / worst, with the worst failure ratio of the models compared, this one among them.

    In [0, 1], and 1 where none fails: it says as much of the cohort as of the model.
    """
    worst = max([failure, *cohort])
    return (worst - failure) / worst if worst else 1.0


def composite(
    entailment: float,
    similarity: float,
    groundedness: float,
    consistency: float,
    obedience: float,
    scales: Annotation = "corrected",
) -> float:
    """The mean of UE-score (0 to 2), persona similarity (0 to 1), groundedness (0 to 1), C-score (-1 to 1) and
    instructability (0 to 1).

    `faithful` is the published one: the first four times 100 and the last as it is, so that UE counts double and
    obedience hardly at all. `corrected` takes all five from 0 to 100.
    """
    if scales == "faithful":
        return (100 * (entailment + similarity + groundedness + consistency) + obedience) / 5
    return 100 * (entailment / 2 + similarity + groundedness + (consistency + 1) / 2 + obedience) / 5
