"""What a model is told of the person: the whole persona, what is found in it, or nothing."""

from collections.abc import Sequence

from duologue.agents.memory import shared_words
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case, Persona
from duologue.bench.personafeedback.choices import Choices

__all__ = ["facts_told", "told"]


def facts_told(case: Case, persona: Persona, chosen: Choices) -> Sequence[str]:
    """The facts that are told of `persona` beside the question of `case`.

    `rag` finds the `k` facts that share most words with the question (BM25), the best first; facts that share none are
    not told.
    """
    if chosen.setting == "none":
        return ()
    if chosen.setting == "profile":
        return persona.facts
    facts = persona.facts
    marks = shared_words(facts, case.question)
    order = sorted(range(len(facts)), key=lambda place: (-marks[place], place))
    return [facts[place] for place in order[: chosen.k] if marks[place] > 0]


def told(facts: Sequence[str]) -> str:
    """The facts as a block of a prompt; empty where there are none."""
    return render("bench/personafeedback_person.md", facts=facts)
