"""PersonaFeedback's protocol as a bench."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from duologue.bench.personafeedback import choice
from duologue.bench.personafeedback.cases import FAMILIES, TIERS, Case, Cases, read_cases
from duologue.bench.personafeedback.choices import Choices
from duologue.bench.personafeedback.person import facts_told, told
from duologue.bench.plan import Plan
from duologue.bench.question import Answers, Question, Stage
from duologue.bench.report import Figure, Line, Table
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, fingerprint, parse

__all__ = ["PersonaFeedback", "open_bench"]


class PersonaFeedback:
    """Cases drawn by the plan, asked in the style that was chosen."""

    def __init__(self, plan: Plan, held: Cases, drawn: Sequence[Case], chosen: Choices) -> None:
        self._plan, self._personas, self._cases, self._chosen = plan, held.personas, drawn, chosen

    @property
    def contents(self) -> str:
        personas = {case.persona: self._personas[case.persona].sections for case in self._cases}
        asked = [question.request.messages for question in islice(self._questions({}), 2)]
        return fingerprint([repr(case) for case in self._cases], personas, [repr(each) for each in asked])

    @property
    def items(self) -> int:
        return len(self._cases)

    @property
    def options(self) -> Mapping[str, str]:
        return self._chosen.told

    @property
    def stages(self) -> Sequence[Stage]:
        return (self._questions,)

    def tables(self, answers: Answers) -> Sequence[Table]:
        """By family and tier, and over cases (micro) and over the means of family and tier (macro)."""
        lines = tuple(self._lines(answers))
        return (Table(title="Which of two answers suits the person", names=("family", "tier"), shares=choice.SHARES,
                      clusters="persona", lines=lines),)  # fmt: skip

    def notes(self, answers: Answers) -> Sequence[str]:
        return ()

    def _questions(self, answers: Answers) -> Iterator[Question]:
        for case in self._cases:
            facts = facts_told(case, self._personas[case.persona], self._chosen)
            yield from choice.questions(case, facts, told(facts))

    def _lines(self, answers: Answers) -> Iterator[Line]:
        for family in FAMILIES:
            for tier in (*TIERS, ""):
                held = [c for c in self._cases if c.family == family and tier in ("", c.tier)]
                if held:
                    yield self._line((family, tier or "all"), held, answers)
        yield self._line(("all", "micro"), self._cases, answers)
        yield Line(name=("all", "macro"), figures=self._macro(answers))

    def _line(self, name: tuple[str, str], held: Sequence[Case], answers: Answers) -> Line:
        return Line(name=name, figures=choice.figures(held, answers, self._plan.seed, name))

    def _macro(self, answers: Answers) -> dict[str, Figure]:
        """The plain mean over families and tiers, without an interval."""
        strata = [line.figures for line in self._strata(answers)]
        return {name: _mean([each[name] for each in strata]) for name in choice.SHARES}

    def _strata(self, answers: Answers) -> Iterator[Line]:
        for family in FAMILIES:
            for tier in TIERS:
                if held := [c for c in self._cases if (c.family, c.tier) == (family, tier)]:
                    yield self._line((family, tier), held, answers)


def open_bench(plan: Plan) -> PersonaFeedback:
    """The bench of `plan`. Raises BadInput where the data or an option is wrong."""
    chosen = parse(Choices, plan.options, "--set")
    held = read_cases(Path(plan.data))
    fitting = [case for case in held.cases if chosen.takes(case)]
    if not fitting:
        raise BadInput("has no case of these families and tiers", plan.data, "Choose others, or leave --set out")
    return PersonaFeedback(plan, held, _drawn(fitting, plan), chosen)


def _drawn(cases: Sequence[Case], plan: Plan) -> Sequence[Case]:
    """As many as the plan asks for, family and tier by turns, in the order of the data."""
    if plan.sample is None or plan.sample >= len(cases):
        return cases
    rank: dict[str, tuple[int, int]] = {}
    for family in FAMILIES:
        for tier in TIERS:
            held = [case for case in cases if (case.family, case.tier) == (family, tier)]
            held.sort(key=lambda case: number(plan.seed, "sample", case.id))
            stratum = number(plan.seed, "stratum", family, tier)
            rank |= {case.id: (place, stratum) for place, case in enumerate(held)}
    kept = {case.id for case in sorted(cases, key=lambda case: rank[case.id])[: plan.sample]}
    return [case for case in cases if case.id in kept]


def _mean(figures: Sequence[Figure]) -> Figure:
    values = [figure.value for figure in figures if figure.value is not None]
    return Figure(
        value=sum(values) / len(values) if values else None,
        n=sum(figure.n for figure in figures),
        unscored=sum(figure.unscored for figure in figures),
    )
