"""Quotes: whether what a judge cites was said, and where."""

import re
import unicodedata

from duologue.agents.message import Message
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
_EDGES = " .,;:!?-()[]"
_LONG = 20
"""From this many characters on, a quote may break off in the middle of a word: answers are cut at a bound."""


def plain(text: str) -> str:
    """`text` without terminal codes, control characters and lone surrogates; tabs and line ends stay."""
    text = _TERMINAL.sub("", text)
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") else " " for c in _lines(text))
    return kept.strip()


def locate(script: Transcript, quote: str, turn: int | None) -> Evidence:
    """Where `quote` stands in `script`, looked for first in the turn that the judge named.

    Case, white space, quote marks and markup do not count; `...` stands for words left out.
    """
    turns = [(index // 2 + 1, message) for index, message in enumerate(script.messages)]
    claimed = turn if any(number == turn for number, _ in turns) else None
    fragments = [folded for part in _ELLIPSIS.split(_LABEL.sub("", plain(quote))) if (folded := _folded(part))]
    hits = [(number, message) for number, message in turns if fragments and _holds(message, fragments)]
    if not hits:
        return Evidence(turn=claimed, quote=plain(quote))
    number, message = min(hits, key=lambda hit: hit[0] != turn)
    role = "user" if message.role == "user" else "assistant"
    moved = turn if turn is not None and number != turn else None
    return Evidence(turn=number, role=role, quote=plain(quote), found=True, claimed_turn=moved)


def _lines(text: str) -> str:
    return "\n".join(text.splitlines())


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", plain(text)).casefold()
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = _DASHES.sub("-", _MARKS.sub("", text))
    return " ".join(text.split()).strip(_EDGES)


def _holds(message: Message, fragments: list[str]) -> bool:
    """Whether the fragments stand in the message, in that order."""
    said, start = _folded(message.text) or _folded(SILENCE), 0
    for fragment in fragments:
        end = r"(?![a-z0-9])" if len(fragment) < _LONG else ""
        hit = re.compile(rf"(?<![a-z0-9]){re.escape(fragment)}{end}").search(said, start)
        if not hit:
            return False
        start = hit.end()
    return True
