"""What is measured of one dialogue: a judge's scores, what the end state shows, and the effort."""

import math
from collections.abc import Iterable, Sequence

from duologue.agents.dimension import USUAL, Scale
from duologue.agents.ending import Ending
from duologue.agents.events import CellEnded, Event, ToolCalled, acted
from duologue.agents.verdict import (
    NO_WORLD,
    NOT_APPLICABLE,
    NOTHING_DECIDED,
    NOTHING_RELEVANT,
    UNHELD,
)
from duologue.record.digest import Digest, VerdictDigest
from duologue.scoring.judging import STATE

__all__ = [
    "EFFORT", "ENDS", "INAPPLICABLE", "SCALES", "SHARES", "STATE_SCALES", "WORSE",
    "excused", "had_world", "label", "lost_states", "measured", "ordered", "share_met", "within_ends",
]  # fmt: skip

STATE_SCALES: dict[str, tuple[float, float] | None] = {
    "state_success": (0, 1),
    "state_preferences_met": (0, 1),
    "state_unasked": (0, 1),
    "state_regret": (0, 1),
    "state_misused": None,
    "state_known_questions": None,
    "state_false_claims": None,
}
"""What is read from the world's end state and the ledger, and the ends of the scales; counts have none."""
_ASKED = {name: (scale.low, scale.high) if isinstance(scale, Scale) else (0, 1) for name, scale in USUAL.items()}
SCALES: dict[str, tuple[float, float]] = {
    **{name: _ASKED[name] for name in ("success", "personalisation")}, "preferences_met": (0, 1), **_ASKED,
}  # fmt: skip
"""A judge's usual scores in the order shown, and the ends of their scales."""
ENDS = SCALES | {name: ends for name, ends in STATE_SCALES.items() if ends}
SHARES = ("success", "preferences_met", "state_success", "state_preferences_met", "state_unasked", "state_regret")
"""Scores that are shares, shown in percent."""
WORSE = ("state_regret", "state_misused", "state_known_questions", "state_false_claims")
"""Scores of which more is worse."""
EFFORT = ("user_turns", "questions", "calls", "tokens", "seconds")
"""Turns that the user said, questions that it was asked; the assistant's tool calls, tokens and seconds."""
LOST = "the record does not hold: its end state is missing"
INAPPLICABLE = (NOTHING_DECIDED, NOTHING_RELEVANT, UNHELD)
"""Reasons for a missing score that are no fault either."""

_LABELS = {
    "success": "task success",
    "questions": "questions asked",
    "calls": "tool calls",
    "tokens": "assistant tokens",
    "seconds": "assistant seconds",
    "state_success": "task success",
    "state_preferences_met": "preferences met",
    "state_unasked": "met unasked",
    "state_regret": "regret",
    "state_misused": "misused",
    "state_known_questions": "known questions",
    "state_false_claims": "false claims",
}

Measured = tuple[float | None, str]
"""A number, or None and the reason why there is none."""


def ordered(names: Iterable[str]) -> list[str]:
    """Metrics in the order shown: by state, the usual scores, a rubric's own dimensions as they come, effort."""
    seen = dict.fromkeys(names)
    own = [name for name in seen if name not in {*STATE_SCALES, *SCALES, *EFFORT}]
    return [name for name in (*STATE_SCALES, *SCALES, *own, *EFFORT) if name in seen]


def label(metric: str, beside: bool = False) -> str:
    """A metric's name as people read it. `beside` says that a judge's scores and the state's are both there."""
    name = _LABELS.get(metric, metric.replace("_", " "))
    if metric in STATE_SCALES:
        return f"{name} by state"
    return f"judge: {name}" if beside and metric not in EFFORT else name


def within_ends(metric: str, value: float | None, own: tuple[float, float] | None = None) -> float | None:
    """An end of an interval, no further out than any score can be: a count is never below 0. `own` are the ends of the
    scale of a rubric's own question."""
    counted = (0.0, math.inf) if metric in (*STATE_SCALES, *EFFORT) else (-math.inf, math.inf)
    low, high = own or ENDS.get(metric) or counted
    return None if value is None else min(high, max(low, value))


