"""Interrupts: what Ctrl-C and a termination signal do to a run."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from duologue.crew import Crew
from duologue.engine import Engine

__all__ = ["interruptible"]


@contextmanager
def interruptible(team: Engine | Crew, patient: bool) -> Iterator[None]:
    """The first Ctrl-C ends after the calls in flight, unless not `patient`; the second at once.

    Elsewhere than in the main thread signals are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, asked = asyncio.get_running_loop(), False

    def heard(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked or not patient:
            loop.call_soon_threadsafe(team.abandon, "Leaving at once.")
        else:
            asked = True
            told = "Stopping after the calls in flight; Ctrl-C again leaves at once."
            loop.call_soon_threadsafe(team.halt, "interrupted", told)

    before = {kind: signal.signal(kind, heard) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
