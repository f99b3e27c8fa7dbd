"""Acts: what the user does in a turn, before it is put into words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from duologue.agents.agenda.known import Known
from duologue.agents.events import Disclosure

__all__ = ["Act", "Taste", "Turn", "disclosed"]

Kind = Literal[
    "open", "restate", "inform", "mend", "taste", "no_taste", "not_mine", "accept", "choose", "go_ahead",
    "reject", "insist", "undo", "check", "vague", "next", "press", "another", "wait", "hear_again", "leave_open",
    "named", "nothing_special", "of_itself", "private", "fine", "nudge", "retry", "confirm", "unknown", "done_yet",
    "close", "give_up",
]  # fmt: skip
How = Literal["unasked", "asked", "corrected"]


@dataclass(frozen=True, slots=True)
class Taste:
    """What the user says of one preference type."""

    domain: str
    type: str
    likes: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the user does. Only the fields that its kind needs are filled."""

    kind: Kind
    facts: tuple[Known, ...] = ()
    tastes: tuple[Taste, ...] = ()
    how: How = "asked"
    names: tuple[str, ...] = ()
    """An entity, the types that it is all the same about, what was wrong, or the things still open."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The (domain, type) pairs that an act without a taste settles; for what is left, the (thing, fact) pairs that set
    it apart."""
    more: bool = False
    """Whether more acts of the kind came before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user does in one turn, and whether it is the last."""

    acts: tuple[Act, ...]
    stop: Literal["", "satisfied", "gave_up"] = ""


def disclosed(turn: Turn) -> Iterator[Disclosure]:
    """What a turn lets out, each value once."""
    seen: set[tuple[str, str, str]] = set()
    for act in turn.acts:
        for fact in act.facts:
            if ("", fact.name, "") not in seen:
                seen.add(("", fact.name, ""))
                value = str(fact.value)
                yield Disclosure(what="fact", type=fact.name, value=value, how=act.how, source="exact")
        for taste in act.tastes:
            for value in (*taste.likes, *taste.avoids):
                if (taste.domain, taste.type, value) not in seen:
                    seen.add((taste.domain, taste.type, value))
                    yield Disclosure(
                        what="preference",
                        domain=taste.domain,
                        type=taste.type,
                        value=value,
                        how=act.how,
                        source="exact",
                    )
