"""Announcing: what the assistant has wrong in what it sums up, proposes or is about to do. Pure."""

from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.facts import told_of
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.naming import pairs_in

__all__ = ["announced"]


def announced(brief: Brief, heard: Heard) -> list[tuple[Known, str]]:
    """The facts that the assistant has wrong in what it sums up, proposes or is about to do, with what it says."""
    reported = {number for report in heard.reports for number in range(report.clause, report.end)}
    span = [n for n, part in enumerate(heard.clauses) if n not in reported and _commits(part, n, heard)]
    if not span:
        return []
    asked = {subject.key or subject.name for subject in heard.asked}
    parts, pairs = [heard.bare[number] for number in span], pairs_in(heard, span)
    wrong: list[tuple[Known, str]] = []
    for fact in brief.facts.values():
        names = {fact.name, *(key for _, key in fact.places)}
        if fact.form in ("entity", "truth", "text") or not fact.places or names & asked:
            continue
        said = told_of(fact, parts, pairs, _beside(brief, fact))
        if said.wrong and not _right_elsewhere(brief, heard, fact):
            wrong.append((fact, said.wrong))
    return wrong


def _commits(part: Clause, number: int, heard: Heard) -> bool:
    """Whether a clause sums up the user's request or says what is to be done, so that a wrong fact in it counts."""
    mood = heard.moods[number]
    if mood.anything_else or mood.unavailable or mood.lacking:
        return False
    if part.kind != "statement":
        return mood.go_ahead or mood.offers
    leads = number + 1 < len(heard.clauses) and heard.moods[number + 1].go_ahead and not part.item
    return leads or mood.waits or mood.sums_up or (part.item and mood.labelled)


def _beside(brief: Brief, fact: Known) -> list[str]:
    """The values of all other facts, those that no aim requires too."""
    return [str(other.value) for other in brief.facts.values() if other.name != fact.name]


def _right_elsewhere(brief: Brief, heard: Heard, fact: Known) -> bool:
    """Whether another clause of what is summed up has it right, so that the wrong one is about something else."""
    span = [n for n, part in enumerate(heard.clauses) if part.kind != "statement" or heard.moods[n].sums_up]
    parts = [heard.bare[number] for number in span]
    return told_of(fact, parts, pairs_in(heard, span), _beside(brief, fact)).right
