"""Hearing: what an assistant's turn says. Shared by the agenda-based user and the state judge.

Pure functions of the words and a lexicon (`lexicon.build(domains)`, kept from call to call). For a judge:

- `hear(text, lexicon)` gives a Heard: everything below, from one reading of the turn.
- `named(text, lexicon)`: every entity and value named at all, each with the quote that names it.
- `proposed(text, lexicon)`: the entities and values put forward or said to be done, without those that are only asked
  about ("Thai or Italian?"), denied ("no Thai place is open") or sold out.
- `types_asked(text, lexicon)`: the (domain, type) pairs that it asks about; every pair of the domains where it asks
  for preferences at large.
- `reports(text, lexicon)`: what it says has been done, each with its quote; an offer or a promise is none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from duologue.agents.agenda import signs
from duologue.agents.agenda.clauses import Clause, clauses
from duologue.agents.agenda.heard import Heard, Mode, Named, Offer, Report
from duologue.agents.agenda.lexicon import Lexicon, Meaning, Mention, Subject
from duologue.agents.agenda.offers import offers_in
from duologue.agents.agenda.questions import subjects_asked
from duologue.agents.agenda.vocabulary import words as vocabulary

__all__ = ["Heard", "Named", "Offer", "Report", "hear", "named", "proposed", "reports", "types_asked"]

HEADING = 5
"""Up to how many words the clause before a report is its heading."""


_WILL = re.compile(r"\bwill\b|'ll\b")
"""What tells of the future: with a question whether to go on after it, it is a proposal."""


_PROPOSES = re.compile(
    r"\bi(?:'d| would| could| can| suggest| recommend| propose)\b|\bhow about\b|\bcould (?:come|do|be)\b"
)


@lru_cache(maxsize=256)
def hear(text: str, lexicon: Lexicon) -> Heard:
    """What `text`, a turn of the assistant, says. Kept for a while: the user hears a turn, and so does a judge."""
    parts = clauses(text)
    if not parts:
        return Heard()
    mentions = [lexicon.mentions(part.words) for part in parts]
    bare = tuple(_masked(part, here) for part, here in zip(parts, mentions, strict=True))
    moods = tuple(signs.mood(part.text, part.words, part.kind, lexicon.deeds) for part in bare)
    found = tuple(_named(parts, moods, mentions))
    told = tuple(_reports(parts, moods, found, mentions, lexicon))
    offers = tuple(offers_in(found, told))
    return Heard(parts, bare, moods, found, *_questions(parts, moods, found, lexicon), offers, told)


def named(text: str, lexicon: Lexicon) -> tuple[Named, ...]:
    """Every entity and value that `text` names, in order; a phrase that may mean several stands once for each."""
    return hear(text, lexicon).named


def proposed(text: str, lexicon: Lexicon) -> tuple[Named, ...]:
    """The entities and values that `text` puts forward: offered, stated of what is offered, or said to be done."""
    return tuple(each for each in named(text, lexicon) if each.mode in ("stated", "offered", "reported"))


def types_asked(text: str, lexicon: Lexicon) -> frozenset[tuple[str, str]]:
    """The (domain, preference type) pairs that `text` asks about; all where it asks for preferences at large."""
    heard = hear(text, lexicon)
    if heard.at_large:
        return frozenset((domain.name, type.name) for domain in lexicon.domains for type in domain.preferences)
    return frozenset((each.domain, each.name) for each in heard.asked if each.kind == "type")


def reports(text: str, lexicon: Lexicon) -> tuple[Report, ...]:
    """What `text` says has been done: booked, set, moved, cancelled, or done at all."""
    return hear(text, lexicon).reports


def _masked(part: Clause, mentions: Sequence[Mention]) -> Clause:
    """`part` with its entities' names out of the way: "Letters Never Sent" says nothing of what is done."""
    spans = [m for m in mentions if any(each.kind == "entity" for each in m.meanings)]
    if not spans:
        return part
    plain, words = part.plain, list(part.words)
    for mention in reversed(spans):
        words[mention.start : mention.end] = ["xx"]
    for name in sorted(
        {each.value for m in spans for each in m.meanings if each.kind == "entity"}, key=len, reverse=True
    ):
        plain = plain.replace(name, "xx")
        if name.casefold() in plain.casefold():
            plain = _anywhere(name).sub("xx", plain)
    return replace(part, text=plain.lower(), plain=plain, words=tuple(words))


@lru_cache(maxsize=16384)
def _anywhere(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name), re.IGNORECASE)


