"""A scripted speaker: says given lines, in either seat."""

from collections.abc import Sequence

from duologue.agents.ending import Failure
from duologue.agents.message import Seat
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript

__all__ = ["ScriptedSpeaker"]


class ScriptedSpeaker:
    """Says `lines` in order. In the user's seat the last one carries the stop.

    An assistant that has no line left says its last one again.
    """

    guarded = False
    rebuildable = True

    def __init__(self, lines: Sequence[str], seat: Seat) -> None:
        self._lines, self._seat = tuple(lines), seat

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The line whose turn it is. Raises Failure("error") where there are no lines at all."""
        if not self._lines:
            raise Failure("error", "the script has no lines")
        number = min(len(script.said_by(self._seat)), len(self._lines) - 1)
        last = self._seat == "user" and number == len(self._lines) - 1
        return Said(self._lines[number], source="script", stop=last, reason="satisfied" if last else "")

    async def close(self) -> None:
        """Nothing is held."""
