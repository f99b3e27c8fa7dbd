"""Claims: the forms in which an assistant tells that it has done something, and what makes them a plan or a wish.

The forms are data, `claims.toml`.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from duologue.agents.agenda.patterns import any_of
from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import words as vocabulary

__all__ = ["Deed", "both_done", "deed", "deeds_told", "is_firm"]

Deed = Literal["", "made", "changed", "cancelled", "done"]

_DEEDS: tuple[Deed, ...] = ("cancelled", "changed", "made", "done")
_OPTIONAL = r"(?<=[a-z])[a-z]\?"
_PARTS = (",", ";", ":")


def deeds_told(kinds: Iterable[tuple[str, str]]) -> tuple[re.Pattern[str], ...]:
    """The forms in which what a domain does is told as done, for pairs of a thing and the participle for it, such as
    ("visit request", "sent"). Participles that count anywhere as it is are left out."""
    lower = dict.fromkeys((" ".join(thing.lower().split()), " ".join(word.lower().split())) for thing, word in kinds)
    new = dict.fromkeys(re.escape(word) for thing, word in lower if word and not _is_known(thing, word))
    return _ways(_any(new)) if new else ()


def deed(text: str, words: Iterable[str], more: Sequence[re.Pattern[str]] = ()) -> Deed:
    """What a clause in lower case tells as done; empty where it tells nothing, or only a plan. `words` are its words,
    `more` are further forms in which something is told as made: where they tell of what else is a cancellation, such
    as "withdrawn", it may be either."""
    held = frozenset(words)
    for name, forms in _deeds():
        if forms.told_in(text, held):
            return "done" if name == "cancelled" and _is_told(text, more, requested=True) else name
    return "made" if _is_told(text, more, requested=True) else ""


def is_firm(text: str) -> bool:
    """Whether something is told as done so plainly that a request in the same clause does not matter."""
    return bool(_held("firm").search(text))


@cache
def both_done() -> re.Pattern[str]:
    """What stands between two deeds told in one sentence: "removed the old one and set a new one"."""
    verbs = _any([verb for name in ("made", "changed", "cancelled") for verb in _written()[name]["verbs"]])
    return re.compile(
        rf",?\s+and\s+(?=(?P<who>(?:I|we|i|We)(?:['’]ve| have)?\s+)?(?:also\s+|then\s+|now\s+|just\s+)*{verbs}\b)"
    )


def _is_known(thing: str, participle: str) -> bool:
    """Whether that participle counts wherever it stands, and with that thing too."""
    known = rf"{_any(_written()['made']['verbs'])} xx"
    return bool(re.fullmatch(known, f"{participle} xx")) and not _held("pending").search(f"{participle} {thing}")


def _is_told(text: str, patterns: Iterable[re.Pattern[str]], *, requested: bool = False) -> bool:
    """`requested` says that what is only asked for counts as well: a request may be all there is to make."""
    found = (each for pattern in patterns for each in pattern.finditer(text))
    return any(not _is_held_back(text, each, requested) for each in found)


def _is_held_back(text: str, found: re.Match[str], requested: bool) -> bool:
    """Whether what stands before a deed in its part of the clause makes it a wish, a plan, or something long done."""
    at = found.start()
    part = max(text.rfind(mark, 0, at) for mark in _PARTS)
    if _held("condition").search(text, max(part, 0), at) or _held("provided").search(text[:at]):
        return True
    start = max(part, *(text.rfind(mark, 0, at) for mark in (" and ", " so ", " but ")))
    before = text[max(start, 0) : at]
    if (
        (not requested and _held("pending").search(text))
        or _held("words").search(before)
        or _held("back").search(before)
        or _held("inside").search(found.group())
    ):
        return True
    whole = text[: found.end() + 14]
    return bool(_held("status").search(whole)) and not _held("fresh").search(whole)


def _ways(verb: str) -> tuple[re.Pattern[str], ...]:
    """The forms in which a deed is told as done."""
    forms = _written()["forms"]
    parts = {
        "<verb>": verb,
        "<adverbs>": rf"(?:\s+{_any(forms['adverbs'])})*",
        "<object>": rf"(?:\s+{_any(forms['object'])})?",
        **{f"<{name}>": _any(forms[name]) for name in ("greetings", "following", "things")},
    }
    return tuple(re.compile(_filled(way, parts)) for way in forms["ways"])


def _filled(way: str, parts: dict[str, str]) -> str:
    for name, part in parts.items():
        way = way.replace(name, part)
    return way


@dataclass(frozen=True, slots=True)
class _Forms:
    """The forms of one deed: those of its verbs, and further ones. What has no trigger need not be looked at."""

    triggers: frozenset[str]
    verbs: frozenset[str]
    """Those that are words of a verb."""
    ways: tuple[re.Pattern[str], ...]
    further: tuple[re.Pattern[str], ...]
    any_further: re.Pattern[str]

    def told_in(self, text: str, words: AbstractSet[str]) -> bool:
        """Whether a clause tells of such a deed as done."""
        if words.isdisjoint(self.triggers):
            return False
        if not words.isdisjoint(self.verbs) and _is_told(text, self.ways):
            return True
        return self.any_further.search(text) is not None and _is_told(text, self.further)


@cache
def _deeds() -> tuple[tuple[Deed, _Forms], ...]:
    return tuple((name, _forms_of(**_written()[name])) for name in _DEEDS)


def _forms_of(verbs: Sequence[str], further: Sequence[str]) -> _Forms:
    whole = [each.replace("-?", "-") for each in verbs if "-?" in each]
    return _Forms(
        _triggers([*verbs, *further]),
        _triggers([*verbs, *whole]),
        _ways(_any(verbs)),
        tuple(map(re.compile, further)),
        any_of(further),
    )


def _triggers(patterns: Iterable[str]) -> frozenset[str]:
    """Words one of which every form holds: what has none of them need not be looked at."""
    written = " ".join(patterns).replace("[sz]", "s").replace("-?", "")
    both = f"{re.sub(_OPTIONAL, '', written)} {re.sub(_OPTIONAL, lambda found: found[0][:-1], written)}"
    plain = re.sub(r"\\[a-zA-Z]|\(\?[:!<=]*", " ", both)
    found = frozenset(word for word in said(plain) if len(word) > 2)
    return (found | {word.replace("ised", "ized") for word in found}) - vocabulary("common")


@cache
def _held(name: str) -> re.Pattern[str]:
    patterns = _written()["held"][name]
    return re.compile(rf"\b{_any(patterns)}\b" if name in ("words", "condition") else _any(patterns))


def _any(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


@cache
def _written() -> dict[str, Any]:
    return tomllib.loads((files("duologue.agents.agenda") / "claims.toml").read_text(encoding="utf-8"))
