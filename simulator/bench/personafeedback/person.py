"""What a model is told of the person: the whole persona, what is found in it, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from duologue.agents.memory import shared_words
from duologue.agents.prompt import render
from duologue.bench.personafeedback.cases import Case, Persona
from duologue.bench.personafeedback.choices import Choices

__all__ = ["Sheet", "Told"]


@dataclass(frozen=True)
class Told:
    """The facts that are told of a person."""

    facts: tuple[str, ...]
    found: tuple[str, ...] = ()
    """The numbers of those that were found, from 1, as they stand in the persona, the best first."""

    @cached_property
    def text(self) -> str:
        """The facts as a block of a prompt; empty where there are none."""
        return render("bench/personafeedback_person.md", facts=self.facts)


class Sheet:
    """The cases that are asked, and what of each one's person is told."""

    def __init__(self, cases: Sequence[Case], personas: Mapping[str, Persona], chosen: Choices, seed: int) -> None:
        self.cases, self.personas, self.chosen, self.seed = cases, personas, chosen, seed
        self._told: dict[str, Told] = {}

    def told(self, case: Case) -> Told:
        """What the setting tells of the person."""
        if case.id not in self._told:
            self._told[case.id] = self._find(case)
        return self._told[case.id]

    def whole(self, case: Case) -> Told:
        """The whole persona, whatever the setting."""
        return Told(self.personas[case.persona].facts)

    def _find(self, case: Case) -> Told:
        """`rag` finds the `k` facts that share most words with the question (BM25), the best first; facts that share
        none are not told."""
        if self.chosen.setting == "none":
            return Told(())
        facts = self.personas[case.persona].facts
        if self.chosen.setting == "profile":
            return Told(facts)
        marks = shared_words(facts, case.question)
        order = sorted(range(len(facts)), key=lambda place: (-marks[place], place))
        places = [place for place in order[: self.chosen.k] if marks[place] > 0]
        return Told(tuple(facts[place] for place in places), tuple(str(place + 1) for place in places))
