"""Clauses: an assistant's turn as its sentences, each with where it stands, what kind it is and whether it is listed.

Pure functions. Markdown, emoji, tables and bullets are read through; quotes are cut from the text as it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from duologue.agents.agenda.claims import both_done
from duologue.agents.agenda.spelling import said

__all__ = ["Clause", "Kind", "clauses"]

Kind = Literal["question", "request", "statement"]

_BULLET = re.compile(r"\s*(?:[-*+•◦▪‣–—·]\s+|\(?\d{1,2}[.)]\s+|\(?[a-hA-H][.)]\s+|#{1,6}\s+|>\s*)+")
_HEADING = re.compile(r"\s*#{1,6}\s")
_MARKS = re.compile(r"\*+|`+|~~|__|(?<!\w)_|_(?!\w)|</?(?:b|i|em|strong|br|p|ul|li)\s*/?>")
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+")
_RULE = re.compile(r"[\s|:=\-–—*_]*$")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_END = re.compile(
    r"[.!?…]+[\"'”’)\]*_]*\s+(?=\S)|[!?…]+[*_]*(?=[\U0001f000-\U0001faff])|;\s+|\s[–—]+\s+|—(?=\w)"
    r"|(?<=\w)\s+(?=[✅✔☑✓])|<br\s*/?>"
)
_SHORT = re.compile(r"(?:\b(?:mr|ms|mrs|dr|st|no|etc|vs|e\.g|i\.e|approx)|(?P<half>\b[ap]\.m))\.$", re.IGNORECASE)
"""What a full stop does not end a sentence after; "a.m." may."""
_ASKS = r"(?:is|are|was|can|could|shall|should|would|do|does|did|what|which|when|where|who|how|may|will|have|anything)"
_TURN_TO_ASK = re.compile(rf",\s+(?:so|and|but|or|then)?\s*(?={_ASKS}\b)", re.IGNORECASE)
_ASIDE = re.compile(rf"\s-\s+(?=(?:so |and |but )?{_ASKS}\b)", re.IGNORECASE)
"""A dash before a question."""
_STATED = re.compile(
    r"\b(?:have|has|had|['’]ve|is|are|['’]s|was|were|now|already|found|booked|reserved|set|cancell?ed|moved)\b",
    re.IGNORECASE,
)
_AND_THAT_IS = re.compile(
    r",? and (?=(?:the|your|a|an|his|her|their)\s+(?:[\w'’-]+\s+){1,5}?(?:is|are|has been|have been|has|was"
    r"|were)\s+\w+)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:is|are|has been|have been|['’]s|was|were|i['’]ve|i have)\s+(?:now |all |just )?"
    r"(?:\w+ed|set|sent|made|done|in)\b",
    re.IGNORECASE,
)
"""Two things told as done, each in its own words: "the tickets are booked, and the note has been sent"."""
_PERFECT = re.compile(
    r"^\W*(?:\w+[,!.]?\s+)?(?:i|we|your|the|it)\b(?!['’]ll| will| can| could| would)"
    r"[^,]*?\b\w+(?:ed|set|put|sent|made|done|off)\b",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"(?:^\W*|[:,;–—-]\s+)(?:(?:and|so|but|then|also|ok|okay|first|well|from|at|by|in|for|until|on|with)\b\W*){0,3}"
    r"(?:how|what(?! an?\b)|which|where|whom?|whose|when)(?:['’]s\b|(?:\s+(?!(?:i|you|we|it|they|he|she|that"
    r"|this|there)\b)"
    r"[\w'’-]+){0,3}?\s+(?:is|are|do|does|did|would|will|should|shall|may|can|could|might|must)\b)",
    re.IGNORECASE,
)
"""The verb before the one who acts, as in a question."""
_QUESTION_END = re.compile(r"\?[\s\"'”’)\]*_!?]*$")
_REQUEST = re.compile(
    r"\b(?:let me know|tell me|remind me (?:of|how|what|when|where|which)|please (?:specify|provide|share|indicate"
    r"|confirm|choose|select|pick|give|send|state|advise|clarify)|(?:i|we)(?:['’]ll| will| would"
    r"|['’]d)?(?: just| only"
    r"| still| also)* (?:need|require|want|have)(?: (?:to (?:know|ask|confirm|understand|learn|find out|hear"
    r"|be told)|a few|some|the following|your|one more"
    r"|more|a bit|a little|you to)|:)|(?:could|can|may|might) (?:i|we) (?:have|get|ask)|i(?:['’]d"
    r"| would) (?:like|love)"
    r" to (?:know|ask|confirm|understand|hear|find out)|i (?:have|['’]ve got) (?:a few|one|two|some"
    r"|a couple of)(?: \w+)? questions?"
    r"|i was wondering|i wonder|(?:it would|it['’]d|would) help (?:me )?(?:to know|if i knew)|(?:depends"
    r"|depending) on (?:how"
    r"|what|which|when|where|who|whether|your)|(?:i|we)(?: still| just)? (?:don['’]t|do not) (?:yet "
    r"|quite )?know|(?:i|we)(?:['’]m"
    r"| am| are|['’]re)(?: just| only| still)? (?:missing|lacking|not sure (?:how|what|which|when|where|who"
    r"|whether))|you"
    r" (?:haven['’]t|have not|didn['’]t) (?:yet )?(?:told|tell|said?|mention(?:ed)?)"
    r"|what i(?:['’]m)? (?:still )?(?:need|missing|lack)"
    r"|help me understand|leaves? (?:only |just )?the question|^\W*(?:and |just |only )?(?:your "
    r"|the )?(?:number of|preferred|preference|dates?"
    r"|day|time|names?|budget|destination|quantity|amount|size)\b[^.!]{0,60}\bplease\W*$|just (?:say|reply"
    r"|pick|choose)|say the word|choose (?:one|from)"
    r"|(?:once|when) you(?:['’]ve)? (?:confirm|let me|tell|choose|decide|share|provide)"
    r"|a few (?:quick )?(?:questions|details)"
    r"|(?:still )?(?:missing|needed|need)\s*:)",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence, or the part of one that stands for itself."""

    text: str
    """In lower case, without markup."""
    plain: str
    """Without markup, letters as they were."""
    quote: str
    """Exactly as it stands in the turn."""
    words: tuple[str, ...]
    """As `spelling.said` gives them."""
    kind: Kind
    item: bool = False
    """Whether it stands in a list."""
    paragraph: int = 0
    """Which line of the turn it is from."""
    under: Kind = "statement"
    """The kind of the line that announces the list it stands in."""

    @property
    def asks(self) -> bool:
        """Whether it asks for an answer, or stands in a list of what is asked."""
        return self.kind != "statement" or (self.item and self.under != "statement")


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a turn, in order."""
    found: list[Clause] = []
    under: Kind = "statement"
    listed = False
    for number, line in enumerate(text.splitlines()):
        if _RULE.match(line):
            listed = listed and not line.strip()
            continue
        bullet = _BULLET.match(line)
        heading = bool(_HEADING.match(line))
        item = (bool(bullet) and not heading) or line.lstrip().startswith("|")
        if not item:
            listed = False
        body = line[bullet.end() :] if bullet else line
        parts = list(_parts(body))
        for place, part in enumerate(parts):
            clause = _clause(part, item, number, under if item and listed else "statement")
            if clause is not None and clause.kind == "statement" and _leads_on(part, parts[place + 1 :]):
                clause = replace(clause, kind="request")
            if clause is not None:
                found.append(clause)
        if not item and found and found[-1].paragraph == number:
            under, listed = _announces(found, number), True
    return tuple(found)


def _leads_on(part: str, after: list[str]) -> bool:
    """Whether a part is a question whose mark comes only at the end of the next one: "How old is she; and who ...?"."""
    return any("?" in each for each in after) and not re.search(r"[.!…]\W*$", part) and bool(_INVERTED.search(part))


def _announces(found: list[Clause], number: int) -> Kind:
    """What a line says of the list that may follow it."""
    last = found[-1]
    if last.plain.rstrip().endswith((":", "?")):
        own = [clause for clause in found if clause.paragraph == number and clause.kind != "statement"]
        return own[-1].kind if own else "statement"
    return "statement"


def _parts(line: str) -> Iterator[str]:
    """The sentences of a line; a question that follows a statement after a comma stands apart."""
    start = 0
    for end in _END.finditer(line):
        if not _ends(line, start, end):
            continue
        yield from _apart(line[start : end.end()])
        start = end.end()
    yield from _apart(line[start:])


@lru_cache(maxsize=8192)
def _apart(sentence: str) -> tuple[str, ...]:
    """What of a sentence stands for itself. Kept for a while, as is how each is read: assistants repeat themselves."""
    return tuple(_asked_apart(sentence))


def _ends(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a sentence ends there, rather than a shortened word, or the first half of a question."""
    mark = end.group().strip()
    if mark in ("–", "—"):
        return not _opens_asking(line[start : end.start()])
    if mark[:1] != ".":
        return True
    short = _SHORT.search(line, max(start, end.start() - 8), end.start() + 1)
    return short is None or (short["half"] is not None and line[end.end() : end.end() + 1].isupper())


