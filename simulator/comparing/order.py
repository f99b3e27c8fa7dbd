"""Orders: who is shown to be ahead of whom, as a list from best to worst and in words. Mostly it is no single chain."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

__all__ = ["Ahead", "lined_up", "worded"]

Ahead = AbstractSet[tuple[str, str]]
"""The first of each two is shown to be ahead of the second."""


def lined_up(names: Sequence[str], ahead: Ahead, key: Callable[[str], Any]) -> list[str]:
    """`names` so that nobody stands above one that is shown to be ahead of it, and else with the lowest `key` first."""
    left, done = sorted(names, key=key), []
    while left:
        free = (name for name in left if not any((other, name) in ahead for other in left))
        done.append(next(free, left[0]))
        left.remove(done[-1])
    return done


def worded(names: Sequence[str], ahead: Ahead) -> str:
    """What `ahead` says of `names`, no more and no less: `a, b > c; d open`.

    All that stands left of `>` is shown to be ahead of all that stands right of it; of those with a comma between them
    none is shown to be ahead; one that is open is neither shown to be ahead of any of the others nor behind it.
    """
    parts = _cut(names, ahead)
    if len(parts) > 1:
        return " > ".join(f"({told})" if ";" in (told := worded(part, ahead)) else told for part in parts)
    below = {name: [other for other in names if (name, other) in ahead] for name in names}
    above = {other for held in below.values() for other in held}
    free = [name for name in names if not below[name] and name not in above]
    if len(free) == len(names):
        return ", ".join(names)
    if free:
        return f"{worded([name for name in names if name not in free], ahead)}; {', '.join(free)} open"
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        alike.setdefault(tuple(below[name]), []).append(name)
    return "; ".join(f"{', '.join(some)} > {', '.join(lower)}" for lower, some in alike.items() if lower)


def _cut(names: Sequence[str], ahead: Ahead) -> list[Sequence[str]]:
    """`names` in parts, of which each is ahead of the next ones as a whole."""

    def ends(place: int) -> bool:
        return all((upper, lower) in ahead for upper in names[:place] for lower in names[place:])

    places = [0, *filter(ends, range(1, len(names))), len(names)]
    return [names[begin:end] for begin, end in pairwise(places)]
