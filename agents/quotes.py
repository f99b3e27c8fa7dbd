"""Quotes: whether what a judge cites was said, and where."""

import re
import string
import unicodedata
from functools import lru_cache

from duologue.agents.message import Message, Seat
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Evidence

__all__ = ["SILENCE", "locate", "plain"]

SILENCE = "(said nothing)"
"""How an empty turn is shown to a judge."""

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:…|\.{3,})[\])]?\s*")
_LABEL = re.compile(r"^\s*(?:\[?\s*(?:turn\s*)?\d{0,4}\s*\]?[\s:.|-]*)(?:user|assistant)\s*:\s*", re.IGNORECASE)
_MARKS = re.compile(r"""["'`´‘’‚‛“”„‟«»‹›「」『』*_#|]""")
_DASHES = re.compile(r"[‐‑‒–—―−]")
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LETTERS = frozenset(string.ascii_lowercase + string.digits)
_EDGES = " .,;:!?-()[]"
_LONG = 20
"""From this many characters on, a quote may break off in the middle of a word: answers are cut at a bound."""


def plain(text: str) -> str:
    """`text` without terminal codes, control characters and lone surrogates; tabs and line ends stay."""
    return _UNSAFE.sub(" ", "\n".join(_TERMINAL.sub("", text).splitlines())).strip()


def locate(script: Transcript, quote: str, turn: int | None) -> Evidence:
    """Where `quote` stands in `script`, looked for first in the turn that the judge named.

    Case, white space, quote marks and markup do not count; `...` stands for words left out.
    """
    said = _said(script.messages)
    claimed = turn if any(number == turn for number, _, _ in said) else None
    fragments = [folded for part in _ELLIPSIS.split(_LABEL.sub("", plain(quote))) if (folded := _folded(part))]
    hits = [(number, role) for number, role, text in said if fragments and _holds(text, fragments)]
    if not hits:
        return Evidence(turn=claimed, quote=plain(quote))
    number, role = min(hits, key=lambda hit: hit[0] != turn)
    moved = turn if turn is not None and number != turn else None
    return Evidence(turn=number, role=role, quote=plain(quote), found=True, claimed_turn=moved)


@lru_cache(maxsize=8)
def _said(messages: tuple[Message, ...]) -> tuple[tuple[int, Seat, str], ...]:
    """Number, seat and folded text of each turn."""
    silence = _folded(SILENCE)
    seats: tuple[Seat, Seat] = ("user", "assistant")
    return tuple((i // 2 + 1, seats[i % 2], _folded(m.text) or silence) for i, m in enumerate(messages))


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", plain(text)).casefold()
    if not text.isascii():
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
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
