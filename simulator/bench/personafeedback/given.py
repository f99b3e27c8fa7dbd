"""Answers that belong together."""

from collections.abc import Iterable

from duologue.bench.question import Answer, Answers

__all__ = ["given"]


def given(ids: Iterable[str], answers: Answers) -> list[Answer] | None:
    """The answers to all of these questions; None where one has none: then nothing is told of any."""
    held = [answers.get(id) for id in ids]
    came = [answer for answer in held if answer is not None and not answer.fault]
    return came if len(came) == len(held) else None
