"""Answers that models write, laid before a judge beside those of a reference model. What the duels and ratings show.

Source: Tao et al. 2025, arXiv 2510.18849: a subset of 50 cases a stratum, a pairwise judge against one reference, the
win rate at equal length, and three ratings from -5 to 5.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.choice import asked, picked
from duologue.bench.personafeedback.given import given
from duologue.bench.personafeedback.habits import habit_notes, habit_table
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.score import number_in
from duologue.bench.personafeedback.strata import NAMES, lines, mean
from duologue.bench.personafeedback.writers import BY_WRITER, WRITERS, by_writer, said, written
from duologue.bench.question import Answer, Answers, Question, Stage
from duologue.bench.report import Figure, Table

__all__ = ["WEIGHTS", "Writing"]

ORDERS = ("model first", "reference first")
WEIGHTS = {"helpfulness": 0.35, "personalisation": 0.40, "naturalness": 0.25}
SHARES = ("win_rate", "win_rate_at_equal_length", "flip_rate", "first_position_rate", "unparsed_rate")
LEAST, MOST = -5, 5
RATING = Schema(
    "rating",
    {
        "type": "object",
        "properties": {name: {"type": "integer", "minimum": LEAST, "maximum": MOST} for name in WEIGHTS},
        "required": list(WEIGHTS),
        "additionalProperties": False,
    },
)


class Writing:
    """The model and the reference answer; the judge compares in both orders, and rates each answer by itself."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    @property
    def stages(self) -> Sequence[Stage]:
        return (self._write, self._judge)

    def tables(self, answers: Answers) -> Iterator[Table]:
        marked = self._sheet.chosen.marked
        apart = _spread([each.apart for each in self._met(self._sheet.cases, answers)])
        found = lines(self._sheet.cases, lambda cases, key: self._duels(cases, answers, key, apart))
        yield Table(
            title=marked("The model's answers against the reference's"), names=NAMES, shares=SHARES,
            clusters="persona", lines=tuple(found),
            comparable_to_paper={"win_rate": False, "win_rate_at_equal_length": False},
        )  # fmt: skip
        rated = by_writer(self._sheet.cases, lambda cases, writer, key: _ratings(cases, writer, answers, key))
        yield Table(
            title=marked(f"Ratings of either's answers, {LEAST} to {MOST}"), names=BY_WRITER, clusters="persona",
            lines=tuple(rated),
        )  # fmt: skip
        yield habit_table(self._sheet, answers)

    def notes(self, answers: Answers) -> Iterator[str]:
        yield "The judge sees the whole persona. Where it names another winner in the other order, that is a tie."
        parts = " + ".join(f"{weight:.2f} {name}" for name, weight in WEIGHTS.items())
        yield f"Weighted is {parts}. Length is counted in letters."
        for writer in WRITERS:
            held = [answers.get(written(case, writer)) for case in self._sheet.cases]
            came = [answer for answer in held if answer is not None and not answer.fault]
            if cut := sum(answer.finish == "length" for answer in came):
                most = self._sheet.chosen.answer_tokens
                yield f"{cut} of {len(came)} answers of the {writer} were cut at {most} tokens (answer_tokens)."
            if empty := sum(not answer.text.strip() for answer in came):
                yield f"{empty} of {len(came)} answers of the {writer} are empty: they are not judged."
        yield from habit_notes()

    def _write(self, answers: Answers) -> Iterator[Question]:
        most = self._sheet.chosen.answer_tokens
        for case in self._sheet.cases:
            told = self._sheet.told(case)
            system = Message("system", render("bench/personafeedback_write.md", facts=told.facts))
            words = render("bench/personafeedback_write_case.md", person=told.text, question=case.question)
            for writer in WRITERS:
                id = written(case, writer)
                request = Request(
                    messages=(system, Message("user", words)), max_tokens=most, conversation=id, role=writer
                )
                yield Question(id, writer, request, told.found)

    def _judge(self, answers: Answers) -> Iterator[Question]:
        """What the judge is asked of each case that both have answered."""
        for case in self._sheet.cases:
            if (texts := said(case, answers)) is None:
                continue
            whole = self._sheet.whole(case)
            pair = (texts[WRITERS[0]], texts[WRITERS[1]])
            yield asked(_duel(case, ORDERS[0]), "judge", case, whole, pair)
            yield asked(_duel(case, ORDERS[1]), "judge", case, whole, pair[::-1])
            system = Message("system", render("bench/personafeedback_rate.md"))
            for writer, answer in texts.items():
                words = render(
                    "bench/personafeedback_rate_case.md", person=whole.text, question=case.question, answer=answer
                )
                id = _rating(case, writer)
                request = Request(
                    messages=(system, Message("user", words)), schema=RATING, temperature=0, max_tokens=1000,
                    conversation=id, role="judge",
                )  # fmt: skip
                yield Question(id, "judge", request)

    def _met(self, cases: Sequence[Case], answers: Answers) -> list["_Meeting"]:
        return [met for case in cases if (met := _meeting(case, answers)) is not None]

    def _duels(
        self, cases: Sequence[Case], answers: Answers, key: Sequence[str], spread: float
    ) -> Mapping[str, Figure]:
        from duologue.statistics.lengths import length_controlled

        held = self._met(cases, answers)
        read = [each for each in held if each.score is not None]
        unread = len(cases) - len(read)
        level = length_controlled([(m.case.persona, m.score or 0.0, math.tanh(m.apart / spread)) for m in read], key)
        picks = [(m.case.persona, float(pick == 0)) for m in held for pick in m.picks if pick is not None]
        flips = [(m.case.persona, float(m.score == 0.5)) for m in read]
        unparsed = [(m.case.persona, float(pick is None)) for m in held for pick in m.picks]
        return {
            "win_rate": mean([(m.case.persona, m.score or 0.0) for m in read], unread, (*key, "win")),
            "win_rate_at_equal_length": Figure(
                value=level.rate, low=level.low, high=level.high, n=len(read), unscored=unread,
                why="" if level.rate is not None else level.why,
            ),
            "flip_rate": mean(flips, unread, (*key, "flip")),
            "first_position_rate": mean(picks, len(cases) - len(held), (*key, "first")),
            "unparsed_rate": mean(unparsed, len(cases) - len(held), (*key, "unparsed")),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Both answers to a case, compared in both orders."""

    case: Case
    apart: int
    """By how many letters the model's answer is longer."""
    picks: tuple[int | None, int | None]
    """Which place was picked in each order, where the model's answer stands first and where second."""

    @property
    def score(self) -> float | None:
        """The model's: 1 or 0; 0.5 where the judge names another winner in the other order; None where a choice cannot
        be read."""
        first, second = self.picks
        return None if first is None or second is None else ((first == 0) + (second == 1)) / 2


def _meeting(case: Case, answers: Answers) -> _Meeting | None:
    texts = said(case, answers)
    judged = given([_duel(case, order) for order in ORDERS], answers)
    if texts is None or judged is None:
        return None
    picks = [_place(picked(answer)) for answer in judged]
    return _Meeting(case, len(texts["model"]) - len(texts["reference"]), (picks[0], picks[1]))


def _place(pick: str) -> int | None:
    """The place that stands first in each order is 0. None where nothing was picked."""
    return "AB".index(pick) if pick else None


def _spread(apart: Sequence[int]) -> float:
    """The standard deviation of length differences, by which they are measured; 1 where there is none."""
    middle = sum(apart) / len(apart) if apart else 0.0
    return math.sqrt(sum((each - middle) ** 2 for each in apart) / len(apart)) or 1.0 if apart else 1.0


def _ratings(cases: Sequence[Case], writer: str, answers: Answers, key: Sequence[str]) -> dict[str, Figure]:
    """The mean of each rating, of their weighted sum, and of the letters of the answers."""
    read = {case: found for case in cases if (found := _read(answers.get(_rating(case, writer)))) is not None}
    unread = len(cases) - len(read)
    figures = {
        name: mean([(case.persona, found[name]) for case, found in read.items()], unread, (*key, name), share=False)
        for name in WEIGHTS
    }
    weighted = [(case.persona, sum(WEIGHTS[name] * found[name] for name in WEIGHTS)) for case, found in read.items()]
    came = [(case.persona, answers.get(written(case, writer))) for case in cases]
    letters = [(who, float(len(answer.text))) for who, answer in came if answer and answer.text.strip()]
    return {
        **figures,
        "weighted": mean(weighted, unread, (*key, "weighted"), share=False),
        "letters": mean(letters, len(cases) - len(letters), (*key, "letters"), share=False),
    }


def _read(answer: Answer | None) -> dict[str, float] | None:
    """The three ratings; None where there is no answer or one of them cannot be read."""
    if answer is None or answer.fault:
        return None
    try:
        rated = read_object(answer.text, RATING.schema)
    except Unreadable:
        return None
    found = {name: number_in(rated.get(name), LEAST, MOST) for name in WEIGHTS}
    held = {name: value for name, value in found.items() if value is not None}
    return held if len(held) == len(WEIGHTS) else None


def _duel(case: Case, order: str) -> str:
    return f"duel/{case.id}/{order}"


def _rating(case: Case, writer: str) -> str:
    return f"rating/{case.id}/{writer}"
