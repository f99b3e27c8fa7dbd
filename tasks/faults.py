"""Faults that end a command: each is told in a sentence and has an exit code. Light, so that `--help` stays quick."""

from pathlib import Path

__all__ = ["BadInput", "Fault"]


class Fault(Exception):
    """What ends a command with one or two lines instead of a traceback."""

    code = 3
    """The exit code of the command."""


class BadInput(Fault):
    """What a person gave cannot be used.

    The message says what is wrong, where, and what to type next, in one or two lines.
    """

    code = 2

    def __init__(self, what: str, where: str | Path = "", then: str = "") -> None:
        self.what, self.where, self.then = what, str(where), then
        head = f"{self.where}: {what}" if self.where else what
        stop = "" if head.endswith("?") else "."
        super().__init__(f"{head}{stop} {then}" if then else head)
