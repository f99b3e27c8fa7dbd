"""What judges have said of pairs so far: `duels-0001.jsonl` and so on in the folders of runs."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from duologue.agents.duel import Duel
from duologue.duels.draw import Bout, Entry
from duologue.record.stored import Torn, records
from duologue.scoring.judging import Judging

__all__ = ["KIND", "answers", "judged_by", "key_of", "newest", "read_duels", "standing"]

KIND = "duels"


def read_duels(folders: Iterable[Path]) -> tuple[list[Duel], list[str]]:
    """The duels in the runs' `folders`, each folder's in the order in which they were written, and what was odd in the
    files. Raises BadInput for a damaged line."""
    found: list[Duel] = []
    notes: list[str] = []
    for folder in dict.fromkeys(folders):
        torn: list[Torn] = []
        found += records(folder, KIND, _form(), torn)
        notes += [f"{folder / name}:{number}: the last line is torn and was dropped" for name, number in torn]
    return found, notes


def judged_by(duel: Duel) -> Judging:
    """Who judged it, under which rubric."""
    return Judging(rubric=duel.rubric, rubric_name=duel.rubric_name, judge=duel.judge)


def key_of(duel: Duel) -> tuple[Entry, Entry]:
    """Which bout it answers."""
    first, second = (Entry(each.run, each.cell, each.attempt) for each in (duel.first, duel.second))
    return first, second


def answers(duels: Iterable[Duel], by: Judging, bouts: Iterable[Bout]) -> list[Duel]:
    """All that `by` said of `bouts`, in the order in which it was written.

    A rubric is known by its fingerprint: its name may have changed.
    """
    wanted = {bout.key for bout in bouts}
    ours = (duel for duel in duels if duel.rubric == by.rubric and duel.judge == by.judge)
    return [duel for duel in ours if key_of(duel) in wanted]


def standing(answers: Iterable[Duel]) -> dict[tuple[Entry, Entry], Duel]:
    """Of each bout the last answer; one that the infrastructure spoilt gives way to any other."""
    found: dict[tuple[Entry, Entry], Duel] = {}
    for duel in answers:
        if not (duel.spoilt and key_of(duel) in found):
            found[key_of(duel)] = duel
    return found


def newest(duels: Sequence[Duel]) -> Mapping[Judging, float]:
    """Everybody who judged, with the time of the last answer."""
    found: dict[Judging, float] = {}
    for duel in duels:
        by = judged_by(duel)
        found[by] = max(duel.time, found.get(by, duel.time))
    return found


@cache
def _form() -> TypeAdapter[Duel]:
    return TypeAdapter(Duel)
