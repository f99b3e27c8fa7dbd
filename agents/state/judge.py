"""The state judge: what a dialogue came to, read from the records of its world and the disclosure ledger.

No model. Everything in its verdict is a function of what is recorded.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from duologue.agents.agenda.brief import brief
from duologue.agents.agenda.hearing import hear
from duologue.agents.agenda.user import HEARD
from duologue.agents.deeds import Unreproduced, redone
from duologue.agents.events import AssistantTurn, CellEnded, EventBase, LedgerNoted, UserTurn, acted
from duologue.agents.state.findings import found, misused, regret
from duologue.agents.state.lapses import Lapse, false_claims, known_questions
from duologue.agents.state.matter import Matter
from duologue.agents.transcript import transcript
from duologue.agents.verdict import NO_WORLD, NOT_APPLICABLE, NOTHING_DECIDED, Evidence, Score, Verdict
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wishes
from duologue.tasks.aim import shortfalls
from duologue.tasks.stage import Stage
from duologue.tasks.written import fingerprint

__all__ = ["NAME", "VERSION", "state_rubric", "state_verdict"]

NAME = "state"
VERSION = 1
"""Goes up whenever the same record would be judged otherwise."""
LOST = "the record does not hold: its end state is missing"
NOTHING_REQUIRED = f"{NOT_APPLICABLE}: the task requires no record"
NOTHING_IRRELEVANT = f"{NOT_APPLICABLE}: every preference may be applied"


@cache
def state_rubric() -> str:
    """The fingerprint under which the verdicts stand."""
    return fingerprint(NAME, VERSION)


def state_verdict(
    scenario: Scenario,
    stage: Stage,
    events: Sequence[EventBase],
    *,
    cell: str,
    attempt: int,
    known: Mapping[tuple[str, str], Literal["", "verbatim", "evidence"]],
) -> Verdict:
    """The verdict on one attempt's `events`, from the end state that its calls lead to when they are made again.

    `known` says of (domain, type) pairs how the assistant's context held them: "verbatim", "evidence" or "". Where no
    world was there, nothing is scored; nor where the record does not reproduce, which is a fault of the record.
    """
    verdict = Verdict(cell=cell, attempt=attempt, rubric=state_rubric(), rubric_name=NAME, judge=NAME, time=time.time())
    end = next((event for event in reversed(events) if isinstance(event, CellEnded)), None)
    if end is not None and not end.ending.scored:
        why = f"not judged: the dialogue ended with {end.ending.reason}"
        return verdict.model_copy(update={"unscored": why, "owner": end.ending.owner})
    if end is not None and end.state is None and acted(events):
        return verdict.model_copy(update={"unscored": LOST, "owner": "simulator"})
    if not any(domain.records for domain in stage.domains.values()) or (end is not None and end.state is None):
        return verdict.model_copy(update={"unscored": NO_WORLD})
    try:
        world, deeds = redone(stage, events)
    except Unreproduced as fault:
        return verdict.model_copy(update={"unscored": f"the record does not hold: {fault}", "owner": "simulator"})
    script = transcript(event for event in events if isinstance(event, UserTurn | AssistantTurn))
    noted = tuple(event for event in events if isinstance(event, LedgerNoted))
    lexicon = brief(scenario, stage.domains, "silent").lexicon
    heard = {turn: hear(text[:HEARD], lexicon) for turn, text in enumerate(script.said_by("assistant"), 1)}
    matter = Matter(stage, world, deeds, script, noted, wishes(scenario), heard)
    relevant = dict.fromkeys((each.domain, each.type) for each in scenario.task.relevant)
    preferences = tuple(found(matter, domain, type, known.get((domain, type), "")) for domain, type in relevant)
    return verdict.model_copy(update={"scores": _scores(matter, scenario, known), "preferences": preferences})


def _scores(matter: Matter, scenario: Scenario, known: Mapping[tuple[str, str], str]) -> dict[str, Score]:
    return {
        "success": _success(matter),
        "regret": _regret(matter),
        "misused": _misused(matter, scenario),
        "known_questions": _counted(known_questions(matter, known)),
        "false_claims": _counted(false_claims(matter)),
    }


def _success(matter: Matter) -> Score:
    """Whether the end state is what the task requires. What falls short is the reason."""
    if not matter.stage.aims:
        return Score(unscored=NOTHING_REQUIRED)
    lacking = shortfalls(matter.stage.aims, matter.world.records)
    return Score(value=not lacking, reason="; ".join(lacking) or "the records are as required")


def _regret(matter: Matter) -> Score:
    value = regret(matter)
    return Score(unscored=NOTHING_DECIDED) if value is None else Score(value=value)


def _misused(matter: Matter, scenario: Scenario) -> Score:
    pairs = dict.fromkeys((each.domain, each.type) for each in scenario.task.irrelevant)
    if not pairs:
        return Score(unscored=NOTHING_IRRELEVANT)
    hit = misused(matter, {pair: scenario.profile.likes(*pair) for pair in pairs})
    return Score(value=float(len(hit)), reason=", ".join(f"{domain} {type}" for domain, type in hit))


def _counted(lapses: Sequence[Lapse]) -> Score:
    """How many there are, with the first as evidence and all of them as reason."""
    first = next(iter(lapses), None)
    evidence = Evidence(turn=first.turn, role="assistant", quote=first.quote, found=True) if first else None
    return Score(
        value=float(len(lapses)), reason="; ".join(f"turn {x.turn}: {x.about}" for x in lapses), evidence=evidence
    )
