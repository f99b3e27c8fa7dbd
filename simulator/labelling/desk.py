"""The desk: one person, dialogue after dialogue, a score for each question. What reads and shows is handed in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from duologue.agents.rubric import Dimension, Scale
from duologue.labelling.labels import Value
from duologue.labelling.paper import Paper
from duologue.labelling.sample import Place

__all__ = ["Desk", "Screen", "point", "spoken", "value_of"]

MOST = 11
"""Points of a scale that are named one by one."""

Scores = Mapping[str, Value]


class Screen(Protocol):
    """What the person sees, and how they answer."""

    def show(self, paper: Paper, number: int, of: int) -> None:
        """Show the dialogue, the sample's `number`th of `of`."""

    def question(self, dimension: Dimension, given: str) -> None:
        """Show a question; `given` is the answer that stands already, empty where none does."""

    def explain(self, dimension: Dimension) -> None:
        """Show what the points of the question's scale mean, and what each key does."""

    def ask(self, dimension: Dimension) -> str:
        """The person's next line. Raises EOFError where they are gone."""
        ...

    def hint(self, text: str) -> None:
        """Say why the last line was not taken."""


class _Left(Exception):
    """The person has had enough."""


@dataclass(slots=True)
class Desk:
    """Takes the labels of `order`, in that order, but for those in `held`. Each dialogue is kept once it is scored, and
    what was answered of others when the person leaves."""

    order: Sequence[Place]
    held: dict[Place, Scores]
    """What is labelled already; what is taken is added."""
    open: Callable[[Place], Paper]
    keep: Callable[[Place, Scores, bool], None]
    """Keeps the scores of a dialogue; the last argument says whether it is scored in part alone."""
    screen: Screen
    begun: dict[Place, Scores] = field(default_factory=dict)
    """What is answered of dialogues that are not labelled yet, or are being labelled anew."""

    def work(self) -> None:
        """Take labels until all are there or the person leaves.

        Ctrl-D counts as leaving, KeyboardInterrupt passes through: in both cases what was answered is kept.
        """
        number = self._next(0)
        before = dict(self.begun)
        try:
            while number is not None:
                place = self.order[number]
                scores = self._dialogue(place, number)
                if scores is None:
                    number -= 1
                    continue
                self.keep(place, scores, False)
                self.held[place] = scores
                number = self._next(number)
        except (_Left, EOFError):
            return
        finally:
            self._leave(before)

    def _leave(self, before: Mapping[Place, Scores]) -> None:
        """Keep what was answered beyond what is kept already."""
        for place, given in self.begun.items():
            if given and given != self.held.get(place, before.get(place)):
                self.keep(place, given, place not in self.held)

    def _next(self, number: int) -> int | None:
        """The next dialogue that has no label, from `number` on and then from the beginning."""
        count = len(self.order)
        ahead = (at % count for at in range(number, number + count))
        return next((at for at in ahead if self.order[at] not in self.held), None)

    def _dialogue(self, place: Place, number: int) -> dict[str, Value] | None:
        """The scores of one dialogue; None where the person wants the one before."""
        paper = self.open(place)
        self.screen.show(paper, number + 1, len(self.order))
        given: dict[str, Value] = dict(self.begun.get(place) or self.held.get(place, {}))
        self.begun[place] = given
        at = _first_open(paper, given)
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
        del self.begun[place]
        return {dimension.name: given[dimension.name] for dimension in paper.dimensions}

    def _word(self, paper: Paper, dimension: Dimension, answered: bool, number: int) -> str:
        """What the person answers: a point of the scale, `s`, `b`, or nothing where they leave an answer as it is."""
        while True:
            word = self.screen.ask(dimension).strip().lower()
            if word == "q":
                raise _Left
            if word == "?":
                self.screen.explain(dimension)
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


def spoken(dimension: Dimension, between: str) -> str:
    """The points of a scale in a few words: both ends where there are many."""
    points = dimension.points
    return between.join(points) if len(points) <= MOST else f"{points[0]} to {points[-1]}"


def _first_open(paper: Paper, given: Scores) -> int:
    """The first question that is not answered; the first of all where every one is."""
    return next((at for at, each in enumerate(paper.dimensions) if each.name not in given), 0)


def _told(dimension: Dimension, given: Scores) -> str:
    """The answer that stands, as words."""
    if dimension.name not in given:
        return ""
    value = given[dimension.name]
    return "skipped" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _refusal(dimension: Dimension, word: str) -> str:
    points = spoken(dimension, ", ")
    if not word:
        return f"Type one of {points}, or s to skip the question."
    return f"{word[:20]!r} is no point of this scale: type one of {points}, or s to skip the question."
