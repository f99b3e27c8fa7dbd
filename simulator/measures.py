"""What is measured of one dialogue: the verdict's scores, the share of preferences met, and the effort."""

from collections import Counter
from collections.abc import Iterable

from duologue.agents.ending import Ending
from duologue.agents.events import AssistantTurn, UserTurn
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.record import Dialogue

__all__ = ["EFFORT", "INAPPLICABLE", "SCALES", "SHARES", "label", "measured", "ordered", "user_turns"]

SCALES: dict[str, tuple[float, float]] = {
    "success": (0, 1),
    "personalisation": (1, 4),
    "preferences_met": (0, 1),
    "user_naturalness": (1, 5),
    "user_coherence": (1, 5),
    "assistant_naturalness": (1, 5),
    "assistant_coherence": (1, 5),
}
"""The usual scores in the order shown, and the ends of their scales."""
SHARES = ("success", "preferences_met")
"""Scores that are shares, shown in percent."""
EFFORT = ("user_turns", "questions", "tokens", "seconds")
"""Turns that the user said, questions that it was asked; the assistant's tokens and seconds."""
UNHELD = "the profile holds no such preference"
INAPPLICABLE = ("no preference was decided", "no relevant preference", UNHELD)
"""Reasons for a missing score that are no fault: the question makes no sense for that dialogue."""

_LABELS = {
    "success": "task success",
    "questions": "questions asked",
    "tokens": "assistant tokens",
    "seconds": "assistant seconds",
}
_CLOSERS = "\"'”’»)]*_"

Measured = tuple[float | None, str]
"""A number, or None and the reason why there is none."""


def ordered(names: Iterable[str]) -> list[str]:
    """Metrics in the order shown: the usual scores, a rubric's own dimensions, effort."""
    seen = set(names)
    own = sorted(seen - set(SCALES) - set(EFFORT))
    return [*(name for name in SCALES if name in seen), *own, *(name for name in EFFORT if name in seen)]


def label(metric: str) -> str:
    """A metric's name as people read it."""
    return _LABELS.get(metric, metric.replace("_", " "))


def measured(dialogue: Dialogue, verdict: Verdict | None, scores: Iterable[str]) -> dict[str, Measured]:
    """The `scores` and the effort of a dialogue by name.

    Where the assistant is to blame for the ending, success is 0 and nothing else is scored; where the
    simulator or the infrastructure is, nothing is.
    """
    end = dialogue.ending
    if end is not None and end.scored:
        return {**{name: _score(name, verdict) for name in scores}, **_effort(dialogue)}
    found: dict[str, Measured] = dict.fromkeys([*scores, *EFFORT], (None, _blamed(end)))
    if end is not None and end.owner == "assistant" and "success" in found:
        found["success"] = 0.0, ""
    return found


def user_turns(dialogue: Dialogue) -> int:
    """How many turns the user has said. Leaving without a word is none."""
    said = (event for event in dialogue.events if isinstance(event, UserTurn))
    return sum(1 for event in said if event.text.strip() or not event.stop)


def _blamed(end: Ending | None) -> str:
    if end is None or not end.finished:
        return "not finished"
    return f"{end.reason.replace('_', ' ')} ({end.owner})"


def _score(name: str, verdict: Verdict | None) -> Measured:
    if verdict is None:
        return None, "not judged"
    if verdict.unscored:
        return None, _told(verdict.unscored)
    if name == "preferences_met":
        return _share_met(verdict)
    score = verdict.scores.get(name)
    if score is None:
        return None, "not in the verdict"
    return (float(score.value), "") if score.value is not None else (None, _told(score.unscored or "gave no score"))


def _share_met(verdict: Verdict) -> Measured:
    """met / (met + unmet + violated): infeasible, undecided and unscored preferences leave the denominator."""
    outcomes = Counter(preference.outcome for preference in verdict.preferences)
    decided = outcomes["met"] + outcomes["unmet"] + outcomes["violated"]
    if decided:
        return outcomes["met"] / decided, ""
    unscored = {p.unscored or "gave no outcome": None for p in verdict.preferences if p.outcome == "unscored"}
    if faults := [why for why in unscored if why != UNHELD]:
        return None, _told(faults[0])
    return None, UNHELD if unscored and not outcomes.keys() - {"unscored"} else INAPPLICABLE[0]


def _told(why: str) -> str:
    return why if why in INAPPLICABLE else f"judge: {why}"


def _effort(dialogue: Dialogue) -> dict[str, Measured]:
    replies = [event for event in dialogue.events if isinstance(event, AssistantTurn)]
    tokens = [count for event in replies if (count := _tokens(event.usage)) is not None]
    known = len(tokens) == len(replies)
    return {
        "user_turns": (float(user_turns(dialogue)), ""),
        "questions": (float(sum(_questions(event.text) for event in replies)), ""),
        "tokens": (float(sum(tokens)), "") if known else (None, "not reported"),
        "seconds": (sum(event.seconds for event in replies), ""),
    }


def _tokens(usage: Usage | None) -> int | None:
    if usage is None or usage.input is None or usage.output is None:
        return None
    return usage.input + usage.output


def _questions(text: str) -> int:
    """Sentences that end in a question mark. `?!` and `??` are one, a mark inside an address is none."""
    words = (word.rstrip(_CLOSERS).rstrip("!") for word in text.split())
    return sum(word.endswith(("?", "؟")) for word in words) + text.count("？")
