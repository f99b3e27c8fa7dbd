"""Figures of a dataset's profiles: how even the tastes are, how much the history gives away, and what is missing."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log

from duologue.profiles.finding import Bounded
from duologue.profiles.profile import Preference, Profile
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.written import Written

__all__ = ["BOUNDED_FROM", "Figures", "Figuring", "TypeFigures"]

EVENNESS, MODAL_SHARE, LEAKAGE = 0.85, 0.5, 0.25
FEW = 4
"""From so many values on, no value may be liked by more than the greatest modal share."""
BOUNDED_FROM = 100
"""From so many profiles on, figures are held to their bounds: fewer are too few to be even."""


class TypeFigures(Written):
    """What people hold of one preference type."""

    domain: str
    type: str
    values: int
    holders: int
    evenness: float | None
    """Shannon entropy of the liked values over its greatest possible one; None for open types and single values."""
    modal: str
    modal_share: float
    """Of the people who like anything, the share that likes the most liked value."""
    shown: float
    """Of the people who hold the type, the share whose history shows something of it."""
    unheld: tuple[str, ...]
    """Values that nobody likes."""


class Figures(Written):
    """What a dataset's profiles are like, all together and type by type."""

    profiles: int
    preferences: int
    changed_types: float
    sensitive: float
    avoided: float
    sessions: tuple[int, float, int]
    """The fewest, the mean and the most of a person."""
    evidence: dict[str, int]
    leaked: float
    contradictions: int
    types: tuple[TypeFigures, ...]
    lacking: tuple[str, ...]
    """What is missing, a line each."""

    def bounds(self) -> tuple[Bounded, ...]:
        """The figures that must keep to a bound; those of few profiles need not."""
        even = [each for each in self.types if each.evenness is not None]
        least = min(even, key=lambda each: each.evenness or 0.0, default=None)
        many = [each for each in even if each.values >= FEW]
        greatest = max(many, key=lambda each: each.modal_share, default=None)
        found = []
        if least:
            name = f"{least.evenness:.2f} ({least.domain}: {least.type})"
            found.append(("least evenness", name, f"at least {EVENNESS}", (least.evenness or 0.0) >= EVENNESS))
        if greatest:
            name = f"{greatest.modal_share:.0%} ({greatest.domain}: {greatest.type}, {greatest.modal})"
            met = greatest.modal_share <= MODAL_SHARE
            found.append(("greatest modal share", name, f"at most {MODAL_SHARE:.0%}", met))
        leaked = f"{self.leaked:.1%} of the values stand word for word in the history"
        found.append(("leakage", leaked, f"at most {LEAKAGE:.0%}", self.leaked <= LEAKAGE))
        found.append(("contradictions", str(self.contradictions), "none", not self.contradictions))
        if self.profiles < BOUNDED_FROM:
            return tuple(Bounded(name=name, value=value) for name, value, _, _ in found)
        found.append(("missing", "; ".join(self.lacking) or "nothing", "nothing", not self.lacking))
        return tuple(Bounded(name=name, value=value, bound=bound, met=met) for name, value, bound, met in found)

    def met(self) -> bool:
        """Whether no bound is broken."""
        return all(bounded.met is not False for bounded in self.bounds())


@dataclass(slots=True)
class _Count:
    holders: int = 0
    likers: int = 0
    shown: int = 0
    liked: Counter[str] = field(default_factory=Counter)


class Figuring:
    """Adds profiles up, one at a time."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self._domains = domains
        self._counts: dict[tuple[str, str], _Count] = {}
        self._sessions: list[int] = []
        self._evidence: Counter[str] = Counter()
        self._marks: Counter[str] = Counter()

    def add(self, profile: Profile) -> None:
        """Counts one profile."""
        shown = {(each.domain, each.type) for session in profile.history for each in session.evidence}
        told = _told(profile)
        for domain, types in profile.preferences.items():
            for type, held in types.items():
                count = self._counts.setdefault((domain, type), _Count())
                liked = {preference.value for preference in held if preference.polarity == "likes"}
                count.holders += 1
                count.likers += bool(liked)
                count.shown += (domain, type) in shown
                count.liked.update(liked)
                self._marks["types"] += 1
                self._marks["changed"] += any(preference.since for preference in held)
                self._marks.update(mark for preference in held for mark in _marks(preference, told))
        self._sessions.append(len(profile.history))
        self._evidence.update(each.kind for session in profile.history for each in session.evidence)

    def figures(self, contradictions: int = 0, lacking: tuple[str, ...] = ()) -> Figures:
        """What was counted until now. `lacking` is what else is known to be missing."""
        marks, sessions = self._marks, self._sessions or [0]
        held = marks["held"] or 1
        types = tuple(self._type(*pair) for pair in sorted(self._counts))
        return Figures(
            profiles=len(self._sessions),
            preferences=marks["held"],
            changed_types=marks["changed"] / (marks["types"] or 1),
            sensitive=marks["sensitive"] / held,
            avoided=marks["avoided"] / held,
            sessions=(min(sessions), sum(sessions) / len(sessions), max(sessions)),
            evidence=dict(sorted(self._evidence.items())),
            leaked=marks["leaked"] / held,
            contradictions=contradictions,
            types=types,
            lacking=(*lacking, *_lacking(types)),
        )

    def _type(self, domain: str, type: str) -> TypeFigures:
        count = self._counts[domain, type]
        known = self._domains[domain].type(type) if domain in self._domains else None
        values = set(known.values if known else ()) | set(count.liked)
        modal, most = max(count.liked.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        return TypeFigures(
            domain=domain,
            type=type,
            values=len(values),
            holders=count.holders,
            evenness=_evenness(count.liked, len(values)) if _closed(known) else None,
            modal=modal,
            modal_share=most / (count.likers or 1),
            shown=count.shown / count.holders,
            unheld=tuple(value for value in (known.values if known else ()) if not count.liked[value]),
        )


def _evenness(liked: Counter[str], values: int) -> float | None:
    total = liked.total()
    if values < 2 or not total:
        return None
    return sum(count / total * log(total / count) for count in liked.values()) / log(values)


def _closed(type: PreferenceType | None) -> bool:
    return type is not None and bool(type.values) and not type.open


def _told(profile: Profile) -> str:
    return "\n".join(
        text for session in profile.history for text in (session.summary, *(turn.text for turn in session.turns))
    ).casefold()


def _marks(preference: Preference, told: str) -> Iterator[str]:
    yield "held"
    value = preference.value.casefold()
    if value in told and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", told):
        yield "leaked"
    if preference.sensitive:
        yield "sensitive"
    if preference.polarity == "avoids":
        yield "avoided"


def _lacking(types: tuple[TypeFigures, ...]) -> Iterator[str]:
    if any(each.shown for each in types):
        yield from (f"no evidence of {each.domain}: {each.type}" for each in types if not each.shown)
    for each in types:
        if each.evenness is not None:
            yield from (f"nobody likes {value!r} ({each.domain}: {each.type})" for value in each.unheld)
