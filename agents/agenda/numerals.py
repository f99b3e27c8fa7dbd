"""Numerals: numbers that take several words, in figures, so that each counts as one. Pure."""

import re

__all__ = ["in_figures"]

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORTH = {
    **{word: number for number, word in enumerate((*_UNITS, *_TEENS), 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_TENS_AND = rf"(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_UNITS)})"
_SMALL = rf"(?:{_TENS_AND}|{'|'.join((*_TENS, *_TEENS, *_UNITS))})"
_LONG = re.compile(
    rf"\b(?=(?:a|{_SMALL}) (?:hundred|thousand)\b|(?<=hundred)|(?<=thousand )|(?<=thousand and ))"
    rf"(?:(?P<thousands>a|{_SMALL}) thousand\b(?:,? (?:and )?)?)?"
    rf"(?:(?P<hundreds>a|{_SMALL}) hundred\b)?(?:(?:(?<=hundred)|(?<=thousand )|(?<=thousand and )) ?(?:and )?"
    rf"(?P<rest>{_SMALL})\b)?|\b(?P<tens>{_TENS_AND})\b|\b(?P<teen>{'|'.join(_TEENS[3:])})\b",
    re.IGNORECASE,
)
_SETS = re.compile(
    r"\b(?P<fortnight>(?:a|one) fortnight)\b|\b(?P<half>half a dozen)\b|\b(?P<dozen>(?:a|one) dozen)\b"
    r"|\b(?P<two>(?:a|the) (?:couple|pair) of)\b",
    re.IGNORECASE,
)
_SET_OF = {"fortnight": "2 weeks", "half": "6", "dozen": "12", "two": "2"}
_COMMA = re.compile(r",(?=\d{3}\b)(?:(?<=\b\d,)|(?<=\b\d\d,))")
_TELLS = ("hundred", "thousand", "teen", "fortnight", "dozen", "couple", "pair", "ty ", "ty-")
"""One of these is in every number that takes several words."""


def in_figures(text: str) -> str:
    """`text` with its longer numbers in figures: "thirty-five" is 35, "a fortnight" is 2 weeks. A word such as "six"
    stays as it is."""
    if "," in text:
        text = _COMMA.sub("", text)
    lowered = text.lower()
    if not any(mark in lowered for mark in _TELLS):
        return text
    text = _SETS.sub(lambda found: _SET_OF[found.lastgroup or ""], text)
    return _LONG.sub(_figures, text)


def _figures(found: re.Match[str]) -> str:
    return f"{_number(found)}{' ' * found[0].endswith(' ')}" if found[0] else ""


def _number(found: re.Match[str]) -> int | str:
    if alone := found["tens"] or found["teen"]:
        return _small(alone)
    if not (found["thousands"] or found["hundreds"]):
        return found[0]
    thousands, hundreds, rest = (_small(found[name] or "") for name in ("thousands", "hundreds", "rest"))
    return 1000 * thousands + 100 * hundreds + rest


def _small(words: str) -> int:
    return sum(1 if word == "a" else _WORTH.get(word, 0) for word in re.split(r"[- ]", words.lower()))
