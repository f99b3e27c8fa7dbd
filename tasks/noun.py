"""Nouns: whether "a" or "an" stands before them, and one of what several are called."""

import re

__all__ = ["VOWEL", "article", "singular"]

VOWEL = r"(?=[aeiou])(?!one\b|once\b|uni|use|usu|eu)"
"""As a pattern: a word begins here that is spoken with a vowel first."""


def article(noun: str) -> str:
    """The word that stands before `noun`."""
    return "an" if re.match(VOWEL, noun) else "a"


def singular(noun: str) -> str:
    """What one is called of what several are called so; a word that is no plural stays as it is."""
    if noun == "people":
        return "person"
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun
