"""Cautions: why a judge's scores are not to be taken at their word, a sentence each."""

from collections.abc import Iterator

from duologue.scoring.concord import NAMES, Class, Likeness
from duologue.scoring.scorecard import Summary
from duologue.statistics.interval import FEWEST

__all__ = ["cautions"]


def cautions(said: Summary) -> tuple[str, ...]:
    """What the quotes of the judge, and how far it agrees with the end states, say against its scores."""
    return (*_unfounded(said), *_unlike(said))


def _unfounded(said: Summary) -> Iterator[str]:
    quotes = sum(each.quotes for each in said.assistants)
    if quotes and not any(each.quotes_found for each in said.assistants):
        yield "no quote of the judge stands in a transcript: nothing bears out what it says"


def _unlike(said: Summary) -> Iterator[str]:
    """Where the judge agrees with the world no better than chance would have it."""
    for name, like in said.concord.classes.items() if said.concord else ():
        if like.agreement.items >= FEWEST and (why := _by_chance(name, like)):
            yield why


def _by_chance(name: Class, like: Likeness) -> str:
    found, what = like.agreement, f"on {NAMES[name]}"
    if len(like.judge) == 1 and len(like.world) > 1:
        return f"{what} the judge always says {next(iter(like.judge)).replace('_', ' ')}, whatever the world shows"
    if found.value is None or len(like.world) == 1:
        return ""
    if found.value <= 0:
        return f"{what} the judge agrees with the world no better than chance (kappa {found.value:.2f})"
    if found.low is not None and found.high is not None and found.low <= 0:
        around = f"kappa {found.value:.2f}, {found.low:.2f} to {found.high:.2f}"
        return f"{what} the judge is not shown to agree with the world better than chance ({around})"
    return ""
