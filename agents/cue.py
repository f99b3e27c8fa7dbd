"""Cues: what a small model's person says next, chosen by code from the task and the dialogue so far.

Pure. The cue of a turn depends on the turns before it alone, so that a dialogue taken up again goes on alike.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from duologue.agents.ledger import asked
from duologue.agents.transcript import Transcript
from duologue.agents.words import alike, asks_about, mentions, questions, readable, spoken
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain

__all__ = ["Cue", "cues", "first_person", "unhelpful"]

Act = Literal["open", "tell", "agree", "go_on", "press", "again", "leave_open"]
Pair = tuple[str, str]

AT_ONCE = 2
"""How many things a cue lets the person say in one turn."""
TRIES = 2
"""How often a fact that the model did not voice is cued."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What the person does next. `facts` are (name, value), `wishes` (type, likes, avoids)."""

    act: Act
    facts: tuple[Pair, ...] = ()
    wishes: tuple[tuple[str, str, str], ...] = ()
    settled: bool = False
    """Whether everything the person has to say has been said, so that the chat may be over."""


@dataclass(slots=True)
class _Agenda:
    """What was cued so far."""

    facts: dict[str, int] = field(default_factory=dict)
    wishes: set[Pair] = field(default_factory=set)
    agreed: int = 0


def cues(scenario: Scenario, script: Transcript, domains: Mapping[str, Domain]) -> tuple[Cue, ...]:
    """The cue of every user turn in `script`, and last the one of the turn to come."""
    agenda, found = _Agenda(), []
    for end in range(0, len(script.messages) + 1, 2):
        cue = _next(scenario, Transcript(script.messages[:end]), domains, agenda)
        for name, _ in cue.facts:
            agenda.facts[name] = agenda.facts.get(name, 0) + 1
        agenda.agreed += cue.act in ("agree", "go_on", "press")
        found.append(cue)
    return tuple(found)


def unhelpful(script: Transcript) -> int:
    """How many of the assistant's turns were empty or said again what it had said."""
    heard = script.said_by("assistant")
    return sum(_is_unhelpful(heard[:number], text) for number, text in enumerate(heard))


def first_person(intent: str) -> str:
    """An intent written to the person ("you want your table moved") as the person would say it to the assistant."""
    text = re.sub(r"\bthe user's\b", "your", intent, flags=re.IGNORECASE)
    text = re.sub(r"\bthe user (?:wants|needs)\b", "you want", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\bthe assistant (think|find|know|pick|choose|suggest|need|propose)s\b", "\0 \\1", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\bthe assistant\b", "\0", text, flags=re.IGNORECASE)
    for pattern, words in _PERSONS:
        text = re.sub(pattern, words, text, flags=re.IGNORECASE)
    return re.sub(r"(^|[.!?] )([a-z])", lambda found: found[1] + found[2].upper(), text.replace("\0", "you"))


_PERSONS = (
    (r"\byou are\b|\byou're\b", "I am"),
    (r"\bare you\b", "am I"),
    (r"\byou were\b", "I was"),
    (r"\byou've\b", "I have"),
    (r"\byou'd\b", "I would"),
    (r"\byou'll\b", "I will"),
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (r"(\b(?:two|three|four|five|six|seven|eight|nine|all|both|most|some) of )you\b", r"\1us"),
    (r"(\b(?:check|of|for|to|with|from|by|at|about|on|like|between|than|seat|invited) )you\b", r"\1me"),
    (r"(\b(?:gets?|takes?|taught|told|tells?|given|gives?|suits?|asked|asks?|lets?) )you\b", r"\1me"),
    (r"\byou\b(?=\s*[.,;:!?]|\s*$)", "me"),
    (r"\byou\b", "I"),
)  # fmt: skip


def _is_unhelpful(before: tuple[str, ...], text: str) -> bool:
    return not text.strip() or any(alike(text, said) for said in before)


def _next(scenario: Scenario, script: Transcript, domains: Mapping[str, Domain], agenda: _Agenda) -> Cue:
    heard = script.said_by("assistant")
    if not heard:
        return Cue("open")
    question = questions(heard[-1])
    wanting = _wanting(scenario, script, agenda)
    facts = [fact for fact in wanting if asks_about(question, fact[0], (scenario.task.slots[fact[0]],))]
    wishes = _asked_wishes(scenario, question, domains, agenda, AT_ONCE - len(facts[:AT_ONCE]))
    if facts or wishes:
        return _told(facts[:AT_ONCE], wishes)
    if _is_unhelpful(heard[:-1], heard[-1]):
        return Cue("again", tuple(wanting[:1]))
    if wanting:
        return _told(wanting[:1], ())
    if repeated := _asked_again(scenario, question):
        return Cue("tell", repeated[:AT_ONCE])
    if question and not re.search(
        r"\b(?:shall|should|would|do|is|are|can|may|does|sound|confirm)\b", question, re.IGNORECASE
    ):
        return Cue("leave_open")
    if question:
        return Cue("agree")
    return Cue("press" if agenda.agreed % 2 else "go_on", settled=True)


def _told(facts: list[Pair], wishes: tuple[tuple[str, str, str], ...]) -> Cue:
    return Cue("tell", tuple((readable(n), v) for n, v in facts), wishes)


def _wanting(scenario: Scenario, script: Transcript, agenda: _Agenda) -> list[Pair]:
    """The facts that the person has not said, unless they were cued often enough."""
    said = "\n".join(script.said_by("user"))
    return [
        (name, spoken(value))
        for name, value in scenario.task.slots.items()
        if not mentions(said, value, name) and agenda.facts.get(readable(name), 0) < TRIES
    ]


def _asked_again(scenario: Scenario, question: str) -> tuple[Pair, ...]:
    slots = scenario.task.slots.items()
    return tuple((readable(name), spoken(value)) for name, value in slots if asks_about(question, name))


def _asked_wishes(
    scenario: Scenario, question: str, domains: Mapping[str, Domain], agenda: _Agenda, room: int
) -> tuple[tuple[str, str, str], ...]:
    """The preferences that the question is about and that were not told yet, those that matter to the task first."""
    found: list[tuple[str, str, str]] = []
    for domain, type in _types(scenario):
        likes, avoids = scenario.profile.likes(domain, type), scenario.profile.avoids(domain, type)
        if len(found) >= room:
            break
        if (domain, type) in agenda.wishes or not asked(question, scenario, domain, type, domains):
            continue
        agenda.wishes.add((domain, type))
        found.append((readable(type), " or ".join(likes[:2]), " or ".join(avoids[:2])))
    return tuple(found)


def _types(scenario: Scenario) -> list[Pair]:
    relevant = [(r.domain, r.type) for r in scenario.task.relevant]
    held = [(d, t) for d in scenario.task.domains for t in scenario.profile.preferences.get(d, {})]
    return list(dict.fromkeys([*relevant, *held]))
