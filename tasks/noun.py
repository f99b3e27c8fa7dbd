"""Nouns: whether "a" or "an" stands before them."""

import re

__all__ = ["VOWEL", "article"]

VOWEL = r"(?=[aeiou])(?!one\b|once\b|uni|use|usu|eu)"
"""As a pattern: a word begins here that is spoken with a vowel first."""


def article(noun: str) -> str:
    """The word that stands before `noun`."""
    return "an" if re.match(VOWEL, noun) else "a"
