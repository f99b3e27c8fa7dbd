"""Choosing between two answers, in both orders, and what the choices show."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.comparing import Comparing
from duologue.bench.personafeedback.given import given
from duologue.bench.personafeedback.person import Told
from duologue.bench.personafeedback.strata import mean
from duologue.bench.question import Answer, Answers, Question
from duologue.bench.report import Figure
from duologue.tasks.chance import number

__all__ = ["ORDERS", "SHARES", "Choosing", "asked", "picked"]

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


class Choosing(Comparing):
    """The better of two answers, in both orders. Its figures are the shares of SHARES, over cases that were answered in
    both."""

    title = "Which of two answers suits the person"
    shares = SHARES
    in_paper: ClassVar = {"accuracy_single": True, "accuracy_swap_avg": True}

    def ask(self, answers: Answers) -> Iterator[Question]:
        for case in self.sheet.cases:
            told = self.sheet.told(case)
            for order in ORDERS:
                pair = (case.chosen, case.rejected) if order == ORDERS[0] else (case.rejected, case.chosen)
                yield asked(_id(case, order), "model", case, told, pair)

    def figures(self, cases: Sequence[Case], answers: Answers, key: Sequence[str]) -> Mapping[str, Figure]:
        held = [found for case in cases if (found := _choices(case, answers, self.sheet.seed)) is not None]
        both = [each for each in held if None not in each.right]
        observed: dict[str, Iterable[tuple[str, bool]]] = {
            "accuracy_single": ((each.case.persona, each.right[each.single] is True) for each in held),
            "accuracy_swap_avg": ((each.case.persona, right is True) for each in held for right in each.right),
            "accuracy_consistent": ((each.case.persona, each.right == (True, True)) for each in held),
            "flip_rate": ((each.case.persona, each.right[0] is not each.right[1]) for each in both),
            "first_position_rate": ((each.case.persona, right is (place == 0)) for each in held for place, right in
                                    enumerate(each.right) if right is not None),
            "unparsed_rate": ((each.case.persona, right is None) for each in held for right in each.right),
        }  # fmt: skip
        failed = len(cases) - len(held)
        return {
            name: mean([(persona, float(is_so)) for persona, is_so in values], failed, (*key, name))
            for name, values in observed.items()
        }


def asked(id: str, role: str, case: Case, told: Told, pair: tuple[str, str]) -> Question:
    """Which answer of `pair` is better."""
    system = render("bench/personafeedback_choice.md", facts=told.facts)
    words = render(
        "bench/personafeedback_choice_case.md",
        person=told.text,
        question=case.question,
        first=pair[0],
        second=pair[1],
    )
    request = Request(
        messages=(Message("system", system), Message("user", words)), schema=CHOICE, temperature=0, max_tokens=1000,
        conversation=id, role=role,
    )  # fmt: skip
    return Question(id, role, request, told.found)


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


def _choices(case: Case, answers: Answers, seed: int) -> _Choices | None:
    """None where an order has no answer at all: that is no choice, and nobody's mistake."""
    said = given([_id(case, order) for order in ORDERS], answers)
    if said is None:
        return None
    right = [_right(answer, best) for answer, best in zip(said, "AB", strict=True)]
    return _Choices(case, (right[0], right[1]), number(seed, case.id, "order") % 2)


def _right(answer: Answer, best: str) -> bool | None:
    pick = picked(answer)
    return pick == best if pick else None


def _id(case: Case, order: str) -> str:
    return f"choice/{case.id}/{order}"
