"""A worker: a process that does a part of a run's work, obeys the crew that it belongs to, and sends it news.

It records what happens in files of its own, which the crew follows. Standard input brings the job and then orders,
standard output takes the news; what anybody else prints goes to standard error.
"""

import asyncio
import json
import os
import pickle
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duologue.campaign import Campaign
from duologue.cast import Cast
from duologue.engine import Engine, Work
from duologue.garbage import seldom_collected
from duologue.listener import Listener
from duologue.profiles.dataset import open_dataset
from duologue.record.recorder import recorded
from duologue.record.stored import Shelf
from duologue.remaining import begun_of
from duologue.tasks.faults import Fault

__all__ = ["Job", "frame"]

HEAD = 8
"""Bytes that say how long the job is."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is to do: the `work` of a run, `concurrency` at once, recorded in `files` by kind.

    `share` is its part of what may be asked of an endpoint a minute; `openers` are cells whose first words are used
    again. Without `seats` only the judge is asked.
    """

    folder: Path
    campaign: Campaign
    work: tuple[Work, ...]
    openers: tuple[str, ...]
    files: Mapping[str, Path]
    concurrency: int
    share: float
    seats: bool = True


def frame(job: Job) -> bytes:
    """The job as a worker reads it from its standard input."""
    packed = pickle.dumps(job)
    return len(packed).to_bytes(HEAD, "big") + packed


class News(Listener):
    """Tells the crew what does not stand in the record, a line of JSON each."""

    def __init__(self, file: int) -> None:
        self._file = file

    def recalling(self, cell: str, *, over: bool) -> None:
        self.tell(recalling=cell, over=over)

    def strained(self, endpoint: str, told: str) -> None:
        self.tell(strained=endpoint, told=told)

    def note(self, text: str) -> None:
        self.tell(note=text)

    def tell(self, **news: Any) -> None:
        """A crew that is gone hears nothing; `_obey` has the worker leave."""
        with suppress(BrokenPipeError):
            os.write(self._file, json.dumps(news).encode() + b"\n")


async def labour(job: Job, news: News) -> None:
    """Do a job. Raises StoreFault where the disk stops taking the record."""
    data = open_dataset(job.campaign.data, Path(job.campaign.beside))
    async with Cast(job.campaign, data, seats=job.seats, share=job.share) as cast:
        shelf = Shelf(job.folder, [*begun_of(job.work), *job.openers])
        engine = Engine(cast, data, job.campaign.limits.turns, shelf.events, shelf.verdicts)
        cast.speakers.remember_openers(shelf.dialogues(job.openers))
        orders = asyncio.create_task(_obey(engine))
        try:
            await recorded(engine, job.work, job.concurrency, [news], job.files)
        finally:
            orders.cancel()


async def _obey(engine: Engine) -> None:
    """Follow orders. Once nobody is there to give any, all is left as it stands."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        order = json.loads(line)
        if "halt" in order:
            engine.halt(order["halt"], "")
        else:
            engine.abandon("")
    engine.abandon("")


def _job() -> Job:
    size = int.from_bytes(_exactly(HEAD), "big")
    job: Job = pickle.loads(_exactly(size))
    return job


def _exactly(size: int) -> bytes:
    """That many bytes of standard input; no more, for the orders come after them."""
    held = b""
    while len(held) < size:
        if not (piece := os.read(0, size - len(held))):
            raise EOFError
        held += piece
    return held


def main() -> int:
    """Do the job that standard input brings, and give the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    news = News(os.dup(1))
    os.dup2(2, 1)
    seldom_collected()
    try:
        asyncio.run(labour(_job(), news))
        news.tell(done=True)
    except Fault as fault:
        news.tell(fault=str(fault), code=fault.code)
        return fault.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
