"""Reconsideration: a judge's verdict under a changed rubric, for which it is asked no question that it answered before.

That goes only where each question has a call of its own, so that no answer depends on what else is asked.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from duologue.agents.judge import Judge
from duologue.agents.rubric import Rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import NOTHING_RELEVANT, UNHELD, Verdict
from duologue.profiles.scenario import Scenario

__all__ = ["PREFERENCES", "parts", "reconsidered"]

PREFERENCES = "(preferences)"
"""What the questions about preferences are called among the parts of a verdict."""


async def reconsidered(
    judge: Judge, earlier: Sequence[Verdict], scenario: Scenario, script: Transcript, *, look: int, **about: Any
) -> Verdict:
    """What `judge` says of `script`, as `Judge.judge` has it. What it said in the same look of an `earlier` verdict to
    a question that is still the same is taken over, and named so.
    """
    if judge.rubric.calls == "one":
        return await judge.judge(scenario, script, look=look, **about)
    now = parts(judge.rubric)
    before = next((each for each in reversed(earlier) if _shared(each, now, judge.model.name, look)), None)
    taken = _shared(before, now, judge.model.name, look) if before else ()
    asked = Judge(judge.model, _without(judge.rubric, taken)) if taken else judge
    fresh = await asked.judge(scenario, script, look=look, **about)
    whole = {"rubric": judge.fingerprint, "rubric_name": judge.rubric.name, "parts": now}
    if before is None or fresh.owner == "infrastructure":
        return fresh.model_copy(update=whole)
    return fresh.model_copy(update={**whole, **_merged(judge.rubric, before, fresh, taken)})


@lru_cache(maxsize=16)
def parts(rubric: Rubric) -> dict[str, str]:
    """The fingerprint of each question of `rubric` alone, by its name."""
    alone = {each.name: {"dimensions": (each,), "preferences": False} for each in rubric.dimensions}
    outcomes = {PREFERENCES: {"dimensions": (), "preferences": True}} if rubric.preferences else {}
    return {name: rubric.model_copy(update=only).fingerprint for name, only in (alone | outcomes).items()}


def _shared(verdict: Verdict, now: dict[str, str], judge: str, look: int) -> tuple[str, ...]:
    """Which of the questions `now` a verdict has answered."""
    if (verdict.judge, verdict.look) != (judge, look) or verdict.unscored:
        return ()
    return tuple(name for name, part in now.items() if verdict.parts.get(name) == part and _answered(verdict, name))


def _answered(verdict: Verdict, name: str) -> bool:
    if name == PREFERENCES:
        return all(each.outcome != "unscored" or each.unscored == UNHELD for each in verdict.preferences)
    score = verdict.scores.get(name)
    return score is not None and (score.value is not None or score.unscored == NOTHING_RELEVANT)


def _without(rubric: Rubric, taken: Sequence[str]) -> Rubric:
    """The questions of `rubric` that are still to be asked, which may be none."""
    left = tuple(each for each in rubric.dimensions if each.name not in taken)
    return rubric.model_copy(
        update={"dimensions": left, "preferences": rubric.preferences and PREFERENCES not in taken}
    )


def _merged(rubric: Rubric, before: Verdict, fresh: Verdict, taken: Sequence[str]) -> dict[str, Any]:
    """The fields of a verdict that hold both what was taken over and what was asked."""
    scores = {d.name: (before if d.name in taken else fresh).scores[d.name] for d in rubric.dimensions}
    kept = (warning for warning in before.warnings if warning.partition(": ")[0] in taken)
    return {
        "scores": scores,
        "preferences": (before if PREFERENCES in taken else fresh).preferences,
        "warnings": tuple(dict.fromkeys([*kept, *fresh.warnings])),
        "taken": tuple(taken),
        "unscored": "",
        "owner": "",
    }
