"""What the persona adds to the likelihood of each answer: the pointwise mutual information of persona and answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from duologue.agents.models.call import Request
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import BOTH, Case
from duologue.bench.personafeedback.comparing import Comparing
from duologue.bench.personafeedback.marks import Marked, marked_figures
from duologue.bench.personafeedback.person import Told
from duologue.bench.personafeedback.strata import mean
from duologue.bench.question import Answers, Question
from duologue.bench.report import Figure

__all__ = ["Weighing"]

TOLD, UNTOLD = "told", "untold"


class Weighing(Comparing):
    """log p(answer | question, persona) - log p(answer | question), in nats."""

    title = "Which of two answers gains more likelihood from the persona"
    shares = ("accuracy", "accuracy_per_token", "tie_rate")
    in_paper: ClassVar = {"accuracy": False, "accuracy_per_token": False}

    def notes(self, answers: Answers) -> Iterator[str]:
        yield "A gain is log p(answer | question, persona) - log p(answer | question), in nats; equal gains count half."
        cases = self.sheet.cases
        if unlike := sum(_gains(case, answers) is None and _whole(case, answers) for case in cases):
            yield f"{unlike} of {len(cases)} cases are unscored: an answer was not cut into the same tokens both times."

    def ask(self, answers: Answers) -> Iterator[Question]:
        for case in self.sheet.cases:
            for way, told in ((TOLD, self.sheet.told(case)), (UNTOLD, Told(()))):
                words = render("bench/personafeedback_gain.md", person=told.text, question=case.question)
                for which, answer in case.both:
                    id = _id(case, which, way)
                    request = Request(prompt=f"{words}\n", given=answer, conversation=id, role="model")
                    yield Question(id, "model", request, told.found)

    def figures(self, cases: Sequence[Case], answers: Answers, key: Sequence[str]) -> Mapping[str, Figure]:
        held = [(case, gains) for case in cases if (gains := _gains(case, answers)) is not None]
        failed = len(cases) - len(held)
        marked = [Marked(case, *(gain.whole for gain in gains)) for case, gains in held]
        figures = marked_figures(marked, failed, key)
        apiece = [Marked(case, *(gain.whole / gain.tokens for gain in gains)) for case, gains in held]
        by_token = mean([(each.case.persona, each.right) for each in apiece], failed, (*key, "accuracy_per_token"))
        return {
            "accuracy": figures["accuracy"],
            "accuracy_per_token": by_token,
            "tie_rate": figures["tie_rate"],
            "gain_chosen": figures["mark_chosen"],
            "gain_rejected": figures["mark_rejected"],
        }


class _Gain(NamedTuple):
    whole: float
    tokens: float


def _gains(case: Case, answers: Answers) -> tuple[_Gain, _Gain] | None:
    """The gains of both answers. None where a likelihood is missing, or is of other tokens than its fellow."""
    found = [_gain(case, which, answers) for which in BOTH]
    return (found[0], found[1]) if found[0] and found[1] else None


def _gain(case: Case, which: str, answers: Answers) -> _Gain | None:
    told, untold = (answers.get(_id(case, which, way)) for way in (TOLD, UNTOLD))
    if not told or not untold or not told.figures or not untold.figures:
        return None
    if told.figures["tokens"] != untold.figures["tokens"]:
        return None
    return _Gain(told.figures["logprob"] - untold.figures["logprob"], told.figures["tokens"])


def _whole(case: Case, answers: Answers) -> bool:
    """Whether all likelihoods of the case are there."""
    held = [answers.get(_id(case, which, way)) for which in BOTH for way in (TOLD, UNTOLD)]
    return all(answer is not None and answer.figures for answer in held)


def _id(case: Case, which: str, way: str) -> str:
    return f"likelihood/{case.id}/{which}/{way}"
