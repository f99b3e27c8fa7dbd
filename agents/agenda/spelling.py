"""Spelling: words as they are compared, British and American alike, and how a value may be written."""

import re
from functools import lru_cache, partial

from duologue.agents.words import tokens

__all__ = ["forms", "said"]

_SAME = {
    "neighbourhood": "neighborhood", "colour": "color", "theatre": "theater", "centre": "center",
    "grey": "gray", "flavour": "flavor", "favourite": "favorite", "programme": "program",
    "traveller": "traveler", "cosy": "cozy", "cancelled": "canceled", "licence": "license",
    "jewellery": "jewelry", "tyre": "tire", "catalogue": "catalog", "aeroplane": "airplane",
    "harbour": "harbor", "ambiance": "ambience", "mins": "minute", "min": "minute", "hr": "hour", "hrs": "hour",
    "dialogue": "dialog", "humour": "humor", "organised": "organized", "doe": "does", "café": "cafe",
    "ppl": "people", "pax": "people", "ur": "your", "moustache": "mustache", "plough": "plow",
    "savoury": "savory", "metre": "meter", "litre": "liter", "kilometre": "kilometer", "mum": "mom",
    "veggie": "vegetarian", "yoghurt": "yogurt",
}  # fmt: skip
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_FILLING = frozenset({"a", "an", "the", "and", "of"})


def said(text: str) -> list[str]:
    """The words of `text` as `words.tokens` gives them, in one spelling."""
    return [_SAME.get(word, word) for word in tokens(text)]


@lru_cache(maxsize=16384)
def forms(value: str) -> tuple[tuple[str, ...], ...]:
    """The ways in which people write `value`, as words: its clock times in twelve hours, its hyphens left out."""
    texts = [value]
    if _CLOCK.search(value):
        texts += [_CLOCK.sub(partial(_twelve, way), value) for way in range(5)]
    if re.search(r"\d (?:to|and) \d", value):
        texts += [re.sub(r"(\d) (?:to|and) (\d)", r"\1 \2", each) for each in texts]
    if "-" in value:
        texts.append(value.replace("-", ""))
    if re.match(r"non[a-z]", value):
        texts.append("non-" + value[3:])
    found = [tuple(said(each)) for each in texts]
    bare = tuple(word for word in found[0] if word not in _FILLING)
    if len(bare) >= 2 or (bare and len(bare[0]) > 4 and len(found[0]) == 2):
        found.append(bare)
    return tuple(dict.fromkeys(form for form in found if form))


def _twelve(way: int, found: re.Match[str]) -> str:
    """A clock time in twelve hours, in one of five ways."""
    hour, minute = int(found[1]), found[2]
    half, twelve = ("am" if hour < 12 else "pm"), hour % 12 or 12
    short = str(twelve) if minute == "00" else f"{twelve}:{minute}"
    exact = f"{twelve}:{minute}"
    return (f"{short} {half}", f"{short}{half}", f"{exact} {half}", f"{short} {half[0]}.m.", f"{exact} {half[0]}.m.")[
        way
    ]
