"""PersonaFeedback's protocol as a bench."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from duologue.agents.models.measures.measure import KINDS
from duologue.agents.prompt import bench_fingerprint
from duologue.bench.findings import Found, Progress
from duologue.bench.personafeedback.annotations import annotated
from duologue.bench.personafeedback.cases import Case, read_cases
from duologue.bench.personafeedback.choice import Choosing
from duologue.bench.personafeedback.choices import Choices
from duologue.bench.personafeedback.gain import Weighing
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.recall import recall
from duologue.bench.personafeedback.score import Scoring
from duologue.bench.personafeedback.strata import drawn
from duologue.bench.personafeedback.votes import agreement
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
    def notes(self, answers: Answers) -> Iterable[str]: ...


STYLES: Mapping[str, Callable[[Sheet], Style]] = {
    "choice": Choosing,
    "score": Scoring,
    "likelihood": Weighing,
    "generate": Writing,
}
REWARDS = "classifier"
"""The kind of measure that reward models are."""
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
    def seeks(self) -> bool:
        return self._sheet.chosen.seeks

    async def seek(self, progress: Progress) -> Found:
        """Find facts by the embedded model's vectors. Raises BadInput where this machine cannot run it."""
        from duologue.agents.models.embedding import LocalEmbedding

        embedding = LocalEmbedding(wanted=f"retriever={self._sheet.chosen.retriever}", instead="--set retriever=bm25")
        try:
            await embedding.start()
            return await self._sheet.seek(embedding, progress)
        finally:
            await embedding.close()

    def take(self, found: Found) -> None:
        self._sheet.take(found)

    @property
    def stages(self) -> Sequence[Stage]:
        return self._style.stages

    def tables(self, answers: Answers) -> Sequence[Table]:
        """By family and tier, over cases (micro) and over the means of strata (macro); what retrieval found, and how
        annotators agree."""
        return (*self._style.tables(answers), *recall(self._sheet), *agreement(self._sheet.cases))

    def notes(self, answers: Answers) -> Sequence[str]:
        return (*self._style.notes(answers), *self._unfound(), *self._ours())

    def _ours(self) -> Iterator[str]:
        if self._sheet.chosen.style in ("choice", "score"):
            yield "The paper's prompts, its order of answers and its retrieval are not public: these are our own."

    def _unfound(self) -> Iterator[str]:
        if self._sheet.chosen.setting != "rag":
            return
        if bare := sum(not self._sheet.told(case).facts for case in self._sheet.cases):
            why = "has anything to do" if self.seeks else "shares a word"
            yield f"Of {bare} of {self.items} cases nothing was found: no fact {why} with the question."
        yield "What was found stands in the record: `shown` of each answer holds the facts' numbers in the persona."


def open_bench(plan: Plan) -> PersonaFeedback:
    """The bench of `plan`. Raises BadInput where the data or an option is wrong, or a role is missing or too many."""
    chosen = parse(Choices, plan.options, "--set")
    _check_roles(plan, chosen)
    folder = Path(plan.data)
    held = read_cases(folder)
    cases: Sequence[Case] = held.cases
    if chosen.annotations:
        cases = annotated(cases, folder / chosen.annotations, held.personas)
    fitting = [case for case in cases if chosen.takes(case)]
    if not fitting:
        raise BadInput("has no case of these families and tiers", plan.data, "Choose others, or leave --set out")
    sampled = drawn(fitting, plan.seed, chosen.each, plan.sample)
    return PersonaFeedback(Sheet(sampled, held.personas, chosen, plan.seed, _measure(plan, "model") == REWARDS))


def _measure(plan: Plan, role: str) -> str:
    """Which kind of measure a role's model is; empty where it answers in words."""
    kind = plan.models[role].model.partition(":")[0]
    return kind if kind in KINDS else ""


def _check_roles(plan: Plan, chosen: Choices) -> None:
    for role in chosen.roles:
        if role not in plan.models:
            raise BadInput(f"style={chosen.style} needs a {role}", "personafeedback", _MISSING[role])
    for role in plan.models:
        if role not in chosen.roles:
            meant = nearest(role, chosen.roles)
            raise BadInput(f"style={chosen.style} asks no {role}{meant}", "personafeedback", "Leave it out")
        kind = _measure(plan, role)
        if kind and (kind != REWARDS or chosen.style != "score"):
            then = "Type: --set style=score" if kind == REWARDS else "Name a model that answers in words"
            why = f"{plan.models[role].model} only measures: it cannot answer as the {role}"
            raise BadInput(why, "personafeedback", then)
