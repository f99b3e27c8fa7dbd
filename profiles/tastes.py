"""Tastes: what a person likes and avoids in a domain, as plain data of a profile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from duologue.profiles.drawing import Draws
from duologue.profiles.inclination import Inclined
from duologue.profiles.odds import Odds, Share, odds

__all__ = ["Taste", "Tasting", "tastes", "tastings"]

STRENGTHS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
CHANGED = 0.08
"""The share of types in which a person has changed."""
MORE = 0.45
"""The chance of each further value that a person may like."""
TRIES = 12


@dataclass(frozen=True, slots=True)
class Tasting:
    """A preference type made ready for drawing."""

    domain: str
    name: str
    values: tuple[str, ...]
    likes: tuple[int, int]
    avoids: float
    sensitive: bool
    odds: Odds
    hints: Mapping[str, tuple[str, ...]]
    ask: str
    say: str


class Taste(NamedTuple):
    """What one person holds of one type: preferences as plain data, the liked ones first."""

    type: Tasting
    held: list[dict[str, Any]]
    former: str = ""
    """The value that the first one replaced."""


def tastings(inclined: Inclined) -> tuple[Tasting, ...]:
    """The preference types of a domain made ready for drawing."""
    domain = inclined.domain
    return tuple(
        Tasting(
            domain.name,
            type.name,
            type.values,
            held.likes,
            held.avoids,
            held.sensitive,
            odds(type.values, held),
            held.hints,
            type.ask or f"Which {type.name}?",
            type.say or "I like {value}",
        )
        for type in domain.preferences
        for held in (inclined.inclinations[type.name],)
    )


def tastes(types: tuple[Tasting, ...], traits: Mapping[str, str], draws: Draws) -> list[Taste]:
    """What a person of these traits likes and avoids of each of `types`."""
    return [_taste(type, type.odds.of(traits), draws.unit) for type in types]


def _taste(type: Tasting, share: Share, unit: Callable[[], float]) -> Taste:
    least, most = type.likes
    values, places = type.values, [share.draw(unit())]
    while len(places) < most and (len(places) < least or unit() < MORE) and _added(places, share, unit):
        pass
    held: list[dict[str, Any]] = [
        {"value": values[place], "strength": STRENGTHS[int(unit() * len(STRENGTHS))]} for place in places
    ]
    if unit() < type.avoids and share.avoidable:
        place = share.avoidable[int(unit() * len(share.avoidable))]
        if place not in places:
            places.append(place)
            strength = STRENGTHS[int(unit() * len(STRENGTHS))]
            held.append({"value": values[place], "polarity": "avoids", "strength": strength})
    if type.sensitive:
        for preference in held:
            preference["sensitive"] = True
    if unit() < CHANGED and _added(places, share, unit):
        return Taste(type, held, values[places[-1]])
    return Taste(type, held)


def _added(places: list[int], share: Share, unit: Callable[[], float]) -> bool:
    """Adds one more place, unless there is hardly another one to draw."""
    for _ in range(TRIES):
        place = share.draw(unit())
        if place not in places:
            places.append(place)
            return True
    return False
