"""Counts: the numbers in some words that count one kind of thing. Pure."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import words as vocabulary

__all__ = ["counted", "framed", "labelled", "parties", "sums"]


def counted(words: Sequence[str], units: frozenset[str]) -> list[int]:
    """The numbers in `words` that count one of `units`, or stand after a label of that name."""
    found: list[int] = []
    timed_by = _timed_by()
    for at, word in enumerate(words):
        if not (word.isdigit() or word == "one") or len(word) > 6:
            continue
        after, before = words[at + 1 : at + 4], words[max(0, at - 3) : at]
        timed = bool(after) and after[0] in timed_by and after[0] not in units and "euro" not in units
        is_counted = any(each in units for each in after[:2]) and not timed
        is_counted = is_counted or (
            len(after) > 2
            and after[0] not in vocabulary("breaks")
            and after[1] not in vocabulary("breaks")
            and after[2] in units
        )
        labelled = word != "one" and any(each in units for each in before) and not timed
        if is_counted or labelled:
            found.append(1 if word == "one" else int(word))
    return found


@cache
def _timed_by() -> frozenset[str]:
    """What follows a number that tells how long or how often."""
    return vocabulary("time_units") | vocabulary("rates")


def labelled(text: str, units: frozenset[str]) -> list[int]:
    """The numbers in `text` that stand right behind one of `units` and end what is said: "rental days 2, ..."."""
    return [int(each[2]) for each in _LABELLED.finditer(text) if units & set(said(each[1]))]


def framed(words: Sequence[str], say: str) -> list[int]:
    """The numbers that stand in `words` as the domain's own phrase has them: "4 in the car"."""
    before, after = _frame(say)
    size = len(before) + 1 + len(after)
    if size < 3:
        return []
    return [
        int(words[at + len(before)])
        for at in range(len(words) - size + 1)
        if words[at + len(before)].isdigit()
        and tuple(words[at : at + len(before)]) == before
        and tuple(words[at + len(before) + 1 : at + size]) == after
    ]


@lru_cache(maxsize=1024)
def _frame(say: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before, _, after = say.partition("{value}")
    return tuple(said(before)), tuple(said(after))


@lru_cache(maxsize=4096)
def parties(words: tuple[str, ...]) -> tuple[int, ...]:
    """How many people a clause speaks of without naming them: "a table for four", "party of 6", "just you"."""
    text = " ".join(words)
    held = [next(group for group in each.groups() if group) for each in _PARTY.finditer(text)]
    found = [1 if each == "one" else int(each) for each in held]
    if _ALONE.search(text):
        found.append(1)
    return tuple(found)


def sums(text: str) -> list[int]:
    """The amounts of money that `text` names."""
    return [int(each[1] or each[2]) for each in _MONEY.finditer(text)]


_LABELLED = re.compile(r"(\w+)[\"'*]*:?\s[\"'*]*(\d{1,6})\b(?=[\"'*]*\s*(?:[,.;)|}]|$))")
_MONEY = re.compile(r"[€$£]\s?(\d{1,5})\b|\b(\d{1,5})(?:[.,]00)?\s?(?:€|\$|£|euros?\b|eur\b|dollars?\b)")
_ALONE = re.compile(r"\b(?:just (?:for )?you|solo|yourself|single traveler|by yourself)\b")
_PARTY = re.compile(
    r"\b(?:party|table|group|reservation|booking|room|dinner|lunch|total|xx) (?:of|for|size) (one|\d{1,2})\b"
    r"(?! (?:am|pm|minute|hour|00|30|15|45|week|day|night|month|euro|eur|dollar|usd|pound|percent|session|episode))"
    r"|\ball (?P<all>\d{1,2}) of you\b|\bfor (?:the )?(?P<of>\d{1,2}) of you\b"
)