def _asked_apart(sentence: str) -> Iterator[str]:
    if "?" in sentence and "," in sentence:
        turns = list(_TURN_TO_ASK.finditer(sentence))
        if turns and _STATED.search(sentence[: turns[-1].start()]) and not _opens_asking(sentence):
            yield sentence[: turns[-1].start()]
            yield sentence[turns[-1].end() :]
            return
    if " - " in sentence and "?" in sentence and (cut := _ASIDE.search(sentence)) and not _opens_asking(sentence):
        yield sentence[: cut.start()]
        yield sentence[cut.end() :]
        return
    if " and " in sentence and "?" not in sentence:
        yield from _deeds_apart(sentence)
        return
    yield sentence


def _deeds_apart(sentence: str) -> Iterator[str]:
    """The parts of a sentence that tells of two deeds, the first of which is told as done."""
    if _TOLD.search(sentence) and (joint := _AND_THAT_IS.search(sentence)):
        yield sentence[: joint.start()]
        yield sentence[joint.end() :]
        return
    for joint in both_done().finditer(sentence):
        if joint["who"] or _PERFECT.search(sentence[: joint.start()]):
            yield sentence[: joint.start()]
            yield sentence[joint.end() :]
            return
    yield sentence


def _opens_asking(sentence: str) -> bool:
    return bool(
        re.match(
            rf"(?:[^:?]{{0,40}}:)?\W*(?:so|and|but|or|then|ok|okay|great|sure|thanks)?\W*{_ASKS}\b",
            sentence,
            re.IGNORECASE,
        )
    )