def _named(
    parts: Sequence[Clause], moods: Sequence[signs.Mood], mentions: Sequence[Sequence[Mention]]
) -> Iterator[Named]:
    for number, (part, mood, here) in enumerate(zip(parts, moods, mentions, strict=True)):
        for mention in here:
            for meaning in mention.meanings:
                if meaning.kind == "ask" or (not mention.start and part.words[: mention.end] in _by_the_way()):
                    continue
                mode = _mode(part, mood, mention.start, mention.end, meaning)
                yield Named(meaning.kind, meaning.domain, meaning.key, meaning.value, number, part.quote, mode)


@cache
def _by_the_way() -> frozenset[tuple[str, ...]]:
    return frozenset((word,) for word in vocabulary("interjections"))


def _mode(part: Clause, mood: signs.Mood, start: int, end: int, meaning: Meaning) -> Mode:
    if meaning.kind == "entity" and (mood.unavailable or mood.refuses) and signs.is_unavailable(part.words, start, end):
        return "unavailable"
    if signs.is_denied(part.words, start):
        return "denied"
    if mood.reports:
        return "reported"
    if mood.offers or mood.go_ahead or (meaning.kind == "entity" and part.kind != "statement"):
        return "offered"
    return "asked" if part.asks else "stated"


def _questions(
    parts: Sequence[Clause], moods: Sequence[signs.Mood], found: Sequence[Named], lexicon: Lexicon
) -> tuple[tuple[Subject, ...], tuple[Named, ...], bool, tuple[str, ...]]:
    asked: dict[Subject, None] = {}
    suggested: list[Named] = []
    puzzling: list[str] = []
    at_large = False
    for number, (part, mood) in enumerate(zip(parts, moods, strict=True)):
        if not part.asks or mood.anything_else or mood.small_talk:
            continue
        here = [each for each in found if each.clause == number]
        about = subjects_asked(part, mood, here, lexicon)
        for each in about:
            asked[each] = None
        if about:
            keys = {(each.domain, each.key) for each in about}
            suggested += [each for each in here if each.kind == "value" and (each.domain, each.key) in keys]
        if mood.at_large and not about:
            at_large = True
        elif not about and not (mood.go_ahead or mood.choose or mood.offers) and part.kind == "question":
            puzzling.append(part.plain)
    return tuple(asked), tuple(suggested), at_large and not any(s.kind == "type" for s in asked), tuple(puzzling)


def _reports(
    parts: Sequence[Clause],
    moods: Sequence[signs.Mood],
    found: Sequence[Named],
    mentions: Sequence[Sequence[Mention]],
    lexicon: Lexicon,
) -> Iterator[Report]:
    last = max((number for number, mood in enumerate(moods) if mood.concludes), default=-1)
    asked_after = max((number for number, mood in enumerate(moods) if mood.go_ahead), default=-1)
    starts = [
        number
        for number, mood in enumerate(moods)
        if mood.reports and number > last and not (number < asked_after and _WILL.search(parts[number].text))
    ]
    named = [number for number in starts if moods[number].reports != "done" or len(parts[number].words) > HEADING]
    starts = named or starts
    for place, number in enumerate(starts):
        deed = moods[number].reports
        end = starts[place + 1] if place + 1 < len(starts) else len(parts)
        after = range(number + 1, end)
        asks = next((n for n in after if parts[n].kind != "statement" or _turns(parts, moods, n)), end)
        topics = _topics(parts, found, mentions[number], lexicon, number, asks)
        assert deed
        yield Report(deed, number, asks, parts[number].quote, topics)


def _turns(parts: Sequence[Clause], moods: Sequence[signs.Mood], number: int) -> bool:
    """Whether a clause after a report tells of something else: what cannot be had, or what is proposed."""
    asks_next = number + 1 < len(parts) and parts[number + 1].kind != "statement"
    return moods[number].refuses or moods[number].lacking or (asks_next and bool(_PROPOSES.search(parts[number].text)))


def _topics(
    parts: Sequence[Clause],
    found: Sequence[Named],
    mentions: Sequence[Mention],
    lexicon: Lexicon,
    start: int,
    end: int,
) -> frozenset[tuple[str, str]]:
    """What the clause that reports is about: the kinds of record that its words tell, the domains that it names."""
    inside = {at for m in mentions if any(each.kind != "ask" for each in m.meanings) for at in range(m.start, m.end)}
    own = [word for at, word in enumerate(parts[start].words) if at not in inside]
    words = {pair for word in own for pair in lexicon.topics.get(word, ())}
    domains = {(each.domain, "") for each in found if each.kind == "entity" and start <= each.clause < end}
    heading = parts[start - 1] if start else None
    if not words and not domains and heading is not None and len(heading.words) <= HEADING and not heading.asks:
        words = {pair for word in heading.words for pair in lexicon.topics.get(word, ())}
    return frozenset(words | domains)
