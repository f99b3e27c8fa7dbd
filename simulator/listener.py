"""Listeners: whoever wants to know what happens in a run."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from duologue.agents.events import Event
from duologue.agents.secrets import redact
from duologue.agents.verdict import Verdict

if TYPE_CHECKING:
    from duologue.campaign import Cell

__all__ = ["Audience", "Listener"]


class Listener:
    """Whoever wants to know what happens: the recorder, the screen. Override what you want to hear."""

    def planned(self, cells: "Sequence[Cell]", judged: Mapping[str, int]) -> None:
        """The dialogues to hold, to go on with or to judge, and how many verdicts follow the scored ending of each, by
        cell; empty where nobody judges."""

    def event(self, event: Event) -> None:
        """Something happened in a dialogue."""

    def verdict(self, verdict: Verdict) -> None:
        """A judge has looked at a dialogue."""

    def state(self, verdict: Verdict) -> None:
        """The end state of a dialogue's world was read. A verdict may follow, where there is a judge."""

    def recalling(self, cell: str, *, over: bool) -> None:
        """In that dialogue the memory of the assistant is looked up, or, once it is `over`, has been."""

    def strained(self, endpoint: str, told: str) -> None:
        """An endpoint has no room for as many calls as are made. `told` says how many; it replaces what was told."""

    def note(self, text: str) -> None:
        """Something about the run as a whole."""


class Audience(Listener):
    """Listeners that the run does not depend on: one that raises hears no more, and the others are told why."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = list(listeners)

    def planned(self, cells: "Sequence[Cell]", judged: Mapping[str, int]) -> None:
        self._tell(lambda listener: listener.planned(cells, judged))

    def event(self, event: Event) -> None:
        self._tell(lambda listener: listener.event(event))

    def verdict(self, verdict: Verdict) -> None:
        self._tell(lambda listener: listener.verdict(verdict))

    def state(self, verdict: Verdict) -> None:
        self._tell(lambda listener: listener.state(verdict))

    def recalling(self, cell: str, *, over: bool) -> None:
        self._tell(lambda listener: listener.recalling(cell, over=over))

    def strained(self, endpoint: str, told: str) -> None:
        self._tell(lambda listener: listener.strained(endpoint, told))

    def note(self, text: str) -> None:
        self._tell(lambda listener: listener.note(text))

    def _tell(self, news: Callable[[Listener], None]) -> None:
        for listener in tuple(self._listeners):
            try:
                news(listener)
            except Exception as fault:  # noqa: BLE001 - somebody else's code: what it is told of is paid work
                self._listeners.remove(listener)
                self.note(redact(f"The listener {type(listener).__name__} raised {fault!r} and hears no more."))
