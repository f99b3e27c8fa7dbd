"""Facts: whether some words agree with what the user knows for sure, contradict it, or leave it out. Pure."""

import calendar
import datetime
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.counts import counted, framed, labelled, parties, sums
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.moments import clocks, dates, days
from duologue.agents.agenda.spans import ends_told, without_ends
from duologue.agents.agenda.spelling import forms, said
from duologue.agents.agenda.strangers import stranger
from duologue.agents.agenda.vocabulary import words

__all__ = ["Said", "told_of"]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Said:
    """What some words say of a fact: `right`, `wrong` with what they say instead, or nothing."""

    right: bool = False
    wrong: str = ""


def told_of(
    fact: Known,
    parts: Sequence[Clause],
    named: Sequence[tuple[str, str, str]],
    pardoned: AbstractSet[str] = frozenset(),
) -> Said:
    """What `parts`, clauses in plain, say of `fact`. `named` are (domain, key, value) of what they name; `pardoned` are
    values of other facts, case folded, which are no contradiction."""
    match fact.form:
        case "entity" | "choice":
            return _among(
                fact,
                [value for domain, key, value in named if (domain, key) in fact.places],
                pardoned,
                parts,
            )
        case "day":
            return _day(fact, [_open_ended(part) for part in parts] if fact.ends else parts, pardoned)
        case "clock":
            return _clock(fact, parts, pardoned)
        case "date":
            return _date(fact, parts)
        case "count":
            return (_ended(fact, parts) if fact.ends else None) or _count(fact, parts, pardoned)
        case "text":
            known = {*pardoned, *(value.casefold() for _, _, value in named)}
            return _text(fact, parts, pardoned, known)
    return Said()


def _ended(fact: Known, parts: Sequence[Clause]) -> Said | None:
    """What the day on which something ends says of how long it lasts; None where it says nothing, or agrees and a
    number may not."""
    told = ends_told([part.plain for part in parts])
    if not told or set(told) & set(fact.ends):
        return Said(right=True) if told and not _count(fact, parts, set()).wrong else None
    return Said(wrong=f"to {told[0]}")


@lru_cache(maxsize=512)
def _open_ended(part: Clause) -> Clause:
    """`part` without the days on which something ends."""
    plain = without_ends(part.plain)
    return part if plain == part.plain else replace(part, text=plain.lower(), plain=plain, words=tuple(said(plain)))


def _among(fact: Known, values: Sequence[str], pardoned: AbstractSet[str], parts: Sequence[Clause]) -> Said:
    own = str(fact.value).casefold()
    if any(value.casefold() == own for value in values) or any(_holds(part.words, str(fact.value)) for part in parts):
        return Said(right=True)
    wrong = next((value for value in values if value.casefold() not in pardoned), "")
    known = {*pardoned, *(value.casefold() for value in values)}
    return Said(wrong=wrong or ("" if fact.form == "entity" else stranger(fact, [part.plain for part in parts], known)))


def _text(fact: Known, parts: Sequence[Clause], pardoned: AbstractSet[str], known: AbstractSet[str]) -> Said:
    if any(_holds(part.words, str(fact.value)) for part in parts):
        return Said(right=True)
    others = (each for each in fact.others if each.casefold() not in pardoned)
    other = next((each for each in others if any(_holds(part.words, each) for part in parts)), "")
    return Said(wrong=other or stranger(fact, [part.plain for part in parts], known))


def _day(fact: Known, parts: Sequence[Clause], pardoned: AbstractSet[str]) -> Said:
    named = list(dict.fromkeys(day for part in parts for day in days(part.plain)))
    own = str(fact.value)
    if own in named:
        return Said(right=True)
    if own == "weekdays" and {"Monday", "Friday"} <= set(named):
        return Said(right=True)
    wrong = [day for day in named if day.casefold() not in pardoned]
    return Said(wrong=_latest(wrong, parts) if wrong else "")


def _clock(fact: Known, parts: Sequence[Clause], pardoned: AbstractSet[str]) -> Said:
    hour, _, minute = str(fact.value).partition(":")
    own = int(hour) * 60 + int(minute)
    named = [time for part in parts for time in clocks(part.plain)]
    if any(own in time for time in named):
        return Said(right=True)
    excused = {int(p[:-3]) * 60 + int(p[-2:]) for p in pardoned if re.fullmatch(r"\d{1,2}:\d\d", p)}
    found = [time for time in named if not time & excused]
    if not found:
        return Said()
    wrong = _latest(found, parts)
    at = min(wrong) if own < 720 or len(wrong) == 1 else max(wrong)
    return Said(wrong=f"{at // 60:02d}:{at % 60:02d}")


def _latest(found: Sequence[Value], parts: Sequence[Clause]) -> Value:
    """The last one where something goes from one to another, else the first."""
    return found[-1] if any(_MOVED.search(part.text) for part in parts) else found[0]


def _date(fact: Known, parts: Sequence[Clause]) -> Said:
    day = datetime.date.fromisoformat(str(fact.value))
    named = [pair for part in parts for pair in dates(part.plain)]
    if any(pair in ((day.month, day.day), (0, day.day)) for pair in named):
        return Said(right=True)
    wrong = next((pair for pair in named if pair[0]), None)
    return Said(wrong=f"{calendar.month_name[wrong[0]]} {wrong[1]}" if wrong else "")


def _count(fact: Known, parts: Sequence[Clause], pardoned: AbstractSet[str]) -> Said:
    numbered = [part for part in parts if _has_number(part.words)]
    found = [number for part in numbered for number in counted(part.words, fact.unit)]
    found += [number for part in numbered for say in fact.says for number in framed(part.words, say)]
    spoken = [number for part in parts for number in parties(part.words)] if fact.unit & words("people") else []
    found += spoken
    if "euro" in fact.unit:
        found = [number for part in parts for number in sums(part.text)] or found
    if fact.value in found or (fact.bound and any(fact.bound.holds(each) for each in found)):
        return Said(right=True)
    if not found:
        return Said()
    pairs = (pair for part in parts for pair in pairwise(part.words))
    told = [number for part in parts for number in labelled(part.plain, fact.unit)]
    sure = {number for number, unit in pairs if unit in fact.unit} | {str(number) for number in (*spoken, *told)}
    found = [number for number in found if str(number) in sure or number <= FAR * max(float(fact.value), 5)]
    wrong = (str(number) for number in found if str(number) in sure or str(number) not in pardoned)
    return Said(wrong=next(wrong, ""))


def _has_number(words: Sequence[str]) -> bool:
    return "one" in words or any(map(str.isdigit, words))


def _holds(spoken: tuple[str, ...], value: str) -> bool:
    """Whether those words hold `value` in one of its forms."""
    return any(
        spoken[at : at + len(form)] == form
        for form in forms(value)
        if form[0] in spoken
        for at, word in enumerate(spoken)
        if word == form[0]
    )


FAR = 20
"""By how much a number may differ from a fact and still be about it, where no unit follows it."""
_MOVED = re.compile(r"\bfrom\b.*\bto\b|→|->")
