"""The case put to a judge: the task, the user and the record, as messages. Pure functions.

Nothing here knows which assistant spoke, or what it was told.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from duologue.agents.dimension import Dimension, Input
from duologue.agents.exhibits import Called, calls, records
from duologue.agents.fence import barred, fence_of, lined
from duologue.agents.message import Message
from duologue.agents.prompt import render
from duologue.agents.questions import Asked, Questions
from duologue.agents.quotes import SILENCE
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Preference, Session
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Requirement, Task

__all__ = ["case", "describes", "end_state", "fence", "record", "told"]

_OF_THE_USER = {"profile", "preferences", "tastes", "history"}


def case(
    questions: Questions, scenario: Scenario, script: Transcript, *, small: bool = False, cut_short: bool = False
) -> tuple[Message, ...]:
    """The messages that ask for the verdict: first what is the same for every case, then this one."""
    size = "_small" if small else ""
    shown = questions.shown
    guide = _guide(f"judge{size}.md", questions.dimensions, bool(questions.preferences), shown)
    facts = render(
        f"judge_case{size}.md",
        described=describes(shown),
        **told(questions, scenario, brief=small and not questions.alone),
        dimensions=questions.dimensions,
        turns=(len(script.messages) + 1) // 2,
        record=record(script, small, shown),
        fence=fence(script, shown),
        state=end_state(script) if "state" in shown else None,
        cut_short=cut_short,
    )
    return Message("system", guide), Message("user", facts)


@lru_cache(maxsize=64)
def _guide(name: str, dimensions: tuple[Dimension, ...], preferences: bool, shown: tuple[Input, ...]) -> str:
    return render(name, dimensions=dimensions, preferences=preferences, shown=shown, described=describes(shown))


def describes(shown: Collection[str]) -> bool:
    """Whether the user is described at all."""
    return not _OF_THE_USER.isdisjoint(shown)


def told(questions: Questions, scenario: Scenario, *, brief: bool = False) -> dict[str, Any]:
    """What is told of the task and the user: `task`, `user`, `preferences`, those first that are asked about under
    their `key`, and earlier `sessions`. Where `brief`, who the user is stays out."""
    shown = questions.shown
    return {
        "task": _task(scenario, shown),
        "user": _user(scenario) if "profile" in shown and not brief else [],
        "preferences": [
            *(_preference(asked, asked.key) for asked in questions.preferences),
            *(_preference(asked) for asked in questions.background),
        ],
        "sessions": [_session(session) for session in _sessions(scenario)] if "history" in shown else [],
    }


def fence(script: Transcript, shown: Collection[str] = ()) -> str:
    """A line to stand before and after the record: it follows from what stands there, so nobody can say it
    beforehand."""
    said = [f"{message.role}:{message.text}" for message in script.messages]
    done = [text for call in calls(script) for text in call[1:]] if "actions" in shown else []
    return fence_of("RECORD", [*said, *done])


def record(script: Transcript, small: bool = False, shown: Collection[str] = ()) -> str:
    """The turns with their numbers, and where `shown` holds `actions`, what was called in them. What was said can
    neither begin a line of the record nor show a fence."""
    done = calls(script) if "actions" in shown else []
    lines = []
    for index, message in enumerate(script.messages):
        turn = index // 2 + 1
        lines.append(_line(turn, message.role, message.text, small))
        if message.role == "user":
            lines += [line for call in done if call.turn == turn for line in _called(call, small)]
    return "\n".join(lines)


def _called(call: Called, small: bool) -> Iterator[str]:
    yield _line(call.turn, "tool call", call.asked, small)
    yield _line(call.turn, "tool answer", call.answered or "(none)", small)


def _line(turn: int, who: str, said: str, small: bool) -> str:
    if small:
        return f"[{turn}] {who}: {lined(said) or SILENCE}"
    held = barred(said)
    return f"[{turn}] {who}:\n{f'| {SILENCE}' if held == '| ' else held}"


def end_state(script: Transcript) -> dict[str, Any]:
    """The records at the end with a fence of their own; `recorded` is false where there was no world to act on."""
    held = list(records(script))
    return {
        "recorded": script.state is not None,
        "records": "\n".join(f"| {lined(text)}" for text in held) or "| (no record)",
        "fence": fence_of("STATE", [*(message.text for message in script.messages), *held]),
    }


def _task(scenario: Scenario, shown: Collection[str]) -> dict[str, Any]:
    task, whole = scenario.task, "task" in shown
    return {
        "intent": lined(task.intent) if whole or "intent" in shown else "",
        "goal": lined(task.goal) if whole or "goal" in shown else "",
        "about": lined(task.description) if whole else "",
        "facts": list(_facts(task.slots)) if whole else [],
        "records": [_required(task, need) for need in task.require] if whole else [],
    }


def _required(task: Task, need: Requirement) -> str:
    """What must be in the end, as the prompt goes on after "At the end there must be"."""
    facts = {name: task.meant(value) for name, value in need.where.items()}
    what = ": ".join((lined(need.record.replace("_", " ")), ", ".join(_facts(facts)))).strip(": ")
    if need.gone:
        return f"no longer a {what} (it was to be cancelled)"
    many = f"{need.count} of " if need.count > 1 else "a "
    return f"{many}{what}{' (an earlier one, changed)' if need.changes else ''}"


def _user(scenario: Scenario) -> list[str]:
    told = scenario.profile.demographics.model_dump() | scenario.situation.model_dump()
    return list(_facts({key: value for key, value in told.items() if value}))


def _facts(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{lined(key.replace('_', ' '))}: {lined(str(value))}"


def _sessions(scenario: Scenario) -> list[Session]:
    """The user's earlier sessions in the task's domains, the newest first, undated ones last."""
    held = [session for session in scenario.profile.history if session.domain in scenario.task.domains]
    return sorted(held, key=lambda session: session.date.toordinal() if session.date else 0, reverse=True)


def _session(session: Session) -> str:
    when = f"{session.date.isoformat()}, " if session.date else ""
    said = "".join(f" {turn.role}: {lined(turn.text)}" for turn in session.turns)
    return f"{when}{lined(session.domain)}: {lined(session.summary)}{said}"


def _preference(asked: Asked, key: str = "") -> dict[str, Any]:
    return {
        "key": key,
        "title": f"{lined(asked.domain)}, {lined(asked.type)}",
        "likes": [_value(p) for p in asked.held if p.polarity == "likes"],
        "avoids": [_value(p) for p in asked.held if p.polarity == "avoids"],
        "liked": [lined(p.value) for p in asked.held if p.polarity == "likes"],
        "avoided": [lined(p.value) for p in asked.held if p.polarity == "avoids"],
        "former": [lined(value) for value in asked.former],
    }


def _value(preference: Preference) -> str:
    notes = [f"strength {preference.strength:g} of 1" if preference.strength is not None else ""]
    notes += [f"since {preference.since.isoformat()}" if preference.since else ""]
    told = ", ".join(note for note in notes if note)
    return f"{lined(preference.value)} ({told})" if told else lined(preference.value)
