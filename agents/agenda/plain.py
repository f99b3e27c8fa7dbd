"""Plain: a clause as facts are looked for in it, with its numbers in figures and without those of records. Pure."""

import re
from dataclasses import replace

from duologue.agents.agenda.clauses import Clause
from duologue.agents.agenda.numerals import in_figures
from duologue.agents.agenda.spelling import said

__all__ = ["plainly"]

_DIGIT = re.compile(r"\d")
_RECORD = re.compile(
    r"\b[a-z]+(?:_[a-z]+)+[-_ ]?\d+\b|\b(?:alarm|reservation|booking|ticket|event|order|message|loan|rental|visit|entry"
    r"|appointment|record|session|stream|alert|purchase|night)-\d+\b|#\s?\w*\d\w*"
    r"|\b(?:ref(?:erence)?|confirmation|record|booking)(?: (?:number|code|id|no))?[.:]?\s+(?:is )?[A-Z]*[-\d]*\d+\b"
    r"|\b(?:after|in) \d+ (?:messages?|turns?|tries|attempts|steps?|seconds?)\b|\b\d+ (?:messages?|turns?|attempts)\b",
    re.IGNORECASE,
)
"""Names of records and the like, whose numbers count nothing."""
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|other than)\s+(?:on |at |for |in )?(?:the |a )?[\w:]+(?:\s?[ap]\.?m)?", re.IGNORECASE
)


def plainly(part: Clause) -> Clause:
    """`part` with long numbers in figures, and without the numbers of records and what it says instead of what:
    "Saturday instead of Friday" speaks of Saturday."""
    plain = in_figures(part.plain)
    if "instead of" in part.text or "rather than" in part.text or "other than" in part.text:
        plain = _INSTEAD.sub(" ", plain)
    if _DIGIT.search(plain):
        plain = _RECORD.sub("xx", plain)
    return part if plain == part.plain else replace(part, text=plain.lower(), plain=plain, words=tuple(said(plain)))
