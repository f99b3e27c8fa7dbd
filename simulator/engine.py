"""The engine: many dialogues at once, each judged when it ends."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from duologue.agents.ending import Ending, Reason
from duologue.agents.events import CellEnded, Event
from duologue.agents.secrets import redact
from duologue.agents.transcript import transcript
from duologue.agents.verdict import Verdict
from duologue.campaign import Cell
from duologue.cast import Cast
from duologue.dialogue import Talk, converse
from duologue.hands import Hands
from duologue.jury import Look
from duologue.listener import Listener
from duologue.profiles.dataset import Dataset, scenario
from duologue.profiles.scenario import Scenario
from duologue.scoring.measures import had_world

__all__ = ["Engine", "Work", "awaited"]


RECENT = 64
"""How many scenarios are kept: the assistants meet each of them one soon after the other."""


@dataclass(frozen=True, slots=True)
class Work:
    """A cell to hold, or to go on with where it has `begun` and is stored so far, or, once `ended`, to score only.

    `reads` says whether its end state is to be read, `judges` whether the judges are to be asked, but for the looks
    that have `stood` since before.
    """

    cell: Cell
    attempt: int = 1
    begun: bool = False
    ended: Ending | None = None
    reads: bool = True
    judges: bool = True
    stood: frozenset[Look] = frozenset()

    def asks(self, looks: Sequence[Look]) -> tuple[Look, ...]:
        """Which of `looks` are still to be taken."""
        return tuple(look for look in looks if look not in self.stood) if self.judges else ()


class Engine:
    """Holds and judges dialogues, `concurrency` at a time. Results do not depend on how many.

    `stored` gives the events of a cell that has begun, `before` the verdicts on it; they are asked when the turn of
    that cell comes.
    """

    def __init__(
        self,
        cast: Cast,
        data: Dataset,
        turns: int,
        stored: Callable[[str], Sequence[Event]] | None = None,
        before: Callable[[str], Sequence[Verdict]] = lambda cell: (),
    ) -> None:
        self._before = before
        self._cast, self._data, self._turns, self._stored = cast, data, turns, stored
        self._scenario = lru_cache(maxsize=RECENT)(lambda key: scenario(data, key))
        self._listeners: Sequence[Listener] = ()
        self._halt: Reason | None = None
        self._hands = Hands()

    def halt(self, reason: Reason, note: str) -> None:
        """Begin no new dialogue and end the running ones after the calls in flight."""
        self._halt = self._halt or reason
        self._say(note)

    def abandon(self, note: str) -> None:
        """Leave at once: calls in flight are cancelled, and their dialogues have no ending."""
        self.halt("interrupted", note)
        self._hands.let_go()

    async def run(self, work: Sequence[Work], concurrency: int, listeners: Sequence[Listener]) -> None:
        """Do all of `work`, or as much of it as `halt` and `abandon` leave."""
        queue, self._listeners = iter(work), listeners
        for listener in listeners:
            listener.planned([each.cell for each in work], awaited(work, self._cast.jury.looks))
        for sentence in self._cast.delays if any(each.ended is None for each in work) else ():
            self._say(sentence)
        self._cast.watch(self._strained)
        self._cast.speakers.watch(self._recalling)
        await self._hands.work(lambda: self._labour(queue), self._cast.most_at_once(min(concurrency, len(work))))
        for sentence in (*self._cast.adaptations, *self._cast.strains):
            self._say(sentence)

    async def _labour(self, queue: Iterator[Work]) -> None:
        for work in queue:
            if self._halt:
                return
            await self._perform(work)

    async def _perform(self, work: Work) -> None:
        case = self._scenario(work.cell.scenario)
        so_far = self._stored(work.cell.id) if work.begun and self._stored else ()
        events, end = (so_far, work.ended) if work.ended else await self._hold(work, case, so_far)
        if end.scored and work.reads and had_world(events):
            await self._read(work, case, events)
        for look in work.asks(self._cast.jury.looks) if end.scored else ():
            if not self._halt:
                await self._judge(work, case, events, end, look)

    async def _hold(self, work: Work, case: Scenario, so_far: Sequence[Event]) -> tuple[Sequence[Event], Ending]:
        world = self._cast.speakers.world(work.cell, case)
        user, assistant = self._cast.speakers.seat(work.cell, case, work.attempt, world.tools if world else ())
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
            world=world,
        )
        events = list(so_far)
        try:
            async for event in converse(talk, so_far):
                events.append(event)
                for listener in self._listeners:
                    listener.event(event)
        finally:
            await user.close()
            await assistant.close()
            await self._cast.release(work.cell.id)
        last = events[-1]
        assert isinstance(last, CellEnded)
        return events, last.ending

    async def _read(self, work: Work, case: Scenario, events: Sequence[Event]) -> None:
        reading = self._cast.speakers.read(work.cell, case, events, work.attempt)
        verdict = await _whatever_comes(reading, lambda why: self._cast.unread(work.cell, work.attempt, why))
        for listener in self._listeners:
            listener.state(verdict)

    async def _judge(self, work: Work, case: Scenario, events: Sequence[Event], end: Ending, look: Look) -> None:
        earlier = self._before(work.cell.id) if work.ended and self._cast.jury.takes_over else ()
        judging = self._cast.jury.judged(work.cell, case, transcript(events), work.attempt, end, look, earlier)
        verdict = await _whatever_comes(
            judging, lambda why: self._cast.jury.unscored(work.cell, work.attempt, why, look)
        )
        for listener in self._listeners:
            listener.verdict(verdict)

    def _recalling(self, cell: str, over: bool) -> None:
        for listener in self._listeners:
            listener.recalling(cell, over=over)

    def _strained(self, endpoint: str, told: str) -> None:
        for listener in self._listeners:
            listener.strained(endpoint, told)

    def _say(self, note: str) -> None:
        for listener in self._listeners:
            listener.note(note)


def awaited(work: Sequence[Work], looks: Sequence[Look]) -> dict[str, int]:
    """How many verdicts follow the scored ending of each cell of `work`; nothing of those that none follows."""
    return {each.cell.id: count for each in work if (count := len(each.asks(looks)))}


async def _whatever_comes(scoring: Coroutine[Any, Any, Verdict], broken: Callable[[str], Verdict]) -> Verdict:
    """The verdict, dated; where making it broke, one that says so."""
    task = asyncio.create_task(scoring)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
    fault = task.exception()
    if fault is not None and not isinstance(fault, Exception):
        raise fault
    verdict = broken(redact(f"{type(fault).__name__}: {fault}")) if fault else task.result()
    return verdict.model_copy(update={"time": time.time()})
