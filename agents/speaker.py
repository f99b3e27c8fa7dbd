"""A speaker: whoever sits in a seat of the dialogue, the user's or the assistant's."""

from dataclasses import dataclass
from typing import Literal, Protocol

from duologue.agents.events import Disclosure
from duologue.agents.message import ToolCall
from duologue.agents.transcript import Transcript
from duologue.agents.usage import Usage

__all__ = ["Said", "Speaker"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a speaker said. The last five fields are a user's; an assistant leaves them as they are.

    With `calls`, an assistant's turn is not over: the tools are called, and it speaks again. The text beside
    them is not delivered.
    """

    text: str
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0.0
    calls: tuple[ToolCall, ...] = ()
    stop: bool = False
    """The user wants nothing more after these words. Words alone never stop a dialogue."""
    reason: Literal["", "satisfied", "gave_up"] = ""
    source: Literal["model", "agenda", "script", "person", "task", "reused", "elsewhere"] = "model"
    declared: tuple[Disclosure, ...] = ()
    """What the speaker itself says it disclosed in these words; an agenda's is all there is to note."""


class Speaker(Protocol):
    """One side of one dialogue.

    `speak` sees the whole dialogue so far and says the next turn; `faults` are what the guard found
    in the draft before, when it asks again. It raises Failure when there is nothing to go on with.
    """

    @property
    def guarded(self) -> bool:
        """Whether the guard checks the words before they are delivered."""
        ...

    @property
    def rebuildable(self) -> bool:
        """Whether the messages alone bring it back to where it was."""
        ...

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said: ...
    async def close(self) -> None: ...
