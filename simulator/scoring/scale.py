"""The scale: where an assistant stands between one that ignores the user and one that reads the preferences."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from duologue.scoring.insight import scale_ends
from duologue.scoring.scorecard import Insight, Place, Row
from duologue.statistics.interval import FEWEST, ratio_interval

__all__ = ["NARROWEST", "SCALED", "places", "unscaled"]

SCALED = ("state_success", "state_preferences_met", "state_unasked")
NARROWEST = 0.1
"""Where ceiling and floor are nearer than that, nothing stands between them."""


def places(held: Sequence[Row], floor: Sequence[Row], ceiling: Sequence[Row], key: Sequence[Any]) -> tuple[Place, ...]:
    """The places of an assistant's dialogues: (mean - floor) / (ceiling - floor) on what all three have a score of.

    `key` seeds the bootstrap, which draws whole profiles for all three together.
    """
    return tuple(_place(metric, held, floor, ceiling, (*key, metric)) for metric in SCALED)


def unscaled(found: Mapping[str, Insight]) -> str:
    """Why the assistants of a run have no place; empty where both ends are there."""
    missing = [end for end in ("floor", "ceiling") if end not in scale_ends(found)]
    if not missing:
        return ""
    added = " and ".join(f'[[assistant]] reference = "{end}"' for end in missing)
    return f"no {' and no '.join(missing)} in this run: add {added} to see where the others stand between them"


def _place(
    metric: str, held: Sequence[Row], floor: Sequence[Row], ceiling: Sequence[Row], key: tuple[Any, ...]
) -> Place:
    sides = [{row.pairing: row for row in rows if row.metrics.get(metric) is not None} for rows in (floor, ceiling)]
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    for row in held:
        scores = [
            row.metrics.get(metric),
            *(side[row.pairing].metrics[metric] for side in sides if row.pairing in side),
        ]
        if len(scores) == 3 and row.finished and None not in scores:
            of = sums[row.profile]
            sums[row.profile] = [of[0] + 1, *(a + (b or 0.0) for a, b in zip(of[1:], scores, strict=True))]
    count = int(sum(of[0] for of in sums.values()))
    if not count:
        return Place(metric=metric, n=0, profiles=0, why="no scenario on which all three were read by state")
    mean, low, high = (sum(of[place] for of in sums.values()) / count for place in (1, 2, 3))
    place = Place(metric=metric, n=count, profiles=len(sums), floor=low, ceiling=high, mean=mean)
    if high - low < NARROWEST:
        return place.model_copy(update={"why": f"ceiling and floor are less than {100 * NARROWEST:.0f} points apart"})
    if len(sums) < FEWEST:
        return place.model_copy(update={"why": f"below {FEWEST} profiles it would be a guess"})
    above = [(of[1] - of[2], of[3] - of[2]) for _, of in sorted(sums.items())]
    value, ends = (mean - low) / (high - low), ratio_interval(above, key)
    return place.model_copy(update={"value": value, "low": ends[0], "high": ends[1]})
