"""The desk: one person, dialogue after dialogue, a score for each question. What reads and shows is handed in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from duologue.agents.rubric import Dimension, Scale
from duologue.labelling.labels import Value
from duologue.labelling.paper import Paper
from duologue.labelling.sample import Place

__all__ = ["Desk", "Screen", "point", "value_of"]

Scores = Mapping[str, Value]


class Screen(Protocol):
    """What the person sees, and how they answer."""

    def show(self, paper: Paper, number: int, of: int) -> None:
        """Show the dialogue, the sample's `number`th of `of`."""

    def question(self, dimension: Dimension, given: str) -> None:
        """Show a question; `given` is the answer that stands already, empty where none does."""

    def anchors(self, dimension: Dimension) -> None:
        """Show what the points of the question's scale mean."""

    def ask(self, dimension: Dimension) -> str:
        """The person's next line. Raises EOFError where they are gone."""
        ...

    def hint(self, text: str) -> None:
        """Say why the last line was not taken."""


class _Left(Exception):
    """The person has had enough."""


@dataclass(slots=True)
class Desk:
    """Takes the labels of `order`, in that order, but for those in `held`. Each dialogue is kept once it is scored."""

    order: Sequence[Place]
    held: dict[Place, Scores]
    """What is labelled already; what is taken is added."""
    open: Callable[[Place], Paper]
    keep: Callable[[Place, Scores], None]
    screen: Screen

    def work(self) -> None:
        """Take labels until all are there or the person leaves.

        Ctrl-D counts as leaving, KeyboardInterrupt passes through: in both cases what was kept stays.
        """
        number = self._next(0)
        try:
            while number is not None:
                place = self.order[number]
                scores = self._dialogue(place, number)
                if scores is None:
                    number -= 1
                    continue
                self.keep(place, scores)
                self.held[place] = scores
                number = self._next(number)
        except (_Left, EOFError):
            return

    def _next(self, number: int) -> int | None:
        """The next dialogue that has no label, from `number` on and then from the beginning."""
        count = len(self.order)
        ahead = (at % count for at in range(number, number + count))
        return next((at for at in ahead if self.order[at] not in self.held), None)

    def _dialogue(self, place: Place, number: int) -> dict[str, Value] | None:
        """The scores of one dialogue; None where the person wants the one before."""
        paper = self.open(place)
        self.screen.show(paper, number + 1, len(self.order))
        given: dict[str, Value] = dict(self.held.get(place, {}))
        at = 0
        while at < len(paper.dimensions):
            dimension = paper.dimensions[at]
            self.screen.question(dimension, _told(dimension, given))
            word = self._word(paper, dimension, dimension.name in given, number)
            if word != "b":
                if word:
                    given[dimension.name] = None if word == "s" else value_of(dimension, word)
                at += 1
            elif at:
                at -= 1
            else:
                return None
        return {dimension.name: given[dimension.name] for dimension in paper.dimensions}

    def _word(self, paper: Paper, dimension: Dimension, answered: bool, number: int) -> str:
        """What the person answers: a point of the scale, `s`, `b`, or nothing where they leave an answer as it is."""
        while True:
            word = self.screen.ask(dimension).strip().lower()
            if word == "q":
                raise _Left
            if word == "?":
                self.screen.anchors(dimension)
            elif word == "t":
                self.screen.show(paper, number + 1, len(self.order))
            elif word == "b" and number == 0 and dimension is paper.dimensions[0]:
                self.screen.hint("This is the first question of the first dialogue.")
            elif word in ("s", "b") or (not word and answered):
                return word
            elif found := point(dimension, word):
                return found
            else:
                self.screen.hint(_refusal(dimension, word))


def point(dimension: Dimension, word: str) -> str:
    """The point of the scale that `word` means; empty where it means none."""
    if word in dimension.points:
        return word
    return {"y": "yes", "n": "no"}.get(word, "") if dimension.points == ("no", "yes") else ""


def value_of(dimension: Dimension, point: str) -> bool | int:
    """What a point of the scale is stored as."""
    return int(point) if isinstance(dimension.scale, Scale) else point == "yes"


def _told(dimension: Dimension, given: Scores) -> str:
    """The answer that stands, as words."""
    if dimension.name not in given:
        return ""
    value = given[dimension.name]
    return "skipped" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _refusal(dimension: Dimension, word: str) -> str:
    points = ", ".join(dimension.points)
    if not word:
        return f"Type one of {points}, or s to skip the question."
    return f"{word[:20]!r} is no point of this scale: type one of {points}, or s to skip the question."
