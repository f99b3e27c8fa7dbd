"""The case put to a judge: the task, the user and the record, as messages. Pure functions.

Nothing here knows which assistant spoke, or what it was told.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from duologue.agents.message import Message
from duologue.agents.prompt import render
from duologue.agents.questions import Asked, Questions
from duologue.agents.quotes import SILENCE, plain
from duologue.agents.rubric import Dimension
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Preference
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Requirement, Task

__all__ = ["case", "fence", "record"]

_FENCE_LIKE = re.compile(r"=+\s*RECORD\b\s*[0-9a-f]*\s*=*", re.IGNORECASE)


def case(
    questions: Questions, scenario: Scenario, script: Transcript, *, small: bool = False, cut_short: bool = False
) -> tuple[Message, ...]:
    """The messages that ask for the verdict: first what is the same for every case, then this one."""
    size = "_small" if small else ""
    guide = _guide(f"judge{size}.md", questions.dimensions, bool(questions.preferences))
    facts = render(
        f"judge_case{size}.md",
        task=_task(scenario),
        user=_user(scenario),
        preferences=[_preference(asked) for asked in questions.preferences],
        dimensions=questions.dimensions,
        turns=(len(script.messages) + 1) // 2,
        record=record(script, small),
        fence=fence(script),
        cut_short=cut_short,
    )
    return Message("system", guide), Message("user", facts)


@lru_cache(maxsize=32)
def _guide(name: str, dimensions: tuple[Dimension, ...], preferences: bool) -> str:
    return render(name, dimensions=dimensions, preferences=preferences)


def fence(script: Transcript) -> str:
    """A line to stand before and after the record: it follows from what was said, so nobody can say it beforehand."""
    said = "\0".join(f"{message.role}:{message.text}" for message in script.messages)
    return f"=== RECORD {hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:8]} ==="


def record(script: Transcript, small: bool = False) -> str:
    """The turns with their numbers. What was said can neither begin a line of the record nor show a fence."""
    return "\n".join(_turn(index // 2 + 1, message, small) for index, message in enumerate(script.messages))


def _turn(number: int, message: Message, small: bool) -> str:
    said = _FENCE_LIKE.sub("(fence)", plain(message.text)) or SILENCE
    if small:
        return f"[{number}] {message.role}: {_line(said)}"
    return "\n".join([f"[{number}] {message.role}:", *(f"| {line}" for line in said.split("\n"))])


def _task(scenario: Scenario) -> dict[str, Any]:
    task = scenario.task
    return {
        "intent": _line(task.intent),
        "goal": _line(task.goal),
        "about": _line(task.description),
        "facts": list(_facts(task.slots)),
        "records": [_required(task, need) for need in task.require],
    }


def _required(task: Task, need: Requirement) -> str:
    """What must be in the end, as the prompt goes on after "At the end there must be"."""
    facts = {name: task.meant(value) for name, value in need.where.items()}
    what = ": ".join((_line(need.record.replace("_", " ")), ", ".join(_facts(facts)))).strip(": ")
    if need.gone:
        return f"no longer a {what} (it was to be cancelled)"
    many = f"{need.count} of " if need.count > 1 else "a "
    return f"{many}{what}{' (an earlier one, changed)' if need.changes else ''}"


def _user(scenario: Scenario) -> list[str]:
    told = scenario.profile.demographics.model_dump() | scenario.situation.model_dump()
    return list(_facts({key: value for key, value in told.items() if value}))


def _facts(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{_line(key.replace('_', ' '))}: {_line(str(value))}"


def _preference(asked: Asked) -> dict[str, Any]:
    return {
        "key": asked.key,
        "title": f"{_line(asked.domain)}, {_line(asked.type)}",
        "likes": [_value(p) for p in asked.held if p.polarity == "likes"],
        "avoids": [_value(p) for p in asked.held if p.polarity == "avoids"],
        "liked": [_line(p.value) for p in asked.held if p.polarity == "likes"],
        "avoided": [_line(p.value) for p in asked.held if p.polarity == "avoids"],
        "former": [_line(value) for value in asked.former],
    }


def _value(preference: Preference) -> str:
    notes = [f"strength {preference.strength:g} of 1" if preference.strength is not None else ""]
    notes += [f"since {preference.since.isoformat()}" if preference.since else ""]
    told = ", ".join(note for note in notes if note)
    return f"{_line(preference.value)} ({told})" if told else _line(preference.value)


def _line(text: str) -> str:
    return " ".join(plain(text).split())
