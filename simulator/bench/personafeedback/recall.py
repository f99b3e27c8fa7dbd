"""Recall of retrieval: of the facts that a chosen answer relies on, how many were found."""

from collections.abc import Iterator, Mapping, Sequence

from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.strata import NAMES, lines, mean
from duologue.bench.report import Figure, Table

__all__ = ["recall"]


def recall(sheet: Sheet) -> Iterator[Table]:
    """By family and tier the mean share of these facts that stand among the `k` that were found; nothing where nothing
    is retrieved, or no case tells on which facts its answer relies."""
    if sheet.chosen.setting != "rag" or not any(case.relies_on for case in sheet.cases):
        return
    name = f"recall_at_{sheet.chosen.k}"

    def figures(cases: Sequence[Case], key: Sequence[str]) -> Mapping[str, Figure]:
        held = [(case.persona, _found(case, sheet)) for case in cases if case.relies_on]
        return {name: mean(held, len(cases) - len(held), (*key, name))}

    title = sheet.chosen.marked("Facts found, of those that the chosen answer relies on")
    yield Table(
        title=title, names=NAMES, shares=(name,), clusters="persona", lines=tuple(lines(sheet.cases, figures))
    )  # fmt: skip


def _found(case: Case, sheet: Sheet) -> float:
    return len(set(case.relies_on) & set(sheet.told(case).found)) / len(case.relies_on)
