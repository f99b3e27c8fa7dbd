"""Answering: what the user says to the assistant's questions, facts first."""

import re
from collections.abc import Collection, Iterator
from typing import Literal

from duologue.agents.agenda.acts import Act, Taste
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.facts import Said, told_of
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.lexicon import Subject
from duologue.agents.agenda.particulars import known_of, particulars_asked
from duologue.agents.agenda.plain import plainly
from duologue.tasks.domain import key

__all__ = ["answers"]

_AVERSE = re.compile(
    r"\b(?:hate|dislike|loathe|detest|avoid|can(?:'t|not) stand|no fan of|not (?:a fan of|keen|fond|into|want|like))\b"
    r"|\byou (?:really |still |usually )?(?:don't|do not|never|wouldn't|would not)\b"
)
"""A question whether something is disliked."""
_UNSURE = re.compile(r"\bmind\b|\bor\b|\b(?:problem|objection|wrong|bother|issue)\b|^\W*(?:don't|wouldn't|isn't)\b")
"""What makes a plain yes or no mean either."""


def answers(brief: Brief, heard: Heard) -> Iterator[Act]:
    """Answers to what is asked, facts first."""
    facts: dict[str, Known] = {}
    for subject in heard.asked:
        facts |= {fact.name: fact for fact in _facts_asked(brief, subject)}
    facts |= {fact.name: fact for fact in _facts_among(brief, heard)}
    wrong = [(fact, said) for fact in facts.values() if (said := _suggested_wrongly(brief, heard, fact))]
    for fact, said in wrong:
        yield Act("mend", (fact,), names=(said,))
    plain = tuple(fact for fact in facts.values() if fact not in [each for each, _ in wrong])
    if plain:
        affirmed = len(plain) == 1 and _suggested_rightly(brief, heard, plain[0])
        yield Act("inform", plain, names=("yes",) if affirmed else ())
    yield from _tastes(brief, heard, facts.values())
    yield from _of_itself(brief, heard)
    if heard.at_large:
        yield from _at_large(brief, heard)


def _facts_asked(brief: Brief, subject: Subject) -> Iterator[Known]:
    """The facts that answer the question for a subject: its own, or those that its field must hold."""
    if subject.kind == "fact":
        yield brief.facts[subject.name]
    elif subject.key:
        yield from brief.facts_under(subject.domain, subject.key)


def _facts_among(brief: Brief, heard: Heard) -> Iterator[Known]:
    """The facts in words, such as names, one of which a question offers beside others: "Marisol or Mr Haddad?"."""
    parts = [plainly(clause) for clause in heard.clauses if clause.kind != "statement" and " or " in clause.text]
    for fact in brief.facts.values() if parts else ():
        if fact.form == "text" and fact.slot and fact.withheld and told_of(fact, parts, ()).right:
            yield fact


def _tastes(brief: Brief, heard: Heard, told: Collection[Known]) -> Iterator[Act]:
    """What the user likes of what is asked, where no fact that it tells settles it."""
    answered = {place for fact in told for place in fact.places}
    timed = any(fact.form == "clock" for fact in told)
    tastes: list[Taste] = []
    open_types: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for subject in heard.asked:
        if (
            subject.kind == "fact"
            or (subject.domain, subject.key) in answered
            or (timed and subject.name.endswith("time"))
        ):
            continue
        if subject.kind == "field":
            open_types.append((subject.domain, subject.name))
        elif (subject.domain, subject.name) in brief.irrelevant:
            others.append((subject.domain, subject.name))
        elif (wish := brief.wish(subject.domain, subject.name)) is not None and (wish.likes or wish.avoids):
            tastes.append(Taste(wish.domain, wish.type, wish.likes, wish.avoids))
        else:
            open_types.append((subject.domain, subject.name))
    if tastes:
        lean = _lean(heard, tastes[0]) if len(tastes) == 1 else ""
        yield Act("taste", tastes=tuple(tastes), names=(lean,) if lean else ())
    if others:
        yield Act("not_mine", names=tuple(type for _, type in others), pairs=tuple(others))
    if open_types:
        more = bool(tastes or others)
        yield Act("no_taste", names=tuple(type for _, type in open_types), pairs=tuple(open_types), more=more)


def _lean(heard: Heard, taste: Taste) -> Literal["", "yes", "no"]:
    """Whether a taste says yes or no to the one value that a question suggests."""
    put = [each for each in heard.suggested if (each.domain, each.key) == (taste.domain, key(taste.type))]
    if len({each.value for each in put}) != 1 or _UNSURE.search(text := heard.clauses[put[0].clause].text):
        return ""
    value = put[0].value.casefold()
    liked, avoided = (value in (each.casefold() for each in held) for held in (taste.likes, taste.avoids))
    if _AVERSE.search(text):
        return "yes" if avoided else "no" if liked else ""
    return "yes" if liked else "no"


def _of_itself(brief: Brief, heard: Heard) -> Iterator[Act]:
    """What the user says of itself, as far as its profile knows it."""
    asked = [name for part in heard.clauses if part.asks for name in particulars_asked(part.text, brief.lexicon)[0]]
    known = [name for name in dict.fromkeys(asked) if known_of(brief.scenario.profile, name)]
    if known:
        yield Act("of_itself", names=tuple(known))
    if private := tuple(name for name in dict.fromkeys(asked) if name not in known):
        yield Act("private", names=private)


def _at_large(brief: Brief, heard: Heard) -> Iterator[Act]:
    """What matters to the user of the records in question: those that the question names, else all of them."""
    named = {
        domain
        for number, clause in enumerate(heard.clauses)
        if heard.moods[number].at_large
        for word in clause.words
        for domain, _ in brief.lexicon.topics.get(word, ())
    }
    domains = [name for name in brief.scenario.task.domains if name in named] or list(brief.scenario.task.domains)
    wished = [wish for wish in brief.wishes.values() if wish.domain in domains and (wish.likes or wish.avoids)]
    tied = tuple(
        fact
        for fact in brief.facts.values()
        if fact.withheld and fact.slot and _is_taste_of_another(brief, fact, domains)
    )
    if tied:
        yield Act("inform", tied)
    if wished:
        yield Act("taste", tastes=tuple(Taste(w.domain, w.type, w.likes, w.avoids) for w in wished))
    if not wished and not tied:
        yield Act("nothing_special", pairs=(("", ""),))


def _is_taste_of_another(brief: Brief, fact: Known, domains: Collection[str]) -> bool:
    """Whether a fact is what somebody else would have, in one of these domains."""
    others = {(domain, key(type)) for domain, type in brief.irrelevant if domain in domains}
    return bool(others & set(fact.places))


def _suggested_wrongly(brief: Brief, heard: Heard, fact: Known) -> str:
    """What a question suggests for a fact, where it is something else."""
    said = _suggested(brief, heard, fact)
    return "" if said.right else said.wrong


def _suggested_rightly(brief: Brief, heard: Heard, fact: Known) -> bool:
    chosen_among = any(" or " in part.text for part in heard.clauses if part.kind == "question")
    return not chosen_among and _suggested(brief, heard, fact).right


def _suggested(brief: Brief, heard: Heard, fact: Known) -> Said:
    span = [number for number, part in enumerate(heard.clauses) if part.kind == "question"]
    parts = [heard.plain[number] for number in span]
    wanted = set(span)
    pairs = [(e.domain, e.key, e.value) for e in heard.named if e.clause in wanted and e.mode != "denied"]
    return told_of(fact, parts, pairs, brief.values_beside(fact))
