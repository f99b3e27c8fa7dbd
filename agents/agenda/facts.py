"""Facts: whether some words agree with what the user knows for sure, contradict it, or leave it out. Pure."""

import calendar
import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.counts import counted, framed, labelled, parties, sums
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.moments import clocks, dates, days
from duologue.agents.agenda.numerals import in_figures
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
    fact: Known, parts: Sequence[Clause], named: Iterable[tuple[str, str, str]], excused: Iterable[str]
) -> Said:
    """What `parts` say of `fact`. `named` are (domain, key, value) of what they name; `excused` are values of other
    facts, which are no contradiction."""
    parts = [_plainly(part) for part in parts]
    named = list(named)
    pardoned = {str(value).casefold() for value in excused}
    match fact.form:
        case "entity" | "choice":
            return _among(
                fact,
                [value for domain, key, value in named if (domain, key) in fact.places],
                pardoned,
                parts,
            )
        case "day":
            return _day(fact, parts, pardoned)
        case "clock":
            return _clock(fact, parts, pardoned)
        case "date":
            return _date(fact, parts)
        case "count":
            return _count(fact, parts, pardoned)
        case "text":
            known = {*pardoned, *(value.casefold() for _, _, value in named)}
            return _text(fact, parts, pardoned, known)
    return Said()


@lru_cache(maxsize=512)
def _plainly(part: Clause) -> Clause:
    """`part` with long numbers in figures, and without the numbers of records and what it says instead of what:
    "Saturday instead of Friday" speaks of Saturday."""
    plain = in_figures(part.plain)
    if "instead of" in part.text or "rather than" in part.text or "other than" in part.text:
        plain = _INSTEAD.sub(" ", plain)
    if _DIGIT.search(plain):
        plain = _RECORD.sub("xx", plain)
    return part if plain == part.plain else replace(part, text=plain.lower(), plain=plain, words=tuple(said(plain)))


def _among(fact: Known, values: Sequence[str], pardoned: set[str], parts: Sequence[Clause]) -> Said:
    own = str(fact.value).casefold()
    if any(value.casefold() == own for value in values) or any(_holds(part.words, str(fact.value)) for part in parts):
        return Said(right=True)
    wrong = next((value for value in values if value.casefold() not in pardoned), "")
    known = {*pardoned, *(value.casefold() for value in values)}
    return Said(wrong=wrong or ("" if fact.form == "entity" else stranger(fact, [part.plain for part in parts], known)))


def _text(fact: Known, parts: Sequence[Clause], pardoned: set[str], known: set[str]) -> Said:
    if any(_holds(part.words, str(fact.value)) for part in parts):
        return Said(right=True)
    others = (each for each in fact.others if each.casefold() not in pardoned)
    other = next((each for each in others if any(_holds(part.words, each) for part in parts)), "")
    return Said(wrong=other or stranger(fact, [part.plain for part in parts], known))


def _day(fact: Known, parts: Sequence[Clause], pardoned: set[str]) -> Said:
    named = list(dict.fromkeys(day for part in parts for day in days(part.plain)))
    own = str(fact.value)
    if own in named:
        return Said(right=True)
    if own == "weekdays" and {"Monday", "Friday"} <= set(named):
        return Said(right=True)
    wrong = [day for day in named if day.casefold() not in pardoned]
    return Said(wrong=_latest(wrong, parts) if wrong else "")


def _clock(fact: Known, parts: Sequence[Clause], pardoned: set[str]) -> Said:
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


def _count(fact: Known, parts: Sequence[Clause], pardoned: set[str]) -> Said:
    found = [number for part in parts for number in counted(part.words, fact.unit)]
    found += [number for part in parts for say in fact.says for number in framed(part.words, say)]
    spoken = [number for part in parts for number in parties(part.words)] if fact.unit & words("people") else []
    found += spoken
    if "euro" in fact.unit:
        found = [number for part in parts for number in sums(part.text)] or found
    if fact.value in found or (fact.bound and any(fact.bound.holds(each) for each in found)):
        return Said(right=True)
    pairs = (pair for part in parts for pair in pairwise(part.words))
    told = [number for part in parts for number in labelled(part.plain, fact.unit)]
    sure = {number for number, unit in pairs if unit in fact.unit} | {str(number) for number in (*spoken, *told)}
    found = [number for number in found if str(number) in sure or number <= FAR * max(float(fact.value), 5)]
    wrong = (str(number) for number in found if str(number) in sure or str(number) not in pardoned)
    return Said(wrong=next(wrong, ""))


def _holds(spoken: Sequence[str], value: str) -> bool:
    """Whether those words hold `value` in one of its forms."""
    return any(
        tuple(spoken[at : at + len(form)]) == form
        for form in forms(value)
        for at in range(len(spoken) - len(form) + 1)
        if spoken[at] == form[0]
    )


FAR = 20
"""By how much a number may differ from a fact and still be about it, where no unit follows it."""
_DIGIT = re.compile(r"\d")
_RECORD = re.compile(
    r"\b[a-z]+(?:_[a-z]+)+[-_ ]?\d+\b|\b(?:alarm|reservation|booking|ticket|event|order|message|loan|rental|visit|entry"
    r"|appointment|record|session|stream|alert|purchase|night)-\d+\b|#\s?\w*\d\w*"
    r"|\b(?:ref(?:erence)?|confirmation|record|booking)(?: (?:number|code|id|no))?[.:]?\s+(?:is )?[A-Z]*[-\d]*\d+\b"
    r"|\b(?:after|in) \d+ (?:messages?|turns?|tries|attempts|steps?|seconds?)\b|\b\d+ (?:messages?|turns?|attempts)\b",
    re.IGNORECASE,
)
"""Names of records and the like, whose numbers count nothing."""
_MOVED = re.compile(r"\bfrom\b.*\bto\b|→|->")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|other than)\s+(?:on |at |for |in )?(?:the |a )?[\w:]+(?:\s?[ap]\.?m)?", re.IGNORECASE
)
