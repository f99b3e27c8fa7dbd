"""Scoring: how surely the words of a question ask about each subject, and about which of them in the end."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from duologue.agents.agenda.lexicon import Lexicon, Sort, Subject
from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import words as vocabulary

__all__ = ["SURE", "has_focus", "scored_subjects", "sorts_of"]

SURE = 1.5
"""From which score on a subject is asked about by its words alone."""
LIKELY = 1.2
"""From which score on it is where a question word, "how many" or "which ...", tells what is asked for."""
EAGER = 2.0

_ORDER = {"fact": 0.3, "type": 0.1, "field": 0.0}
"""What a subject is taken for sooner, where its words would do for another one too."""
_FOCUS = re.compile(
    r"\b(?:what|which)(?:'s| is| are| will be| would be)?(?: (?:your|the|my|his|her|their))?"
    r"(?: (?:preferred|desired|ideal|favou?rite|usual|preference (?:for|on)))?"
    r"(?! (?:does|do|did|would|should|is|are|was|can|could|will|shall|may|might|else|about|if|i|you|we)\b)"
    r"(?: (?:kind|type|sort|style|level|range|part|form|way)s? of(?: the)?)?"
    r" ((?:(?!(?:would|do|does|did|should|shall|will|is|are|can|could|may|to|for|you|i|we)\b)[a-z'-]+ ?){1,3})"
)
_SORTS: tuple[tuple[re.Pattern[str], Sort], ...] = (
    (re.compile(r"\bhow (?:long|many (?:minutes|hours))\b"), "length"),
    (re.compile(r"\b(?:how many|number of|how big|how large)\b"), "number"),
    (re.compile(r"\b(?:when|what time|which time|at what (?:time|hour))\b"), "time"),
    (re.compile(r"\bwhere\b"), "place"),
    (re.compile(r"\b(?:who|whom|whose)\b"), "person"),
)
_IDIOMS = re.compile(
    r"\bwhen(?:ever)? (?:you(?:'re| are|'ve| have)|it's|it suits|ready)\b"
    r"(?! (?:flying|leaving|going|travell?ing|arriving|free|celebrating|meeting))"
    r"|\bin the mood (?:for|of|to)\b|\bfeel(?:ing)? (?:like|free)\b|\bplace an?\b|\bto the table\b"
    r"|\b(?:this|next|last|first|in|on|take your|any|some) time\b(?! of| do| would| should)"
    r"|\b(?:in|as) part of\b|\b(?:that|it) (?:sounds?|looks?|feels?)\b|\bso far\b|\bright now\b|\bat the moment\b"
)
"""Words that only look as if they told what is asked about."""
_LAST = re.compile(r"\b(to|from)(?=\s*\W*$|\s+(?:where|which|what)\b)")


def sorts_of(text: str) -> frozenset[Sort]:
    """The sort of thing that a question asks for by its question word; empty where it does not tell."""
    plain = _IDIOMS.sub(" ", text)
    found = next((sort for pattern, sort in _SORTS if pattern.search(plain)), None)
    return frozenset({found}) if found else frozenset()


def has_focus(text: str) -> bool:
    """Whether a question word stands before what is asked about: "what kind of food", "which day"."""
    return _FOCUS.search(text) is not None


def scored_subjects(
    text: str,
    sorts: frozenset[Sort],
    valued: Collection[tuple[str, str]],
    lexicon: Lexicon,
    *,
    alone: bool,
    least: float = 0.0,
) -> Iterator[Subject]:
    """The subjects that one part of a question, in lower case, asks about. `valued` are the (domain, key) pairs that
    the question names values of; `alone` says that the part is a question of its own; `least` is the score that a
    subject must have where that is more than usual."""
    text = _IDIOMS.sub(" ", text)
    focus = frozenset(word for found in _FOCUS.finditer(text) for word in said(found[1])[:3])
    by_word = _told_by_words(text, focus, sorts, lexicon)
    scores: dict[int, float] = defaultdict(float)
    for told in by_word.values():
        for number, strength in told.items():
            scores[number] += strength
    for number, each in enumerate(lexicon.subjects if valued else ()):
        if (each.domain, each.key) in valued and each.kind != "field" and (alone or number in scores):
            scores[number] += 0.9
    if sorts:
        scores = _of_sort(scores, by_word, sorts, lexicon, alone=alone)
    yield from _winners(scores, by_word, max(least, LIKELY if sorts or focus else SURE), lexicon)


def _told_by_words(
    text: str, focus: Collection[str], sorts: frozenset[Sort], lexicon: Lexicon
) -> dict[str, dict[int, float]]:
    """By word, how strongly it tells of each subject."""
    found: dict[str, dict[int, float]] = {}
    spoken = [*said(text), *(f"{each[1]}?" for each in _LAST.finditer(text))]
    counting = "number" in sorts or len(spoken) <= 3
    for word in dict.fromkeys(spoken):
        stem = word[:-3] if word.endswith("ing") and len(word) > 5 else word
        cues = lexicon.cues.get(word) or lexicon.cues.get(stem, ())
        share = 1.5 if word in focus else 0.7 if focus else 1.0
        faint: Sort | None = None
        if word in vocabulary("asked_by_number") and not counting:
            faint = "number"
        elif word in vocabulary("asked_by_time") and "time" not in sorts:
            faint = "time"
        if cues:
            found[word] = {n: w * share * (0.6 if faint in lexicon.subjects[n].sorts else 1.0) for n, w in cues}
    return found


def _of_sort(
    scores: Mapping[int, float],
    by_word: dict[str, dict[int, float]],
    sorts: frozenset[Sort],
    lexicon: Lexicon,
    *,
    alone: bool,
) -> dict[int, float]:
    """The scores of what is of the sort asked for, where anything is; what answers every such question is in them."""
    of_sort = [n for n, each in enumerate(lexicon.subjects) if each.sorts & sorts]
    if not of_sort:
        return dict(scores)
    kept = {n: scores[n] + 0.8 for n in of_sort if n in scores}
    if "time" in sorts:
        by_word["when"] = {n: EAGER for n in of_sort if lexicon.subjects[n].eager}
        kept |= {n: max(kept.get(n, 0.0), EAGER + 0.8) for n in by_word["when"]}
    if kept or not alone:
        return kept
    unsaid = [n for n in of_sort if lexicon.subjects[n].unsaid]
    facts = {n: EAGER for n in unsaid or of_sort if lexicon.subjects[n].kind == "fact"}
    types = {n: EAGER for n in of_sort if lexicon.subjects[n].kind == "type"}
    return facts or (types if len(types) == 1 else {})


def _winners(
    scores: Mapping[int, float], by_word: Mapping[str, Mapping[int, float]], threshold: float, lexicon: Lexicon
) -> Iterator[Subject]:
    """Of the subjects that pass, those that are the best for some word. A fact goes before the type or the field of
    the same key."""
    passed = {n: s + _ORDER[lexicon.subjects[n].kind] for n, s in scores.items() if s >= threshold}
    if not passed:
        return
    won: dict[int, None] = {}
    for told in by_word.values():
        here = sorted((n for n in told if n in passed), key=lambda n: -passed[n])
        won |= {n: None for n in here if passed[n] >= passed[here[0]] - 0.05}
    if not won:
        top = max(passed.values())
        won = {n: None for n, s in passed.items() if s >= top - 0.35}
    best = max(passed[n] for n in won)
    kept = [lexicon.subjects[n] for n in won if passed[n] >= 0.5 * best]
    keys = {(each.domain, each.key) for each in kept if each.kind != "field" and each.key}
    facts = {each.key for each in kept if each.kind == "fact" and each.key}
    for each in kept:
        settled = each.kind == "field" and (each.domain, each.key) in keys
        if not settled and (each.kind == "fact" or not each.key or each.key not in facts):
            yield each
