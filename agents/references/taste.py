"""Taste: what somebody would give for each value of each preference type, and what a choice is worth by that. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from duologue.agents.references.replies import Reply
from duologue.tasks.domain import Domain, key
from duologue.tasks.wish import Wish

__all__ = ["Marks", "Taste", "dearest", "popular_taste", "told_taste", "valued", "wished_taste"]

Pair = tuple[str, str]
Marks = Mapping[str, float]
"""What each value is worth, case folded. What is not there is worth 0."""
Taste = Mapping[Pair, Marks]
"""The marks of each preference type, by domain and key."""


def wished_taste(wishes: Iterable[Wish]) -> Taste:
    """Liked values are worth the wish's weight; those that are avoided or given up, as much less than nothing."""
    taste: dict[Pair, dict[str, float]] = {}
    for wish in wishes:
        shunned = {value.casefold(): -wish.weight for value in (*wish.avoids, *wish.former)}
        liked = {value.casefold(): wish.weight for value in wish.likes}
        taste[wish.domain, key(wish.type)] = liked | shunned
    return taste


def popular_taste(popular: Mapping[Pair, Sequence[str]], matters: AbstractSet[Pair]) -> Taste:
    """The most popular value of a type is worth 1, the others less by their rank, in equal steps.

    Those of pairs that do not matter are worth a hundredth of that.
    """
    return {
        (domain, key(type)): {
            value.casefold(): (1 - rank / len(values)) * _weight((domain, key(type)), matters)
            for rank, value in enumerate(values)
        }
        for (domain, type), values in popular.items()
    }


def told_taste(before: Taste, told: Mapping[Pair, Reply], matters: AbstractSet[Pair]) -> Taste:
    """`before`, and over it what a user said to like and to avoid: worth 1, and as much less than nothing.

    What was told of pairs that do not matter is worth a hundredth of that.
    """
    over: dict[Pair, dict[str, float]] = {}
    for pair, said in told.items():
        worth = _weight(pair, matters)
        likes = {value.casefold(): worth for value in said.likes}
        over[pair] = likes | {value.casefold(): -worth for value in said.avoids}
    return {**before, **over}


def _weight(pair: Pair, matters: AbstractSet[Pair]) -> float:
    return 1.0 if pair in matters else 0.01


def valued(marks: Marks, value: Any) -> float:
    """What `value`, or one of several, is worth; the worst of them where one is worth less than nothing."""
    if isinstance(value, str):
        return marks.get(value.casefold(), 0.0)
    if value is None:
        return 0.0
    if not isinstance(value, list | tuple):
        return marks.get(str(value).casefold(), 0.0)
    found = [marks.get(str(each).casefold(), 0.0) for each in value]
    return min(found) if min(found, default=0.0) < 0 else max(found, default=0.0)


def dearest(taste: Taste, domain: Domain, name: str, possible: Iterable[Any] | None = None) -> Any:
    """The value worth most that may stand under `name`; None where none is worth anything."""
    marks = taste.get((domain.name, name))
    if not marks:
        return None
    values = domain.values(name) if possible is None else possible
    worth, best = 0.0, None
    for value in values:
        if (found := valued(marks, value)) > worth:
            worth, best = found, value
    return best
