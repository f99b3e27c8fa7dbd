"""Interrupts: what Ctrl-C and a termination signal do to a run."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol

from duologue.agents.ending import Reason

__all__ = ["interruptible"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_listening: list[Callable[[], None]] = []
"""The runs that go on in the main thread: a signal is for each of them."""
_before: dict[signal.Signals, Any] = {}
"""Who heard signals before the first of them."""


class Team(Protocol):
    """Whoever does work that can be ended early."""

    def halt(self, reason: Reason, note: str) -> None: ...
    def abandon(self, note: str) -> None: ...


@contextmanager
def interruptible(team: Team, patient: bool) -> Iterator[None]:
    """The first Ctrl-C ends after the calls in flight, unless not `patient`; the second at once.

    Elsewhere than in the main thread signals are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, asked = asyncio.get_running_loop(), False

    def stop() -> None:
        nonlocal asked
        if asked or not patient:
            loop.call_soon_threadsafe(team.abandon, "Leaving at once.")
        else:
            asked = True
            told = "Stopping after the calls in flight; Ctrl-C again leaves at once."
            loop.call_soon_threadsafe(team.halt, "interrupted", told)

    if not _listening:
        _before.update({kind: signal.signal(kind, _heard) for kind in SIGNALS})
    _listening.append(stop)
    try:
        yield
    finally:
        _listening.remove(stop)
        if not _listening:
            for kind, handler in _before.items():
                signal.signal(kind, handler)


def _heard(_signal: int, _frame: FrameType | None) -> None:
    for stop in _listening:
        stop()
