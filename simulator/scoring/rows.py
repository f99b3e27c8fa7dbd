"""Rows: each dialogue of a run in numbers."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.garbage import nothing_collected
from duologue.record.digest import Digest, Spread, TasteDigest, ValueDigest, VerdictDigest
from duologue.record.run import Run
from duologue.scoring.consensus import folded
from duologue.scoring.judging import Judging, by_state, heard, judging
from duologue.scoring.measures import SCALES, STATE_SCALES, lost_states, measured, ordered
from duologue.scoring.scorecard import Row

__all__ = ["rows", "speaks_alone", "verdict_of"]


def rows(
    run: Run,
    rubric: str = "",
    judge: str = "",
    used: Judging | None = None,
    state: Judging | None = None,
    most: int | None = None,
) -> list[Row]:
    """One row per dialogue, in the run's order, by the verdicts of `used` or those that `rubric` and `judge` name.

    At `most` so many are made, the first ones. Beside the verdicts stands what the end states show, as `state` or else
    the newest reading has it. Raises BadInput where `rubric` and `judge` name no verdict of the run.
    """
    by = judging([run], rubric, judge) if used is None else used
    read = by_state([run]) if state is None else state
    mine = Judging() if by.of_state else by
    found = [_Scored(one, heard(one.verdicts, mine), verdict_of(one, read)) for one in run.dialogues]
    lost = lost_states(run.dialogues)
    names = ordered(_names(run, by, [look for each in found for look in each.looks], lost))
    silent = {str(table.get("name")) for table in run.manifest.campaign.get("assistant", []) if speaks_alone(table)}
    made = (_row(number, each, names, run, each.dialogue.cell in lost) for number, each in enumerate(found[:most], 1))
    with nothing_collected():
        return [_without_tokens(row) if row.assistant in silent else row for row in made]


FIELDS = set(Row.model_fields)
NONE: dict[str, Any] = {}
"""Stands for nothing in all rows: nobody changes it."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """A dialogue with the judge's looks at it and the reading of its end state, where there are such."""

    dialogue: Digest
    looks: Sequence[VerdictDigest]
    state: VerdictDigest | None


def _names(run: Run, used: Judging, chosen: Sequence[VerdictDigest], lost: AbstractSet[str]) -> list[str]:
    """The scores that the run's dialogues may have, those of a rubric in its order."""
    worlds = bool(lost) or any(dialogue.had_world for dialogue in run.dialogues)
    names = list(STATE_SCALES) if worlds else []
    if used.of_state or (names and not chosen):
        return names
    if not chosen:
        return list(SCALES)
    asked = list(dict.fromkeys(name for verdict in chosen for name in verdict.scores))
    if any(verdict.preferences for verdict in chosen):
        asked.append("preferences_met")
    return names + (asked or ["success"])  # of verdicts that hold nothing nobody knows what was asked


def verdict_of(dialogue: Digest, used: Judging) -> VerdictDigest | None:
    """The verdict of `used` on a dialogue, if there is one: several looks are folded into one."""
    looks = heard(dialogue.verdicts, used)
    return folded(looks) if looks else None


def _row(number: int, held: _Scored, names: Sequence[str], run: Run, lost: bool) -> Row:
    one, end = held.dialogue, held.dialogue.ending
    verdict = folded(held.looks) if held.looks else None
    found = measured(one, verdict, names, held.state, lost=lost)
    spoken = [each.domain for each in (*_tastes(held.state), *_tastes(verdict))]
    likely, apart = _likely(verdict), _apart(verdict)
    return Row.model_construct(  # what is measured needs no check
        FIELDS,
        number=number,
        cell=one.cell,
        profile=one.profile,
        task=one.task,
        situation=one.situation,
        domains=run.manifest.domains.get(one.task, tuple(dict.fromkeys(spoken))),
        assistant=one.assistant,
        trial=one.trial,
        turns=one.turns,
        ending=end,
        cut_short=end is not None and end.cut_short,
        finished=end is not None and end.finished,
        metrics={name: value for name, (value, _) in found.items()},
        unscored={name: why for name, (value, why) in found.items() if value is None},
        routes=(end and end.scored and _routes(verdict)) or NONE,
        state_routes=(end and end.scored and not lost and _state_routes(held.state)) or NONE,
        expected={name: each.expected for name, each in likely.items() if each.expected is not None} or NONE,
        mass={name: each.mass for name, each in likely.items()} or NONE,
        spreads={name: each.range for name, each in apart.items()} or NONE,
        unstable=tuple(name for name, each in apart.items() if each.unstable),
    )


def speaks_alone(written: Mapping[str, Any]) -> bool:
    """Whether an assistant needs no model, so that there are no tokens to count."""
    return any(written.get(kind) for kind in ("script", "person", "reference"))


def _without_tokens(row: Row) -> Row:
    row.unscored["tokens"] = f"{NOT_APPLICABLE}: no model spoke"
    return row


def _likely(verdict: VerdictDigest | None) -> dict[str, ValueDigest]:
    """The scores that have an expected one."""
    return {name: each for name, each in verdict.scores.items() if each.expected is not None} if verdict else NONE


def _apart(verdict: VerdictDigest | None) -> dict[str, Spread]:
    """The scores that several looks gave."""
    known = verdict.spreads if verdict else None
    return {name: each for name, each in known.items() if each.scored > 1} if known else NONE


def _tastes(verdict: VerdictDigest | None) -> tuple[TasteDigest, ...]:
    return verdict.preferences if verdict else ()


def _routes(verdict: VerdictDigest | None) -> dict[str, int]:
    """By which route the preferences that were met came in."""
    found: dict[str, int] = {}
    for each in _tastes(verdict):
        if each.outcome == "met":
            route = each.route or "unknown"
            found[route] = found.get(route, 0) + 1
    return found


def _state_routes(state: VerdictDigest | None) -> dict[str, dict[str, int]]:
    """The same by state: by route, and by how the context held the value."""
    found: dict[str, dict[str, int]] = {}
    for each in _tastes(state):
        if each.outcome == "met":
            held, how = found.setdefault(each.route or "unknown", {}), each.held or "unheld"
            held[how] = held.get(how, 0) + 1
    return found
