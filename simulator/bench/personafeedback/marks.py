"""Marks of both answers of a case: the larger one wins. What they show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from duologue.bench.personafeedback.cases import BOTH, Case
from duologue.bench.personafeedback.strata import mean
from duologue.bench.report import Figure

__all__ = ["Marked", "marked_figures"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A case with the marks of its answers; None where one cannot be read."""

    case: Case
    chosen: float | None
    rejected: float | None

    @property
    def read(self) -> bool:
        """Whether both marks could be read."""
        return self.chosen is not None and self.rejected is not None

    @property
    def right(self) -> float:
        """1 where the chosen answer has the larger mark, 0.5 for equal ones, 0 else, unread ones too."""
        if self.chosen is None or self.rejected is None:
            return 0.0
        return 0.5 if self.chosen == self.rejected else float(self.chosen > self.rejected)


def marked_figures(held: Sequence[Marked], failed: int, key: Sequence[str]) -> Mapping[str, Figure]:
    """Accuracy, ties counting half; the share of ties among the cases that could be read; what could not be read,
    which counts as wrong; and the mean mark of each answer."""
    read = [each for each in held if each.read]
    observed: dict[str, Iterable[tuple[str, float]]] = {
        "accuracy": ((each.case.persona, each.right) for each in held),
        "tie_rate": ((each.case.persona, float(each.chosen == each.rejected)) for each in read),
        "unparsed_rate": ((each.case.persona, float(not each.read)) for each in held),
    }
    marks = {f"mark_{which}": [(each.case.persona, float(getattr(each, which))) for each in read] for which in BOTH}
    shares = {name: mean(list(values), failed, (*key, name)) for name, values in observed.items()}
    return shares | {name: mean(values, failed, (*key, name), share=False) for name, values in marks.items()}
