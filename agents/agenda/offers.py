"""Offers: what a turn puts forward, with what is said of each. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from duologue.agents.agenda.heard import Named, Offer, Report

__all__ = ["offers_in"]


def offers_in(found: Sequence[Named], told: Sequence[Report]) -> Iterator[Offer]:
    """The entities put forward, each once, with the values said of it until the next one is named."""
    reported = {number for report in told for number in range(report.clause, report.end)}
    offers: dict[tuple[str, str], Offer] = {}
    current: dict[str, list[tuple[str, str]]] = {}
    last: dict[str, int] = {}
    described: dict[str, bool] = {}
    for each in found:
        here = (each.domain, each.value)
        if each.clause in reported:
            continue
        if each.kind == "entity":
            if each.mode == "denied":
                continue
            open_now = each.mode != "unavailable"
            offers.setdefault(here, Offer(each.domain, each.value, each.clause, (), open_now))
            if not open_now:
                offers[here] = replace(offers[here], available=False)
            joined = last.get(each.domain) == each.clause and not described.get(each.domain)
            current[each.domain] = [*(current.get(each.domain, []) if joined else []), here]
            last[each.domain], described[each.domain] = each.clause, False
        elif each.mode != "denied" and not (each.mode == "asked" and each.clause not in last.values()):
            described[each.domain] = True
            for owner in current.get(each.domain, _ahead(found, each)):
                held = offers.get(owner)
                if held is not None and (each.key, each.value) not in held.values:
                    offers[owner] = replace(held, values=(*held.values, (each.key, each.value)))
                elif held is None:
                    offers[owner] = Offer(*owner, each.clause, ((each.key, each.value),))
    yield from offers.values()


def _ahead(found: Sequence[Named], value: Named) -> list[tuple[str, str]]:
    """The entity named later in the same clause, for a value that comes before any."""
    return [
        (each.domain, each.value)
        for each in found
        if each.kind == "entity"
        and each.domain == value.domain
        and each.clause == value.clause
        and each.mode != "denied"
    ][:1]
