"""Openers: what a user says first is made once for each scenario and trial, then reused for every assistant."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Literal

from duologue.agents.events import UserDraft, UserTurn
from duologue.agents.speaker import Said, Speaker
from duologue.agents.transcript import Transcript
from duologue.record.run import Dialogue

__all__ = ["Openers", "SharedOpener"]


class Openers:
    """What users said first, by scenario, trial and draft: made once, then reused for every assistant.

    What all `assistants` of a campaign have heard is not kept, unless it was remembered.
    """

    def __init__(self, assistants: int) -> None:
        self._made: dict[tuple[str, int, int], asyncio.Future[Said]] = {}
        self._assistants = assistants
        self._heard: Counter[tuple[str, int, int]] = Counter()

    async def opener(self, key: tuple[str, int, int], make: Callable[[], Awaitable[Said]]) -> Said:
        """The opener for `key`; the first who asks makes it, the others wait for it."""
        said = await self._opener(key, make)
        self._heard[key] += 1
        if self._heard[key] == self._assistants:
            del self._made[key], self._heard[key]
        return said

    async def _opener(self, key: tuple[str, int, int], make: Callable[[], Awaitable[Said]]) -> Said:
        while (made := self._made.get(key)) is not None:
            try:
                return _reused(await asyncio.shield(made))
            except _NotMade:
                continue
        mine = self._made[key] = asyncio.get_running_loop().create_future()
        try:
            said = await make()
            mine.set_result(said)
        finally:
            if not mine.done():
                del self._made[key]
                mine.set_exception(_NotMade())
                mine.exception()
        return said

    def remember(self, dialogue: Dialogue) -> None:
        """Take the opener of a stored dialogue, and the drafts discarded before it."""
        drafts = 0
        for event in dialogue.events:
            if event.turn > 1 or not isinstance(event, UserDraft | UserTurn):
                continue
            if isinstance(event, UserTurn) and event.source not in ("model", "reused"):
                return
            said = Said(event.text, event.reasoning)
            if isinstance(event, UserTurn):
                said = Said(event.text, event.reasoning, stop=event.stop, reason=event.reason, declared=event.declared)
            future: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
            future.set_result(said)
            self._made.setdefault((dialogue.started.scenario, dialogue.started.trial, drafts), future)
            drafts += 1


class _NotMade(Exception):
    """Whoever was making an opener failed; the next one tries."""


class SharedOpener:
    """A user whose first words are the same for every assistant."""

    def __init__(self, user: Speaker, openers: Openers, key: tuple[str, int]) -> None:
        self._user, self._openers, self._key = user, openers, key

    @property
    def guarded(self) -> bool:
        return self._user.guarded

    @property
    def rebuildable(self) -> bool:
        return self._user.rebuildable

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        if script.messages:
            return await self._user.speak(script, faults)
        key = (*self._key, len(script.drafts))
        return await self._openers.opener(key, lambda: self._user.speak(script, faults))

    async def close(self) -> None:
        await self._user.close()


def _reused(said: Said) -> Said:
    source: Literal["task", "reused"] = "task" if said.source == "task" else "reused"
    return Said(said.text, stop=said.stop, reason=said.reason, source=source, declared=said.declared)
