"""Choosing between two answers, in both orders, and what the choices show."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case
from duologue.bench.question import Answer, Answers, Question
from duologue.bench.report import Figure
from duologue.statistics.interval import interval
from duologue.tasks.chance import number

__all__ = ["SHARES", "figures", "picked", "questions"]

CHOICE = Schema(
    "choice",
    {
        "type": "object",
        "properties": {"choice": {"type": "string", "enum": ["A", "B"]}},
        "required": ["choice"],
        "additionalProperties": False,
    },
)
ORDERS = ("chosen first", "rejected first")
SHARES = (
    "accuracy_single", "accuracy_swap_avg", "accuracy_consistent",
    "flip_rate", "first_position_rate", "unparsed_rate",
)  # fmt: skip
"""Shares of: cases right in the one order that the seed draws; orders right; cases right in both orders; cases with two
choices that name different answers; choices that name the first answer; orders whose choice cannot be read, which count
as wrong."""
_BARE = re.compile(r"[\s\"'*(\[.]*(?:answer|choice|option)?[\s:*]*([ab])[\s\"'*)\].:]*", re.IGNORECASE)


def questions(case: Case, facts: Sequence[str], person: str) -> Iterator[Question]:
    """The case in both orders."""
    system = Message("system", render("bench/personafeedback_choice.md", facts=facts))
    for order in ORDERS:
        answers = (case.chosen, case.rejected) if order == ORDERS[0] else (case.rejected, case.chosen)
        asked = render(
            "bench/personafeedback_choice_case.md",
            person=person,
            question=case.question,
            first=answers[0],
            second=answers[1],
        )
        id = _id(case, order)
        request = Request(
            messages=(system, Message("user", asked)), schema=CHOICE, temperature=0, max_tokens=1000,
            conversation=id, role="model",
        )  # fmt: skip
        yield Question(id, "model", request)


def picked(answer: Answer) -> str:
    """`A` or `B`; empty where no choice can be read."""
    try:
        said = str(read_object(answer.text, CHOICE.schema).get("choice", ""))
    except Unreadable:
        said = answer.text
    found = _BARE.fullmatch(said)
    return found[1].upper() if found else ""


@dataclass(frozen=True, slots=True)
class _Choices:
    """A case with what was picked in both orders: whether it was the chosen answer, None where it cannot be read."""

    case: Case
    right: tuple[bool | None, bool | None]
    single: int
    """Which order the seed draws."""


def figures(cases: Sequence[Case], answers: Answers, seed: int, key: Sequence[str]) -> dict[str, Figure]:
    """The shares of SHARES over `cases` that were answered in both orders, clustered by persona."""
    held = [found for case in cases if (found := _choices(case, answers, seed)) is not None]
    failed = len(cases) - len(held)
    both = [each for each in held if None not in each.right]
    picks = [(each.case.persona, right is (place == 0)) for each in held for place, right in _read(each)]
    observed = {
        "accuracy_single": [(each.case.persona, each.right[each.single] is True) for each in held],
        "accuracy_swap_avg": [(each.case.persona, right is True) for each in held for right in each.right],
        "accuracy_consistent": [(each.case.persona, each.right == (True, True)) for each in held],
        "flip_rate": [(each.case.persona, each.right[0] is not each.right[1]) for each in both],
        "first_position_rate": picks,
        "unparsed_rate": [(each.case.persona, right is None) for each in held for right in each.right],
    }
    return {name: _figure(values, failed, (*key, name)) for name, values in observed.items()}


def _read(each: _Choices) -> Iterator[tuple[int, bool]]:
    return ((place, right) for place, right in enumerate(each.right) if right is not None)


def _choices(case: Case, answers: Answers, seed: int) -> _Choices | None:
    """None where an order has no answer at all: that is no choice, and nobody's mistake."""
    given = [answers.get(_id(case, order)) for order in ORDERS]
    if any(answer is None or answer.fault for answer in given):
        return None
    right = [_right(answer, best) for answer, best in zip(given, "AB", strict=True) if answer is not None]
    return _Choices(case, (right[0], right[1]), number(seed, case.id, "order") % 2)


def _right(answer: Answer, best: str) -> bool | None:
    pick = picked(answer)
    return pick == best if pick else None


def _figure(values: Sequence[tuple[str, bool]], unscored: int, key: Sequence[str]) -> Figure:
    if not values:
        return Figure(unscored=unscored, why="nothing to count")
    shares = [(persona, float(value)) for persona, value in values]
    around = interval(shares, key, share=True)
    mean = sum(value for _, value in shares) / len(shares)
    return Figure(value=mean, low=around.low, high=around.high, n=len(shares), unscored=unscored)


def _id(case: Case, order: str) -> str:
    return f"choice/{case.id}/{order}"
