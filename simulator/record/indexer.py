"""The indexer: the listener that knows the index of a run when all is over."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from duologue.agents.events import AssistantTurn, CellEnded, CellStarted, Event
from duologue.agents.secrets import known, redact
from duologue.agents.verdict import Verdict
from duologue.listener import Listener
from duologue.record.digest import Digest, digest_of, judged
from duologue.record.index import Index, stamp
from duologue.record.run import Run
from duologue.record.stored import cells_begun, record_files, whole

__all__ = ["Indexer"]


class Indexer(Listener):
    """Holds the events of dialogues that are under way, and of others the digest.

    `so_far` is what was recorded before; `stored` gives the events of a dialogue of it that is gone on with.
    """

    def __init__(
        self, folder: Path, so_far: Run | None = None, stored: Callable[[str], Sequence[Event]] | None = None
    ) -> None:
        self._folder, self._stored = folder, stored
        self._before = len(record_files(folder, "events"))
        self._torn = so_far.torn if so_far else ()
        self._held: dict[str, Digest | None] = {each.cell: each for each in so_far.dialogues} if so_far else {}
        self._open: dict[str, list[Event]] = {}

    def event(self, event: Event) -> None:
        if isinstance(event, CellStarted):
            self._open[event.cell] = []
            self._held.setdefault(event.cell, None)
        elif event.cell not in self._open:
            self._open[event.cell] = list(self._stored(event.cell)) if self._stored else []
        self._open[event.cell].append(event)
        if isinstance(event, CellEnded):
            self._close(event.cell)

    def verdict(self, verdict: Verdict) -> None:
        held = self._held.get(verdict.cell)
        if held is not None and held.attempt == verdict.attempt:
            given = replace(held, verdicts=(*held.verdicts, judged(verdict)))
            self._held[verdict.cell] = given.recorded(known())

    state = verdict

    def index(self) -> Index:
        """The index of what is on disk, once all is written."""
        for cell in list(self._open):
            self._close(cell)
        fits, order = stamp(self._folder), list(self._held)
        if len(record_files(self._folder, "events")) > self._before + 1:  # several wrote at once
            order = cells_begun(self._folder)
        return Index(fits, self._torn, None, tuple(each for cell in order if (each := self._held.get(cell))))

    def _close(self, cell: str) -> None:
        """Make the digest of a dialogue that has ended, or that was left."""
        secrets, before = known(), self._held[cell]
        events = [_masked(event, secrets) for event in whole(self._open.pop(cell))]
        made = digest_of(events)
        given = before.verdicts if before is not None and before.attempt == made.attempt else ()
        self._held[cell] = replace(made, verdicts=given).recorded(secrets)


def _masked(event: Event, secrets: tuple[str, ...]) -> Event:
    """A turn with its words as they are recorded, where it has a question mark that may be part of a key."""
    if not isinstance(event, AssistantTurn) or not any(mark in event.text for mark in "?؟？"):
        return event
    text = redact(event.text, secrets)
    return event if text == event.text else event.model_copy(update={"text": text})
