"""A scripted speaker: says given lines, in either seat."""

import json
from collections.abc import Sequence

from duologue.agents.ending import Failure
from duologue.agents.message import Seat, ToolCall
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.agents.wire import call_in

__all__ = ["ScriptedSpeaker"]


class ScriptedSpeaker:
    """Says `lines` in order. In the user's seat the last one carries the stop.

    An assistant that has no line left says its last one again. A line of its that is a JSON object with `calls`,
    such as `{"calls": [{"name": "book_table", "arguments": {"day": "Friday"}}]}`, has those tools called.
    """

    guarded = False
    rebuildable = True

    def __init__(self, lines: Sequence[str], seat: Seat) -> None:
        self._lines, self._seat = tuple(lines), seat

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The line whose turn it is. Raises Failure("error") where there are no lines at all."""
        if not self._lines:
            raise Failure("error", "the script has no lines")
        steps = {(action.turn, action.step) for action in script.actions} if self._seat == "assistant" else ()
        number = min(len(script.said_by(self._seat)) + len(steps), len(self._lines) - 1)
        if self._seat == "assistant" and (calls := _calls(self._lines[number])):
            return Said("", source="script", calls=calls)
        last = self._seat == "user" and number == len(self._lines) - 1
        return Said(self._lines[number], source="script", stop=last, reason="satisfied" if last else "")

    async def close(self) -> None:
        """Nothing is held."""


def _calls(line: str) -> tuple[ToolCall, ...]:
    """The calls that a line is, none where it is words."""
    try:
        held = json.loads(line)
        return tuple(map(call_in, held["calls"])) if isinstance(held, dict) and held.get("calls") else ()
    except (TypeError, ValueError):
        return ()
