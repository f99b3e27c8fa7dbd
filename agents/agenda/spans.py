"""Spans: the day on which something ends that begins on one day and lasts for so many nights, days or weeks. Pure."""

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from duologue.agents.agenda.moments import days
from duologue.agents.agenda.spelling import said
from duologue.agents.words import readable
from duologue.tasks.aim import Aim
from duologue.tasks.task import Task

__all__ = ["ends_of", "ends_told", "without_ends"]

_DAYS = tuple(calendar.day_name)
_AFTER: Mapping[str, tuple[int, int]] = {"night": (1, 0), "day": (1, -1), "week": (7, 0)}
"""By what is counted, how many days one is, and what may be added to the end: the last of three days is the end of
them, or the day before it."""
_DAY = r"(?:(?:on|by|the|next|following|date|day|time|is|are|be|of|it|will|in|until|early|late)\b\W*)*"
_NAMED = r"(?P<day{}>(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b"
_SHORT = tuple(name[:3].lower() for name in _DAYS)
_LEAVES = r"|departure|departing|leav(?:e|es|ing)"
_ENDS = (
    r"(?:\b(?:check(?:ing|s|ed)?[- ]?out|checkout|return(?:ing|ed|s)?|(?:bring(?:ing)?|give|giving|take|taking|hand)"
    r" (?:it|the \w+) back|due(?: back)?|back|until|till|through|ends?|ending|drop(?:ping)?[- ]?off{leaves})\b\W*"
    + _DAY
    + _NAMED.format(1)
    + r"|(?:day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\s*(?:\bto\b|-|–|—)\s*(?:the )?"
    + _NAMED.format(2)
    + r")"
)
_ARRIVES = re.compile(r"\barriv|\bcheck(?:ing|s|ed)?[- ]?in\b", re.IGNORECASE)


def ends_of(task: Task, aimed: Sequence[Aim]) -> Iterator[tuple[Aim, str, tuple[str, ...]]]:
    """For each aim about something that begins on a day and lasts: the aim, the name under which it is required how
    long, and the days of the week on which it may be said to end."""
    for aim in aimed:
        for field in aim.record.fields:
            length = aim.where.get(field.name)
            unit = next((each for each in _AFTER if each in said(readable(field.name))), "")
            start = _start(task, aim) if unit and isinstance(length, int) else ""
            if start and isinstance(length, int):
                size, less = _AFTER[unit]
                end = _DAYS.index(start) + length * size
                yield aim, field.name, tuple(_DAYS[at % 7] for at in dict.fromkeys((end, end + less)))


def ends_told(texts: Sequence[str]) -> list[str]:
    """The days on which some words say that something ends: "checking out Monday", "Friday to Monday"."""
    dated = [text for text in texts if _names_a_day(text)]
    pattern = _ends(bool(dated) and _ARRIVES.search(" ".join(texts)) is not None)
    found = [days(each["day1"] or each["day2"]) for text in dated for each in pattern.finditer(text)]
    return [day for each in found for day in each]


def without_ends(text: str) -> str:
    """`text` without the days on which it says that something ends."""
    return _ends(True).sub(_kept, text) if _names_a_day(text) else text


def _names_a_day(text: str) -> bool:
    """Whether `text` may name a day of the week: the short form of one is in it."""
    lowered = text.lower()
    return any(day in lowered for day in _SHORT)


def _kept(found: re.Match[str]) -> str:
    """What stands before the day."""
    return found[0][: found.start("day1" if found["day1"] else "day2") - found.start()]


def _start(task: Task, aim: Aim) -> str:
    """The day on which it begins: as required, else as what is to be changed has it."""
    places = [each.name for each in aim.record.fields if set(_DAYS) <= set(aim.domain.values(each.name))]
    given = [each.fields for each in task.given if each.record == aim.record.name] if aim.changes else []
    held: Sequence[Mapping[str, object]] = (aim.where, *(given if len(given) == 1 else ()))
    return next((str(each[name]) for each in held for name in places if str(each.get(name)) in _DAYS), "")


@lru_cache(maxsize=2)
def _ends(leaves: bool) -> re.Pattern[str]:
    return re.compile(_ENDS.replace("{leaves}", _LEAVES if leaves else ""), re.IGNORECASE)
