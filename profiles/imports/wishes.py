"""Preferences that a source states as such, whatever their wording: held as a like or as something to avoid."""

from typing import Any

from duologue.profiles.imports.sentences import Stated, stated
from duologue.tasks.personalens import Note

__all__ = ["wish"]


def wish(sentence: str, notes: list[Note], sensitive: bool = False) -> dict[str, Any]:
    """`sentence` as preference data. What does not begin with a liking or a dislike is held whole, to be heeded."""
    notes.append(Note("read", "preferences"))
    plain = " ".join(sentence.split())
    found = stated(plain)
    if found is None:
        notes.append(Note("kept", "preferences that are no plain like or dislike (held whole)", plain))
        found = Stated("likes", f"this to be heeded: {plain}")
    return found._asdict() | ({"sensitive": True} if sensitive else {})
