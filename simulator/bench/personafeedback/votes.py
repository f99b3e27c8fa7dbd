"""The annotators' votes: beside the cases or in a file of their own, and how far they agree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from duologue.bench.personafeedback.cases import Case, object_in, votes_in
from duologue.bench.personafeedback.strata import NAMES, lines, mean
from duologue.bench.report import Figure, Line, Table
from duologue.tasks.written import BadInput, read_lines
from duologue.tasks.written import Line as Read

__all__ = ["agreement", "annotated", "observed"]

_FORM = 'Write it like {"case": "specific/hard/12", "votes": ["chosen", "rejected", ...]}, or user_id and question'


def annotated(cases: Sequence[Case], path: Path) -> list[Case]:
    """`cases` with the votes in `path`: lines of `votes` and either `case` (FAMILY/TIER/LINE), or `user_id` and
    `question`. Raises BadInput for a line that names no case, or several, or one that another line has named."""
    known = {case.id: case for case in cases}
    asked: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        asked.setdefault((case.persona, case.question), []).append(case.id)
    votes: dict[str, tuple[str, ...]] = {}
    for line in read_lines(path):
        data = object_in(line)
        id = _case_of(data, line, known, asked)
        if id in votes:
            raise BadInput(f"has votes on {id}, which another line has too", line.where, "Take one of them away")
        votes[id] = votes_in(data, line.where)
        if not votes[id]:
            raise BadInput("holds no votes", line.where, _FORM)
    return [replace(case, votes=votes.get(case.id, case.votes)) for case in cases]


def observed(votes: Sequence[str]) -> float:
    """The share of pairs of votes on an item that are equal: (Σ_j n_j² - n) / (n (n - 1)), for n of 2 or more."""
    count = len(votes)
    return (sum(times * times for times in Counter(votes).values()) - count) / (count * (count - 1))


def agreement(cases: Sequence[Case]) -> Iterator[Table]:
    """Fleiss' kappa over the cases of each stratum, and how many cases have which agreement; nothing where no case has
    two votes."""
    held = [case for case in cases if len(case.votes) > 1]
    if not held:
        return
    yield Table(
        title="Agreement of the annotators", names=NAMES, clusters="persona", shares=("observed_agreement",),
        lines=tuple(lines(cases, _figures)),
    )  # fmt: skip
    levels = Counter(round(observed(case.votes), 6) for case in held)
    yield Table(
        title="Cases by the agreement of their annotators",
        names=("agreement",),
        shares=("share",),
        lines=tuple(
            Line(name=(f"{level:.3f}",), figures={"share": Figure(value=times / len(held), n=times)})
            for level, times in sorted(levels.items(), reverse=True)
        ),
    )


def _figures(cases: Sequence[Case], key: Sequence[str]) -> Mapping[str, Figure]:
    from duologue.statistics.agreement import fleiss

    held = [case for case in cases if len(case.votes) > 1]
    unrated = len(cases) - len(held)
    found = fleiss([(case.persona, case.votes) for case in held], (*key, "kappa"))
    kappa = Figure(
        value=found.value, low=found.low, high=found.high, n=len(held), unscored=unrated,
        why="" if found.value is not None else found.why,
    )  # fmt: skip
    items = [(case.persona, observed(case.votes)) for case in held]
    return {"fleiss_kappa": kappa, "observed_agreement": mean(items, unrated, (*key, "observed"))}


def _case_of(
    data: Mapping[str, Any], line: Read, known: Mapping[str, Case], asked: Mapping[tuple[str, str], Sequence[str]]
) -> str:
    if "case" in data:
        if str(data["case"]) not in known:
            raise BadInput(f"there is no case {data['case']!r}", line.where, _FORM)
        return str(data["case"])
    found = asked.get((str(data.get("user_id")).strip(), str(data.get("question")).strip()), ())
    if len(found) != 1:
        several = f"its user_id and question are those of {' and '.join(found)}" if found else "names no case"
        raise BadInput(several, line.where, _FORM)
    return found[0]
