"""The engine: many dialogues at once, each judged when it ends."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duologue.agents.ending import Ending, Reason
from duologue.agents.events import CellEnded, Event
from duologue.agents.secrets import redact
from duologue.agents.transcript import transcript
from duologue.campaign import Cell
from duologue.cast import Cast
from duologue.dialogue import Talk, converse
from duologue.listener import Listener
from duologue.profiles.dataset import Dataset, scenario
from duologue.profiles.scenario import Scenario

__all__ = ["Engine", "Work"]


@dataclass(frozen=True, slots=True)
class Work:
    """A cell to hold or to go on with (`so_far` are its events), or, once `ended`, to judge only."""

    cell: Cell
    attempt: int = 1
    so_far: tuple[Event, ...] = ()
    ended: Ending | None = None


class Engine:
    """Holds and judges dialogues, `concurrency` at a time. Results do not depend on how many."""

    def __init__(self, cast: Cast, data: Dataset, turns: int) -> None:
        self._cast, self._data, self._turns = cast, data, turns
        self._listeners: Sequence[Listener] = ()
        self._halt: Reason | None = None
        self._workers: list[asyncio.Task[None]] = []

    @property
    def halted(self) -> Reason | None:
        """Why no new dialogue begins, if so."""
        return self._halt

    def halt(self, reason: Reason, note: str) -> None:
        """Begin no new dialogue and end the running ones after the calls in flight."""
        self._halt = self._halt or reason
        self._say(note)

    def abandon(self, note: str) -> None:
        """Leave at once: calls in flight are cancelled, and their dialogues have no ending."""
        self.halt("interrupted", note)
        for worker in self._workers:
            worker.cancel()

    async def run(self, work: Sequence[Work], concurrency: int, listeners: Sequence[Listener]) -> None:
        """Do all of `work`, or as much of it as `halt` and `abandon` leave."""
        queue, self._listeners = iter(work), listeners
        for listener in listeners:
            listener.planned([each.cell for each in work], self._cast.judges)
        workers = self._cast.most_at_once(max(1, min(concurrency, len(work))))
        self._workers = [asyncio.create_task(self._labour(queue)) for _ in range(workers)]
        try:
            await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in self._workers:
                worker.cancel()
            outcomes = await asyncio.gather(*self._workers, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        for sentence in self._cast.adaptations:
            self._say(sentence)

    async def _labour(self, queue: Iterator[Work]) -> None:
        for work in queue:
            if self._halt:
                return
            await self._perform(work)

    async def _perform(self, work: Work) -> None:
        case = scenario(self._data, work.cell.scenario)
        events, end = work.so_far, work.ended
        if end is None:
            events, end = await self._hold(work, case)
        if end.scored and self._cast.judges and not self._halt:
            await self._judge(work, case, events, end)

    async def _hold(self, work: Work, case: Scenario) -> tuple[tuple[Event, ...], Ending]:
        user, assistant = self._cast.seat(work.cell, case, work.attempt)
        talk = Talk(
            cell=work.cell.id,
            attempt=work.attempt,
            scenario=case,
            assistant_name=work.cell.assistant,
            trial=work.cell.trial,
            user=user,
            assistant=assistant,
            turns=self._turns,
            domains=self._data.domains,
            halted=lambda: self._halt,
        )
        events = list(work.so_far)
        try:
            async for event in converse(talk, work.so_far):
                events.append(event)
                for listener in self._listeners:
                    listener.event(event)
        finally:
            await user.close()
            await assistant.close()
            await self._cast.release(work.cell.id)
        last = events[-1]
        assert isinstance(last, CellEnded)
        return tuple(events), last.ending

    async def _judge(self, work: Work, case: Scenario, events: tuple[Event, ...], end: Ending) -> None:
        judging = asyncio.create_task(self._cast.judged(work.cell, case, transcript(events), work.attempt, end))
        try:
            await asyncio.wait({judging})
        finally:
            judging.cancel()
        if fault := judging.exception():
            if not isinstance(fault, Exception):
                raise fault
            why = redact(f"{type(fault).__name__}: {fault}")
            verdict = self._cast.unscored(work.cell, work.attempt, why)
        else:
            verdict = judging.result()
        stamped = verdict.model_copy(update={"time": time.time()})
        for listener in self._listeners:
            listener.verdict(stamped)

    def _say(self, note: str) -> None:
        for listener in self._listeners:
            listener.note(note)
