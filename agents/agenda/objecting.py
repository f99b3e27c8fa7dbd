"""Objecting: what the user has against what the assistant says it has done, or is about to do."""

from collections.abc import Iterator, Sequence

from duologue.agents.agenda.acts import Act
from duologue.agents.agenda.announcing import announced, bare_number
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.checking import Checked, spoken_against
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.picking import rejectable, taste_of
from duologue.agents.agenda.standing import Standing

__all__ = ["mended", "objections", "turned_down"]


def objections(brief: Brief, standing: Standing, each: Checked) -> Iterator[Act]:
    """What there is to say against a report. One that agrees is noted as done."""
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
    if each.vague:
        if each.aim not in standing.done:
            yield Act("vague", names=(f"aim {each.aim}",))
        return
    missing = [
        fact
        for fact in brief.facts_of(aim)
        if fact.withheld and fact.slot and fact not in each.right and not standing.told[fact.name]
    ]
    if missing and not standing.doubted[missing[0].name]:
        yield Act("check", names=(missing[0].name,))
        return
    against = turned_down(brief, standing, [(aim.domain.name, name, value) for name, value in each.values])
    if against:
        standing.done.discard(each.aim)
        yield against
        return
    standing.done.add(each.aim)


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
