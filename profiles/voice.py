"""How past sessions are told: a clause that shows a preference, put into one of many sentences."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from duologue.profiles.drawing import Draws
from duologue.profiles.tastes import Tasting
from duologue.tasks.domain import Domain
from duologue.tasks.noun import article
from duologue.tasks.saying import filled
from duologue.tasks.written import read_toml

__all__ = ["Kind", "Note", "Teller", "Voice", "voice"]

Kind = Literal["implicit", "explicit", "update", "changed", "avoid", "once", "other", "idle"]

EVIDENCE = {
    "implicit": "implicit",
    "explicit": "explicit",
    "update": "update",
    "changed": "update",
    "avoid": "implicit",
    "once": "distractor",
    "other": "distractor",
}
PARTS = ("early in", "in the middle of", "late in")
TRIES = 20
"""How often another sentence is sought for one that was told already."""
SECOND = ("second", "third")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CALLED = {
    "user": {"who": "the user", "Who": "The user", "own": "their", "whom": "the user"},
    "she": {"who": "she", "Who": "She", "own": "her", "whom": "her"},
    "he": {"who": "he", "Who": "He", "own": "his", "whom": "him"},
}
"""How a person is called: as subject, within a sentence and at its head, whose, as object."""
SUBJECTS = {"woman": ("user", "she"), "man": ("user", "he")}


@dataclass(frozen=True, slots=True)
class Voice:
    """How sessions of one domain are told: by how the person is called, the sentences that show something."""

    implicit: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class Note:
    """One thing that a session shows: when in the history (0 to 1), of which type, and how."""

    when: float
    type: Tasting
    value: str
    kind: Kind
    hint: str = ""
    preference: dict[str, Any] | None = None
    """The preference that holds since then."""


class Teller:
    """Tells one person's sessions, no clause twice."""

    def __init__(self, voices: Mapping[str, Voice], gender: str, draws: Draws) -> None:
        self._voices = voices
        self._subjects = SUBJECTS.get(gender, ("user",))
        self._draws = draws
        self._told: set[str] = set()

    def hint(self, type: Tasting, value: str) -> str:
        """A clause that shows `value` and was not told yet; empty where all were."""
        hints = type.hints[value]
        start = int(self._draws.unit() * len(hints))
        for place in range(len(hints)):
            hint = hints[start - place]
            if hint not in self._told:
                self._told.add(hint)
                return hint
        return ""

    def session(self, notes: Sequence[Note], date: datetime.date) -> dict[str, Any]:
        """The session that shows `notes`, which are of one domain, as plain data."""
        note = notes[0]
        key, turns = self._way(note)
        for _ in range(TRIES):
            summary = self._first(note, key, date)
            if summary not in self._told:
                break
        self._told.add(summary)
        for place, further in enumerate(notes[1:]):
            known = phrases(self._draws.one(self._subjects))
            form = self._draws.one(known["second_avoid" if further.kind == "avoid" else SECOND[place]])
            summary += " " + form.replace("{hint}", further.hint)
        session: dict[str, Any] = {"date": date.isoformat(), "domain": note.type.domain, "summary": summary}
        if turns:
            session["turns"] = turns
        if note.kind != "idle":
            session["evidence"] = [_evidence(note) for note in notes]
        return session

    def _first(self, note: Note, key: str, date: datetime.date) -> str:
        """The sentence for `note`, one of those that stand under `key`."""
        who = self._draws.one(self._subjects)
        form = self._draws.one(self._voices[note.type.domain].implicit[who] if key == "implicit" else phrases(who)[key])
        sentence = form.replace("{hint}", note.hint)
        if "{" not in sentence:
            return sentence
        words = {"type": f"the {note.type.name}", "say": _said(note)}
        if key in ("once", "other"):
            words["reason"], words["person"] = (self._draws.one(phrases(who)[part]) for part in ("reasons", "people"))
            words["Person"] = _capital(words["person"])
        sentence = _put(sentence, words)
        return _put(sentence, _time(date)) if "{" in sentence else sentence

    def _way(self, note: Note) -> tuple[str, list[dict[str, str]]]:
        """Under which head the phrases for `note` stand, and what was said word for word."""
        if note.kind == "explicit":
            if self._draws.unit() < 0.5:
                return "asked", [_turn("assistant", note.type.ask), _turn("user", f"{_capital(_said(note))}.")]
            return "outright", []
        if note.kind == "changed":
            words = self._draws.one(phrases("user")["changed_words"])
            return "changed_mind", [_turn("user", words.format(say=_said(note)))]
        return note.kind, []


def voice(domain: Domain) -> Voice:
    """How sessions of `domain` are told."""
    plural = domain.entity.plural.replace("_", " ") if domain.entity else ""
    record = domain.records[0].name.replace("_", " ") if domain.records else ""
    words = {"plural": plural, "record": f"{article(record)} {record}"}
    parts = ("plain", *(["entity"] if plural else ()), *(["record"] if record else ()))
    return Voice({who: tuple(_put(told, words) for part in parts for told in phrases(who)[part]) for who in CALLED})


@cache
def phrases(who: str) -> Mapping[str, tuple[str, ...]]:
    """The sentences to fill in, by what they tell, about a person who is called so."""
    known = read_toml(files("duologue.profiles") / "phrases.toml")
    return {key: tuple(_put(told, CALLED[who]) for told in part) for key, part in known.items()}


def _put(text: str, words: Mapping[str, str]) -> str:
    """`text` with each word in its place."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def _said(note: Note) -> str:
    """The preference as the person says it."""
    return filled(note.type.say, note.value)


def _time(date: datetime.date) -> dict[str, str]:
    month = MONTHS[date.month - 1]
    season = f"{PARTS[min(date.day // 11, 2)]} {month}"
    day = {"weekday": WEEKDAYS[date.weekday()], "date": f"{date.day} {month} {date.year}"}
    return {"season": season, "Season": _capital(season), **day}


def _evidence(note: Note) -> dict[str, str]:
    return {"type": note.type.name, "value": note.value, "kind": EVIDENCE[note.kind]}


def _turn(role: str, text: str) -> dict[str, str]:
    return {"role": role, "text": text}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
