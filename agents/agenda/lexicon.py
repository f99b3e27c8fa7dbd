"""A lexicon: the names, values and subjects that an assistant may speak of in some domains, found in its words.

Built once for each set of domains and kept. Every phrase is compared as `spelling.said` spells it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

from duologue.agents.agenda.claims import deeds_told
from duologue.agents.agenda.notions import notions, notions_of
from duologue.agents.agenda.spelling import forms, said
from duologue.agents.agenda.vocabulary import groups
from duologue.agents.agenda.vocabulary import words as vocabulary
from duologue.agents.words import readable
from duologue.tasks.domain import Attribute, Domain, PreferenceType, RecordField, key

__all__ = ["Lexicon", "Meaning", "Mention", "Subject", "build", "with_subjects"]

Words = tuple[str, ...]
_PREPOSITIONS = frozenset({"to", "from"})
"""Names of fields that are asked for only at the end of a question: "Where do you fly from?"."""
_HOURS = frozenset({"morning", "afternoon", "evening", "earlier", "later", "early", "late", "noon", "midday"})
_DEEDS = frozenset(
    {
        "add",
        "create",
        "make",
        "new",
        "borrow",
        "queue",
        "send",
        "order",
        "rent",
        "place",
        "watch",
        "put",
        "line",
        "plan",
        "hire",
    }
)
Sort = Literal["time", "place", "person", "number", "length"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase may stand for: an entity by its name, a value under its key, or the question for a subject."""

    kind: Literal["entity", "value", "ask"]
    domain: str
    key: str
    """The attribute or field for a value or a question; the kind of entity for an entity."""
    value: str = ""
    """The entity's name, or the value, as the domain writes it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase found in some words, from `start` up to `end`, with everything that it may stand for."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True)
class Subject:
    """Something that can be asked about: a preference type, a fact of the task, or a field that is neither."""

    kind: Literal["fact", "type", "field"]
    domain: str
    name: str
    head: frozenset[str]
    kin: frozenset[str]
    told: frozenset[str]
    sorts: frozenset[Sort]
    key: str = ""
    """The field or attribute that it is about."""
    unsaid: bool = False
    """Whether it is a fact that nobody has been told yet."""

    @property
    def eager(self) -> bool:
        """Whether it answers every question for its sort: a time that nobody has been told yet."""
        return self.unsaid and "time" in self.sorts


@dataclass(frozen=True, eq=False)
class Lexicon:
    """What can be spoken of in `domains`."""

    domains: tuple[Domain, ...]
    phrases: Mapping[str, Mapping[str, tuple[tuple[Words, tuple[Meaning, ...]], ...]]]
    """By first word and second, longest first; under no second word where there is but one."""
    subjects: tuple[Subject, ...]
    topics: Mapping[str, frozenset[tuple[str, str]]]
    """By word, the (domain, kind of record) pairs that it tells of; the kind is empty where it tells but the domain."""
    deeds: tuple[re.Pattern[str], ...] = ()
    """The forms in which what the domains do is told as done, where they are their own."""

    @cached_property
    def cues(self) -> Mapping[str, tuple[tuple[int, float], ...]]:
        """By word, the subjects that it tells of and how surely."""
        return _cues(self.subjects, self.topics)

    @cached_property
    def hints(self) -> tuple[tuple[re.Pattern[str], tuple[int, ...]], ...]:
        """By notion, the subjects that it tells of."""
        return tuple(_hints(self.subjects))

    def mentions(self, words: Sequence[str]) -> tuple[Mention, ...]:
        """The phrases in `words`, the longest where several begin, none inside another."""
        found: list[Mention] = []
        at, size = 0, len(words)
        while at < size:
            begun = self.phrases.get(words[at])
            step = 1
            if begun is not None:
                second = words[at + 1] if at + 1 < size else ""
                for phrase, meanings in (*begun.get(second, ()), *begun.get("", ())):
                    if len(phrase) <= 2 or tuple(words[at : at + len(phrase)]) == phrase:
                        found.append(Mention(at, at + len(phrase), meanings))
                        step = len(phrase)
                        break
            at += step
        return tuple(found)


def build(domains: Iterable[Domain]) -> Lexicon:
    """The lexicon of these domains: their preference types and fields are its subjects. Kept for the next call."""
    return _built(tuple(domains))


def with_subjects(lexicon: Lexicon, subjects: Sequence[Subject]) -> Lexicon:
    """`lexicon` with the facts of a task to be asked about too, before its own subjects."""
    return replace(lexicon, subjects=(*subjects, *lexicon.subjects))


def subject(kind: Literal["fact", "type", "field"], domain: str, name: str, told: str, spec: Any, own: str) -> Subject:
    """A subject by its name, from what its domain says of it. `spec` is its field, attribute or type, if any."""
    head = frozenset(word for word in said(readable(name)) if word not in vocabulary("empty")) or frozenset(
        said(readable(name))
    )
    more = frozenset(word for word in said(told) if word not in vocabulary("empty") and len(word) > 2) - head
    if {"time", "departure", "showtime"} & (head | {own.rpartition("_")[2]}):
        more |= _HOURS
    kin = _kin(head | (frozenset(said(readable(own))) if own else frozenset())) - head
    wide = head | kin | more
    sorts: set[Sort] = {sort for sort, words in _sorts().items() if head & words or (own and own in words)}
    if getattr(spec, "kind", "") == "number":
        sorts.add("number")
    if "long" in wide and "how long" in told.lower():
        sorts.add("length")
    if told.lower().startswith("when ") or " when in the day" in told.lower():
        sorts.add("time")
    if told.lower().startswith("where "):
        sorts.add("place")
    return Subject(kind, domain, name, head, kin, more, frozenset(sorts), own)


@lru_cache(maxsize=512)
def _built(domains: tuple[Domain, ...]) -> Lexicon:
    found: dict[Words, dict[Meaning, None]] = defaultdict(dict)
    subjects: list[Subject] = []
    topics: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for domain in domains:
        for phrase, meaning in _said_in(domain):
            found[phrase][meaning] = None
        subjects += _asked_in(domain)
        for word, record in _topics(domain):
            topics[word].add((domain.name, record))
    begun: dict[str, dict[str, list[tuple[Words, tuple[Meaning, ...]]]]] = defaultdict(lambda: defaultdict(list))
    for phrase, meanings in sorted(found.items(), key=lambda pair: -len(pair[0])):
        begun[phrase[0]][phrase[1] if len(phrase) > 1 else ""].append((phrase, tuple(meanings)))
    phrases = {first: {second: tuple(each) for second, each in held.items()} for first, held in begun.items()}
    told = deeds_told((readable(record.name), record.done) for domain in domains for record in domain.records)
    about = {word: frozenset(pairs) for word, pairs in topics.items()}
    return Lexicon(domains, phrases, tuple(subjects), about, told)


def _hints(subjects: Sequence[Subject]) -> Iterator[tuple[re.Pattern[str], tuple[int, ...]]]:
    """By notion, the facts that it tells of, else the types; what is a field and nothing more it never tells of."""
    told_of: dict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(subjects):
        for place in notions_of(each.name) | notions_of(each.key):
            told_of[place].append(number)
    for place, told in sorted(told_of.items()):
        facts = [n for n in told if subjects[n].kind == "fact" and not subjects[n].name.startswith("old_")]
        facts = [n for n in facts if subjects[n].unsaid] or facts
        settled = {(subjects[n].domain, subjects[n].key) for n in facts}
        types = [n for n in told if subjects[n].kind == "type" and (subjects[n].domain, subjects[n].key) not in settled]
        if facts or types:
            yield notions()[place].asked, (*facts, *types)


def _cues(subjects: Sequence[Subject], topics: Mapping[str, Any]) -> Mapping[str, tuple[tuple[int, float], ...]]:
    """By word, the subjects that it tells of. A word for the whole kind of thing, such as "hotel", tells little."""
    cues: dict[str, dict[int, float]] = defaultdict(dict)
    for number, each in enumerate(subjects):
        for words, weight in ((each.told, 0.8), (each.kin, 1.6), (each.head, 2.0 if len(each.head) == 1 else 1.5)):
            for word in words - _PREPOSITIONS:
                broad = word in topics and (len(each.head) > 1 or word not in each.head)
                cues[word][number] = 0.6 if broad else weight
        for word in each.head & _PREPOSITIONS:
            cues[f"{word}?"][number] = 2.0
    return {word: tuple(pairs.items()) for word, pairs in cues.items()}


@lru_cache(maxsize=512)
def _said_in(domain: Domain) -> tuple[tuple[Words, Meaning], ...]:
    """The phrases of a domain. Kept: it is spoken of alone and beside others."""
    return tuple(_phrases(domain))


@lru_cache(maxsize=512)
def _asked_in(domain: Domain) -> tuple[Subject, ...]:
    """Its preference types and fields. Kept as well."""
    return tuple(_subjects(domain))


def _phrases(domain: Domain) -> Iterator[tuple[Words, Meaning]]:
    if domain.entity:
        for name in (*(str(row["name"]) for row in domain.catalogue), *domain.entity.newcomers):
            for phrase in _names(name):
                yield phrase, Meaning("entity", domain.name, domain.entity.name, name)
    keys = (each.name for each in domain.described if each.kind in ("choice", "choices"))
    for name in dict.fromkeys((*keys, *(key(type.name) for type in domain.preferences))):
        for value in domain.values(name):
            for phrase in forms(value):
                yield phrase, Meaning("value", domain.name, name, value)
    for name, question in (
        *((key(t.name), t.ask) for t in domain.preferences),
        *((d.name, d.ask) for d in domain.described),
    ):
        if question:
            yield tuple(said(question)), Meaning("ask", domain.name, name)


def _names(name: str) -> Iterator[Words]:
    whole = tuple(said(name))
    yield whole
    bare = whole[1:] if len(whole) > 2 and whole[0] in ("the", "la", "le", "el", "il", "das", "die", "der") else whole
    yield bare
    yield tuple(word for word in whole if word != "and") or whole
    if len(bare) >= 2 and bare[-1].isdigit():
        yield (*bare[:-1], "flight", bare[-1])


def _subjects(domain: Domain) -> Iterator[Subject]:
    specs = {each.name: each for each in domain.described}
    for type in domain.preferences:
        spec = specs.get(key(type.name))
        yield subject("type", domain.name, type.name, _told(type, spec), spec, key(type.name))
    types = {key(type.name) for type in domain.preferences}
    others = {each.name: each for each in domain.described if each.name not in types and each.kind != "entity"}
    for name, each in others.items():
        yield subject("field", domain.name, name, _told(None, each), each, name)


def _told(type: PreferenceType | None, spec: Attribute | RecordField | None) -> str:
    """What the domain says of it, its question first."""
    parts = [type.ask, type.description] if type else []
    parts += [spec.ask, spec.description, spec.unit] if spec else []
    return ". ".join(part for part in parts if part)


def _topics(domain: Domain) -> Iterator[tuple[str, str]]:
    yield from ((word, "") for word in said(domain.name))
    for record in domain.records:
        for word in said(f"{readable(record.name)} {readable(record.tools.create)}"):
            if len(word) > 2 and word not in vocabulary("empty") and word not in _DEEDS:
                yield word, record.name
    if domain.entity:
        yield from ((word, "") for word in said(domain.entity.name) if word not in vocabulary("empty"))


@cache
def _sorts() -> dict[Sort, frozenset[str]]:
    names: dict[Sort, str] = {"time": "times", "place": "places", "person": "persons", "length": "durations"}
    return {sort: vocabulary(name) for sort, name in names.items()}


def _kin(head: Iterable[str]) -> frozenset[str]:
    """The words of the groups that a word of `head` is in."""
    words = set(head)
    return frozenset(word for group in _groups() if group[0] in words for word in group)


@cache
def _groups() -> tuple[Words, ...]:
    return tuple(tuple(said(" ".join(group))) for group in groups())
