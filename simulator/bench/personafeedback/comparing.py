"""Comparing the two answers of each case: what the ways to do so have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.strata import NAMES, lines
from duologue.bench.question import Answers, Question, Stage
from duologue.bench.report import Figure, Table

__all__ = ["Comparing"]


class Comparing(ABC):
    """One stage of questions about the cases of a sheet, and one table of figures by family and tier."""

    title: ClassVar[str]
    shares: ClassVar[tuple[str, ...]]
    """Figures in percent."""
    in_paper: ClassVar[Mapping[str, bool]]
    """Of figures that have a namesake in the paper, whether they are got in the same way where nothing is retrieved."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    @property
    def stages(self) -> Sequence[Stage]:
        return (self.ask,)

    def tables(self, answers: Answers) -> Iterator[Table]:
        """Figures over cases that were answered, clustered by persona."""
        found = lines(self.sheet.cases, lambda cases, key: self.figures(cases, answers, key))
        alike = self.sheet.chosen.setting != "rag"
        yield Table(
            title=self.sheet.chosen.marked(self.title), names=NAMES, shares=self.shares, clusters="persona",
            lines=tuple(found), comparable_to_paper={name: alike and same for name, same in self.in_paper.items()},
        )  # fmt: skip

    def notes(self, answers: Answers) -> Iterable[str]:
        """What a reader of the table must know."""
        return ()

    @abstractmethod
    def ask(self, answers: Answers) -> Iterator[Question]:
        """The questions; they rest on no answers."""

    @abstractmethod
    def figures(self, cases: Sequence[Case], answers: Answers, key: Sequence[str]) -> Mapping[str, Figure]:
        """Figures over `cases`; the words of `key` seed what is resampled."""
