"""Urging: what the user says to a reply that neither asks, offers nor reports anything to go on with. Pure."""

import re
from collections.abc import Iterator, Sequence

from duologue.agents.agenda.acts import Act
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.heard import Heard
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.standing import Standing

__all__ = ["blamed", "is_yes", "urges"]

_TROUBLE = re.compile(
    r"\b(?:did ?n['o]t|did not|does ?n['o]t|does not|would ?n['o]t|will not|won't) (?:work|go through|succeed|accept)"
    r"|\b(?:errors?|invalid|unknown|unrecogni[sz]ed|failed|fails|went wrong|rejected|refused|malformed|unsupported)\b"
    r"|\bnot (?:a )?(?:valid|recogni[sz]ed|accepted|known|supported|allowed)\b|\bmust be\b|\bno such\b"
    r"|\b(?:is|are|was|were) (?:missing|required|wrong)\b|\bmissing (?:the|a|an|field|value|argument)\b"
)
"""What tells that a tool refused something."""
_WHAT_NOW = re.compile(
    r"\bwhat (?:should|shall|can|must|do|would|will|did) (?:i|we|you)\b(?: (?:like|want|need|have))?(?: (?:me|us))?"
    r"(?: to)? (?:change|do|correct|fix|adjust|modify|try|use|enter)\b"
    r"|\bhow (?:should|shall|would|do|can) (?:i|we|you)\b[^?]{0,20}\b(?:proceed|go on|continue|fix)\b|\badvise\b"
    r"|\bwhat (?:now|next|then)\b|\bplease (?:correct|check|fix)\b|\btry again\b(?! later)|\bhow to proceed\b"
    r"|\bwhat (?:should|must|is) (?:it|that) (?:be|say|read)\b|\bwhat(?:'s| is) (?:the )?(?:right|correct)\b"
)
"""What asks how to go on."""
_WANTS = re.compile(
    r"\b(?:how|what) (?:else )?(?:can|may|could|might) (?:i|we)\b|\bwhat (?:would|do|did) you (?:like|want|need)"
    r"|\bwhat brings you\b|\bwhat changes\b"
)
"""What asks for the request."""
_LOST = re.compile(
    r"\brephrase\b|\b(?:say|tell me|repeat)\b[^?.]{0,20}\b(?:again|once more|request)\b|\brepeat\b"
    r"|\b(?:did ?n['o]t|did not|don't|do not) (?:quite )?(?:understand|catch|get|follow)\b|\bpardon\b|\bcome again\b"
    r"|\bclarify (?:your|what)\b|\bwhat was (?:that|it)\b|\b(?:lost track|forgot|forgotten)\b"
)
"""What says that the request was not understood, or is gone."""
_TO_BE_KNOWN = re.compile(
    r"\bhow (?:old|tall|far|heavy|long ago)\b|\b(?:booking|reference|order|confirmation|customer|ticket|record)"
    r" (?:number|code|reference|id|no)\b|\breference\b|\b(?:which|what) (?:city|town|country|time zone) are you\b"
    r"|\bwhere are you\b|\b(?:when|where|who|why|how) (?:was|were|did|is|are|has|have)\b"
    r"|\bwhat(?:'s| is| was) (?:your|his|her|their|its)\b(?! (?:favou?rite|preferred|choice|pick|idea))"
    r"|\b(?:did|have|has|had|were|was) (?:you|she|he|they|it)\b"
    r"|\b(?:which|what|who) (?:\w+ )?do you (?:support|follow|own|use|work|belong|study)\b"
    r"|\bdo you (?:have|know|remember|own|hold)\b|^\W*(?:is|are|does) (?:she|he|they|your \w+)\b"
)
"""What asks how something is, not how somebody would have it."""
_WHETHER = re.compile(r"\W*(?:and |so )?(?:do|does|did|is|are|was|were|have|has|had)\b")
_YES = re.compile(r"\W*(?:yes|yep|yeah|yup|sure|correct|indeed|of course|absolutely|certainly|it is|exactly|right)\b")
_AGREES = re.compile(
    r"(?:(?:ok(?:ay)?|sure(?: thing)?|certainly|of course|absolutely|great|perfect|good|fine|right|all ?right|noted"
    r"|very well|understood|got it|gladly|i (?:understand|see)|no problem|will do|with pleasure|happy to(?: help)?"
    r"|lovely|excellent|thanks?(?: you)?|wonderful|yes|sounds good|definitely|that (?:works|helps)|makes sense)"
    r"[\s,.!]*)+"
)
"""What does nothing but agree."""


def urges(brief: Brief, standing: Standing, heard: Heard, *, gained: bool) -> Iterator[Act]:
    """What keeps the assistant going; `gained` says that it has just got something done."""
    asks_how = any(_WHAT_NOW.search(text.lower()) for text in heard.puzzling)
    if (gained and not asks_how) or (heard.anything_else and standing.done):
        yield _left(brief, standing)
    elif any(mood.small_talk for mood in heard.moods):
        yield Act("fine")
        yield _nudged(brief, standing)
    elif _shows(heard, _LOST):
        yield _again(brief, standing, heard)
    elif heard.puzzling or heard.choose:
        yield _retried(brief, standing, heard) if asks_how else _unsettled(brief, heard)
    else:
        yield _moved_on(brief, standing, heard)


