"""A deadline: how long one dialogue may take in one go."""

import asyncio

from duologue.agents.ending import Failure
from duologue.agents.speaker import Said, Speaker
from duologue.agents.transcript import Transcript

__all__ = ["Deadline", "hurried"]


class Deadline:
    """A speaker who is waited for until `until`, by the loop's clock, and who has had `seconds` to get there."""

    def __init__(self, speaker: Speaker, seconds: float, until: float) -> None:
        self._speaker, self._seconds, self._until = speaker, seconds, until

    @property
    def guarded(self) -> bool:
        return self._speaker.guarded

    @property
    def rebuildable(self) -> bool:
        return self._speaker.rebuildable

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """What the speaker says. Raises Failure(timeout) when the time is up; a call under way is cancelled."""
        late = Failure("timeout", f"the dialogue took {self._seconds:g} s, which is limits.dialogue")
        if asyncio.get_running_loop().time() >= self._until:
            raise late
        try:
            async with asyncio.timeout_at(self._until) as clock:
                return await self._speaker.speak(script, faults)
        except TimeoutError:
            if not clock.expired():
                raise
            raise late from None

    async def close(self) -> None:
        await self._speaker.close()


def hurried(user: Speaker, assistant: Speaker, seconds: float | None) -> tuple[Speaker, Speaker]:
    """Both of them, who together have `seconds` from now on; as they are where that is None."""
    if seconds is None:
        return user, assistant
    until = asyncio.get_running_loop().time() + seconds
    return Deadline(user, seconds, until), Deadline(assistant, seconds, until)
