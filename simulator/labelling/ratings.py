"""Ratings: what a judge and people say on one question, dialogue by dialogue, and how far they agree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from duologue.labelling.labels import Label
from duologue.labelling.sample import Place
from duologue.record.run import Run
from duologue.scoring.consensus import agreed
from duologue.scoring.judging import Judging
from duologue.scoring.rows import verdict_of
from duologue.statistics.agreement import Agreement, cohen, fleiss, krippendorff
from duologue.tasks.written import Written

__all__ = ["JUDGE", "PEOPLE", "Pair", "Ratings", "gathered"]

PEOPLE = "people"
"""What all labellers together are called: their median, of yes and no the majority."""
JUDGE = "judge"

Said = Mapping[Place, bool | float]
"""What one rater says, by dialogue."""


class Pair(Written):
    """Two raters, and how far they agree."""

    first: str
    second: str
    kappa: Agreement
    lone: dict[str, str] = Field(default_factory=dict)
    """The rater that gave one answer only, where the other gave several, and that answer: their agreement is that of
    chance then, whatever the one was thinking of."""


@dataclass(frozen=True)
class Ratings:
    """What everybody says on one question. `profiles` are those of the dialogues that have a label."""

    by_person: Mapping[str, Said]
    judge: Said
    profiles: Mapping[Place, str]
    key: tuple[Any, ...]
    """Seeds the resampling."""

    @cached_property
    def yes_no(self) -> bool:
        """Whether the question takes yes and no."""
        return any(isinstance(value, bool) for said in self.by_person.values() for value in said.values())

    @cached_property
    def given(self) -> dict[Place, dict[str, bool | float]]:
        """The labels of each dialogue by labeller."""
        return {
            place: {name: said[place] for name, said in self.by_person.items() if place in said}
            for place in self.profiles
        }

    @cached_property
    def people(self) -> dict[Place, bool | float]:
        """What people together say; nothing of dialogues on which they are evenly split."""
        together = {place: agreed(list(said.values())) for place, said in self.given.items()}
        return {place: value for place, value in together.items() if value is not None}

    def against_judge(self) -> Iterator[Pair]:
        """The judge and people together, where there are several, and the judge and each."""
        if len(self.by_person) > 1:
            yield self._pair(JUDGE, PEOPLE, self.judge, self.people)
        for name, said in self.by_person.items():
            yield self._pair(JUDGE, name, self.judge, said)

    def among_people(self) -> Iterator[Pair]:
        """Each two labellers."""
        for (first, one), (second, two) in combinations(self.by_person.items(), 2):
            yield self._pair(first, second, one, two)

    def fleiss(self) -> Agreement | None:
        """Fleiss' kappa over the dialogues that every labeller scored; None for one labeller."""
        whole = [(self.profiles[place], [*map(_class, said.values())]) for place, said in self.given.items()]
        people = len(self.by_person)
        return fleiss([item for item in whole if len(item[1]) == people], self.key) if people > 1 else None

    def alpha(self) -> Agreement | None:
        """Krippendorff's alpha, which bears gaps: nominal for yes and no, ordinal for scales; None for one labeller."""
        level: Literal["nominal", "ordinal"] = "nominal" if self.yes_no else "ordinal"
        items = [
            (self.profiles[place], {name: _class(value) for name, value in said.items()})
            for place, said in self.given.items()
        ]
        return krippendorff(items, self.key, level) if len(self.by_person) > 1 else None

    def rates(self) -> dict[str, dict[str, float]]:
        """By rater the share of each class that anybody gave, over the labelled dialogues."""
        said = {name: [*map(_class, held.values())] for name, held in {JUDGE: self.judge, **self.by_person}.items()}
        classes = sorted({value for values in said.values() for value in values})
        counts = {rater: Counter(values) for rater, values in said.items() if values}
        return {
            rater: {_written(each): held[each] / held.total() for each in classes} for rater, held in counts.items()
        }

    def _pair(self, first: str, second: str, one: Said, two: Said) -> Pair:
        """How far two raters agree on what both scored; on scales the squared distance weighs."""
        both = [(self.profiles[place], _class(one[place]), _class(two[place])) for place in one if place in two]
        given = {first: {a for _, a, _ in both}, second: {b for _, _, b in both}}
        lone = {name: _written(*answers) for name, answers in given.items() if len(answers) == 1}
        return Pair(
            first=first,
            second=second,
            kappa=cohen(both, (*self.key, first, second), "" if self.yes_no else "quadratic"),
            lone=lone if len(lone) == 1 else {},
        )


def gathered(run: Run, used: Judging, newest: Sequence[Label], name: str) -> Ratings:
    """What `used` and the labellers say on the question `name`; `newest` has each labeller once a dialogue."""
    by_person: dict[str, dict[Place, bool | float]] = {label.labeller: {} for label in newest}
    for label in newest:
        if (value := label.scores[name]) is not None:
            by_person[label.labeller][label.cell, label.attempt] = value
    labelled = {place for said in by_person.values() for place in said}
    dialogues = {place: each for each in run.dialogues if (place := (each.cell, each.attempt)) in labelled}
    judge: dict[Place, bool | float] = {}
    for place, each in dialogues.items():
        verdict = verdict_of(each, used)
        score = verdict.scores.get(name) if verdict and not verdict.unscored else None
        if score is not None and score.value is not None:
            judge[place] = score.value
    profiles = {place: each.profile for place, each in dialogues.items()}
    key = (run.manifest.campaign.get("seed", 0), "agreement", name)
    return Ratings({name: by_person[name] for name in sorted(by_person)}, judge, profiles, key)


def _class(value: bool | float) -> str | float:
    """A score as a class of its scale."""
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _written(value: str | float) -> str:
    """A class in a word."""
    return f"{value:g}" if isinstance(value, float) else str(value)
