"""Strangers: a proper name that stands where somebody else's or some other place's should. Pure."""

import calendar
import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from duologue.agents.agenda.known import Known
from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import words

__all__ = ["stranger"]

_TITLES = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Aunt|Auntie|Uncle|Grandpa|Grandma|Granny|Sir|Madame?)\.?\s+)"
_NAME = rf"({_TITLES}?[^\W\d_a-z][\w'’-]+(?:\s+[^\W\d_a-z][\w'’-]+)?)"
_PLACED = frozenset({"from", "to", "in", "at"})
_PERSONAL = frozenset({"to", "with", "for", "of", "is"})
_DATES = frozenset(name.lower() for name in (*calendar.day_name, *calendar.month_name) if name)


def stranger(fact: Known, texts: Sequence[str], known: Collection[str]) -> str:
    """The name that `texts` have in the place of `fact`, which is a name itself; empty where they have none. `known`
    are names of other things, in lower case."""
    before = _before(fact)
    if not before:
        return ""
    place = _place(before)
    standing = [next(filter(None, found.groups())) for text in texts for found in place.finditer(text)]
    if not standing:
        return ""
    free = {word for name in known for word in said(name)} | set(said(str(fact.value))[-1:])
    other = next((name for name in standing if _is_other(name, free)), "")
    return re.sub(r"['’]s$", "", other)


def _is_other(name: str, free: Collection[str]) -> bool:
    spoken = [word for word in said(name) if len(word) > 1]
    common = words("empty") | words("labels") | _DATES | words("unnamed")
    return bool(spoken) and not any(word in free or word in common or word.isdigit() for word in spoken)


def _before(fact: Known) -> tuple[str, ...]:
    """The words after which the name stands: those of the domain's phrase for it, and for people a few more."""
    value = str(fact.value)
    if not value[:1].isupper() or fact.form not in ("text", "choice") or not fact.say:
        return ()
    last = fact.say.partition("{value}")[0].split()[-1:]
    if fact.form == "choice":
        return tuple(last) if last and last[0] in _PLACED else ()
    if not last or last[0] not in _PERSONAL:
        return ()
    return ("for", "under", "of", "'s") if last[0] in ("for", "of", "is") else tuple(last)


@lru_cache(maxsize=64)
def _place(before: tuple[str, ...]) -> re.Pattern[str]:
    plain = "|".join(word for word in before if word != "'s")
    owned = r"|\b([^\W\d_a-z]\w+)['’]s\s+(?:ticket|seat|booking|appointment|loan|reservation)" if "'s" in before else ""
    return re.compile(rf"\b(?:{plain})\s+{_NAME}{owned}")
