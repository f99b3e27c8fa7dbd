"""Saying: a domain's own words for a fact or a taste, filled with its value. Pure."""

import re
from collections.abc import Sequence

from duologue.tasks.noun import article, singular

__all__ = ["filled", "listed"]

_COUNTED = re.compile(r"(?<=\{value\} )\w+")
_ARTICLE = re.compile(r"\b([Aa])n? (?=\{value\})")
_THE = re.compile(r"\b[Tt]he (?=\{value\})")


def filled(say: str, value: str) -> str:
    """`say` with `value` in place of `{value}`, as a part of a sentence: no full stop ends it. What one is counted of
    is in the singular, "a" is "an" where the value asks for it, and a name that begins with "The" has no other "the".
    """
    if value.casefold() in ("1", "one"):
        say = _COUNTED.sub(lambda noun: singular(noun[0]), say)
    if value.startswith("The "):
        say = _THE.sub("", say)
    say = _ARTICLE.sub(lambda found: f"{found[1]}{article(value.lower())[1:]} ", say)
    return say.replace("{value}", value).strip().rstrip(".!")


def listed(parts: Sequence[str], last: str = "and") -> str:
    """The parts with commas, the last one after `last`."""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else list(parts))
