"""Announcing: what the assistant has wrong in what it sums up, proposes or is about to do. Pure."""

import re
from collections.abc import Sequence

from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.facts import told_of
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.moments import clocks
from duologue.agents.agenda.naming import pairs_in
from duologue.agents.agenda.numerals import in_figures
from duologue.agents.words import tokens

__all__ = ["announced", "bare_number"]


_BARE = re.compile(
    r"\b(?:would|could|can|shall|should|does|do|is|will|may|might|how about|what about|make it|manage|take|say"
    r"|with|go for|to|do)"
    r"(?: (?:you|i|we|it|that))?(?: (?:also|do|make(?: it)?|manage|take|live with|settle for|have|be|say|only"
    r"|just|get by with|go"
    r" (?:for|with|down to|up to)))* (?P<number>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?= (?:do|work|be|instead|suit|enough|ok|okay|fine|all right|alright|too|as well|then|also|for you)\b"
    r"|\s*(?:\W*$|,))"
)
"""A number that stands where what it counts is known."""


def announced(brief: Brief, heard: Heard) -> list[tuple[Known, str]]:
    """The facts that the assistant has wrong in what it sums up, proposes or is about to do, with what it says."""
    reported = {number for report in heard.reports for number in range(report.clause, report.end)}
    span = [n for n, part in enumerate(heard.clauses) if n not in reported and _commits(part, n, heard)]
    if not span:
        return []
    asked = {subject.key or subject.name for subject in heard.asked}
    parts, pairs = [heard.plain[number] for number in span], pairs_in(heard, span)
    wrong: list[tuple[Known, str]] = []
    for fact in brief.facts.values():
        names = {fact.name, *(key for _, key in fact.places)}
        if fact.form in ("entity", "truth", "text") or not fact.places or names & asked:
            continue
        said = told_of(fact, parts, pairs, brief.values_beside(fact))
        if said.wrong and not _right_elsewhere(brief, heard, fact):
            wrong.append((fact, said.wrong))
    ends = {said.removeprefix("to ") for fact, said in wrong if fact.ends}
    return [(fact, said) for fact, said in wrong if fact.form != "day" or said not in ends]


def bare_number(brief: Brief, heard: Heard, latest: Sequence[str]) -> list[tuple[Known, str]]:
    """What a number that counts nothing gets wrong, where the assistant asks whether it would do: "Could you do three
    instead?" is about the number that was last spoken of, of the facts named in `latest`, or about the only one."""
    counts = [fact for fact in brief.facts.values() if fact.form == "count" and fact.slot and fact.places]
    spoken = [fact for fact in counts if fact.name in latest]
    about = spoken if len(spoken) == 1 else counts if len(counts) == 1 and not spoken else []
    for number, part in enumerate(heard.bare if about and heard.go_ahead and not heard.asked else ()):
        found = _BARE.search(in_figures(part.text)) if heard.moods[number].go_ahead else None
        if found and not clocks(part.plain) and (said := tokens(found["number"])[0]) != str(about[0].value):
            return [(about[0], said)]
    return []


def _commits(part: Clause, number: int, heard: Heard) -> bool:
    """Whether a clause sums up the user's request or says what is to be done, so that a wrong fact in it counts."""
    mood = heard.moods[number]
    if mood.anything_else or mood.unavailable or mood.lacking:
        return False
    if part.kind != "statement":
        return mood.go_ahead or mood.offers
    leads = number + 1 < len(heard.clauses) and heard.moods[number + 1].go_ahead and not part.item
    return leads or mood.waits or mood.sums_up or (part.item and mood.labelled)


def _right_elsewhere(brief: Brief, heard: Heard, fact: Known) -> bool:
    """Whether another clause of what is summed up has it right, so that the wrong one is about something else."""
    span = [n for n, part in enumerate(heard.clauses) if part.kind != "statement" or heard.moods[n].sums_up]
    parts = [heard.plain[number] for number in span]
    return told_of(fact, parts, pairs_in(heard, span), brief.values_beside(fact)).right
