"""Who writes answers, the model and the reference, and what they wrote."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.given import given
from duologue.bench.question import Answers
from duologue.bench.report import Figure, Line

__all__ = ["BY_WRITER", "WRITERS", "by_writer", "said", "written"]

WRITERS = ("model", "reference")
BY_WRITER = ("answers of", "family")
"""What the parts of such a line's name are."""


def written(case: Case, writer: str) -> str:
    """The id of the question that `writer` answers."""
    return f"answer/{case.id}/{writer}"


def said(case: Case, answers: Answers) -> Mapping[str, str] | None:
    """What each writer answered; None where one said nothing."""
    came = given([written(case, writer) for writer in WRITERS], answers)
    if came is None or not all(answer.text.strip() for answer in came):
        return None
    return {writer: answer.text.strip() for writer, answer in zip(WRITERS, came, strict=True)}


def by_writer(
    cases: Sequence[Case], measure: Callable[[Sequence[Case], str, Sequence[str]], Mapping[str, Figure]]
) -> Iterator[Line]:
    """A line for each writer and family, and for all families where there are several. `measure` gives the figures of
    cases and a writer; the words that it gets seed what is resampled."""
    families = list(dict.fromkeys(case.family for case in cases))
    for writer in WRITERS:
        for family in (*families, "all") if len(families) > 1 else families:
            within = [case for case in cases if family in ("all", case.family)]
            yield Line(name=(writer, family), figures=dict(measure(within, writer, (writer, family))))
