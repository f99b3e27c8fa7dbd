"""PersonaFeedback's protocol as a bench."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from duologue.agents.prompt import bench_fingerprint
from duologue.bench.personafeedback.cases import Case, read_cases
from duologue.bench.personafeedback.choice import Choosing
from duologue.bench.personafeedback.choices import Choices
from duologue.bench.personafeedback.gain import Weighing
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.score import Scoring
from duologue.bench.personafeedback.strata import drawn
from duologue.bench.personafeedback.votes import agreement, annotated
from duologue.bench.personafeedback.writing import Writing
from duologue.bench.plan import Plan
from duologue.bench.question import Answers, Stage
from duologue.bench.report import Table
from duologue.tasks.written import BadInput, fingerprint, nearest, parse

__all__ = ["PersonaFeedback", "open_bench"]


class Style(Protocol):
    """A way to ask about the cases of a sheet."""

    @property
    def stages(self) -> Sequence[Stage]: ...
    def tables(self, answers: Answers) -> Iterator[Table]: ...
    def notes(self, answers: Answers) -> Iterator[str]: ...


STYLES: Mapping[str, Callable[[Sheet], Style]] = {
    "choice": Choosing,
    "score": Scoring,
    "likelihood": Weighing,
    "generate": Writing,
}
_MISSING = {
    "model": "Type: --model openai:NAME",
    "judge": "Type: --judge openai:NAME",
    "reference": "Type: --set reference.model=openai:NAME",
}


class PersonaFeedback:
    """Cases drawn by the plan, asked in the style that was chosen."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet, self._style = sheet, STYLES[sheet.chosen.style](sheet)

    @property
    def contents(self) -> str:
        cases = self._sheet.cases
        personas = {case.persona: self._sheet.personas[case.persona].sections for case in cases}
        return fingerprint([repr(case) for case in cases], personas, bench_fingerprint("personafeedback"))

    @property
    def items(self) -> int:
        return len(self._sheet.cases)

    @property
    def options(self) -> Mapping[str, str]:
        return self._sheet.chosen.told

    @property
    def stages(self) -> Sequence[Stage]:
        return self._style.stages

    def tables(self, answers: Answers) -> Sequence[Table]:
        """By family and tier, over cases (micro) and over the means of strata (macro), and how annotators agree."""
        return (*self._style.tables(answers), *agreement(self._sheet.cases))

    def notes(self, answers: Answers) -> Sequence[str]:
        return (*self._style.notes(answers), *self._unfound(), *self._ours())

    def _ours(self) -> Iterator[str]:
        if self._sheet.chosen.style in ("choice", "score"):
            yield "The paper's prompts, its order of answers and its retrieval are not public: these are our own."

    def _unfound(self) -> Iterator[str]:
        if self._sheet.chosen.setting != "rag":
            return
        if bare := sum(not self._sheet.told(case).facts for case in self._sheet.cases):
            yield f"Of {bare} of {self.items} cases nothing was found: no fact shares a word with the question."
        yield "What was found stands in the record: `shown` of each answer holds the facts' numbers in the persona."


def open_bench(plan: Plan) -> PersonaFeedback:
    """The bench of `plan`. Raises BadInput where the data or an option is wrong, or a role is missing or too many."""
    chosen = parse(Choices, plan.options, "--set")
    _check_roles(plan, chosen)
    folder = Path(plan.data)
    held = read_cases(folder)
    cases: Sequence[Case] = held.cases
    if chosen.annotations:
        cases = annotated(cases, folder / chosen.annotations)
    fitting = [case for case in cases if chosen.takes(case)]
    if not fitting:
        raise BadInput("has no case of these families and tiers", plan.data, "Choose others, or leave --set out")
    sampled = drawn(fitting, plan.seed, chosen.each, plan.sample)
    return PersonaFeedback(Sheet(sampled, held.personas, chosen, plan.seed))


def _check_roles(plan: Plan, chosen: Choices) -> None:
    for role in chosen.roles:
        if role not in plan.models:
            raise BadInput(f"style={chosen.style} needs a {role}", "personafeedback", _MISSING[role])
    for role in plan.models:
        if role not in chosen.roles:
            meant = nearest(role, chosen.roles)
            raise BadInput(f"style={chosen.style} asks no {role}{meant}", "personafeedback", "Leave it out")
