"""Rows: each dialogue of a run in numbers."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.digest import Digest, VerdictDigest
from duologue.garbage import nothing_collected
from duologue.judging import Judging, by_state, judging
from duologue.measures import SCALES, STATE_SCALES, lost_states, measured, ordered
from duologue.record import Run
from duologue.scorecard import Row

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
    found = [_Scored(dialogue, verdict_of(dialogue, mine), verdict_of(dialogue, read)) for dialogue in run.dialogues]
    lost = lost_states(run.dialogues)
    names = ordered(_names(run, by, [each.verdict for each in found if each.verdict], lost))
    silent = {str(table.get("name")) for table in run.manifest.campaign.get("assistant", []) if speaks_alone(table)}
    made = (_row(number, each, names, run, each.dialogue.cell in lost) for number, each in enumerate(found[:most], 1))
    with nothing_collected():
        return [_without_tokens(row) if row.assistant in silent else row for row in made]


FIELDS = set(Row.model_fields)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A dialogue with the judge's verdict and the reading of its end state, where there are such."""

    dialogue: Digest
    verdict: VerdictDigest | None
    state: VerdictDigest | None


def _names(run: Run, used: Judging, chosen: Sequence[VerdictDigest], lost: AbstractSet[str]) -> set[str]:
    """The scores that the run's dialogues may have."""
    worlds = bool(lost) or any(dialogue.had_world for dialogue in run.dialogues)
    names: set[str] = set(STATE_SCALES) if worlds else set()
    if used.of_state or (names and not chosen):
        return names
    if not chosen:
        return set(SCALES)
    preferences = {"preferences_met"} if any(verdict.preferences for verdict in chosen) else set()
    return names | preferences | {"success"} | {name for verdict in chosen for name in verdict.scores}


def verdict_of(dialogue: Digest, used: Judging) -> VerdictDigest | None:
    """The verdict of `used` on a dialogue, if there is one."""
    rubric, name, judge = used.rubric, used.rubric_name, used.judge
    for verdict in reversed(dialogue.verdicts):
        if verdict.rubric == rubric and verdict.rubric_name == name and verdict.judge == judge:
            return verdict
    return None


def _row(number: int, held: _Scored, names: Sequence[str], run: Run, lost: bool) -> Row:
    one, end = held.dialogue, held.dialogue.ending
    found = measured(one, held.verdict, names, held.state, lost=lost)
    spoken = [each.domain for verdict in (held.state, held.verdict) if verdict for each in verdict.preferences]
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
        routes=_routes(held.verdict) if end and end.scored else {},
        state_routes=_state_routes(held.state) if end and end.scored and not lost else {},
    )


def speaks_alone(written: Mapping[str, Any]) -> bool:
    """Whether an assistant needs no model, so that there are no tokens to count."""
    return any(written.get(kind) for kind in ("script", "person", "reference"))


def _without_tokens(row: Row) -> Row:
    row.unscored["tokens"] = f"{NOT_APPLICABLE}: no model spoke"
    return row


def _routes(verdict: VerdictDigest | None) -> dict[str, int]:
    """By which route the preferences that were met came in."""
    found: dict[str, int] = {}
    for each in verdict.preferences if verdict else ():
        if each.outcome == "met":
            route = each.route or "unknown"
            found[route] = found.get(route, 0) + 1
    return found


def _state_routes(state: VerdictDigest | None) -> dict[str, dict[str, int]]:
    """The same by state: by route, and by how the context held the value."""
    found: dict[str, dict[str, int]] = {}
    for each in state.preferences if state else ():
        if each.outcome == "met":
            held, how = found.setdefault(each.route or "unknown", {}), each.held or "unheld"
            held[how] = held.get(how, 0) + 1
    return found
