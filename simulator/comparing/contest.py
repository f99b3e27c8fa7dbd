"""Who is compared: assistants of one or more runs, and whether their dialogues can be paired at all."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from duologue.record.run import Run
from duologue.scores import rows
from duologue.scoring.insight import insights
from duologue.scoring.judging import Judging, by_state, judging
from duologue.scoring.scorecard import Insight, Row
from duologue.tasks.written import BadInput, nearest

__all__ = ["Contest", "Contestant", "contestants"]

EQUAL_FINGERPRINTS = ("world", "prompts", "user", "judge", "rubric", "seed")
"""What must be equal for dialogues of two runs to be pairs."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One assistant of one run."""

    label: str
    """Its name, with the run's where another run has one of the same name."""
    name: str
    run: Run
    insight: Insight
    rows: tuple[Row, ...]

    @property
    def reads_answers(self) -> bool:
        """Whether it is told the preferences themselves."""
        return self.insight.reads_answers


@dataclass(frozen=True, slots=True)
class Contest:
    """Who is compared, by whose verdicts."""

    used: Judging
    """The judge's; empty where none judged."""
    state: Judging
    """The reading of the end states; empty where there were no worlds."""
    chosen: tuple[Contestant, ...]
    all: tuple[Contestant, ...]
    """Those that are not compared too."""


def contestants(
    runs: Sequence[Run], names: Sequence[str] = (), rubric: str = "", judge: str = "", *, graded: bool = True
) -> Contest:
    """The assistants of `runs`, or those of `names`, and whose verdicts score them. Where they are not compared by what
    was `graded`, it does not matter by whom.

    Raises BadInput where fewer than two are left, a name is unknown, a run is named twice, or the runs are
    not comparable.
    """
    if not runs:
        raise BadInput("nothing to compare", then="Name one run or more: duologue compare runs/...")
    _check_distinct(runs)
    _check_comparable(runs, bool(rubric or judge) or not graded)
    used, state = judging(runs, rubric, judge), by_state(runs)
    found = _entered(runs, used, state)
    chosen = _chosen(found, names) if names else found
    if len(chosen) < 2:
        there = ", ".join(each.label for each in found) or "none"
        raise BadInput(
            "comparing takes two assistants",
            ", ".join(str(run.folder) for run in runs),
            f"There are: {there}. Name another run beside it: duologue compare {runs[0].folder} runs/...",
        )
    return Contest(used, state, tuple(chosen), tuple(found))


def _entered(runs: Sequence[Run], used: Judging, state: Judging) -> list[Contestant]:
    found = []
    for run in runs:
        known, measured = insights(run), rows(run, used=used, state=state)
        for name in dict.fromkeys([*known, *(row.assistant for row in measured)]):
            held = tuple(row for row in measured if row.assistant == name)
            found.append((name, run, known.get(name, Insight()), held))
    count = Counter(name for name, *_ in found)
    labels = _folder_labels(runs)
    return [
        Contestant(name if count[name] == 1 else f"{name} @ {labels[run.folder]}", name, run, insight, held)
        for name, run, insight, held in found
    ]


def _folder_labels(runs: Sequence[Run]) -> dict[Path, str]:
    names = Counter(run.folder.name for run in runs)
    return {run.folder: run.folder.name if names[run.folder.name] == 1 else str(run.folder) for run in runs}


def _chosen(found: Sequence[Contestant], names: Sequence[str]) -> list[Contestant]:
    chosen: list[Contestant] = []
    for name in names:
        fitting = [each for each in found if name in (each.label, each.name)]
        if not fitting:
            known = sorted({each.label for each in found})
            raise BadInput(f"no assistant {name!r}{nearest(name, known)}", then=f"There are: {', '.join(known)}")
        chosen.extend(each for each in fitting if each not in chosen)
    return chosen


def _check_distinct(runs: Sequence[Run]) -> None:
    """Refuse a run that is compared with itself, or with a copy of itself."""
    for run, other in combinations(runs, 2):
        twice = run.folder.resolve() == other.folder.resolve()
        if twice or (run.manifest == other.manifest and run.dialogues == other.dialogues):
            raise BadInput(
                "the same run is named twice" if twice else f"is a copy of {run.folder}",
                other.folder,
                "Name it once to compare its assistants, or name another run: duologue list",
            )


def _check_comparable(runs: Sequence[Run], named: bool) -> None:
    """Refuse runs that differ in what the pairs must share. Where verdicts are `named`, the first ones do not count."""
    first = runs[0]
    for other in runs[1:]:
        faults = [
            f"{field}: {_of(first, field)} and {_of(other, field)}"
            for field in EQUAL_FINGERPRINTS
            if _of(first, field) != _of(other, field) and not (named and field in ("judge", "rubric"))
        ]
        shared = first.manifest.data.keys() & other.manifest.data.keys()
        faults += [what for what in sorted(shared) if first.manifest.data[what] != other.manifest.data[what]][:5]
        if faults:
            raise BadInput(
                f"the runs are no pairs, they differ in {'; '.join(faults)}",
                f"{first.folder}, {other.folder}",
                _advice(faults, first, other),
            )


def _of(run: Run, field: str) -> str:
    if field == "seed":
        return str(run.manifest.campaign.get("seed", run.manifest.fingerprints.get("seed", "none")))
    return run.manifest.fingerprints.get(field, "none")


def _advice(faults: Sequence[str], first: Run, other: Run) -> str:
    if all(fault.startswith(("judge:", "rubric:")) for fault in faults):
        return f"Judge both alike (duologue judge {first.folder}, {other.folder}) and name that judge with --judge"
    return "Run both assistants in one campaign, or with equal [user], data and seed"
