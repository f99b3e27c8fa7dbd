"""A row of PersoBench, and what makes one unfit."""

from typing import Literal, NamedTuple

__all__ = ["Annotation", "PersonaOf", "Row", "Turn", "Unfit", "checked", "clean"]

PersonaOf = Literal["responder", "interlocutor", "both"]
Annotation = Literal["faithful", "corrected"]


class Unfit(ValueError):
    """A row that cannot be used; the message says why."""


class Turn(NamedTuple):
    """Something said by `User1` or `User2`."""

    speaker: str
    text: str


class Row(NamedTuple):
    """One reply to be given. `speaker` gives it; `reply` is what was said in the data."""

    id: str
    persona: tuple[str, ...]
    """Its sentences."""
    persona_of: PersonaOf
    """Whose the persona is."""
    context: tuple[Turn, ...]
    speaker: str
    reply: str
    surfacing: tuple[str, ...] = ()
    """The sentences of the persona that the reply uses, where the data name them."""
    shown: tuple[str, ...] = ()
    """The persona as the model is shown it, where that is not sentence by sentence."""
    told_of: PersonaOf | str = ""
    """As whose the persona is shown; empty where that is not told."""

    @property
    def cluster(self) -> str:
        """What rows of the same persona share."""
        return "\n".join(self.persona)


def checked(row: Row) -> Row:
    """The row, without sentences of the persona that say nothing. Raises Unfit where something else is empty."""
    persona = tuple(filter(None, row.persona))
    if not persona:
        raise Unfit("it has no persona")
    if not row.context:
        raise Unfit("it has no context")
    if not all(turn.text for turn in row.context):
        raise Unfit("it has a turn without text")
    if not row.reply:
        raise Unfit("it has no reply")
    return row._replace(persona=persona)


def clean(text: str) -> str:
    """The text with single spaces for all white space."""
    return " ".join(text.split())
