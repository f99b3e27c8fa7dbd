"""Diversity and length of replies, which need no model.

Source: Li et al. 2016, "A Diversity-Promoting Objective Function for Neural Conversation Models", NAACL-HLT: distinct
n-grams by all n-grams. PersoBench takes it within each reply; over all replies together it also sees a model that
repeats itself from one to the next.
"""

from collections.abc import Sequence

__all__ = ["corpus_distinct", "distinct", "words"]


def words(text: str) -> list[str]:
    """The words of a text: what stands between white space, case kept."""
    return text.split()


def distinct(text: str, n: int) -> float:
    """Dist-n of one reply, |set of its n-grams| / |its n-grams|; 0 where it has none."""
    grams = _grams(words(text), n)
    return len(set(grams)) / len(grams) if grams else 0.0


def corpus_distinct(texts: Sequence[str], n: int) -> float:
    """Dist-n over all replies together; n-grams do not reach from one reply into the next. 0 where there are none."""
    grams = [gram for text in texts for gram in _grams(words(text), n)]
    return len(set(grams)) / len(grams) if grams else 0.0


def _grams(held: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(held[at : at + n]) for at in range(len(held) - n + 1)]
