"""PersonaLens' situations in our own words, whatever brackets, clocks or examples they come with."""

import re
from functools import lru_cache
from typing import Any

from duologue.tasks.personalens import Note
from duologue.tasks.task import Situation
from duologue.tasks.written import parse

__all__ = ["read_situation"]

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TIMES = {
    "morning": "morning midmorning dawn sunrise breakfast",
    "noon": "noon midday lunch lunchtime",
    "afternoon": "afternoon midafternoon",
    "evening": "evening dusk sunset dinner",
    "night": "night midnight overnight tonight",
}
HOURS = ((5, "night"), (12, "morning"), (14, "noon"), (18, "afternoon"), (22, "evening"), (24, "night"))
DEVICES = {"smartphone": "phone", "mobile phone": "phone", "mobile": "phone", "pc": "computer"}
SITUATION = ("Location", "Device", "Time of Day", "Day of the Week", "Environment")


def read_situation(data: Any) -> tuple[Situation, tuple[Note, ...]]:
    """The situation that a task file gives, in our own words for times, days and devices; the location is free text."""
    if not isinstance(data, dict):
        return Situation(), (Note("kept", "scenarios without a situation"),)
    texts = [data[key] if isinstance(data.get(key), str) else "" for key in SITUATION]
    situation, notes = _situation(*texts)
    unread = tuple(Note("dropped", "unknown situation keys", repr(key)) for key in data if key not in SITUATION)
    return situation, notes + unread


@lru_cache(maxsize=4096)
def _situation(*texts: str) -> tuple[Situation, tuple[Note, ...]]:
    """Situations are shared: most users find themselves in the same few."""
    bare = [_bare(text) for text in texts]
    location, device, time, day, surroundings = bare
    notes = [
        Note("repaired", f"situation values {'in brackets or other marks' if new else 'that say nothing'}", repr(old))
        for old, new in zip(texts, bare, strict=True)
        if old.strip() != new
    ]
    time_of_day, time_note = _mapped(time, _time(time), "times of day")
    weekday, day_note = _mapped(day, _day(day), "days of the week")
    if not weekday and (weekday := _day(time)):
        notes.append(Note("repaired", "days of the week taken from the time of day", repr(time)))
    return parse(
        Situation,
        {
            "location": location,
            "device": DEVICES.get(device.casefold(), device.casefold()),
            "time_of_day": time_of_day,
            "day": weekday,
            "surroundings": surroundings[:1].lower() + surroundings[1:],
        },
        "situations",
    ), (*notes, *time_note, *day_note)


def _bare(text: str) -> str:
    bare = text.strip(" \t\n[]*_\"'`")
    return "" if bare.casefold() in ("n/a", "none", "any") else bare


def _time(text: str) -> str:
    """The first time of day that `text` names, by word or by clock; empty where it names none."""
    folded = text.casefold()
    if clock := re.search(r"\b(\d{1,2})(?::\d\d)?\s*([ap])\.?m\b|\b([01]?\d|2[0-3]):\d\d\b", folded):
        hour = int(clock[3]) if clock[3] else int(clock[1]) % 12 + 12 * (clock[2] == "p")
        return next(time for until, time in HOURS if hour < until)
    words = re.findall(r"[a-z]+", folded)
    named = [time for word in words for time, names in TIMES.items() if word in names.split()]
    return named[0] if named else ""


def _day(text: str) -> str:
    folded = text.casefold()
    found = [(folded.index(day.casefold()), day) for day in DAYS if day.casefold() in folded]
    if found:
        return min(found)[1]
    return next((kind for kind in ("weekday", "weekend") if kind in folded), "")


def _mapped(text: str, known: str, what: str) -> tuple[str, list[Note]]:
    """The known word for `text`, or `text` as it is; a note where that is more than a change of case."""
    if not text or text.casefold() == known.casefold():
        return known, []
    if known:
        return known, [Note("repaired", f"{what} in other words", f"{text!r} is {known}")]
    return text, [Note("kept", f"{what} in words of their own", repr(text))]
