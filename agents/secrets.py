"""Secrets: keys are read from the environment by name, and masked in whatever is shown or stored."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from duologue.agents.message import sound

__all__ = [
    "SHORTEST_SECRET",
    "forms",
    "known",
    "looks_like_key",
    "masked",
    "may_hold_key",
    "redact",
    "remember",
    "secret",
]

SHORTEST_SECRET = 8
"""Anything shorter is a word of the language as well, and is not masked."""
_MASK = "[secret]"
_read: set[str] = set()
_NAMES = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|r8|ghp|gho|github_pat|glpat|xox[abp]|tgp|csk|fw|lsv2)[-_]"
    r"(?=[A-Za-z0-9_\-*]*[0-9*]|[A-Za-z0-9_]{16})[A-Za-z0-9_\-*.]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_\-]{8,2000}\.[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]*"
)
_RANDOM = (
    r"(?=[a-z0-9_]*(?:[0-9][a-z_]|[a-z_][0-9]))(?=[a-z0-9_]{8})|(?=[a-z0-9_.~+/\-]*[0-9])(?=[a-z0-9_.~+/\-]{24})"
    r"|(?-i:(?=[A-Za-z0-9+/]*[a-z0-9][A-Z]{2}))(?=[a-z0-9+/]{12})|(?=[a-z0-9+/_\-]{8,}=)"
)
"""What no words look like: letters and digits in one run, a long run with digits, capitals all over, base64."""
_MARKED = re.compile(
    r"(?i)(?P<mark>\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|apikey|digest)\s+"
    rf"|\b(?:bearer|basic)\s+(?:{_RANDOM})|\bauthorization[\"']?\s*[:=]\s*[\"']?(?:{_RANDOM})"
    r"|\b(?:x-)?api[-_]?key[\"']?\s*[:=]\s*[\"']?|[?&](?:key|token|api_key)=)(?P<key>[^\s\"',;&<>]{6,})"
)
_IN_ADDRESS = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.\-]{0,20}://)[^\s/@:]*:[^\s/@]+@", re.IGNORECASE)

_FIELD = re.compile(r"[a-z_]+")

_BEFORE_DASH = (
    "sk", "pk", "rk", "xai", "hf", "nvapi", "pplx", "r8", "ghp", "gho", "pat", "xoxa", "xoxb", "xoxp", "tgp",
    "fw", "lsv2", "api",
)  # fmt: skip
_ENDS = frozenset(word[-2:] for word in _BEFORE_DASH)
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
    """What `redact` masks wherever it stands, the longest first: each secret, and as it stands inside of JSON.

    Looking it up once serves many texts.
    """
    values = _read | _in_environment()
    return tuple(sorted({form for value in values for form in forms(value)}, key=len, reverse=True))


def forms(value: str) -> Iterator[str]:
    """`value`, and as it stands inside of JSON text where that differs."""
    yield value
    if not value.isalnum() or not value.isascii():
        for ascii_only in (False, True):
            yield json.dumps(value, ensure_ascii=ascii_only)[1:-1]


def redact(text: str, secrets: tuple[str, ...] | None = None) -> str:
    """`text` with every known key, key-looking string and password in an address masked."""
    for value in known() if secrets is None else secrets:
        text = text.replace(value, _MASK)
    if not may_hold_key(text):
        return text
    text = _MARKED.sub(lambda found: found["mark"] + _MASK, text)
    return _IN_ADDRESS.sub(lambda found: found["scheme"] + _MASK + "@", _KEYS.sub(_MASK, text))


def masked(
    value: Any, secrets: tuple[str, ...] | None = None, keeps: Callable[[str], object] = _FIELD.fullmatch
) -> Any:
    """`value`, as plain JSON, the way it stands in the record: `redact`ed throughout, and fit for any file.

    Keys are masked as well, but for those that `keeps`: by default those that may name a field of a record, whose form
    no secret that happens to be the same word may spoil.
    """
    secrets = known() if secrets is None else secrets
    if isinstance(value, str):
        return sound(redact(value, secrets)) if len(value) >= SHORTEST_SECRET else sound(value)
    if isinstance(value, list | tuple):
        return [masked(item, secrets, keeps) for item in value]
    if not isinstance(value, dict):
        return value
    return {key if keeps(key) else masked(key, secrets): masked(each, secrets, keeps) for key, each in value.items()}


def may_hold_key(text: str) -> bool:
    """Whether `text`, or a text that is written in it as JSON, may hold something that looks like a key."""
    folded = text.casefold()
    for mark in _MARKS:  # a loop: this is called for all that is stored, and is three times as quick as any()
        if mark in folded:
            return True
    for part in folded.replace("_", "-").split("-")[:-1]:  # noqa: SIM110
        if part[-2:] in _ENDS and part.endswith(_BEFORE_DASH):
            return True
    return False


def looks_like_key(text: str) -> bool:
    """Whether `text` is a key itself rather than the name of an environment variable."""
    return bool(_KEYS.search(text)) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) or len(text) > 60


def _in_environment() -> set[str]:
    """Values of variables that are named like secrets, whether or not they were read."""
    named = (os.environ.get(name, "") for name in os.environ if _is_secret(name))
    return {value for value in named if len(value) >= 12}


@lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    return _NAMES.search(name) is not None