def measured(
    dialogue: Digest,
    verdict: VerdictDigest | None,
    scores: Iterable[str],
    state: VerdictDigest | None = None,
    *,
    lost: bool = False,
) -> dict[str, Measured]:
    """The `scores` and the effort of a dialogue by name, from a judge's `verdict` and the reading of the `state`.

    Where the assistant is to blame for the ending, success is 0 and nothing else is scored; where the
    simulator or the infrastructure is, nothing is. Without a world nothing of the state applies; where its end
    state is `lost` nothing of it is scored.
    """
    end, names = dialogue.ending, list(scores)
    if end is not None and end.scored:
        found = {name: _by_state(name, state) if name in STATE_SCALES else _score(name, verdict) for name in names}
        found |= _effort(dialogue)
    else:
        found = dict.fromkeys([*names, *EFFORT], (None, _blamed(end)))
        if end is not None and end.owner == "assistant":
            found |= {name: (0.0, "") for name in ("success", "state_success") if name in found}
    if lost and end is not None and end.scored:
        found |= {name: (None, LOST) for name in STATE_SCALES if name in found}
    elif not lost and not dialogue.had_world and end is not None and end.finished:
        found |= {name: (None, NO_WORLD) for name in (*STATE_SCALES, "calls") if name in found}
    if not any(name in STATE_SCALES for name in names):
        del found["calls"]
    return found


def had_world(events: Sequence[Event]) -> bool:
    """Whether the assistant could act on a world, as far as the record tells."""
    last = events[-1] if events else None
    if isinstance(last, CellEnded):
        return last.state is not None or acted(events)
    return any(isinstance(event, ToolCalled) for event in events)


def lost_states(dialogues: Sequence[Digest]) -> frozenset[str]:
    """The cells of a run whose dialogue ended in a world that its record holds no more.

    That there was one is told by a call that did something, by a reading of the end state, or by the world that the
    same assistant, and another dialogue of the same task, had.
    """
    held = [each for each in dialogues if each.state]
    acting, worldly = {each.assistant for each in held}, {each.task for each in held}
    return frozenset(
        each.cell
        for each in dialogues
        if each.ending is not None
        and not each.state
        and (
            each.acted
            or any(of.judge == STATE and of.scores for of in each.verdicts)
            or (each.assistant in acting and each.task in worldly)
        )
    )


def excused(why: str) -> bool:
    """Whether a score is missing through nobody's fault."""
    return why in INAPPLICABLE or why.startswith(NOT_APPLICABLE)


def _blamed(end: Ending | None) -> str:
    if end is None or not end.finished:
        return "not finished"
    return f"{end.reason.replace('_', ' ')} ({end.owner})"


def _score(name: str, verdict: VerdictDigest | None) -> Measured:
    if verdict is None:
        return None, "not judged"
    if verdict.unscored:
        return None, _told(verdict.unscored)
    if name == "preferences_met":
        share, why = share_met(verdict)
        return share, _told(why) if why else ""
    score = verdict.scores.get(name)
    if score is None:
        return None, "not in the verdict"
    return (float(score.value), "") if score.value is not None else (None, _told(score.unscored or "gave no score"))


def _by_state(name: str, state: VerdictDigest | None) -> Measured:
    if state is None:
        return None, "the end state was not read"
    if state.unscored:
        return None, state.unscored
    if name in ("state_preferences_met", "state_unasked"):
        return share_met(state, ("unasked",) if name == "state_unasked" else ())
    score = state.scores.get(name.removeprefix("state_"))
    if score is None or score.value is None:
        return None, (score and score.unscored) or "not in the verdict"
    return float(score.value), ""


def share_met(verdict: VerdictDigest, routes: tuple[str, ...] = ()) -> Measured:
    """met / (met + unmet + violated): infeasible, undecided and unscored preferences leave the denominator.

    With `routes`, only what was met by one of those counts above the line.
    """
    outcomes = [preference.outcome for preference in verdict.preferences]
    decided = outcomes.count("met") + outcomes.count("unmet") + outcomes.count("violated")
    if decided:
        met = [p.route for p in verdict.preferences if p.outcome == "met"]
        return sum(route in routes for route in met) / decided if routes else len(met) / decided, ""
    unscored = {p.unscored or "gave no outcome": None for p in verdict.preferences if p.outcome == "unscored"}
    if faults := [why for why in unscored if not excused(why)]:
        return None, faults[0]
    return None, UNHELD if unscored and not set(outcomes) - {"unscored"} else NOTHING_DECIDED


def _told(why: str) -> str:
    return why if excused(why) else f"judge: {why}"


def _effort(dialogue: Digest) -> dict[str, Measured]:
    return {
        "user_turns": (float(dialogue.turns), ""),
        "questions": (float(dialogue.questions), ""),
        "calls": (float(dialogue.calls), ""),
        "tokens": (None, "not reported") if dialogue.tokens is None else (float(dialogue.tokens), ""),
        "seconds": (None, "not reported") if _is_from_outside(dialogue) else (dialogue.seconds, ""),
    }


def _is_from_outside(dialogue: Digest) -> bool:
    return dialogue.ending is not None and dialogue.ending.reason == "held_elsewhere"
