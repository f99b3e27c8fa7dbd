"""Listeners: whoever wants to know what happens in a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from duologue.agents.events import Event
from duologue.agents.verdict import Verdict

if TYPE_CHECKING:
    from duologue.campaign import Cell

__all__ = ["Listener"]


class Listener:
    """Whoever wants to know what happens: the recorder, the screen. Override what you want to hear."""

    def planned(self, cells: "Sequence[Cell]", judged: bool) -> None:
        """The dialogues to hold, to go on with or to judge, and whether a verdict follows each scored ending."""

    def event(self, event: Event) -> None:
        """Something happened in a dialogue."""

    def verdict(self, verdict: Verdict) -> None:
        """A dialogue was judged."""

    def state(self, verdict: Verdict) -> None:
        """The end state of a dialogue's world was read. A verdict may follow, where there is a judge."""

    def recalling(self, cell: str, *, over: bool) -> None:
        """In that dialogue the memory of the assistant is looked up, or, once it is `over`, has been."""

    def strained(self, endpoint: str, told: str) -> None:
        """An endpoint has no room for as many calls as are made. `told` says how many; it replaces what was told."""

    def note(self, text: str) -> None:
        """Something about the run as a whole."""
