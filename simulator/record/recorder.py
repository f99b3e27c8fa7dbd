"""The recorder: the listener that writes the record."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from duologue.agents.events import Event
from duologue.agents.verdict import Verdict
from duologue.engine import Engine, Work
from duologue.listener import Listener
from duologue.record.store import FULL, StoreFault, Writer

__all__ = ["recorded"]


class Recorder(Listener):
    """Writes events and verdicts, each to a file, as they come."""

    def __init__(self, events: Path, verdicts: Path, on_fault: Callable[[OSError], None]) -> None:
        self._events = Writer(events, on_fault)
        self._verdicts = Writer(verdicts, on_fault, after=self._events)

    def event(self, event: Event) -> None:
        self._events.append(event)

    def verdict(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)

    state = verdict

    def close(self) -> None:
        """Write what is queued, and no more."""
        self._events.close()
        self._verdicts.close()


async def recorded(
    engine: Engine, work: Sequence[Work], concurrency: int, listeners: Sequence[Listener], files: Mapping[str, Path]
) -> None:
    """Have `engine` do `work`, and write the record of it into `files`, by kind.

    Raises StoreFault where the disk stops taking it.
    """
    faults: list[OSError] = []

    def disk_failed(fault: OSError) -> None:
        faults.append(fault)
        engine.abandon(FULL)

    recorder = Recorder(files["events"], files["verdicts"], disk_failed)
    try:
        await engine.run(work, concurrency, [recorder, *listeners])
    finally:
        recorder.close()
    if faults:
        raise StoreFault(files["events"].parent, faults[0])
