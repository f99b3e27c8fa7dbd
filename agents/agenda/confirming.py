"""Confirming: asking once about a fact that a report leaves out and the assistant never repeated. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from duologue.agents.agenda.acts import Act
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.checking import Checked
from duologue.agents.agenda.facts import Said, told_of
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.known import Form, Known
from duologue.agents.agenda.naming import pairs_in
from duologue.agents.agenda.standing import Standing
from duologue.agents.words import in_words, tokens
from duologue.tasks.aim import Aim

__all__ = ["confirmed", "told_in", "unrepeated"]

_WEIGHT: Sequence[Form] = ("day", "date", "clock", "count", "choice", "text")
"""What matters most comes first; people count before everything."""
_AS_ASKED = re.compile(
    r"\bas (?:you(?:'ve| have)? )?(?:asked|requested|wanted|wished|discussed|agreed|instructed|specified|said|described"
    r"|planned|ordered|desired|per your)\b|\bper your (?:request|wishes|instructions)\b|\bexactly (?:as|what|how) you\b"
    r"|\bjust (?:as|like|the way) you\b|\bto your (?:specifications|wishes|instructions)\b"
    r"|\bwith (?:all )?(?:your|those|these) details\b"
)
"""What says that all is as the user had it."""
_COMPANY = re.compile(r"\byou and (?:your |the |all )?(?:other )?(\w+)\b")
"""Who comes along, beside the user."""
_NO = re.compile(r"^\W*(?:no|nope|not (?:quite|exactly|really)|actually|unfortunately|sorry|i'm afraid|wrong)\b")


def unrepeated(brief: Brief, standing: Standing, heard: Heard, each: Checked) -> Act | None:
    """Asking whether the most important fact of a record that a report leaves out stands, once for each aim, where the
    assistant never said or asked about it and the report does not say that all is as asked."""
    aim = brief.aims[each.aim]
    name = f"unsaid {each.aim}"
    if aim.gone or standing.doubted[name] or any(_AS_ASKED.search(part.text) for part in heard.clauses):
        return None
    turns = (*standing.heard, heard)
    left_out = [fact for fact in _settled(brief, aim) if fact not in each.right and standing.told[fact.name]]
    unsaid = [fact for fact in left_out if not _is_spoken_of(brief, fact, turns)]
    if not unsaid:
        return None
    fact = min(unsaid, key=lambda fact: -1 if "people" in fact.unit else _WEIGHT.index(fact.form))
    return Act("confirm", (fact,), how="unasked", names=(name,))


def confirmed(brief: Brief, standing: Standing, heard: Heard, aims: Sequence[int]) -> Iterator[Act]:
    """What there is to say to the reply to such a question about some aims. They are noted as done where it neither
    says no nor has a fact wrong."""
    denied = any(_NO.search(part.text) for part in heard.clauses[:1])
    for number in aims:
        told = {fact: told_in(brief, fact, heard) for fact in brief.facts_of(brief.aims[number]) if fact.slot}
        wrong = [(fact, said.wrong) for fact, said in told.items() if said.wrong]
        for fact, instead in wrong:
            yield Act("mend", (fact,), how="corrected", names=(instead,))
        if denied and not wrong and not any(said.right for said in told.values()):
            yield Act("retry", tuple(fact for fact in told if standing.told[fact.name]))
        elif not wrong:
            standing.done.add(number)


def _settled(brief: Brief, aim: Aim) -> Iterator[Known]:
    """The facts that a record is to hold and did not hold before; one of a thing is what anybody takes for granted."""
    task = brief.scenario.task
    before = [given.fields for given in task.given if aim.changes and given.record == aim.record.name]
    for field in aim.record.fields:
        fact = brief.facts.get(aim.slots.get(field.name, ""))
        if fact is None or fact.form not in _WEIGHT or fact.value == 1:
            continue
        if not any(held.get(field.name) == fact.value for held in before):
            yield fact


def _is_spoken_of(brief: Brief, fact: Known, turns: Iterable[Heard]) -> bool:
    """Whether a turn of the assistant names the value of a fact, or asks about it."""
    value, others = set(tokens(in_words(fact.value))), str(fact.value - 1) if isinstance(fact.value, int) else ""
    return any(
        _is_asked(fact, heard)
        or any(value <= set(part.words) for part in heard.clauses)
        or any(others in found.groups() for part in heard.clauses for found in _COMPANY.finditer(" ".join(part.words)))
        or told_in(brief, fact, heard).right
        for heard in turns
    )


def _is_asked(fact: Known, heard: Heard) -> bool:
    return any(
        each.name == fact.name if each.kind == "fact" else (each.domain, each.key) in fact.places
        for each in heard.asked
    )


def told_in(brief: Brief, fact: Known, heard: Heard) -> Said:
    """What a turn as a whole says of a fact."""
    return told_of(fact, heard.plain, pairs_in(heard, range(len(heard.clauses))), brief.values_beside(fact))
