"""Heard: what one turn of the assistant says, as `hearing.hear` finds it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from duologue.agents.agenda.claims import Deed
from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.lexicon import Subject
from duologue.agents.agenda.plain import plainly
from duologue.agents.agenda.signs import Mood, listed_names

__all__ = ["Heard", "Mode", "Named", "Offer", "Report"]

Mode = Literal["stated", "offered", "reported", "asked", "denied", "unavailable"]
"""How a thing is named. `denied` is "no Thai place"; `unavailable` cannot be had."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity or a value that a turn names."""

    kind: Literal["entity", "value"]
    domain: str
    key: str
    """The attribute or field; the kind of entity for an entity."""
    value: str
    """The entity's name, or the value."""
    clause: int
    quote: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class Offer:
    """An entity that a turn puts forward, with the values that it is said to have, by key."""

    domain: str
    entity: str
    clause: int
    values: tuple[tuple[str, str], ...] = ()
    available: bool = True

    def said_of(self, key: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.values if name == key)


@dataclass(frozen=True, slots=True)
class Report:
    """Something that a turn says has been done. `done` is a deed that it does not name, such as "all set"."""

    deed: Deed
    clause: int
    end: int
    """The clause after the last one that tells of it."""
    quote: str
    topics: frozenset[tuple[str, str]] = frozenset()
    """The (domain, kind of record) pairs that it is about as far as its words tell; the kind may be empty."""


@dataclass(frozen=True)
class Heard:
    """What one turn of the assistant says."""

    clauses: tuple[Clause, ...] = ()
    bare: tuple[Clause, ...] = ()
    """The same with the names of entities out of the way."""
    moods: tuple[Mood, ...] = ()
    """Of each clause."""
    named: tuple[Named, ...] = ()
    asked: tuple[Subject, ...] = ()
    """What it asks about, in the order asked."""
    suggested: tuple[Named, ...] = ()
    """Values that its questions name: "Thai or Italian?"."""
    at_large: bool = False
    """It asks for preferences without saying which."""
    puzzling: tuple[str, ...] = ()
    """Questions about nothing that is known here."""
    offers: tuple[Offer, ...] = ()
    reports: tuple[Report, ...] = ()

    @cached_property
    def plain(self) -> tuple[Clause, ...]:
        """The bare clauses in plain, as facts are looked for in them."""
        return tuple(map(plainly, self.bare))

    @property
    def empty(self) -> bool:
        return not self.clauses

    @cached_property
    def go_ahead(self) -> bool:
        """It asks whether to go on, or whether something is right."""
        return any(mood.go_ahead for mood in self.moods)

    @cached_property
    def choose(self) -> bool:
        """It asks to pick one of what it offers."""
        return not self.reports and any(mood.choose for mood in self.moods)

    @cached_property
    def refuses(self) -> bool:
        """It says that it cannot or will not do it."""
        return any(mood.refuses for mood in self.moods)

    @cached_property
    def lacking(self) -> bool:
        """It says that there is nothing of the kind, or nothing free."""
        return any(mood.lacking for mood in self.moods)

    @cached_property
    def anything_else(self) -> bool:
        """It asks what more there is to do, or takes its leave."""
        return any(mood.anything_else for mood in self.moods)

    @cached_property
    def waits(self) -> bool:
        """It says that it is about to do something, or asks for a moment."""
        return any(mood.waits for mood in self.moods)

    @cached_property
    def unavailable(self) -> tuple[str, ...]:
        """Entities that it says cannot be had."""
        gone = (each.value for each in self.named if each.kind == "entity" and each.mode == "unavailable")
        return tuple(dict.fromkeys(gone))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What a list offers by names that are in no catalogue."""
        return () if self.offers else tuple(listed_names(self.clauses))
