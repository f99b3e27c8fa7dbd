"""Quotes: whether what a judge cites was said, and where."""

import re
import string
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Literal

from duologue.agents.exhibits import calls, records
from duologue.agents.fence import disarmed, plain
from duologue.agents.message import Message
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Evidence

__all__ = ["SILENCE", "locate"]

Speaker = Literal["user", "assistant", "tool"]
Place = tuple[int | None, Speaker]
SILENCE = "(said nothing)"
"""How an empty turn is shown to a judge."""

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:…|\.{3,})[\])]?\s*")
_LABEL = re.compile(r"^\s*(?:\[?\s*(?:turn\s*)?\d{0,4}\s*\]?[\s:.|-]*)(?:user|assistant)\s*:\s*", re.IGNORECASE)
_MARKS = re.compile(r"""["'`´‘’‚‛“”„‟«»‹›「」『』*_#|]""")
_DASHES = re.compile(r"[‐‑‒–—―−]")
_UNSEEN = re.compile(
    "[\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Characters that only format (Unicode's category Cf)."""
_LETTERS = frozenset(string.ascii_lowercase + string.digits)
_EDGES = " .,;:!?-()[]"
_LONG = 20
"""From this many characters on, a quote may break off in the middle of a word: answers are cut at a bound."""


def locate(script: Transcript, quote: str, turn: int | None, shown: Collection[str] = ()) -> Evidence:
    """Where `quote` stands in `script`, looked for first in the turn that the judge named, and where it was `shown`
    them, in `actions` and `state` too.

    Case, white space, quote marks and markup do not count; `...` stands for words left out.
    """
    said = _said(script.messages)
    claimed = turn if any(number == turn for number, _, _ in said) else None
    fragments = [folded for part in _ELLIPSIS.split(_LABEL.sub("", plain(quote))) if (folded := _folded(part))]
    hits = _holding(said, fragments) or _holding(_done(script, shown), fragments)
    if not hits:
        return Evidence(turn=claimed, quote=plain(quote))
    number, role = min(hits, key=lambda hit: hit[0] != turn)
    moved = turn if None not in (turn, number) and number != turn else None
    return Evidence(turn=number, role=role, quote=plain(quote), found=True, claimed_turn=moved)


def _holding(texts: Iterable[tuple[int | None, Speaker, str]], fragments: list[str]) -> list[Place]:
    return [(turn, role) for turn, role, text in texts if fragments and _holds(text, fragments)]


def _done(script: Transcript, shown: Collection[str]) -> Iterator[tuple[int | None, Speaker, str]]:
    """The turns and folded texts of what was done, as far as it was shown, and of the records at the end."""
    if "actions" in shown:
        for call in calls(script):
            yield from ((call.turn, "tool", _folded(text)) for text in (call.asked, call.answered))
    if "state" in shown:
        yield from ((None, "tool", _folded(record)) for record in records(script))


@lru_cache(maxsize=8)
def _said(messages: tuple[Message, ...]) -> tuple[tuple[int | None, Speaker, str], ...]:
    """Number, speaker and folded text of each turn."""
    silence = _folded(SILENCE)
    speakers: tuple[Speaker, Speaker] = ("user", "assistant")
    return tuple((i // 2 + 1, speakers[i % 2], _folded(m.text) or silence) for i, m in enumerate(messages))


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", disarmed(text)).casefold()
    if not text.isascii():
        text = _UNSEEN.sub("", text)
    text = _DASHES.sub("-", _MARKS.sub("", text))
    return " ".join(text.split()).strip(_EDGES)


def _holds(said: str, fragments: list[str]) -> bool:
    """Whether the fragments stand in what was said, in that order."""
    start = 0
    for fragment in fragments:
        at = _find(said, fragment, start)
        if at < 0:
            return False
        start = at + len(fragment)
    return True


def _find(said: str, fragment: str, start: int) -> int:
    """Where `fragment` stands as whole words from `start` on, -1 where it does not."""
    at = said.find(fragment, start)
    while at >= 0:
        if not _is_letter(said, at - 1) and (len(fragment) >= _LONG or not _is_letter(said, at + len(fragment))):
            return at
        at = said.find(fragment, at + 1)
    return -1


def _is_letter(said: str, at: int) -> bool:
    return 0 <= at < len(said) and said[at] in _LETTERS
