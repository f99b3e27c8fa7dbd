"""Filters: which dialogues of a run are shown, and which ended without scores."""

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from duologue.agents.ending import Ending
from duologue.gates import score_named
from duologue.scoring.measures import label, ordered
from duologue.scoring.scorecard import Row
from duologue.tasks.written import BadInput, nearest

__all__ = ["Failing", "Filter", "failing", "filtered"]

_CONDITION = re.compile(r"\s*(?P<metric>[^<>=!]*?)\s*(?P<sign><=|>=|!=|=|<|>)\s*(?P<value>[^<>=!]*?)\s*")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_WORDS = {"yes": 1.0, "no": 0.0}
NONE = "none"
"""How a missing score is written."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What dialogues must be like; of those that are empty nothing is asked."""

    domain: str = ""
    assistant: str = ""
    ended: str = ""
    """A reason such as `timeout`, an owner such as `infrastructure`, or `not ended`."""
    where: tuple[str, ...] = ()
    """Conditions on scores, such as `state_success=no` or `personalisation<2`; all of them hold."""

    def __bool__(self) -> bool:
        return bool(self.domain or self.assistant or self.ended or self.where)


@dataclass(frozen=True, slots=True)
class Failing:
    """Dialogues that ended without scores for one reason. `lacking` says that they ended well and were not scored."""

    owner: str
    reason: str
    detail: str
    rows: tuple[Row, ...]
    lacking: bool = False


def filtered(rows: Sequence[Row], by: Filter) -> list[Row]:
    """Those of `rows` that `by` lets through. Raises BadInput for what no dialogue can answer to."""
    found: Iterable[Row] = rows
    if by.domain:
        domain = _known("domain", by.domain, {name for row in rows for name in row.domains})
        found = [row for row in found if domain in row.domains]
    if by.assistant:
        name = _known("assistant", by.assistant, {row.assistant for row in rows})
        found = [row for row in found if row.assistant == name]
    if by.ended:
        ended = _known("ending", by.ended.replace(" ", "_"), {told for row in rows for told in _endings(row)})
        found = [row for row in found if ended in _endings(row)]
    for written in by.where:
        holds = _condition(written, rows)
        found = [row for row in found if holds(row)]
    return list(found)


def failing(rows: Iterable[Row], *, judged: bool = True) -> list[Failing]:
    """The dialogues that are over without any score, by whose doing that was and why, the most first.

    Where nobody judges, those that ended well lack nothing.
    """
    groups: dict[tuple[str, str, str, bool], list[Row]] = defaultdict(list)
    for row in rows:
        if row.ending is None or not row.finished or row.scored:
            continue
        lacking = row.ending.scored
        if lacking and not judged:
            continue
        why = ("", "not scored", _lack(row)) if lacking else (row.ending.owner, row.ending.reason, row.ending.detail)
        groups[(*why, lacking)].append(row)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [Failing(owner, reason, why, tuple(held), lack) for (owner, reason, why, lack), held in largest]


def _lack(row: Row) -> str:
    """Why a dialogue that ended well has no score."""
    return next((why for name, why in row.unscored.items() if name not in ("tokens", "calls")), "")


def _endings(row: Row) -> tuple[str, ...]:
    end: Ending | None = row.ending
    return ("not_ended",) if end is None else (end.reason, end.owner)


def _known(what: str, name: str, known: set[str]) -> str:
    """`name` as it is known, whatever its case. Raises BadInput."""
    folded = {each.casefold(): each for each in known}
    if (found := folded.get(name.casefold())) is None:
        raise BadInput(
            f"no dialogue has the {what} {name!r}{nearest(name, known)}", then=f"There are: {', '.join(sorted(known))}"
        )
    return found


def _condition(written: str, rows: Sequence[Row]) -> Callable[[Row], bool]:
    """What a written condition asks of a row. Raises BadInput."""
    read = _CONDITION.fullmatch(written)
    if read is None:
        raise BadInput(f"{written!r} is no condition on a score", "--where", "Write one such as 'state_success=no'")
    metric, sign, value = _metric(read["metric"], rows), read["sign"], read["value"].casefold()
    if value == NONE and sign in ("=", "!="):
        return lambda row: (row.metrics.get(metric) is None) == (sign == "=")
    try:
        limit = _WORDS[value] if value in _WORDS else float(value)
    except ValueError:
        raise BadInput(
            f"{read['value']!r} is no value of a score", "--where", "Write a number, yes, no, or none for a missing one"
        ) from None
    holds = _SIGNS[sign]
    return lambda row: (held := row.metrics.get(metric)) is not None and holds(held, limit)


def _metric(name: str, rows: Sequence[Row]) -> str:
    """The metric that `name` means, as it is written in JSON or as the tables label it. Raises BadInput."""
    known = ordered(metric for row in rows for metric in row.metrics)
    labels = {label(metric): metric for metric in known}
    found = name if name in known else labels.get(name) or score_named(name, known, beside=True)
    if not found:
        raise BadInput(f"no score {name!r}{nearest(name, known)}", "--where", f"There are: {', '.join(known)}")
    return found
