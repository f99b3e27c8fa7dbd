"""What a model is told of the person: the whole persona, what is found in it, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from duologue.agents.memory import Embedding
from duologue.agents.prompt import render
from duologue.bench.findings import FILE, Found, Progress
from duologue.bench.personafeedback.cases import Case, Persona
from duologue.bench.personafeedback.choices import Choices
from duologue.bench.personafeedback.retrieval import by_both, by_vectors, by_words
from duologue.tasks.written import BadInput

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
    """The cases that are asked, and what of each one's person is told; `by_classifier` where the model only scores."""

    def __init__(
        self,
        cases: Sequence[Case],
        personas: Mapping[str, Persona],
        chosen: Choices,
        seed: int,
        by_classifier: bool = False,
    ) -> None:
        self.cases, self.personas, self.chosen, self.seed = cases, personas, chosen, seed
        self.by_classifier = by_classifier
        self._told: dict[str, Told] = {}

    def told(self, case: Case) -> Told:
        """What the setting tells of the person. With vectors it can be told once `take` was called."""
        if case.id not in self._told:
            self._told[case.id] = self._tell(case)
        return self._told[case.id]

    def whole(self, case: Case) -> Told:
        """The whole persona, whatever the setting."""
        return Told(self.personas[case.persona].facts)

    async def seek(self, embedding: Embedding, progress: Progress) -> Found:
        """The numbers of the `k` facts found for each case, the best first, by vectors or by words and vectors."""
        by = by_both if self.chosen.retriever == "hybrid" else by_vectors
        found = {}
        for done, case in enumerate(self.cases):
            progress(done, len(self.cases))
            found[case.id] = self._numbers(await by(self.whole(case).facts, case.question, embedding))
        return found

    def take(self, found: Found) -> None:
        """Tell what was found. Raises BadInput where nothing is told of a case, or of a fact that is none."""
        for case in self.cases:
            numbers = found.get(case.id)
            known = {str(number) for number in range(1, len(self.whole(case).facts) + 1)}
            if numbers is None or not known.issuperset(numbers):
                raise BadInput(f"does not tell which facts were found for {case.id}", FILE, "Take it away, and resume")
            self._told[case.id] = self._told_of(case, numbers)

    def _tell(self, case: Case) -> Told:
        if self.chosen.setting == "none":
            return Told(())
        if self.chosen.setting == "profile":
            return self.whole(case)
        assert not self.chosen.seeks
        return self._told_of(case, self._numbers(by_words(self.whole(case).facts, case.question)))

    def _told_of(self, case: Case, numbers: Sequence[str]) -> Told:
        facts = self.whole(case).facts
        return Told(tuple(facts[int(number) - 1] for number in numbers), tuple(numbers))

    def _numbers(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(str(place + 1) for place in places[: self.chosen.k])
