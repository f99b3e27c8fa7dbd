"""Runs made by hand for tests: a few words a dialogue, no file read."""

from pathlib import Path
from typing import Any

from duologue.agents.ending import ending
from duologue.agents.events import AssistantTurn, CellEnded, CellStarted, Event, UserTurn
from duologue.agents.usage import Usage
from duologue.agents.verdict import PreferenceVerdict, Score, Verdict
from duologue.record.digest import digest
from duologue.record.run import Dialogue, Manifest, Run, read_dialogues, read_run
from duologue.tasks.task import Situation
from duologue.tasks.written import fingerprint

TURNS = (("A table for two, please.", "Gladly. Which cuisine do you like?"), ("Thai.", "Booked: Baan Thai, 19:00."))
SCORES = {
    "success": True,
    "personalisation": 3,
    "user_naturalness": 4,
    "user_coherence": 5,
    "assistant_naturalness": 4,
    "assistant_coherence": 5,
}


class Script:
    """Writes the events of one dialogue, one after the other."""

    def __init__(
        self, profile: str = "anna", task: str = "book-table", assistant: str = "plain", trial: int = 1, **more: Any
    ) -> None:
        self.cell = fingerprint(profile, task, assistant, trial, more.get("situation", ""))
        self.attempt = more.pop("attempt", 1)
        self.events: list[Event] = []
        situation = Situation(**more.pop("situation", {}))
        scenario = fingerprint(profile, task, situation)
        started = {"profile": profile, "task": task, "assistant": assistant, "trial": trial}
        self.note(CellStarted, scenario=scenario, situation=situation, **started, **more)

    def note(self, kind: Any, turn: int = 0, **fields: Any) -> "Script":
        seq = len(self.events) + 1
        carried = {"cell": self.cell, "attempt": self.attempt, "seq": seq, "turn": turn, "time": 1000.0 + seq}
        self.events.append(kind(**{**carried, **fields}))
        return self

    def say(self, turn: int, user: str, assistant: str | None, **fields: Any) -> "Script":
        self.note(UserTurn, turn, role="user", text=user, usage=Usage(input=50, output=10), seconds=0.5)
        if assistant is not None:
            spent = {"usage": Usage(input=100, output=20, retries=1), "seconds": 1.5}
            self.note(AssistantTurn, turn, role="assistant", text=assistant, **{**spent, **fields})
        return self

    def end(self, reason: Any = "satisfied", role: Any = "user", detail: str = "") -> "Script":
        return self.note(CellEnded, role=role, ending=ending(reason, role, detail))

    def verdict(self, rubric: str = "r1", judge: str = "scripted:judge", **fields: Any) -> Verdict:
        scores = {
            name: value if isinstance(value, Score) else Score(value=value)
            for name, value in {**SCORES, **fields.pop("scores", {})}.items()
        }
        known = {"cell": self.cell, "attempt": self.attempt, "rubric": rubric, "rubric_name": "default", "judge": judge}
        return Verdict(**{**known, "scores": scores, "time": 2000.0, "usage": Usage(input=900, output=90), **fields})


def dialogue(
    profile: str = "anna", task: str = "book-table", assistant: str = "plain", trial: int = 1, **fields: Any
) -> Dialogue:
    """A finished and judged dialogue of two turns. `reason`, `role`, `judged` and what a verdict takes may differ."""
    script = Script(profile, task, assistant, trial, situation=fields.pop("situation", {}))
    for number, (user, reply) in enumerate(fields.pop("turns", TURNS), 1):
        script.say(number, user, reply)
    reason, role = fields.pop("reason", "satisfied"), fields.pop("role", "user")
    detail = fields.pop("detail", "")
    if reason:
        script.end(reason, role, detail)
    judged = fields.pop("judged", reason in ("satisfied", "gave_up", "turn_limit"))
    verdicts = (script.verdict(**fields),) if judged else ()
    return Dialogue(script.events[0], tuple(script.events), verdicts)  # type: ignore[arg-type]


def stored(done: Run | Path) -> list[Dialogue]:
    """The dialogues of a run with their events, read back."""
    return list(read_dialogues(done if isinstance(done, Run) else read_run(done)))


def preference(type: str, outcome: Any, route: Any = "", **fields: Any) -> PreferenceVerdict:
    return PreferenceVerdict(domain="Restaurants", type=type, outcome=outcome, route=route, **fields)


def run(*dialogues: Dialogue, name: str = "evening", assistants: Any = None, seed: int = 0, **fingerprints: str) -> Run:
    """A run of `dialogues`, with the contexts of `assistants` by name."""
    contexts = assistants or {d.started.assistant: () for d in dialogues}
    tables = [{"name": each, "context": list(context)} for each, context in contexts.items()]
    manifest = Manifest(
        name=name,
        duologue="0.1.0",
        started=1000.0,
        cells=len(dialogues),
        campaign={"seed": seed, "assistant": tables},
        fingerprints={"prompts": "p1", "user": "u1", "judge": "j1", **fingerprints},
    )
    return Run(Path("runs") / name, manifest, tuple(map(digest, dialogues)))
