"""Retrieval: which facts of a persona are found for a question, by its words, by vectors, or by both.

Both rankings are fused as in Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and
individual Rank Learning Methods", SIGIR, 758-759.
"""

from collections.abc import Sequence

from duologue.agents.memory import Embedding, likeness, shared_words

__all__ = ["by_both", "by_vectors", "by_words", "fused"]

FLAT = 60
"""What is added to every rank before it is turned upside down; the authors' value."""


def by_words(facts: Sequence[str], question: str) -> list[int]:
    """The places of the facts that share words with `question`, the best by BM25 first."""
    return _ranked(shared_words(facts, question))


async def by_vectors(facts: Sequence[str], question: str, embedding: Embedding) -> list[int]:
    """The places of the facts whose vectors are nearest to that of `question`, the nearest first; those with nothing
    in common are left out."""
    return _ranked(await likeness(embedding, facts, question))


async def by_both(facts: Sequence[str], question: str, embedding: Embedding) -> list[int]:
    """The places that either finds, fused."""
    return fused([by_words(facts, question), await by_vectors(facts, question, embedding)])


def fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    """The places in `rankings` by Σ 1 / (60 + rank), ranks from 1; of equal ones the first place comes first."""
    marks: dict[int, float] = {}
    for ranking in rankings:
        for rank, place in enumerate(ranking, 1):
            marks[place] = marks.get(place, 0.0) + 1 / (FLAT + rank)
    return sorted(marks, key=lambda place: (-marks[place], place))


def _ranked(marks: Sequence[float]) -> list[int]:
    order = sorted(range(len(marks)), key=lambda place: (-marks[place], place))
    return [place for place in order if marks[place] > 0]
