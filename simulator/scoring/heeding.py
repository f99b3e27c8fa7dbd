"""Whether preferences were heeded, from the four scores of the rubric `prefeval`, and why they were not where not."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from duologue.scoring.measures import excused
from duologue.scoring.scorecard import Heeding, Row
from duologue.statistics.interval import interval

__all__ = ["CAUSES", "CHECKS", "Cause", "heeding", "lapse"]

Cause = Literal["unhelpful", "inconsistent", "hallucinated", "unaware", "unclear"]
CHECKS = ("acknowledges", "hallucinates", "violates", "helpful")
CAUSES: dict[Cause, str] = {
    "unhelpful": "gave nothing of substance",
    "inconsistent": "took the preference up and went against it all the same",
    "hallucinated": "took up a preference that is none, and went against the real one",
    "unaware": "went against the preference without taking any up",
    "unclear": "went against the preference, and whether it had taken it up is not scored",
}
"""Why a preference was not heeded. Of these exactly one holds of each dialogue that failed."""


def lapse(scores: Mapping[str, bool | float | None]) -> Cause | Literal[""] | None:
    """Why a dialogue with these four scores failed; empty where it did not, None where they do not tell.

    It fails where the assistant was no help, and where it was and violated the preference. Of several looks at a
    dialogue most decide.
    """
    helpful, violates = _yes(scores, "helpful"), _yes(scores, "violates")
    if helpful is False:
        return "unhelpful"
    if helpful is None or violates is None:
        return None
    return _cause(scores) if violates else ""


def heeding(rows: Iterable[Row]) -> Heeding:
    """The accuracy in `rows`, which are those of one assistant under one rubric that asks the four questions."""
    found: list[tuple[str, Cause | Literal[""]]] = []
    unscored: Counter[str] = Counter()
    for row in rows:
        lapsed = lapse(row.metrics)
        if lapsed is not None:
            found.append((row.profile, lapsed))
        elif not excused(why := _missing(row)):
            unscored[why] += 1
    heeded = [(profile, float(not lapsed)) for profile, lapsed in found]
    causes = Counter(lapsed for _, lapsed in found if lapsed)
    around = interval(heeded, ("heeding",), share=True)
    return Heeding(
        dialogues=len(found),
        accuracy=sum(value for _, value in heeded) / len(heeded) if heeded else None,
        low=around.low,
        high=around.high,
        causes={cause: causes[cause] for cause in CAUSES if causes[cause]},
        unscored=dict(unscored),
    )


def _cause(scores: Mapping[str, bool | float | None]) -> Cause:
    acknowledges, hallucinates = _yes(scores, "acknowledges"), _yes(scores, "hallucinates")
    if acknowledges is False:
        return "unaware"
    if acknowledges is None or hallucinates is None:
        return "unclear"
    return "hallucinated" if hallucinates else "inconsistent"


def _yes(scores: Mapping[str, bool | float | None], name: str) -> bool | None:
    value = scores.get(name)
    return None if value is None or value == 0.5 else value > 0.5


def _missing(row: Row) -> str:
    """Why the scores of a row do not tell."""
    whys = (
        row.unscored.get(check, "not in the verdict")
        for check in ("violates", "helpful")
        if _yes(row.metrics, check) is None
    )
    return next(whys)
