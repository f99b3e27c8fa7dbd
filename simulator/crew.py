"""A crew: several processes that share the work of a run, and the one that follows what they record."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from duologue.agents.ending import Reason
from duologue.agents.events import CellEnded, Event
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign
from duologue.engine import Work, awaited
from duologue.jury import Look
from duologue.listener import Listener
from duologue.record.store import new_files
from duologue.record.stored import KINDS
from duologue.scoring.judging import judged_by
from duologue.tasks.faults import Fault
from duologue.worker import Job, frame

__all__ = ["Crew"]

LOOK = 0.1
"""Seconds between two looks at what the workers have recorded."""


class WorkerFault(Fault):
    """What ended a worker, as it told it."""

    def __init__(self, told: str, code: int) -> None:
        super().__init__(told)
        self.code = code


class Crew:
    """Does what an Engine does, in processes of its own: each has a part of the scenarios, and files of its own.

    Results do not depend on how many there are. `openers` are cells whose first words are used again; without `seats`
    only the judges are asked; `looks` are what they are asked for.
    """

    def __init__(
        self,
        folder: Path,
        campaign: Campaign,
        openers: Iterable[str] = (),
        *,
        looks: Sequence[Look],
        seats: bool = True,
    ) -> None:
        self._folder, self._campaign, self._openers = folder, campaign, tuple(openers)
        self._looks, self._seats = looks, seats
        self._listeners: Sequence[Listener] = ()
        self._workers: list[_Worker] = []
        self._fault: Fault | None = None
        self._told: set[str] = set()

    def halt(self, reason: Reason, note: str) -> None:
        """Begin no new dialogue and end the running ones after the calls in flight."""
        self._order({"halt": reason})
        self._say(note)

    def abandon(self, note: str) -> None:
        """Leave at once: calls in flight are cancelled, and their dialogues have no ending."""
        self._order({"abandon": True})
        self._say(note)

    async def run(self, work: Sequence[Work], concurrency: int, listeners: Sequence[Listener], lock: int) -> None:
        """Do all of `work`, or as much of it as `halt` and `abandon` leave. Raises the Fault that ended a worker.

        `lock` is an open file that holds the run's lock: workers hold it too, as long as they are there.
        """
        self._listeners = listeners
        for listener in listeners:
            listener.planned([each.cell for each in work], awaited(work, self._looks))
        jobs = list(self._jobs(work, concurrency))
        try:
            for number, job in enumerate(jobs, 1):
                self._workers.append(await _Worker.begin(number, job, lock))
            await asyncio.gather(*(self._attend(worker) for worker in self._workers))
        finally:
            for worker in self._workers:
                await worker.end()
        if self._fault is not None:
            raise self._fault

    def _jobs(self, work: Sequence[Work], concurrency: int) -> Iterator[Job]:
        """Each worker's part: whole scenarios, since what their users say first is shared, dealt out in turn."""
        count = self._campaign.limits.workers
        parts: dict[int, list[Work]] = defaultdict(list)
        dealt: dict[tuple[Any, int], int] = {}
        for each in work:
            place = dealt.setdefault((each.cell.scenario, each.cell.trial), len(dealt))
            parts[place % count].append(each)
        for place, part in parts.items():
            files = new_files(self._folder, KINDS, place)
            at_once = max(1, concurrency // len(parts) + (place < concurrency % len(parts)))
            yield Job(
                self._folder, self._campaign, tuple(part), self._openers, files, at_once, 1 / len(parts), self._seats
            )

    async def _attend(self, worker: "_Worker") -> None:
        """Follow a worker until it is gone, and then to the end of its record."""
        hearing = asyncio.create_task(self._hear(worker))
        while not hearing.done():
            await asyncio.wait({hearing}, timeout=LOOK)
            self._catch_up(worker)
        await hearing
        code = await worker.process.wait()
        self._catch_up(worker)
        if not worker.done and self._fault is None:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            left = len(worker.under_way)
            self._say(
                f"Worker {worker.number} ended with {how}; {left} of its dialogues are left to hold or to finish."
            )

    async def _hear(self, worker: "_Worker") -> None:
        assert worker.process.stdout is not None
        async for line in worker.process.stdout:
            news = json.loads(line)
            worker.done = worker.done or "done" in news
            if "fault" in news:
                self._fault = self._fault or WorkerFault(news["fault"], news["code"])
                self.abandon("")
            elif "note" in news:
                self._say(news["note"])
            for listener in self._listeners:
                if "recalling" in news:
                    listener.recalling(news["recalling"], over=news["over"])
                elif "strained" in news:
                    listener.strained(news["strained"], news["told"])

    def _catch_up(self, worker: "_Worker") -> None:
        """Tell the listeners what a worker has recorded since the last look."""
        for event in worker.events():
            for listener in self._listeners:
                listener.event(event)
        for verdict in worker.verdicts():
            for listener in self._listeners:
                if judged_by(verdict).of_state:
                    listener.state(verdict)
                else:
                    listener.verdict(verdict)

    def _order(self, order: Mapping[str, Any]) -> None:
        for worker in self._workers:
            worker.order(order)

    def _say(self, note: str) -> None:
        """Workers tell much the same; each sentence is passed on once."""
        if note and note not in self._told:
            self._told.add(note)
            for listener in self._listeners:
                listener.note(note)


@dataclass
class _Worker:
    """A process at work, and how far its record has been read."""

    number: int
    process: Process
    files: dict[str, "_Tail"]
    under_way: set[str]
    """Cells that it holds, whose dialogues have not ended yet."""
    done: bool = False
    """Whether it has said that it did what it was to do."""
    early: list[Verdict] = field(default_factory=list)
    """Verdicts that were on disk before the ending that they speak of."""

    @classmethod
    async def begin(cls, number: int, job: Job, lock: int) -> "_Worker":
        command = [sys.executable, "-m", "duologue.worker"]
        kept = (lock,) if os.name != "nt" else ()
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True, pass_fds=kept
        )
        assert process.stdin is not None
        process.stdin.write(frame(job))
        forms: dict[str, TypeAdapter[Any]] = {"events": TypeAdapter(Event), "verdicts": TypeAdapter(Verdict)}
        files = {kind: _Tail(path, forms[kind]) for kind, path in job.files.items()}
        return cls(number, process, files, {each.cell.id for each in job.work if each.ended is None})

    def order(self, order: Mapping[str, Any]) -> None:
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps(order).encode() + b"\n")

    def events(self) -> Iterator[Event]:
        """What has been recorded of dialogues since the last look."""
        for event in self.files["events"].lines():
            if isinstance(event, CellEnded):
                self.under_way.discard(event.cell)
            yield event

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts on dialogues whose ending has been read."""
        held, self.early = [*self.early, *self.files["verdicts"].lines()], []
        for verdict in held:
            if verdict.cell in self.under_way:
                self.early.append(verdict)
            else:
                yield verdict

    async def end(self) -> None:
        """Close what leads to it, at which it leaves, if it has not."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await self.process.wait()


class _Tail:
    """A growing file of JSON lines, read as far as its lines are whole."""

    def __init__(self, path: Path, form: TypeAdapter[Any]) -> None:
        self._path, self._form, self._at = path, form, 0

    def lines(self) -> Iterator[Any]:
        """The records that have come since the last time."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                grown = file.read()
        except FileNotFoundError:
            return
        whole = grown[: grown.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            yield self._form.validate_json(line)
