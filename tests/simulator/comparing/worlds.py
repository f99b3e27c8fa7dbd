"""Runs made by hand whose dialogues ended in a world, and were judged too where that is wanted."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.simulator.records import Script, preference, run

from duologue.agents.state.judge import NAME
from duologue.agents.verdict import Score
from duologue.record.run import Dialogue, Run

__all__ = ["acted", "met"]


def acted(
    profile: str,
    assistant: str,
    met: int,
    unasked: int = 0,
    *,
    of: int = 4,
    success: bool = True,
    said: bool | None = None,
    lost: bool = False,
    device: str = "",
) -> Dialogue:
    """A dialogue that met so many of its preferences, so many of these `unasked`. `said` is whether a judge saw
    success; `lost` that the assistant talked in circles, so that little of it is scored."""
    place = {"device": device} if device else {}
    script = Script(profile, assistant=assistant, situation=place).say(1, "A table.", "Booked.")
    script.end(*(("loop", "assistant") if lost else ("satisfied", "user")))
    script.events[-1] = script.events[-1].model_copy(update={"state": {"table": [{"id": "table-1"}]}})
    outcomes = [("met", "unasked" if at < unasked else "asked") if at < met else ("unmet", "") for at in range(of)]
    found = tuple(preference(str(at), outcome, route) for at, (outcome, route) in enumerate(outcomes))
    read = script.verdict("s1", NAME, preferences=found).model_copy(
        update={"rubric_name": NAME, "scores": {"success": Score(value=success)}}
    )
    verdicts = [] if lost else [read]
    if said is not None and not lost:
        verdicts.append(script.verdict(scores={"success": said}))
    return Dialogue(script.events[0], tuple(script.events), tuple(verdicts))  # type: ignore[arg-type]


def met(profiles: int, given: Mapping[str, Sequence[tuple[int, int]]], **fields: Any) -> Run:
    """A run of assistants by name, with how many of four preferences they met with each profile in turn, and how many
    of these unasked."""
    rows = [(f"p{i}", name, *counts[i % len(counts)]) for i in range(profiles) for name, counts in given.items()]
    return run(*(acted(*row, **fields) for row in rows))