def _moved_on(brief: Brief, standing: Standing, heard: Heard) -> Act:
    """What is said to a reply that asks nothing."""
    if heard.unavailable or heard.lacking:
        return Act("another")
    if heard.refuses:
        return Act("press")
    if _shows(heard, _WANTS):
        return _again(brief, standing, heard)
    agrees = all(_AGREES.fullmatch(part.text) for part in heard.clauses) and "wait" not in standing.kinds
    if agrees or (heard.waits and not heard.anything_else):
        return Act("wait")
    return _nudged(brief, standing)


def _again(brief: Brief, standing: Standing, heard: Heard) -> Act:
    """Everything again: as a request, or as plain facts where that has been tried."""
    return _restated(brief, standing) if standing.openings < 2 else _retried(brief, standing, heard)


def blamed(brief: Brief, standing: Standing, heard: Heard) -> Act | None:
    """What to say where a turn passes on that a tool refused something, with a question how to go on or what it was
    about, and with nothing else to go on with."""
    if heard.offers or heard.asked or heard.go_ahead or heard.choose or heard.unavailable:
        return None
    asks_how = _shows(heard, _WHAT_NOW)
    if not _shows(heard, _TROUBLE) or not (asks_how or (_blamed_facts(brief, heard) and not heard.reports)):
        return None
    return _retried(brief, standing, heard)


def is_yes(heard: Heard) -> bool:
    """Whether a turn begins with a yes."""
    return bool(heard.clauses) and _YES.match(heard.clauses[0].text) is not None


def _retried(brief: Brief, standing: Standing, heard: Heard) -> Act:
    """The facts that what was refused is about, else all that were told, to be tried again."""
    told = [fact for fact in brief.facts.values() if fact.slot and standing.told[fact.name]]
    facts = _blamed_facts(brief, heard) or told
    return Act("retry", tuple(facts)) if facts else _restated(brief, standing)


def _blamed_facts(brief: Brief, heard: Heard) -> list[Known]:
    """The facts that what was refused names: by their name, their field, or what they count."""
    words = {word for part in heard.clauses if _TROUBLE.search(part.text) for word in part.words}
    heads = {each.name: each.head for each in brief.lexicon.subjects if each.kind == "fact"}
    facts = [fact for fact in brief.facts.values() if fact.slot]
    return [fact for fact in facts if words & {*heads.get(fact.name, ()), *fact.key.split("_"), *fact.unit}]


def _left(brief: Brief, standing: Standing) -> Act:
    """Naming what is still to be done; of two things of a kind the one that is left by what sets it apart and the
    assistant may know."""
    open_aims = _open_aims(brief, standing)
    things = tuple(dict.fromkeys(brief.aims[n].record.name for n in open_aims))
    facts: dict[str, Known] = {}
    pairs: list[tuple[str, str]] = []
    for name in things:
        kind = [n for n, aim in enumerate(brief.aims) if aim.record.name == name]
        own = [n for n in kind if n in open_aims]
        if len(kind) < 2 or len(own) > 1:
            continue
        known = {fact.name for n in kind if n not in own for fact in brief.facts_of(brief.aims[n])}
        apart = [f for f in brief.facts_of(brief.aims[own[0]]) if f.name not in known and f.slot]
        for fact in [f for f in apart if not f.withheld or standing.told[f.name]][:2]:
            facts[fact.name] = fact
            pairs.append((name, fact.name))
    return Act("next", tuple(facts.values()), how="unasked", names=things, pairs=tuple(pairs))


def _open_aims(brief: Brief, standing: Standing) -> Sequence[int]:
    return [n for n in range(len(brief.aims)) if n not in standing.done]


def _unsettled(brief: Brief, heard: Heard) -> Act:
    """The answer to a question about nothing that the user knows, but for the name that something is to go under."""
    asks_name = any(" name" in f" {question.lower()}" for question in heard.puzzling)
    named = brief.scenario.profile.name
    if asks_name and named:
        return Act("named", names=(named,))
    asked = [text.lower() for text in heard.puzzling if _TO_BE_KNOWN.search(text.lower())]
    if not asked:
        return Act("leave_open")
    return Act("unknown", names=("no",) if all(_WHETHER.match(text) for text in asked) else ("",))


def _nudged(brief: Brief, standing: Standing) -> Act:
    """Naming shortly what is wanted; everything again once, when that has not helped twice."""
    if standing.others["nudge"] == 2 and not standing.others["restate"]:
        return _restated(brief, standing)
    return Act("nudge", names=tuple(dict.fromkeys(brief.aims[n].record.name for n in _open_aims(brief, standing))))


def _restated(brief: Brief, standing: Standing) -> Act:
    """The request again, in another of its wordings."""
    text = brief.request(standing.openings + len(brief.scenario.profile.id))
    return Act("restate", brief.facts_in(text), how="unasked", names=(text,) if text else ())


def _shows(heard: Heard, sign: re.Pattern[str]) -> bool:
    return any(sign.search(part.text) for part in heard.clauses)
