"""History: dated past sessions that show some of a person's tastes, and some of other people's, as plain data."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from duologue.profiles.drawing import Draws
from duologue.profiles.tastes import Taste
from duologue.profiles.voice import Kind, Note, Teller, Voice

__all__ = ["DAYS", "FIRST", "LEAST", "MOST", "history"]

FIRST = datetime.date(2024, 7, 1)
DAYS = 730
LEAST, MOST = 20, 60
"""How many sessions a person has."""
SHOWN = 0.49
"""The share of types whose every preference some session shows."""
EXPLICIT = 0.13
"""The share of shown preferences that the person names."""
STRANGE = (3, 6)
"""How many sessions, from and to, show what is not the person's taste."""
JOINING = ("implicit", "avoid")
"""The kinds of notes that may come together in a session."""
TOGETHER = 3
"""How many preferences one session shows at most."""


def history(tastes: Sequence[Taste], voices: Mapping[str, Voice], gender: str, draws: Draws) -> list[dict[str, Any]]:
    """The sessions of a person, the oldest first. What changed gets its `since` from the session that tells so."""
    teller = Teller(voices, gender, draws)
    shown = [taste for taste in tastes if taste.former or draws.unit() < SHOWN]
    notes = [note for taste in shown for note in _notes(taste, teller, draws)]
    notes += _strange(tastes, draws.between(*STRANGE), teller, draws)
    count = LEAST + int((MOST - LEAST + 1) * draws.unit() ** 2.6)
    while len(notes) < count:
        notes.append(_further(shown, tastes, teller, draws))
    sessions = _gathered(notes, count, draws)
    sessions.sort(key=_when)
    return [_told(session, teller) for session in sessions]


def _notes(taste: Taste, teller: Teller, draws: Draws) -> Iterator[Note]:
    """What shows each preference of `taste` once, and the former value before its update."""
    unit, type, named = draws.unit, taste.type, False
    for place, preference in enumerate(taste.held):
        value: str = preference["value"]
        if taste.former and not place:
            when = 0.52 + 0.47 * unit()
            yield Note(when * 0.95 * unit(), type, taste.former, "implicit", teller.hint(type, taste.former))
            kind: Kind = "changed" if unit() < EXPLICIT else "update"
            yield Note(when, type, value, kind, teller.hint(type, value), preference)
        elif "polarity" in preference:
            yield Note(unit(), type, value, "avoid", teller.hint(type, value))
        elif not named and unit() < EXPLICIT:
            named = True
            yield Note(unit(), type, value, "explicit")
        else:
            yield Note(unit(), type, value, "implicit", teller.hint(type, value))


def _strange(tastes: Sequence[Taste], count: int, teller: Teller, draws: Draws) -> list[Note]:
    """What the person did once for a reason, or did for somebody else."""
    found = (_untypical(taste, teller, draws) for taste in draws.several(tastes, count))
    return [note for note in found if note]


def _untypical(taste: Taste, teller: Teller, draws: Draws) -> Note | None:
    """Something that is not among what the person likes, unless everything is."""
    held = {preference["value"] for preference in taste.held}
    other = [value for value in taste.type.values if value not in held]
    if taste.former or not other:
        return None
    value = draws.one(other)
    hint = teller.hint(taste.type, value)
    return Note(draws.unit(), taste.type, value, "once" if draws.unit() < 0.5 else "other", hint) if hint else None


def _further(shown: Sequence[Taste], tastes: Sequence[Taste], teller: Teller, draws: Draws) -> Note:
    """One session more: what was shown already, seen from another side; else something strange, or nothing."""
    taste = draws.one(shown or tastes)
    first = taste.held[0]["value"]
    if not taste.former and shown and (hint := teller.hint(taste.type, first)):
        return Note(draws.unit(), taste.type, first, "implicit", hint)
    strange = _untypical(draws.one(tastes), teller, draws)
    return strange or Note(draws.unit(), taste.type, "", "idle")


def _gathered(notes: Sequence[Note], count: int, draws: Draws) -> list[list[Note]]:
    """The notes as about `count` sessions: some that merely show something of one domain come together."""
    sessions = [[note] for note in notes if note.kind not in JOINING]
    loose = sorted((note for note in notes if note.kind in JOINING), key=lambda note: note.when)
    spare = len(notes) - count
    chance = min(1.0, 2.0 * spare / len(loose)) if loose else 0.0
    last: dict[str, list[Note]] = defaultdict(list)
    for note in loose:
        open_session = last[note.type.domain]
        if open_session and _joins(note, open_session) and draws.unit() < chance:
            open_session.append(note)
        else:
            last[note.type.domain] = [note]
            sessions.append(last[note.type.domain])
    while len(sessions) > MOST:
        sessions.remove(next((s for s in reversed(sessions) if s[0].kind in ("once", "other", "idle")), sessions[-1]))
    return sessions


def _joins(note: Note, session: Sequence[Note]) -> bool:
    return len(session) < TOGETHER and all(note.type is not other.type for other in session)


def _when(session: Sequence[Note]) -> float:
    return session[0].when


def _told(session: Sequence[Note], teller: Teller) -> dict[str, Any]:
    date = _days()[int(session[0].when * DAYS)]
    if (preference := session[0].preference) is not None:
        preference["since"] = date.isoformat()
    return teller.session(session, date)


@cache
def _days() -> tuple[datetime.date, ...]:
    return tuple(FIRST + datetime.timedelta(days=day) for day in range(DAYS))
