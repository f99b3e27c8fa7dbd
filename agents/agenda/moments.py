"""Moments: days, clock times and dates as people write them. Pure."""

import calendar
import re
from functools import lru_cache

__all__ = ["clocks", "dates", "days", "is_day"]


def is_day(text: str) -> bool:
    """Whether `text` is a day of the week, or several known by one word."""
    return text in ("weekdays", "weekends", "every day") or _DAY.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def days(text: str) -> tuple[str, ...]:
    """The days of the week that `text` names, short forms only where they are capitalised."""
    lowered = text.lower()
    if not any(mark in lowered for mark in _OF_DAYS):
        return ()
    found = [_DAYS[(each[1] or each[2]).lower()[:3]] for each in _DAY.finditer(text)]
    if _WORKDAYS.search(text):
        found.append("weekdays")
    if _WEEKENDS.search(text):
        found.append("weekends")
    if _DAILY.search(text):
        found.append("every day")
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def clocks(text: str) -> tuple[frozenset[int], ...]:
    """The clock times that `text` names, in minutes since midnight: both halves of the day where it does not say."""
    found: list[frozenset[int]] = []
    for each in _CLOCK.finditer(text):
        hour, minute = int(each["h"] or each["hh"]), int(each["m"] or 0)
        found.append(_minutes(hour, minute, _half(each["half"] or each["half2"] or each["part"])))
    lowered = text.lower()
    found += [_spoken(each) for each in _SPOKEN.finditer(lowered)]
    found += [_read_out(each) for pattern in (_READ_OUT, _FULL) for each in pattern.finditer(lowered)]
    if re.search(r"\b(?:noon|midday)\b", lowered):
        found.append(frozenset({720}))
    if "midnight" in lowered:
        found.append(frozenset({0}))
    return tuple(found)


@lru_cache(maxsize=4096)
def dates(text: str) -> tuple[tuple[int, int], ...]:
    """The (month, day) pairs that `text` names; month 0 where it gives the day of the month alone."""
    found = [(int(each[2]), int(each[3])) for each in _ISO.finditer(text)]
    for each in _DATE.finditer(text.lower()):
        month = _MONTHS[(each["m1"] or each["m2"])[:3]]
        found.append((month, int(each["d1"] or each["d2"])))
    if not found:
        found = [(0, int(each[1])) for each in _ORDINAL.finditer(text.lower())]
    return tuple(found)


def _spoken(found: re.Match[str]) -> frozenset[int]:
    """ "Ten past ten", "quarter to nine in the evening", "half six"."""
    shift = _SHIFTS.get(found["minutes"] or "half past") or int(found["minutes"])
    way = -1 if found["way"] in ("to", "before", "till", "of") else 1
    hours = _minutes(_hour(found["hour"]), 0, _half(found["part"]))
    return frozenset((minutes + way * shift) % 1440 for minutes in hours)


def _read_out(found: re.Match[str]) -> frozenset[int]:
    """ "At six fifteen", "seven o'clock", "eight in the evening"."""
    minute = _READ[found["minute"]] if found.re is _READ_OUT else 0
    return _minutes(_hour(found["hour"]), minute, _half(found["part"]))


def _hour(word: str) -> int:
    return _HOURS.get(word) or int(word)


def _half(said: str | None) -> str:
    """The half of the day that some words tell, "am" or "pm"; empty where they tell none."""
    plain = (said or "").replace(".", "").strip().lower()
    if "morning" in plain:
        return "am"
    return "pm" if any(part in plain for part in ("afternoon", "evening", "night")) else plain


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
_OF_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun", "week", "work", "every", "daily", "each")
"""One of these is in whatever names a day."""
_DAY = re.compile(
    r"\b((?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat"
    r"|Sun)(?:s|'s)?\b"
    r"|\b(?:on|for|this|next) (mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"
)
_WORKDAYS = re.compile(
    r"(?<!which )(?<!what )(?<!particular )(?<!a )\b(?:weekdays?|work(?:ing)? ?days?)\b|\bmon(?:day)?s?\s*(?:-"
    r"|–|—|to|through|thru|until)\s*fri(?:day)?s?\b",
    re.IGNORECASE,
)
_WEEKENDS = re.compile(r"\bweekends?\b", re.IGNORECASE)
_DAILY = re.compile(r"\b(?:every ?day|daily|each day)\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?:(?P<h>[01]?\d|2[0-4])[:.h](?P<m>[0-5]\d)(?!\d)(?:\s*(?P<half>[ap]\.?m\b)"
    r"|\s+(?P<part>in the (?:morning|afternoon|evening)|at night))?"
    r"|(?P<hh>1[0-2]|0?[1-9])\s*(?P<half2>[ap]\.?m\b))",
    re.IGNORECASE,
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOURS = {word: number for number, word in enumerate(_NUMBERS, 1)}
_HOUR = rf"(?:{'|'.join(_HOURS)}|1[0-2]|[1-9])"
_PART = r"(?:,? ?(?P<part>in the (?:early )?(?:morning|afternoon|evening)|at night|[ap]\.?m\b))"
_COUNTED = (
    r"(?!\s*(?:[:.]\d|people|persons?|guests?|of (?:you|us)|minutes?|hours?|days?|weeks?|nights?|euros?|years?"
    r"|tickets?"
    r"|seats?|travell?ers?|percent|%|€))"
)
_SHIFTS = {
    "half": 30, "half past": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25,
    "twenty five": 25,
}  # fmt: skip
_SPOKEN = re.compile(
    rf"\b(?:(?P<minutes>half|a quarter|quarter|twenty[- ]five|twenty|ten|five|[1-5]?\d)(?: minutes?)?"
    rf" (?P<way>past|to|after|before|till)|half) (?P<hour>{_HOUR})\b{_COUNTED}{_PART}?"
)
"""Half six is half past six."""
_READ = {"fifteen": 15, "thirty": 30, "forty-five": 45, "forty five": 45, "twenty": 20, "forty": 40, "fifty": 50,
         "oh five": 5, "o five": 5, "15": 15, "30": 30, "45": 45}  # fmt: skip
_READ_OUT = re.compile(
    rf"\b(?:at|from|until|till|to|by|for|is) (?P<hour>{_HOUR}) (?P<minute>{'|'.join(_READ)})\b{_COUNTED}{_PART}?"
)
_FULL = re.compile(
    rf"(?<!past )(?<!to )(?<!half )(?<!for )(?<![:.])\b(?P<hour>{_HOUR}) (?:o'?clock\b{_COUNTED}|(?=in the"
    rf"|at night)){_PART}?"
)
_MONTHS = {name.lower()[:3]: number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "(?:" + "|".join(f"{name.lower()}|{name.lower()[:3]}" for name in calendar.month_name if name) + "|sept)"
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\b"
)
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
