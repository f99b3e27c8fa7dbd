"""Accepting: taking, choosing or turning down what the assistant offers or proposes."""

from collections.abc import Iterator, Sequence

from duologue.agents.agenda.acts import Act
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.heard import Heard, Offer
from duologue.agents.agenda.naming import entities_in, values_in
from duologue.agents.agenda.objecting import turned_down
from duologue.agents.agenda.picking import best_offer, choosable, falls_short
from duologue.agents.agenda.standing import Standing

__all__ = ["responses"]


def responses(brief: Brief, standing: Standing, heard: Heard, acts: Sequence[Act]) -> Iterator[Act]:
    """Taking, choosing or turning down what is offered or proposed. `acts` are what the user does first in the turn.
    Notes in `standing` what is chosen."""
    if any(fact.bound for act in acts if act.kind == "mend" for fact in act.facts) and (heard.offers or heard.go_ahead):
        yield Act("another")
        return
    corrected = any(act.kind in ("mend", "insist", "undo", "reject") for act in acts)
    offers = [offer for offer in heard.offers if _is_open(brief, standing, offer)]
    waiting = heard.choose or heard.go_ahead or _asks_which(heard, offers)
    if offers and not waiting and not acts and _is_taken(standing, offers):
        if not (heard.waits or heard.reports or heard.puzzling):
            yield Act("done_yet")
    elif offers and (waiting or not (acts or heard.puzzling or heard.reports)):
        for domain in dict.fromkeys(offer.domain for offer in offers):
            here = [offer for offer in offers if offer.domain == domain]
            yield from _taken(brief, standing, heard, here, corrected=corrected)
    elif heard.go_ahead and not heard.reports and (not heard.asked or _asks_both(heard)):
        yield from _gone_ahead(brief, standing, heard, acts, corrected=corrected)
    elif heard.choose and heard.names and not acts:
        yield Act("choose", names=(heard.names[0],))


def _asks_which(heard: Heard, offers: Sequence[Offer]) -> bool:
    """Whether a question names two of the offers: "Blue Samovar or Pewter Spoon?"."""
    asking = [number for number, part in enumerate(heard.clauses) if part.kind == "question"]
    domains = {offer.domain for offer in offers} if len(offers) > 1 else set()
    return any(len(entities_in(heard, [number], domain)) > 1 for number in asking for domain in domains)


def _is_taken(standing: Standing, offers: Sequence[Offer]) -> bool:
    """Whether nothing is spoken of but what the user has taken before."""
    return all(offer.entity in standing.chosen.get(offer.domain, ()) for offer in offers)


def _gone_ahead(
    brief: Brief, standing: Standing, heard: Heard, acts: Sequence[Act], *, corrected: bool
) -> Iterator[Act]:
    """Saying yes to something that is about no entity, or no."""
    values = [(each.domain, each.key, each.value) for each in values_in(heard, range(len(heard.clauses)))]
    if against := turned_down(brief, standing, values):
        yield against
    elif corrected and (heard.unavailable or heard.lacking):
        yield Act("another")
    elif any(act.kind in ("insist", "undo") or (act.kind == "mend" and act.how == "asked") for act in acts):
        return
    else:
        yield Act("go_ahead", more=corrected)


def _asks_both(heard: Heard) -> bool:
    """Whether one clause asks about something and another whether to go on."""
    put = {each.clause for each in heard.suggested}
    return any(
        mood.go_ahead and number not in put and not set(part.words) & _telling(heard)
        for number, (part, mood) in enumerate(zip(heard.clauses, heard.moods, strict=True))
    )


def _telling(heard: Heard) -> set[str]:
    return {word for subject in heard.asked for word in (*subject.head, *subject.kin)}


def _is_open(brief: Brief, standing: Standing, offer: Offer) -> bool:
    """Whether an offer is for something that is still to be done."""
    if not offer.available:
        return False
    aims = [n for n, aim in enumerate(brief.aims) if aim.domain.name == offer.domain and not aim.gone]
    return any(number not in standing.done for number in aims)


def _taken(
    brief: Brief, standing: Standing, heard: Heard, offers: Sequence[Offer], *, corrected: bool
) -> Iterator[Act]:
    """Taking one of the offers of a domain, or saying what is wrong with them."""
    put = _put_forward(heard, offers[0].domain)
    if put and not heard.choose:
        offers = [offer for offer in offers if offer.entity in put]
    fit, wrong = choosable(brief, offers)
    if not fit:
        if wrong is not None and not corrected:
            yield Act("mend", (wrong[0],), how="corrected", names=(wrong[1],))
        return
    offer = best_offer(brief, standing, fit)
    if len(offers) == 1 or falls_short(brief, offer):
        against = turned_down(brief, standing, [(offer.domain, name, value) for name, value in offer.values])
        if against:
            yield against
            return
    standing.chosen[offer.domain] = (offer.entity,)
    yield Act("choose" if len(offers) > 1 or heard.choose else "accept", names=(offer.entity,), more=corrected)


def _put_forward(heard: Heard, domain: str) -> set[str]:
    """The entities that the assistant asks whether to take: those named in the question or, where it is about "that
    one", the only one named last before it."""
    for number, mood in enumerate(heard.moods):
        if mood.go_ahead:
            named = entities_in(heard, [number], domain)
            before = (entities_in(heard, [at], domain) for at in range(number - 1, -1, -1))
            last = next(filter(None, before), [])
            if named or len(last) == 1:
                return set(named or last)
    return set()
