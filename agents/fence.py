"""The fence around what a judge only reads: words in it can neither end it, nor pose as a turn, nor as the form of a
chat. What is changed for that is shown to judge and quote check alike. Pure functions."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

__all__ = ["barred", "disarmed", "fence_of", "lined", "plain"]

_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_EQUALS = "=\u207c\u208c\u2550\u2261\u268c\ua78a\ufe66\uff1d\u30a0\u2e40\u1400\u2017"
_FENCE = re.compile(
    rf"[{_EQUALS}]{{2,}}\s*(?:record|state)\b\s*(?:[0-9a-f]*\s*[{_EQUALS}]+|[0-9a-f]{{4,}})", re.IGNORECASE
)
_EQUAL = re.compile(rf"[{_EQUALS}]")
_ALIKE = str.maketrans("асеорѕтԁαϲεοртѐёɑɩ", "aceopstdaceopteeai")
"""Letters of other scripts that look like those of a fence, small ones: `casefold` has been there before."""

_CONTROL = re.compile(
    r"[<＜]\s*[|｜¦][^|｜¦<>\n]{0,60}[|｜¦]\s*[>＞]"
    r"|</?(?:s|bos|eos|pad|unk|(?:start|end)_of_(?:turn|text|image)|\|?im_(?:start|end)\|?)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\]|<</?SYS>>",
    re.IGNORECASE,
)
"""Words that the chat templates of models are made of: servers take them for the form itself, wherever they stand."""
_LABEL = re.compile(r"\[(\s*\d+\s*)\](?=\s*(?:user|assistant|tool call|tool answer)\s*:)", re.IGNORECASE)
_HIDDEN = re.compile(
    "(\U0001f3f4[\U000e0061-\U000e007a]{4,6}\U000e007f)"
    "|[\U000e0001-\U000e007f]{2,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
)
"""Letters that nobody sees and models read: tags outside a flag, and runs of variation selectors."""
_SUSPECT = re.compile(rf"[<＜\[{_EQUALS}\ufe00-\ufe0f\U000e0001-\U000e01ef]")
"""Without any of these a text, as it mostly is, holds nothing to disarm."""


def plain(text: str) -> str:
    """`text` without terminal codes, control characters and lone surrogates; tabs and line ends stay."""
    return _UNSAFE.sub(" ", "\n".join(_TERMINAL.sub("", text).splitlines())).strip()


def disarmed(text: str) -> str:
    """`plain`, and nothing in it looks like a fence, a turn's label or a chat template's own words, or is hidden."""
    text = plain(text)
    if not _SUSPECT.search(text):
        return text
    text = _HIDDEN.sub(lambda found: found[1] or "(hidden text)", text)
    return _unfenced(_LABEL.sub(r"(\1)", _CONTROL.sub("(control word)", text)))


def lined(text: str) -> str:
    """`text`, disarmed, on one line."""
    return " ".join(disarmed(text).split())


def barred(text: str) -> str:
    """`text`, disarmed, each of its lines behind a bar."""
    return "\n".join(f"| {line}" for line in disarmed(text).split("\n"))


def fence_of(what: str, held: Iterable[str]) -> str:
    """A line to stand before and after `held`, texts that it follows from, so that nobody can say it beforehand."""
    digest = hashlib.sha256("\0".join(held).encode("utf-8", "surrogatepass")).hexdigest()
    return f"=== {what} {digest[:12]} ==="


def _unfenced(text: str) -> str:
    if text.isascii() or not _EQUAL.search(text):
        return _FENCE.sub("(fence)", text)
    skeleton, places = _skeleton(text)
    for found in reversed(list(_FENCE.finditer(skeleton))):
        text = f"{text[: places[found.start()]]}(fence){text[places[found.end() - 1] + 1 :]}"
    return text


def _skeleton(text: str) -> tuple[str, list[int]]:
    """What `text` looks like in plain letters, and where in it each of them stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for seen in unicodedata.normalize("NFKD", letter).casefold().translate(_ALIKE):
            if unicodedata.category(seen) not in ("Cf", "Mn", "Me"):
                letters.append(seen)
                places.append(place)
    return "".join(letters), places
