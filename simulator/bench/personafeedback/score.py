"""Scoring each answer by itself, as a reward model does: the larger score wins."""

import re
from collections.abc import Iterator, Mapping, Sequence

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.marks import BOTH, Marked, marked_figures
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.strata import NAMES, lines
from duologue.bench.question import Answer, Answers, Question, Stage
from duologue.bench.report import Figure, Table

__all__ = ["Scoring", "number_in", "scored"]

LEAST, MOST = 1, 100
SCORE = Schema(
    "score",
    {
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": LEAST, "maximum": MOST}},
        "required": ["score"],
        "additionalProperties": False,
    },
)
_BARE = re.compile(r"[\s\"'*]*(?:score|rating)?[\s:*]*([+-]?\d{1,3}(?:\.\d+)?)(?:\s*/\s*100)?[\s\"'*.]*", re.IGNORECASE)


class Scoring:
    """A number for each answer."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    @property
    def stages(self) -> Sequence[Stage]:
        return (self._ask,)

    def tables(self, answers: Answers) -> Iterator[Table]:
        found = lines(self._sheet.cases, lambda cases, key: self._figures(cases, answers, key))
        yield Table(
            title="Which of two answers gets the larger score", names=NAMES, clusters="persona", lines=tuple(found),
            shares=("accuracy", "tie_rate", "unparsed_rate"),
            comparable_to_paper={"accuracy": self._sheet.chosen.setting != "rag"},
        )  # fmt: skip

    def notes(self, answers: Answers) -> Iterator[str]:
        yield "Equal scores count half. A case with a score that cannot be read counts as wrong."

    def _ask(self, answers: Answers) -> Iterator[Question]:
        for case in self._sheet.cases:
            told = self._sheet.told(case)
            system = Message("system", render("bench/personafeedback_score.md", facts=told.facts))
            for which, answer in zip(BOTH, (case.chosen, case.rejected), strict=True):
                words = render(
                    "bench/personafeedback_score_case.md", person=told.text, question=case.question, answer=answer
                )
                request = Request(
                    messages=(system, Message("user", words)), schema=SCORE, temperature=0, max_tokens=1000,
                    conversation=_id(case, which), role="model",
                )  # fmt: skip
                yield Question(_id(case, which), "model", request, told.found)

    def _figures(self, cases: Sequence[Case], answers: Answers, key: Sequence[str]) -> Mapping[str, Figure]:
        held = [found for case in cases if (found := _marked(case, answers)) is not None]
        return marked_figures(held, len(cases) - len(held), key)


def scored(answer: Answer) -> float | None:
    """The score in an answer; None where there is none between 1 and 100."""
    try:
        said = read_object(answer.text, SCORE.schema).get("score")
    except Unreadable:
        found = _BARE.fullmatch(answer.text)
        said = float(found[1]) if found else None
    return number_in(said, LEAST, MOST)


def number_in(said: object, least: float, most: float) -> float | None:
    """What was said as a number from `least` to `most`; None where it is none."""
    if isinstance(said, str) and (found := re.fullmatch(r"\s*([+-]?\d{1,3}(?:\.\d+)?)\s*", said)):
        said = float(found[1])
    if isinstance(said, bool) or not isinstance(said, int | float) or not least <= said <= most:
        return None
    return float(said)


def _marked(case: Case, answers: Answers) -> Marked | None:
    """None where an answer was not scored at all."""
    given = [answer for which in BOTH if (answer := answers.get(_id(case, which))) is not None and not answer.fault]
    return Marked(case, scored(given[0]), scored(given[1])) if len(given) == len(BOTH) else None


def _id(case: Case, which: str) -> str:
    return f"score/{case.id}/{which}"
