"""A person at the keyboard, in either seat."""

import asyncio
import re
import threading
from collections.abc import Callable

from duologue.agents.ending import Failure
from duologue.agents.message import Seat
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript

__all__ = ["Person"]
COMMANDS: dict[Seat, tuple[str, ...]] = {"user": ("/stop", "/giveup", "/quit"), "assistant": ("/quit",)}


class Person:
    """Shows what the other side said and asks for a line.

    `ask(prompt)` returns a line or raises EOFError; `show(seat, text)` renders, a hint where the seat is
    empty. Words are taken as typed and never stop a dialogue; in the user's seat the commands `/stop`
    (satisfied) and `/giveup` do, in either seat `/quit` and Ctrl-D break the dialogue off. An empty line
    and an unknown command are asked for again.
    """

    guarded = False
    rebuildable = True

    def __init__(self, seat: Seat, *, ask: Callable[[str], str], show: Callable[[str, str], None]) -> None:
        self._seat, self._ask, self._show, self._shown = seat, ask, show, 0

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The person's next line. Raises Failure("interrupted") where they leave."""
        for message in script.messages[self._shown :]:
            if message.role != self._seat:
                self._show(message.role, message.text)
        self._shown = len(script.messages)
        while not self._is_said(line := await self._line()):
            self._show("", f"An empty line and unknown commands are not sent. Known: {', '.join(COMMANDS[self._seat])}")
        return self._said(line)

    async def close(self) -> None:
        """Nothing is held."""

    async def _line(self) -> str:
        try:
            line = await _on_thread(self._ask, f"{self._seat}> ")
        except EOFError:
            raise Failure("interrupted", "the person left") from None
        return line.rstrip("\r\n")

    def _is_said(self, line: str) -> bool:
        text = line.strip().casefold()
        return bool(text) and (not re.fullmatch(r"/[a-z]+", text) or text in COMMANDS[self._seat])

    def _said(self, line: str) -> Said:
        command = line.strip().casefold()
        if command == "/quit":
            raise Failure("interrupted", "the person left")
        if self._seat == "user" and command.split(" ", 1)[0] in ("/stop", "/giveup"):
            word, _, rest = line.strip().partition(" ")
            reason = "satisfied" if word.casefold() == "/stop" else "gave_up"
            return Said(rest.strip(), source="person", stop=True, reason=reason)  # type: ignore[arg-type]
        return Said(line, source="person")


async def _on_thread(ask: Callable[[str], str], prompt: str) -> str:
    """`ask(prompt)` on a daemon thread, so that a person who never answers holds up no exit."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def settle(line: str | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(line or "")

    def run() -> None:
        line: str | None = None
        error: EOFError | None = EOFError("the keyboard is gone")
        try:
            line, error = ask(prompt), None
        except (EOFError, KeyboardInterrupt):
            pass
        finally:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, line, error)

    threading.Thread(target=run, name="duologue-person", daemon=True).start()
    return await answer
