"""Scoring each answer by itself, the larger score wins: a model is asked for a number, a reward model has one."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import BOTH, Case
from duologue.bench.personafeedback.comparing import Comparing
from duologue.bench.personafeedback.given import given
from duologue.bench.personafeedback.marks import Marked, marked_figures
from duologue.bench.personafeedback.person import Told
from duologue.bench.question import Answer, Answers, Question
from duologue.bench.report import Figure

__all__ = ["Scoring", "number_in", "scored"]

LEAST, MOST = 1, 100
REWARD = "score"
"""What a classifier with a single label calls its output."""
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


class Scoring(Comparing):
    """A number for each answer."""

    title = "Which of two answers gets the larger score"
    shares = ("accuracy", "tie_rate", "unparsed_rate")
    in_paper: ClassVar = {"accuracy": True}

    def notes(self, answers: Answers) -> Iterator[str]:
        if self.sheet.by_classifier:
            yield "A score is the reward model's output for what is told of the person, the question, and the answer."
        yield "Equal scores count half. A case with a score that cannot be read counts as wrong."
        if any(answer.figures and REWARD not in answer.figures for answer in answers.values()):
            yield "The classifier has several labels, of which none is a score: a reward model has a single output."

    def ask(self, answers: Answers) -> Iterator[Question]:
        """Of each answer its reward, or a number in words."""
        asked = _reward if self.sheet.by_classifier else _number
        for case in self.sheet.cases:
            told = self.sheet.told(case)
            for which, answer in case.both:
                id = _id(case, which)
                yield Question(id, "model", asked(id, case, told, answer), told.found)

    def figures(self, cases: Sequence[Case], answers: Answers, key: Sequence[str]) -> Mapping[str, Figure]:
        held = [found for case in cases if (found := _marked(case, answers)) is not None]
        return marked_figures(held, len(cases) - len(held), key)


def _reward(id: str, case: Case, told: Told, answer: str) -> Request:
    """The answer as the assistant's turn, behind the user's with what is told of the person."""
    words = render("bench/personafeedback_write_case.md", person=told.text, question=case.question)
    return Request((Message("user", words), Message("assistant", answer)), conversation=id, role="model")


def _number(id: str, case: Case, told: Told, answer: str) -> Request:
    system = render("bench/personafeedback_score.md", facts=told.facts)
    words = render("bench/personafeedback_score_case.md", person=told.text, question=case.question, answer=answer)
    return Request(
        messages=(Message("system", system), Message("user", words)), schema=SCORE, temperature=0, max_tokens=1000,
        conversation=id, role="model",
    )  # fmt: skip


def scored(answer: Answer) -> float | None:
    """The score in an answer, a reward model's own or what was said from 1 to 100; None where there is none."""
    if answer.figures:
        reward = answer.figures.get(REWARD, math.nan)
        return reward if math.isfinite(reward) else None
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
    said = given([_id(case, which) for which in BOTH], answers)
    return Marked(case, *map(scored, said)) if said is not None else None


def _id(case: Case, which: str) -> str:
    return f"score/{case.id}/{which}"
