"""What a format's module gives of each row: a person, and what was found on the way."""

from typing import Any, NamedTuple

from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["DOMAIN", "TALK", "TASTE", "Person", "Read", "told"]

DOMAIN = "Persona"
"""The domain that holds whatever a persona says of itself: the sources know no domains."""
TASTE = "taste"
"""The preference type of what somebody says to like or dislike where the source names no type."""
TALK = "turns of dialogues (held with another person, and a history is with an assistant)"
"""Why chats between two people are no history of either."""


class Person(NamedTuple):
    """Somebody that a row tells of. Without `data` nothing is said of them."""

    where: str
    id: str
    data: dict[str, Any] | None
    notes: list[Note]


Read = Person | list[Note] | BadInput
"""What a row tells of: somebody; nobody, only what was found in it; or why it cannot be read."""


def told(text: str) -> dict[str, str]:
    """What a person said or is said to be, as a session of the history."""
    return {"domain": DOMAIN, "summary": text}
