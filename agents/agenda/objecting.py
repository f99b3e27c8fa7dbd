"""Objecting: what the user has against what the assistant says it has done, or is about to do."""

import re
from collections.abc import Iterator, Sequence

from duologue.agents.agenda.acts import Act
from duologue.agents.agenda.announcing import announced, bare_number
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.checking import Checked, spoken_against
from duologue.agents.agenda.confirming import told_in, unrepeated
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.picking import rejectable, taste_of
from duologue.agents.agenda.standing import Standing

__all__ = ["mended", "objections", "turned_down"]

_REGRETS = re.compile(r"\b(?:sorry|afraid|unfortunately|sadly|alas|regret|already|fully|but|however)\b")


def objections(
    brief: Brief, standing: Standing, heard: Heard, each: Checked, confirming: Sequence[int]
) -> Iterator[Act]:
    """What there is to say against a report. One that agrees is noted as done, and so is one that says no more to the
    question about one of the aims in `confirming`."""
    aim = brief.aims[each.aim]
    if not each.deed:
        yield Act("undo", names=("gone" if aim.gone else "kept",))
        return
    if each.wrong:
        standing.done.discard(each.aim)
        for fact, said in each.wrong:
            yield Act("mend", (fact,), how="corrected", names=(said,))
    if each.entity:
        standing.done.discard(each.aim)
        yield _insisted(brief, standing, each.aim, each.entity)
    if each.wrong or each.entity:
        return
    if each.vague and each.aim not in confirming and not _is_agreed(brief, standing, heard, each.aim):
        if each.aim not in standing.done:
            yield Act("vague", names=(f"aim {each.aim}",))
        return
    doubt = _asked_back(brief, standing, heard, each)
    if doubt and doubt.kind == "reject":
        standing.done.discard(each.aim)
    if doubt:
        yield doubt
        return
    standing.done.add(each.aim)


def _is_agreed(brief: Brief, standing: Standing, heard: Heard, number: int) -> bool:
    """Whether the user has just said yes to what the assistant put to it about an aim, with nothing wrong in it; or
    what it chose "is booked", which of others would mean that they cannot be had."""
    picked = standing.chosen.get(brief.aims[number].domain.name, ())
    if set(picked) & set(heard.unavailable) and not any(_REGRETS.search(part.text) for part in heard.clauses):
        return True
    if not set(standing.kinds) & {"accept", "choose", "go_ahead"} or set(standing.kinds) & {"mend", "reject", "insist"}:
        return False
    told = [told_in(brief, fact, standing.heard[-1]) for fact in brief.facts_of(brief.aims[number])]
    return (bool(picked) or any(said.right for said in told)) and not any(said.wrong for said in told)


def _asked_back(brief: Brief, standing: Standing, heard: Heard, each: Checked) -> Act | None:
    """What there is to ask, or to turn down, where a report has nothing wrong: a fact that nobody was told, values that
    the user would not have, a fact that the assistant never repeated."""
    aim = brief.aims[each.aim]
    for fact in brief.facts_of(aim):
        if fact.withheld and fact.slot and fact not in each.right and not standing.told[fact.name]:
            if standing.doubted[fact.name]:
                break
            return Act("check", names=(fact.name,))
    if against := turned_down(brief, standing, [(aim.domain.name, name, value) for name, value in each.values]):
        return against
    question = None if each.aim in standing.done else unrepeated(brief, standing, heard, each)
    standing.confirming = (*standing.confirming, *([each.aim] if question else []))
    return question


def _insisted(brief: Brief, standing: Standing, number: int, instead: str) -> Act:
    """Holding to the entity that the task settles, which is a fact, or to the one that the user picked."""
    aim = brief.aims[number]
    fixed = tuple(fact for fact in brief.facts_of(aim) if fact.form == "entity")
    if fixed:
        return Act("mend", fixed, how="corrected", names=(instead,))
    return Act("insist", names=(standing.chosen[aim.domain.name][0], instead))


def turned_down(brief: Brief, standing: Standing, values: Sequence[tuple[str, str, str]]) -> Act | None:
    """Rejecting values that the user would not have, once for each type, where it is to object."""
    if brief.correction != "object":
        return None
    against = [(wish, value) for wish, value in spoken_against(brief, values) if rejectable(standing, wish)]
    if not against:
        return None
    tastes = tuple(taste_of(wish, value) for wish, value in against[:2])
    return Act("reject", tastes=tastes, how="corrected")


def mended(brief: Brief, standing: Standing, heard: Heard, acts: Sequence[Act]) -> Iterator[Act]:
    """Corrections of what the assistant sums up, proposes or is about to do."""
    known = {fact.name for act in acts for fact in act.facts}
    for fact, said in announced(brief, heard) or bare_number(brief, heard, standing.latest):
        if fact.name not in known:
            yield Act("mend", (fact,), how="corrected", names=(said,))
