"""Wording: the user's turns in words, in the style of the person, never such as would sound like the turns before."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from duologue.agents.agenda.acts import Act, Turn
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.phrasing import capital, phrased
from duologue.agents.agenda.standing import Standing
from duologue.agents.agenda.way import Way
from duologue.agents.words import alike
from duologue.tasks.noun import VOWEL

__all__ = ["opening", "worded"]

_BEGINS = re.compile(r"(?<=[a-z])[.!?] [a-z]")
_AN = re.compile(rf"\b([Aa]) {VOWEL}")

TRIES = 6
"""How many ways of saying a turn are tried before one is taken that resembles the turns before."""
GREETS = {"terse": 0.15, "chatty": 0.9}
THANKS = {"terse": 0.0, "chatty": 0.6}


def opening(brief: Brief, seed: int) -> str:
    """The user's first words where the task does not write them: one of its requests, dressed in the person's style."""
    task, style = brief.scenario.task, brief.scenario.profile.style
    way = Way(style, seed, 1)
    requests = sorted(task.requests, key=len) or [task.intent]
    if len(requests) > 2 and style.verbosity in ("terse", "chatty"):
        requests = requests[:2] if style.verbosity == "terse" else requests[-2:]
    text = brief.filled(way.choose(requests, "request"))
    if way.unit("greets") < GREETS.get(style.verbosity, 0.5):
        text = f"{way.choose(way.templates('greeting'), 'greeting')} {text}"
    if way.unit("thanks") < THANKS.get(style.verbosity, 0.25):
        text = f"{text} {way.choose(way.templates('thanks_ahead'), 'thanks')}"
    return _polished(text)


def worded(brief: Brief, standing: Standing, turn: Turn, seed: int, number: int, before: Sequence[str]) -> str:
    """`turn`, the user's turn of that `number`, in words unlike those of `before`, the user's turns so far."""
    text = ""
    for attempt in range(TRIES):
        way = Way(brief.scenario.profile.style, seed, number, attempt)
        text = _joined(way, turn, [phrased(brief, standing, act, way) for act in _in_sequence(turn.acts)])
        if not any(_resembles(text, said) for said in before[-2:]):
            break
    return text


def _joined(way: Way, turn: Turn, sentences: Sequence[str]) -> str:
    """The sentences of a turn as one text, with what the person's tone puts before it and chatter after it."""
    text = " ".join(dict.fromkeys(capital(sentence) for sentence in sentences if sentence))
    text = _polished(text)
    kinds = {act.kind for act in turn.acts}
    glad = bool(kinds & {"accept", "choose", "go_ahead", "next"}) and not kinds & {"mend", "reject", "insist", "undo"}
    if glad and way.style.verbosity != "terse" and way.unit("tone") < 0.5 and (leads := way.leads()):
        lead = way.choose(leads, "lead")
        text = text if _thanks_twice(lead, text) else f"{lead} {text}"
    if way.style.verbosity == "chatty" and not turn.stop and way.unit("chat") < 0.3:
        text = f"{text} {way.choose(way.templates('chat'), 'chatter')}"
    return text


def _thanks_twice(lead: str, text: str) -> bool:
    """Whether both thank, or both begin in the same words."""
    begins = text[:30].lower()
    return ("thank" in lead.lower() and "thank" in begins) or begins.startswith(lead.lower().rstrip(".!"))


def _polished(text: str) -> str:
    """`text` with sentences that begin with a capital, and with "an" before a vowel."""
    return _AN.sub(r"\1n ", _BEGINS.sub(lambda found: found[0].upper(), text))


def _in_sequence(acts: Sequence[Act]) -> Iterator[Act]:
    """The acts, corrections after the first one marked as further ones."""
    mended = False
    for act in acts:
        yield replace(act, more=True) if mended and act.kind == "mend" else act
        mended = mended or act.kind == "mend"


def _resembles(text: str, said: str) -> bool:
    """Whether both would count as alike; what differs much in length never does."""
    return min(len(text), len(said)) > 0.5 * max(len(text), len(said)) and alike(text, said)
