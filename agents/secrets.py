"""Secrets: keys are read from the environment by name, and masked in whatever is shown or stored."""

import os
import re

__all__ = ["SHORTEST_SECRET", "known", "looks_like_key", "redact", "remember", "secret"]

SHORTEST_SECRET = 8
"""Anything shorter is a word of the language as well, and is not masked."""
_MASK = "[secret]"
_read: set[str] = set()
_NAMES = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|r8|ghp|gho|github_pat|glpat|xox[abp]|tgp|csk|fw|lsv2)[-_][A-Za-z0-9_\-*.]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_\-]{8,2000}\.[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]*"
)
_MARKED = re.compile(
    r"(?i)(?P<mark>\bbearer\s+|\bbasic\s+(?=[a-z0-9+/=]{12})|\b(?:x-)?api[-_]?key[\"']?\s*[:=]\s*[\"']?"
    r"|\bauthorization[\"']?\s*[:=]\s*[\"']?(?!bearer|basic)|[?&](?:key|token|api_key)=)(?P<key>[^\s\"',;&<>]{6,})"
)
_IN_ADDRESS = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.\-]{0,20}://)[^\s/@:]*:[^\s/@]+@", re.IGNORECASE)

_BEFORE_DASH = (
    "sk", "pk", "rk", "xai", "hf", "nvapi", "pplx", "r8", "ghp", "gho", "pat", "xoxa", "xoxb", "xoxp", "tgp",
    "fw", "lsv2", "api",
)  # fmt: skip
_MARKS = ("://", "bearer", "basic", "apikey", "authorization", "key=", "token=", "aiza", "akia", "asia", "eyj")
"""In whatever the patterns match stands one of these marks, or a dash after one of those words: looking for them is
much quicker."""


def secret(name: str) -> str | None:
    """The value of the environment variable `name`, remembered so that `redact` masks it. None where it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        return None
    remember(value)
    return value


def remember(value: str) -> None:
    """Have `redact` mask `value` from now on."""
    if len(value) >= SHORTEST_SECRET:
        _read.add(value)


def known() -> tuple[str, ...]:
    """What `redact` masks wherever it stands, the longest first. Looking it up once serves many texts."""
    return tuple(sorted(_read | _in_environment(), key=len, reverse=True))


def redact(text: str, secrets: tuple[str, ...] | None = None) -> str:
    """`text` with every known key, key-looking string and password in an address masked."""
    for value in known() if secrets is None else secrets:
        text = text.replace(value, _MASK)
    if not _may_hold_one(text.casefold()):
        return text
    text = _MARKED.sub(lambda found: found["mark"] + _MASK, text)
    return _IN_ADDRESS.sub(lambda found: found["scheme"] + _MASK + "@", _KEYS.sub(_MASK, text))


def _may_hold_one(folded: str) -> bool:
    for mark in _MARKS:  # a loop: this is called for all that is stored, and is three times as quick as any()
        if mark in folded:
            return True
    for part in folded.replace("_", "-").split("-")[:-1]:  # noqa: SIM110
        if part.endswith(_BEFORE_DASH):
            return True
    return False


def looks_like_key(text: str) -> bool:
    """Whether `text` is a key itself rather than the name of an environment variable."""
    return bool(_KEYS.search(text)) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) or len(text) > 60


def _in_environment() -> set[str]:
    """Values of variables that are named like secrets, whether or not they were read."""
    return {value for name, value in os.environ.items() if len(value) >= 12 and _NAMES.search(name)}