_THANKS = re.compile(
    r"(?<!\ba )(?<!\bof )(?<!\bas )(?<!\bfor )(?<!\bis )(?<!\bwith )\b(?:many thanks|thank you|thanks)\b"
    r"(?: so much| very much| a lot)?(?=\s*(?:[.,!;]|$)| for (?:your|the|that|letting|waiting|bearing)\b)",
    re.IGNORECASE,
)
"""Thanks beside other words: they are good manners, and no message of thanks."""


def _bare(quote: str) -> str:
    """`quote` without markup and pictures."""
    if "[" in quote:
        quote = _LINK.sub(r"\1", quote)
    quote = _MARKS.sub("", quote)
    if not quote.isascii():
        quote = _PICTURES.sub(" ", quote).replace("’", "'")
    return quote.replace("|", " , ").strip()


def _clause(part: str, item: bool, paragraph: int, under: Kind) -> Clause | None:
    read = _read(part)
    if read is None or not (item or paragraph):
        return read
    return Clause(read.text, read.plain, read.quote, read.words, read.kind, item, paragraph, under)


@lru_cache(maxsize=8192)
def _read(part: str) -> Clause | None:
    """`part` as the clause that it would be in the first line of a turn; None where it has no words."""
    quote = part.strip()
    plain = _bare(quote)
    if "thank" in plain.lower() and said(civil := _THANKS.sub("", plain)):
        plain = civil
    words = tuple(said(plain))
    if not words:
        return None
    text = plain.lower()
    if _QUESTION_END.search(plain):
        kind: Kind = "question"
    else:
        kind = "request" if _REQUEST.search(text) else "statement"
    return Clause(text, plain, quote, words, kind)
