"""Sentences in which a persona speaks of itself, with what happened to them on their way repaired."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from duologue.profiles.imports.person import DOMAIN, TASTE, told
from duologue.tasks.personalens import Note

__all__ = ["Stated", "persona", "sound", "stated"]

_BARE = (
    (
        re.compile(r"(?i)\b((?:do|does|did|is|are|was|were|have|has|had|could|would|should|ca)n) ?t\b"),
        r"\1't",
    ),
    (re.compile(r"\b(won) t\b", re.IGNORECASE), r"\1't"),
    (re.compile(r"\b(i)(?: (m|ve|ll|d)|(m|ve))\b", re.IGNORECASE), lambda m: f"{m[1]}'{m[2] or m[3]}"),
    (re.compile(r"\b(you|they|we) (re|ve|ll)\b", re.IGNORECASE), r"\1'\2"),
    (re.compile(r"(?<=[a-z]) s\b", re.IGNORECASE), "'s"),
)
"""Contractions that lost their apostrophe, but for those that are words of their own without it, such as `wont`."""
_GAP = re.compile(r"\s+(?=[.,!?;:](?:\s|$))")
_SLOT = re.compile(r"\[[^\[\]\n]{1,60}\]|\{[^{}\n]{1,60}\}")
_LIKES = r"like|love|enjoy|adore|prefer"
_AVOIDS = r"hate|dislike|detest|despise|avoid|(?:do not|don't|does not|doesn't) (?:like|enjoy)|(?:cannot|can't) stand"
_STATED = re.compile(
    rf"(?:(?:i|the user|user) )?(?:(?:really|also|absolutely|just|especially) )*"
    rf"(?:(?P<likes>(?:{_LIKES})s?)|(?P<avoids>(?:{_AVOIDS})s?)) (?P<value>.+?)[\s.!]*",
    re.IGNORECASE | re.DOTALL,
)
_TURN = re.compile(
    r"\b(but|although|though|except|unless|instead|and (?:i|hate|dislike|love|like|enjoy))\b", re.IGNORECASE
)
"""Words after which a sentence may say the contrary: such a sentence is not taken apart."""
LONGEST = 400
"""Letters of a sentence that is taken apart: a longer one says more than one thing."""


class Stated(NamedTuple):
    """A preference that a sentence states."""

    polarity: str
    value: str


def stated(sentence: str) -> Stated | None:
    """What a sentence says outright to like or dislike, if that is all it says."""
    found = _STATED.fullmatch(sentence.strip()) if len(sentence) <= LONGEST else None
    if found is None or _TURN.search(found["value"]):
        return None
    return Stated("likes" if found["likes"] else "avoids", found["value"])


def sound(text: Any, notes: list[Note]) -> str:
    """`text` without faults; empty where it says nothing that can be used. Adds what was repaired or dropped."""
    if not isinstance(text, str):
        notes.append(Note("dropped", "sentences that are no text", repr(text)))
        return ""
    plain = " ".join(text.split())
    if _SLOT.search(plain):
        notes.append(Note("dropped", "sentences with a slot that nobody filled", plain))
        return ""
    closed = _GAP.sub("", plain)
    if closed != plain:
        notes.append(Note("repaired", "blanks before full stops and commas"))
    whole = closed
    for bare, written in _BARE:
        whole = bare.sub(written, whole)
    if whole != closed:
        notes.append(Note("repaired", "apostrophes that were deleted", f"{closed!r} is {whole!r}"))
    return whole if any(map(str.isalnum, whole)) else ""


def persona(sentences: Iterable[Any], notes: list[Note]) -> dict[str, Any] | None:
    """Profile data from such sentences: preferences where they state some, else history; None where nothing is left."""
    tastes: dict[str, Stated] = {}
    history: list[dict[str, str]] = []
    for sentence in dict.fromkeys(filter(None, (sound(each, notes) for each in sentences))):
        if (taste := stated(sentence)) is None:
            history.append(told(sentence))
        elif tastes.setdefault(taste.value.casefold(), taste).polarity != taste.polarity:
            notes.append(Note("dropped", "preferences that gainsay an earlier one", sentence))
    notes.append(Note("read", "preferences", number=len(tastes)))
    notes.append(Note("read", "persona sentences kept as history", number=len(history)))
    held = [taste._asdict() for taste in tastes.values()]
    found = {"preferences": {DOMAIN: {TASTE: held}} if held else {}, "history": history}
    return found if held or history else None
