"""Annotations of cases in a file of their own: votes, and the facts that chosen answers rely on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from duologue.bench.personafeedback.cases import Case, Persona, object_in, relied_in, votes_in
from duologue.tasks.written import BadInput, Line, read_lines

__all__ = ["annotated"]

_FORM = 'Write it like {"case": "specific/hard/12", "votes": ["chosen", "rejected", ...]}, or user_id and question'


def annotated(cases: Sequence[Case], path: Path, personas: Mapping[str, Persona]) -> list[Case]:
    """`cases` with what `path` tells: lines of `votes`, `relies_on` or both, as a case may hold them itself, and either
    `case` (FAMILY/TIER/LINE), or `user_id` and `question`. Raises BadInput for a line that names no case, or several,
    or one that another line has named, and for one that tells nothing."""
    known = {case.id: case for case in cases}
    asked: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        asked.setdefault((case.persona, case.question), []).append(case.id)
    told: dict[str, Case] = {}
    for line in read_lines(path):
        data = object_in(line)
        case = known[_case_of(data, line, known, asked)]
        if case.id in told:
            raise BadInput(f"is about {case.id}, which another line has too", line.where, "Take one of them away")
        votes, relied = votes_in(data, line.where), relied_in(data, line.where, personas[case.persona])
        if not votes and not relied:
            raise BadInput("holds neither votes nor relies_on", line.where, _FORM)
        told[case.id] = replace(case, votes=votes or case.votes, relies_on=relied or case.relies_on)
    return [told.get(case.id, case) for case in cases]


def _case_of(
    data: Mapping[str, Any], line: Line, known: Mapping[str, Case], asked: Mapping[tuple[str, str], Sequence[str]]
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
