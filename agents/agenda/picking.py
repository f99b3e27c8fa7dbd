"""Picking: which of several offers the user takes, and what it has against one. Pure functions."""

from collections.abc import Sequence

from duologue.agents.agenda.acts import Taste
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.hearing import Offer
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.standing import Standing
from duologue.tasks.domain import key
from duologue.tasks.wish import Wish

__all__ = ["best_offer", "choosable", "falls_short", "rejectable", "taste_of"]

OBJECTIONS = 1
"""How often something is turned down for the same preference type."""


def choosable(brief: Brief, offers: Sequence[Offer]) -> tuple[list[Offer], tuple[Known, str] | None]:
    """The offers that keep to the user's facts as far as is said of them, and a fact that one of the others breaks
    with what it has instead."""
    fit: list[Offer] = []
    broken: tuple[Known, str] | None = None
    for offer in offers:
        fault = next(filter(None, (_fault(fact, offer) for fact in brief.facts.values())), None)
        if fault is None:
            fit.append(offer)
        else:
            broken = broken or fault
    return fit, broken


def best_offer(brief: Brief, standing: Standing, offers: Sequence[Offer]) -> Offer:
    """The offer that was picked before, else the first or, for a user who objects, the one that suits it best."""
    picked = next((o for o in offers if o.entity in standing.chosen.get(o.domain, ())), None)
    if picked is not None:
        return picked
    if brief.correction != "object":
        return offers[0]
    return max(offers, key=lambda offer: _worth(brief, offer))


def falls_short(brief: Brief, offer: Offer) -> bool:
    """Whether nothing that is said of an offer is liked, or something is shunned."""
    return _worth(brief, offer) <= 0


def rejectable(standing: Standing, wish: Wish) -> bool:
    """Whether the user may still turn something down for it: once, and not after saying that it is all the same."""
    return standing.rejected[wish.domain, wish.type] < OBJECTIONS


def taste_of(wish: Wish, value: str) -> Taste:
    """What the user says against `value`: what it likes instead, and the value itself where it avoids it."""
    shunned = (value,) if any(value.casefold() == each.casefold() for each in wish.avoids) else ()
    return Taste(wish.domain, wish.type, wish.likes, shunned)


def _fault(fact: Known, offer: Offer) -> tuple[Known, str] | None:
    """A fact and what an offer has instead of it, as far as is said."""
    keys = [key for domain, key in fact.places if domain == offer.domain]
    own = str(fact.value).casefold()
    if keys and fact.form == "entity":
        return None if offer.entity.casefold() == own else (fact, offer.entity)
    said = [value for key in keys for value in offer.said_of(key)] if fact.form == "choice" else []
    return (fact, said[0]) if said and all(value.casefold() != own for value in said) else None


def _worth(brief: Brief, offer: Offer) -> float:
    """How much of what the user wishes is said of an offer; what it would not have weighs most."""
    worth = 0.0
    for wish in brief.wishes.values():
        held = offer.said_of(key(wish.type)) if wish.domain == offer.domain else ()
        if any(wish.spoilt_by(value) for value in held):
            worth -= 2 * wish.weight
        elif any(wish.met_by(value) for value in held):
            worth += wish.weight
    return worth
