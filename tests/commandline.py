"""The command as people call it: in a process of its own, in a folder of its own."""

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["begun", "called", "duologue", "ended"]

COMMAND = (sys.executable, "-c", "from duologue.cli import main; main()")
PATIENCE = 120


def duologue(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call `duologue` with `arguments` in `folder`."""
    return subprocess.run([*COMMAND, *arguments], timeout=PATIENCE, **_setting(folder, environment), **_TEXT)


async def called(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same, while the loop goes on: for a server that runs in it."""
    return await ended(await begun(folder, *arguments, **environment))


async def begun(folder: Path, *arguments: str, **environment: str) -> Process:
    """A `duologue` that has just been started."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return await asyncio.create_subprocess_exec(*COMMAND, *arguments, **_setting(folder, environment), **pipes)


async def ended(process: Process) -> subprocess.CompletedProcess[str]:
    """What it said and with which code it ended. It is killed where it does not end in time."""
    try:
        said = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        process.kill()
        raise
    told = (each.decode("utf-8", "surrogateescape").replace(os.linesep, "\n") for each in said)
    return subprocess.CompletedProcess([], process.returncode or 0, *told)


_TEXT: dict[str, Any] = {"capture_output": True, "text": True, "encoding": "utf-8", "errors": "surrogateescape"}


def _setting(folder: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    return {"cwd": folder, "env": {**os.environ, **environment}, "stdin": subprocess.DEVNULL}
