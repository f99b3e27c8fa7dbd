"""Moments: days, clock times and dates as people write them. Pure."""

import calendar
import re
from functools import lru_cache

__all__ = ["clocks", "dates", "days", "is_day"]


def is_day(text: str) -> bool:
    """Whether `text` is a day of the week, or several known by one word."""
    return text in ("weekdays", "weekends", "every day") or _DAY.fullmatch(text) is not None


def days(text: str) -> list[str]:
    """The days of the week that `text` names, short forms only where they are capitalised."""
    found = [_DAYS[(each[1] or each[2]).lower()[:3]] for each in _DAY.finditer(text)]
    if _WORKDAYS.search(text):
        found.append("weekdays")
    if re.search(r"\bweekends?\b", text, re.IGNORECASE):
        found.append("weekends")
    if re.search(r"\b(?:every ?day|daily|each day)\b", text, re.IGNORECASE):
        found.append("every day")
    return list(dict.fromkeys(found))


def clocks(text: str) -> list[frozenset[int]]:
    """The clock times that `text` names, in minutes since midnight: both halves of the day where it does not say."""
    found: list[frozenset[int]] = []
    for each in _CLOCK.finditer(text):
        hour, minute, half = int(each["h"] or each["hh"]), int(each["m"] or 0), (each["half"] or each["half2"] or "")
        found.append(_minutes(hour, minute, half.replace(".", "").strip().lower()))
    for each in _SPOKEN.finditer(text.lower()):
        hour = _HOURS.get(each["hour"]) or int(each["hour"])
        shift = {"half past": 30, "quarter past": 15, "quarter to": -15}[each["way"]]
        found.append(frozenset((minutes + shift) % 1440 for minutes in _minutes(hour, 0, "")))
    lowered = text.lower()
    if re.search(r"\b(?:noon|midday)\b", lowered):
        found.append(frozenset({720}))
    if "midnight" in lowered:
        found.append(frozenset({0}))
    return found


def dates(text: str) -> list[tuple[int, int]]:
    """The (month, day) pairs that `text` names; month 0 where it gives the day of the month alone."""
    found = [(int(each[2]), int(each[3])) for each in _ISO.finditer(text)]
    for each in _DATE.finditer(text.lower()):
        month = _MONTHS[(each["m1"] or each["m2"])[:3]]
        found.append((month, int(each["d1"] or each["d2"])))
    if not found:
        found = [(0, int(each[1])) for each in _ORDINAL.finditer(text.lower())]
    return found


@lru_cache(maxsize=4096)
def _minutes(hour: int, minute: int, half: str) -> frozenset[int]:
    if half.startswith("a"):
        return frozenset({hour % 12 * 60 + minute})
    if half.startswith("p"):
        return frozenset({(hour % 12 + 12) * 60 + minute})
    if hour >= 12 or hour == 0:
        return frozenset({hour * 60 + minute})
    return frozenset({hour % 24 * 60 + minute, (hour % 12 + 12) * 60 + minute, hour % 12 * 60 + minute})


_DAYS = {name.lower()[:3]: name for name in calendar.day_name}
_DAY = re.compile(
    r"\b((?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:s|'s)?\b"
    r"|\b(?:on|for|this|next) (mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"
)
_WORKDAYS = re.compile(
    r"\b(?:weekdays?|work(?:ing)? ?days?)\b|\bmon(?:day)?s?\s*(?:-|–|—|to|through|thru|until)\s*fri(?:day)?s?\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?:(?P<h>[01]?\d|2[0-4])[:.h](?P<m>[0-5]\d)(?!\d)\s*(?P<half>[ap]\.?m\b)?"
    r"|(?P<hh>1[0-2]|0?[1-9])\s*(?P<half2>[ap]\.?m\b))",
    re.IGNORECASE,
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOURS = {word: number for number, word in enumerate(_NUMBERS, 1)}
_SPOKEN = re.compile(rf"\b(?P<way>half past|quarter past|quarter to) (?P<hour>{'|'.join(_HOURS)}|1[0-2]|[1-9])\b")
_MONTHS = {name.lower()[:3]: number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "(?:" + "|".join(f"{name.lower()}|{name.lower()[:3]}" for name in calendar.month_name if name) + "|sept)"
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\b"
)
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
