"""Questions: which subjects a clause asks about."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.lexicon import Lexicon, Subject
from duologue.agents.agenda.notions import told_by
from duologue.agents.agenda.particulars import particulars_asked
from duologue.agents.agenda.scoring import SURE, has_focus, scored_subjects, sorts_of
from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import words

if TYPE_CHECKING:
    from duologue.agents.agenda.signs import Mood

__all__ = ["subjects_asked"]

_SPLIT = re.compile(
    r"\s*(?:\s[+&]\s|,\s*(?:and|or|as well as)?|;|\bas well as\b|\balong with\b|\bplus\b|\balso\b"
    r"|\b(?:and|or)\b(?=\s+(?:(?:from|by|at|on|in|for|to|until|about|under|with) )?"
    r"(?:what|which|when|where|whereabouts|who|whom|whose|how|whether)\b)"
    r"|\band\b(?=\s+(?:for|do|does|did|would|will|shall|should|can|may|must|has|have|is|are|your|any|the|if|at|on|in"
    r"|also|there)\b))\s*"
)
_JOINED = re.compile(r"\band\b|[&+/]")
_PAST = re.compile(
    r"^\W*(?:and |so |oh,? )?(?:have|had|did|were) (?:you|he|she|they)\b[^?]*\b(?:ever|before|last|already|yet|often)\b"
    r"|^\W*(?:and |so )?(?:did|were) (?:you|he|she|they)\b"
)
"""What asks for something past."""
_JOINED_TO = re.compile(r"\band\b|\balso\b|[,;&+]\s*\w")
"""What shows that a question has more than one part."""
_OPEN = re.compile(r"\b(?:what|which|when|where|whereabouts|who|whom|whose|how)\b")
_HOW_TO_HAVE_IT = re.compile(
    r"\W*(?:would|do|should|shall|will|does|is|are) (?:you|it|the|there|this|that)(?: going)?(?: to)? "
    r"(?:like|want|prefer|be|have|rather|need)\b(?! me| to (?:book|go|proceed|confirm))"
)
"""How a question for a yes begins that is about how the user would have something, not about whether to go on."""


_SHALL_I_ADD = re.compile(r"\b(?:shall|should|can|may) (?:i|we) (?:also )?(?:include|add|throw in|put in|take out)\b")
"""How a question begins that is about something to go with what is booked."""
_PROPOSES_DEED = re.compile(
    r"(?:\b(?:shall|should|can|may|could|might) (?:i|we)|\bme to|\byou (?:like|want) to|^\W*(?:so,? |then |and )?)"
    r"(?: (?:go ahead and|just|also|then|now|please|quickly))*\W*"
    r"\b(?:book|reserve|set|schedule|create|add|order|send|purchase|buy|confirm|proceed|place|arrange|put|move|change"
    r"|cancel|update|reschedule|finali[sz]e|secure|hold|lock|play|start|rent|hire|take|go ahead|do|complete|enter|block"
    r"|get|sign|register|submit|pay|transfer|save|queue|switch|swap|keep|make|delete|remove|invest|borrow|stream|have)\b"
)
"""A question whether to do something now, rather than how somebody would like it."""
_OF_WHAT_IS_PUT = re.compile(r"\b(?:that|this|these|those|it|everything|all|the|there)\b")
"""What speaks of something put before."""


class Valued(Protocol):
    """Something named: an entity, or a value under its key."""

    @property
    def kind(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...


def subjects_asked(clause: Clause, mood: "Mood", named: Sequence[Valued], lexicon: Lexicon) -> tuple[Subject, ...]:
    """The subjects that `clause`, which asks, asks about, in its order. `named` is what it names.

    A question whether to book something, or about an entity, asks about nothing but going on; whether something would
    be liked asks about that. What is asked of the person itself is no subject.
    """
    personal, rest = particulars_asked(clause.text, lexicon)
    if (personal and not _JOINED_TO.search(rest)) or _PAST.search(clause.text):
        return ()
    if personal:
        clause = replace(clause, text=rest, words=tuple(said(rest)))
    entity = any(each.kind == "entity" for each in named)
    if (mood.go_ahead or mood.offers) and entity and not has_focus(clause.text):
        return ()
    exact, rest = _asked_exactly(clause, lexicon)
    if exact and len(rest.split()) < 3:
        return exact
    if mood.go_ahead and not _OPEN.search(clause.text) and not _HOW_TO_HAVE_IT.match(clause.text):
        parts = [part for part in _SPLIT.split(clause.text) if _HOW_TO_HAVE_IT.match(part) or _SHALL_I_ADD.search(part)]
        hinted = exact or tuple(dict.fromkeys(each for part in parts for each in _hinted(part, lexicon)[0]))
        if hinted or _PROPOSES_DEED.search(clause.text):
            return hinted
        return tuple(_of_topic(_tastes_put(clause.text, named, lexicon), clause, lexicon))
    found = dict.fromkeys(exact)
    found |= dict.fromkeys(_asked_in_parts(rest if exact else clause.text, named, lexicon))
    found |= dict.fromkeys(_asked_by_values(named, lexicon, found))
    return tuple(_of_topic(list(found), clause, lexicon))


def _tastes_put(text: str, named: Sequence[Valued], lexicon: Lexicon) -> list[Subject]:
    """The preference types that a question for a yes asks about: "Window seat okay?"."""
    settled = {(each.domain, each.key) for each in lexicon.subjects if each.kind == "fact"}
    found = list(_asked_by_values(named, lexicon, {}))
    if not found and not _OF_WHAT_IS_PUT.search(text):
        found = _hinted(text, lexicon)[0]
    return [each for each in found if each.kind == "type" and (each.domain, each.key) not in settled]


def _of_topic(found: list[Subject], clause: Clause, lexicon: Lexicon) -> Iterator[Subject]:
    """Of types of one name in several domains, such as genres, those of the domain that the clause speaks of."""
    spoken = {domain for word in clause.words for domain, _ in lexicon.topics.get(word, ())}
    for each in found:
        like = [other for other in found if other.domain != each.domain and other.head & each.head & set(clause.words)]
        if each.domain in spoken or not any(other.domain in spoken for other in like):
            yield each


def _asked_exactly(clause: Clause, lexicon: Lexicon) -> tuple[tuple[Subject, ...], str]:
    """The subjects whose own question, as their domain writes it, the clause holds; and the other words."""
    asks = [(mention, m) for mention in lexicon.mentions(clause.words) for m in mention.meanings if m.kind == "ask"]
    if not asks:
        return (), clause.text
    found: list[Subject] = []
    for pair in dict.fromkeys((meaning.domain, meaning.key) for _, meaning in asks):
        here = [s for s in lexicon.subjects if s.key and (s.domain, s.key) == pair]
        facts = [s for s in here if s.kind == "fact"]
        found += facts or here[:1]
    inside = {at for mention, _ in asks for at in range(mention.start, mention.end)}
    return tuple(found), " ".join(word for at, word in enumerate(clause.words) if at not in inside)


def _asked_in_parts(text: str, named: Sequence[Valued], lexicon: Lexicon) -> list[Subject]:
    """What each part of a question asks about, or the question as a whole where no part alone asks anything."""
    values = {each.value.lower(): (each.domain, each.key) for each in named if each.kind == "value"}
    parts = [part for part in _SPLIT.split(text) if part.strip()]
    if len(parts) == 1:
        return _asked_in(text, values, lexicon, alone=True)
    found = [each for part in parts for each in _asked_in(part, values, lexicon, alone=False)]
    return found or _asked_in(text, values, lexicon, alone=True)


def _asked_in(text: str, values: Mapping[str, tuple[str, str]], lexicon: Lexicon, *, alone: bool) -> list[Subject]:
    """What a part asks about by its words; else by a value that it names, where it is but a part. The words of values
    tell of nothing else: "the old town" is no town."""
    hinted, text = _hinted(text, lexicon)
    bare, inside = text, set[tuple[str, str]]()
    for value, place in values.items():
        if value in bare:
            bare = bare.replace(value, " ")
            inside.add(place)
    whole = alone or _OPEN.search(text) is not None
    if hinted:
        settled = {each.key for each in hinted}
        joined = _JOINED.search(bare) is not None
        more = scored_subjects(bare, frozenset(), (), lexicon, alone=False, least=SURE + 0.3) if joined else ()
        return [*hinted, *(each for each in more if each not in hinted and each.key not in settled)]
    found = list(scored_subjects(bare, sorts_of(bare), inside, lexicon, alone=whole))
    if found or alone:
        return found
    return [each for each in lexicon.subjects if each.kind == "type" and (each.domain, each.key) in inside]


def _hinted(text: str, lexicon: Lexicon) -> tuple[list[Subject], str]:
    """What a part asks about by the notions that its words tell of, and the rest of it. A question for a time asks
    about no food."""
    numbers, rest = told_by(text, lexicon.hints)
    found = [lexicon.subjects[number] for number in numbers]
    if found and "time" in sorts_of(text):
        found = [each for each in found if "time" in each.sorts or each.head & words("timely")]
    return found, rest if found else text


def _asked_by_values(named: Sequence[Valued], lexicon: Lexicon, found: dict[Subject, None]) -> Iterator[Subject]:
    """The types two of whose values, or one where nothing else is asked, the question names."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for each in named:
        if each.kind == "value":
            counts[each.domain, each.key] += 1
    facts = {subject.key for subject in found if subject.kind == "fact"}
    for subject in lexicon.subjects if counts else ():
        named_so = counts.get((subject.domain, subject.key), 0)
        if named_so and subject.kind != "field" and subject not in found and subject.key not in facts:
            if subject.kind == "fact":
                facts.add(subject.key)
            if named_so >= 2 or not found:
                yield subject
