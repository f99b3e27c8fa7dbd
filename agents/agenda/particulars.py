"""Particulars: what an assistant asks of the person itself, such as its age. The questions are data,
`particulars.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from duologue.agents.agenda.lexicon import Lexicon, Subject
from duologue.agents.agenda.patterns import any_of
from duologue.profiles.profile import Profile

__all__ = ["Particular", "known_of", "particulars", "particulars_asked"]

_OF_OTHERS = re.compile(r"\bemergenc|\b(?:his|her|their|recipient's) (?:number|address|e-?mail|phone)")
"""What shows that somebody else is meant."""


@dataclass(frozen=True, slots=True)
class Particular:
    """One thing that a person may be asked of itself."""

    name: str
    asked: re.Pattern[str]
    fields: tuple[str, ...] = ()
    """What of the profile knows it: `name`, or fields of the demographics."""
    says: tuple[str, ...] = ()
    """How the person puts it, with `{value}`."""
    noun: str = ""
    """What the person calls it where it does not say it."""
    beside: re.Pattern[str] | None = None
    """What asks for it after another one: "your name and age"."""


@cache
def particulars() -> Mapping[str, Particular]:
    """Every particular, by its name."""
    text = (files("duologue.agents.agenda") / "particulars.toml").read_text(encoding="utf-8")
    held = tomllib.loads(text)["particulars"]
    return {
        each["name"]: Particular(
            each["name"],
            re.compile("|".join(each["asked"])),
            tuple(each.get("fields", ())),
            tuple(each.get("says", ())),
            each.get("noun", each["name"]),
            _beside(each["beside"]) if "beside" in each else None,
        )
        for each in held
    }


def particulars_asked(text: str, lexicon: Lexicon) -> tuple[tuple[str, ...], str]:
    """The names of what `text`, a question in lower case, asks of the person itself, and the text without it. Where the
    task has a place of departure of its own, the question where somebody is from is for that."""
    return _asked(text, _departs(lexicon.subjects)) if _is_personal(text) else ((), text)


def known_of(profile: Profile, name: str) -> str:
    """What the profile knows of a particular; empty where it knows nothing."""
    return next(_values(profile, particulars()[name].fields), "")


@lru_cache(maxsize=4096)
def _is_personal(text: str) -> bool:
    """Whether a question is for anything of the person itself. Kept for a while: the same is asked again and again."""
    return _any().search(text) is not None and not _OF_OTHERS.search(text)


def _asked(text: str, departs: bool) -> tuple[tuple[str, ...], str]:
    found: list[str] = []
    for each in particulars().values():
        if each.name == "origin" and departs:
            continue
        rest = each.asked.sub(" xx ", text)
        if rest != text:
            found.append(each.name)
            text = rest
    for each in particulars().values() if found else ():
        if each.beside and each.name not in found and each.beside.search(text):
            found.append(each.name)
            text = each.beside.sub(" xx ", text)
    return tuple(found), text


def _beside(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\bxx\W*(?:\band\b|,|&|\bor\b|\bplus\b)[\s,]*(?:(?:your|an?|and|the) )*(?:{'|'.join(names)})\b")


def _values(profile: Profile, fields: Sequence[str]) -> Iterator[str]:
    for field in fields:
        value: str = profile.name if field == "name" else getattr(profile.demographics, field)
        if value:
            yield value


def _departs(subjects: Sequence[Subject]) -> bool:
    return any(each.kind == "fact" and "from" in each.head for each in subjects)


@cache
def _any() -> re.Pattern[str]:
    return any_of(each.asked.pattern for each in particulars().values())
