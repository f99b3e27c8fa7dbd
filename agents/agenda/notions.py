"""Notions: what people ask about in everyday words, whatever a domain calls it. They are data, `notions.toml`."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from duologue.agents.agenda.spelling import said
from duologue.agents.words import readable

__all__ = ["Notion", "notions", "notions_of", "told_by"]

Hints = Sequence[tuple[re.Pattern[str], tuple[int, ...]]]
"""What to look for, and the places of the subjects that it tells of."""


@dataclass(frozen=True, slots=True)
class Notion:
    """Something that is asked about in many words: the names that it goes by, and the words."""

    about: tuple[tuple[str, ...], ...]
    asked: re.Pattern[str]


@cache
def notions() -> tuple[Notion, ...]:
    """Every notion, the narrower one first."""
    return tuple(_written())


@cache
def notions_of(name: str) -> frozenset[int]:
    """The places of the notions that a thing of that name goes by: by its last word, or by all words of a longer
    name."""
    own = tuple(said(readable(name)))
    return frozenset(number for number, each in enumerate(notions()) if any(_is_name(own, held) for held in each.about))


def _is_name(own: tuple[str, ...], held: tuple[str, ...]) -> bool:
    return own[-1:] == held[-1:] and set(held) <= set(own)


def told_by(text: str, hints: Hints) -> tuple[list[int], str]:
    """The places of the subjects that `text`, in lower case, asks about by a notion; and the text without the words
    that tell so."""
    found: list[int] = []
    for pattern, places in hints:
        rest = pattern.sub(" xx ", text)
        if rest != text:
            found += places
            text = rest
    return list(dict.fromkeys(found)), text


def _written() -> Iterator[Notion]:
    text = (files("duologue.agents.agenda") / "notions.toml").read_text(encoding="utf-8")
    for each in tomllib.loads(text)["notions"]:
        yield Notion(tuple(tuple(said(name)) for name in each["about"]), re.compile("|".join(each["asked"])))
