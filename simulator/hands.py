"""Hands: tasks that do the same labour side by side, until there is none left or they are told to let go."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["Hands"]


class Hands:
    """So many tasks at once. What one of them raises ends them all."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    async def work(self, labour: Callable[[], Coroutine[Any, Any, None]], count: int) -> None:
        """Have `count` tasks do `labour`, at least one. Raises what the first of them raised."""
        self._tasks = [asyncio.create_task(labour()) for _ in range(max(1, count))]
        try:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            self.let_go()
            outcomes = await asyncio.gather(*self._tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    def let_go(self) -> None:
        """Cancel them all."""
        for task in self._tasks:
            task.cancel()
