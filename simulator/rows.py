"""Rows: each dialogue of a run in numbers."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from duologue.agents.verdict import NOT_APPLICABLE, Verdict
from duologue.judging import Judging, by_state, judged_by, judging, verdicts
from duologue.measures import (
    SCALES,
    STATE_SCALES,
    had_world,
    lost_states,
    measured,
    ordered,
    user_turns,
)
from duologue.record import Dialogue, Run
from duologue.scorecard import Row

__all__ = ["rows", "speaks_alone", "verdict_of"]


def rows(
    run: Run, rubric: str = "", judge: str = "", used: Judging | None = None, state: Judging | None = None
) -> list[Row]:
    """One row per dialogue, in the run's order, by the verdicts of `used` or those that `rubric` and `judge` name.

    Beside them stands what the end states show, as `state` or else the newest reading has it. Raises BadInput
    where `rubric` and `judge` name no verdict of the run.
    """
    by = judging([run], rubric, judge) if used is None else used
    read = by_state([run]) if state is None else state
    mine = Judging() if by.of_state else by
    found = [_Scored(dialogue, verdict_of(dialogue, mine), verdict_of(dialogue, read)) for dialogue in run.dialogues]
    lost = lost_states(run.dialogues)
    names = ordered(_names(run, by, [each.verdict for each in found if each.verdict], lost))
    modelless = {str(table.get("name")) for table in run.manifest.campaign.get("assistant", []) if speaks_alone(table)}
    made = [_row(number, each, names, run, each.dialogue.cell in lost) for number, each in enumerate(found, 1)]
    return [_without_tokens(row) if row.assistant in modelless else row for row in made]


@dataclass(frozen=True, slots=True)
class _Scored:
    """A dialogue with the judge's verdict and the reading of its end state, where there are such."""

    dialogue: Dialogue
    verdict: Verdict | None
    state: Verdict | None


def _names(run: Run, used: Judging, chosen: Sequence[Verdict], lost: AbstractSet[str]) -> set[str]:
    """The scores that the run's dialogues may have."""
    worlds = bool(lost) or any(had_world(dialogue.events) for dialogue in run.dialogues)
    names: set[str] = set(STATE_SCALES) if worlds else set()
    if used.of_state or (names and not chosen):
        return names
    if not chosen:
        return set(SCALES)
    preferences = {"preferences_met"} if any(verdict.preferences for verdict in chosen) else set()
    return names | preferences | {"success"} | {name for verdict in chosen for name in verdict.scores}


def verdict_of(dialogue: Dialogue, used: Judging) -> Verdict | None:
    """The verdict of `used` on a dialogue, if there is one."""
    return next((verdict for verdict in reversed(verdicts(dialogue)) if judged_by(verdict) == used), None)


def _row(number: int, held: _Scored, names: Sequence[str], run: Run, lost: bool) -> Row:
    started, end = held.dialogue.started, held.dialogue.ending
    found = measured(held.dialogue, held.verdict, names, held.state, lost=lost)
    spoken = [each.domain for verdict in (held.state, held.verdict) if verdict for each in verdict.preferences]
    return Row(
        number=number,
        cell=started.cell,
        profile=started.profile,
        task=started.task,
        situation=started.situation,
        domains=run.manifest.domains.get(started.task, tuple(dict.fromkeys(spoken))),
        assistant=started.assistant,
        trial=started.trial,
        turns=user_turns(held.dialogue),
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
    return row.model_copy(update={"unscored": {**row.unscored, "tokens": f"{NOT_APPLICABLE}: no model spoke"}})


def _routes(verdict: Verdict | None) -> Counter[str]:
    """By which route the preferences that were met came in."""
    preferences = verdict.preferences if verdict else ()
    return Counter(each.route or "unknown" for each in preferences if each.outcome == "met")


def _state_routes(state: Verdict | None) -> dict[str, dict[str, int]]:
    """The same by state: by route, and by how the context held the value."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for each in state.preferences if state else ():
        if each.outcome == "met":
            found[each.route or "unknown"][each.held or "unheld"] += 1
    return {route: dict(held) for route, held in found.items()}
