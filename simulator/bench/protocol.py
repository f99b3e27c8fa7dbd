"""Protocols: what a paper's evaluation asks, in which order, and what it makes of the answers."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from duologue.bench.plan import Plan
from duologue.bench.question import Answers, Stage
from duologue.bench.report import Table
from duologue.tasks.written import BadInput, nearest

__all__ = ["PROTOCOLS", "Bench", "open_bench"]

PROTOCOLS: Mapping[str, str] = {
    "personafeedback": "duologue.bench.personafeedback.bench",
    "persobench": "duologue.bench.persobench.bench",
}
"""Those that are made of questions, each with the module whose `open_bench` reads its data."""


class Bench(Protocol):
    """One protocol over data that has been read."""

    @property
    def contents(self) -> str:
        """The fingerprint of the items used and of the prompts: what must be equal for answers to be used again."""
        ...

    @property
    def items(self) -> int: ...

    @property
    def options(self) -> Mapping[str, str]:
        """What was chosen, in words, defaults included."""
        ...

    @property
    def stages(self) -> Sequence[Stage]: ...

    def tables(self, answers: Answers) -> Sequence[Table]:
        """What the answers show, as far as there are some."""
        ...

    def notes(self, answers: Answers) -> Sequence[str]:
        """What a reader of the tables must know."""
        ...


def open_bench(plan: Plan) -> Bench:
    """The bench of `plan`. Raises BadInput where there is no such protocol, or its data or options are wrong."""
    if plan.bench not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise BadInput(f"no bench {plan.bench!r}{nearest(plan.bench, PROTOCOLS)}", then=f"There are: {known}")
    opened: Callable[[Plan], Bench] = import_module(PROTOCOLS[plan.bench]).open_bench
    return opened(plan)
