"""How a run stands while it goes on: what is done, who is waited for, what was scored so far."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duologue.agents.ending import Ending
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    Event,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.views.layout import faulty

if TYPE_CHECKING:
    from duologue.campaign import Cell

__all__ = ["Finished", "Running", "Scores", "Standing"]

ERRORS = 3
"""How many of the last errors are kept."""


@dataclass(slots=True)
class Running:
    """A dialogue that has begun and is not finished. `since` is when the wait for `role` began, in epoch seconds."""

    label: str
    assistant: str
    role: str
    since: float
    turns: int = 0
    end: Ending | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A dialogue that is over: judged, or not to be judged."""

    label: str
    assistant: str
    turns: int
    end: Ending
    verdict: Verdict | None


@dataclass(slots=True)
class Scores:
    """Sums of one assistant's scores, and how many there are of each."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, value: float) -> None:
        self.sums[name] = self.sums.get(name, 0.0) + value
        self.counts[name] += 1


class Standing:
    """Follows the events and verdicts of a run. Holds nothing of a dialogue that is over."""

    def __init__(self) -> None:
        self.total = 0
        self.done = 0
        self.assistants: tuple[str, ...] = ()
        """In the order of the campaign."""
        self.running: dict[str, Running] = {}
        self.scores: dict[str, Scores] = {}
        self.endings: Counter[tuple[str, str]] = Counter()
        """By reason and owner."""
        self.retries: Counter[str] = Counter()
        self.strained: dict[str, str] = {}
        """What endpoints have no room for, by endpoint."""
        self.discarded = 0
        self.acts: Counter[bool] = Counter()
        """Tool calls answered, by whether they went well."""
        self.errors: dict[str, list[str]] = {}
        """The last kinds of error, and where each happened."""
        self._planned: dict[str, tuple[str, str]] = {}
        self._awaited: dict[str, int] = {}
        """How many verdicts are still to come on each dialogue."""
        self._looks = 1
        """How many come on one that was not planned."""

    def plan(self, cells: "Iterable[Cell]", judged: Mapping[str, int]) -> None:
        """The dialogues to come, and how many verdicts on each; they count beside those planned before."""
        self._looks = max(judged.values(), default=0)
        for cell in cells:
            self._awaited[cell.id] = judged.get(cell.id, 0)
            self._planned[cell.id] = (f"{cell.scenario.profile} × {cell.scenario.task}", cell.assistant)
        self.total = len(self._planned)
        self.assistants = tuple(dict.fromkeys(assistant for _, assistant in self._planned.values()))

    def hear(self, event: Event, now: float) -> Finished | None:
        """Take in an event; what is finished by it, if anything."""
        held = self._held(event, now)
        if isinstance(event, UserDraft | UserTurn | AssistantTurn):
            self._spent("assistant" if isinstance(event, AssistantTurn) else "user", event.usage)
            self.discarded += isinstance(event, UserDraft)
            held.turns = max(held.turns, event.turn)
            held.role, held.since = "assistant" if isinstance(event, UserTurn) else "user", now
        elif isinstance(event, ToolCalled):
            self._spent("assistant", event.usage)
        elif isinstance(event, ToolAnswered):
            self.acts[event.ok] += 1
            held.role, held.since = "assistant", now
        if not isinstance(event, CellEnded):
            return None
        held.end, held.role, held.since = event.ending, "judge", now
        self._ended(held, event.ending)
        judged = event.ending.scored and self._awaited.get(event.cell, self._looks) > 0
        return None if judged else self._finish(event.cell, None)

    def judge(self, verdict: Verdict, now: float) -> Finished | None:
        """Take in a verdict; the dialogue that is finished by it, if it was the last on it."""
        label, assistant = self._planned.get(verdict.cell, (verdict.cell[:8], "?"))
        held = self.running.setdefault(verdict.cell, Running(label, assistant, "judge", now))
        self._spent("judge", verdict.usage)
        scores = self.scores.setdefault(held.assistant, Scores())
        for name, score in verdict.scores.items():
            if score.value is not None:
                scores.add(name, float(score.value))
        if verdict.unscored:
            self._erred(f"unscored: {verdict.unscored}", held)
        self._awaited[verdict.cell] = left = self._awaited.get(verdict.cell, self._looks) - 1
        return self._finish(verdict.cell, verdict) if left < 1 else None

    def recall(self, cell: str, now: float, *, over: bool) -> None:
        """Wait for the memory of a dialogue's assistant, or, once it is `over`, for the assistant."""
        label, assistant = self._planned.get(cell, (cell[:8], "?"))
        role = "assistant" if over else "memory"
        held = self.running.setdefault(cell, Running(label, assistant, role, now))
        held.role, held.since = role, now

    def left(self) -> Iterator[Finished]:
        """What has ended but was never judged, finished one by one."""
        for cell in [cell for cell, held in self.running.items() if held.end is not None]:
            if (over := self._finish(cell, None)) is not None:
                yield over

    def _held(self, event: Event, now: float) -> Running:
        if isinstance(event, CellStarted):
            label = f"{event.profile} × {event.task}"
            self.running[event.cell] = Running(label, event.assistant, "user", now)
        label, assistant = self._planned.get(event.cell, (event.cell[:8], "?"))
        return self.running.setdefault(event.cell, Running(label, assistant, "user", now))

    def _ended(self, held: Running, end: Ending) -> None:
        self.endings[end.reason, end.owner] += 1
        if end.owner == "assistant":
            self.scores.setdefault(held.assistant, Scores()).add("success", 0.0)
        if end.owner in ("assistant", "simulator", "infrastructure"):
            detail = f": {end.detail}" if end.detail else ""
            self._erred(f"{faulty(end)}{detail}", held)

    def _erred(self, what: str, held: Running) -> None:
        """Keep an error, the latest last; equal ones together."""
        where = self.errors.pop(what, [])
        self.errors[what] = [*where, f"{held.label}, {held.assistant}"]
        while len(self.errors) > ERRORS:
            del self.errors[next(iter(self.errors))]

    def _finish(self, cell: str, verdict: Verdict | None) -> Finished | None:
        held = self.running.pop(cell)
        self.done += 1
        return Finished(held.label, held.assistant, held.turns, held.end, verdict) if held.end is not None else None

    def _spent(self, role: str, usage: Usage | None) -> None:
        if usage is not None and usage.retries:
            self.retries[role] += usage.retries
