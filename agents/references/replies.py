"""Replies: what a user's words say of one preference type, as the reference assistants understand them. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from duologue.agents.words import mentions, tokens

__all__ = ["Reply", "replied"]

_PARTS = re.compile(r"(?<=[.!?;])\s+|\n+|,?\s+(?<!anything )(?:but|just|though|although|however)\b\s*", re.IGNORECASE)
_AGAINST = re.compile(
    r"\bno\b(?!\s*[,.:!])|n't\b|\b(?:not|never|avoid\w*|without|except|anything but|rather than|instead of)\b"
    r"|\b(?:hate|dislike|spare me)\b",
    re.IGNORECASE,
)
_NEAR = 3
"""How many words after a value may speak against it: "Thai is not for me"."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The values that somebody said to like, and those said to avoid."""

    likes: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()


def replied(words: str, values: Iterable[str]) -> Reply:
    """Which of `values` a reply holds: avoided where what stands before them in their part of a sentence, or right
    after them, speaks against them."""
    words = words.replace("’", "'")
    said, (firsts, begun) = _spoken(words), _begun(tuple(values))
    if said.isdisjoint(firsts):
        return Reply()
    held = [value for first, value in begun if first in said and mentions(words, value)]
    likes: dict[str, None] = {}
    avoids: dict[str, None] = {}
    for part in _PARTS.split(words) if held else ():
        for value in held:
            if mentions(part, value):
                (avoids if _is_against(part, value) else likes).setdefault(value)
    return Reply(tuple(likes), tuple(value for value in avoids if value not in likes))


def _is_against(part: str, value: str) -> bool:
    place = part.casefold().find(value.casefold())
    before, after = (part, "") if place < 0 else (part[:place], part[place + len(value) :])
    return bool(_AGAINST.search(before) or _AGAINST.search(" ".join(after.split()[:_NEAR])))


@lru_cache(maxsize=64)
def _spoken(words: str) -> frozenset[str]:
    """The words of a reply, and none. Kept for a while: it is looked through for one type after the other."""
    return frozenset(("", *tokens(words)))


@lru_cache(maxsize=4096)
def _begun(values: tuple[str, ...]) -> tuple[frozenset[str | None], tuple[tuple[str | None, str], ...]]:
    """The first words of the values, and each value after its first word, without which it is not held. Clock times
    and dates, which are written in many ways, stand after none."""
    begun = tuple(("" if value[:1].isdigit() else next(iter(tokens(value)), None), value) for value in values)
    return frozenset(first for first, _ in begun), begun
