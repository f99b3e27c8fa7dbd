"""One child process with the embedded model in it: start, ask after, kill, and say why it did not start."""

import asyncio
import atexit
import contextlib
import json
import platform
import re
import secrets
import signal
import subprocess
import sys
import sysconfig
import threading
from collections import deque
from pathlib import Path
from typing import Any

from duologue.tasks.written import BadInput

__all__ = ["CONTEXT", "SLOTS", "Process", "explain", "no_library"]

SLOTS = 2
"""One for the user, one for whoever answers: each keeps the prefix of its own prompts."""
CONTEXT = 4096
"""Tokens that each slot holds."""

_START = 600.0
_STARVED = ("failed to allocate", "cannot allocate memory", "insufficient memory", "out of memory", "bad_alloc")
_OTHERWISE = "Or use any other endpoint with --base-url"


class Process:
    """A started child. It is killed, never asked to stop: the native shutdown can hang."""

    def __init__(self, popen: "subprocess.Popen[bytes]", path: Path) -> None:
        self.key = secrets.token_hex(16)
        self.base_url = ""
        self._popen = popen
        self._path = path
        self._noise: deque[bytes] = deque(maxlen=100)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        atexit.register(self.kill)

    @classmethod
    async def start(cls, path: Path, threads: int, *, embeds: bool = False) -> "Process":
        """A child that has answered its first request, with `embeds` for vectors instead of words. Raises BadInput
        with what to do where it cannot."""
        process = cls(_spawn(), path)
        try:
            await process._greet(threads, embeds)
        except BaseException:
            process.kill()
            raise
        return process

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    async def ended(self, within: float) -> bool:
        """Whether it ends within so many seconds."""
        for _ in range(max(1, round(within / 0.02))):
            if not self.alive:
                return True
            await asyncio.sleep(0.02)
        return not self.alive

    def kill(self) -> None:
        """End it now, and wait until it is gone."""
        atexit.unregister(self.kill)
        self._popen.kill()
        self._popen.wait()
        self._listener.join(timeout=1)
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream and not stream.closed:
                with contextlib.suppress(BrokenPipeError):  # the rest of a configuration that it never read
                    stream.close()

    async def _greet(self, threads: int, embeds: bool) -> None:
        config = {"model": str(self._path), "key": self.key, "threads": threads, "slots": SLOTS, "context": CONTEXT}
        config |= {"slots": 1, "embeds": True} if embeds else {"embeds": False}
        try:
            line = await asyncio.wait_for(asyncio.to_thread(self._talk, json.dumps(config)), _START)
        except TimeoutError:
            raise BadInput(f"the model did not start within {_START:.0f} seconds", self._path, _OTHERWISE) from None
        answer: dict[str, str] = json.loads(line) if line else {}
        if "base_url" not in answer:
            code = await asyncio.to_thread(self._popen.wait)
            self._listener.join(timeout=1)
            raise explain(code, answer, b"".join(self._noise).decode("utf-8", "replace"), self._path)
        self.base_url = answer["base_url"]

    def _talk(self, config: str) -> bytes:
        """Gives the child its configuration, and waits for its one line; empty where it died."""
        assert self._popen.stdin and self._popen.stdout
        try:
            self._popen.stdin.write(config.encode() + b"\n")
            self._popen.stdin.flush()
        except BrokenPipeError:
            return b""
        return self._popen.stdout.readline()

    def _listen(self) -> None:
        assert self._popen.stderr
        while line := self._popen.stderr.readline(4096):
            self._noise.append(line)


def _spawn() -> "subprocess.Popen[bytes]":
    alone: dict[str, Any] = {"start_new_session": True}  # Ctrl-C in the terminal is for the parent alone
    if sys.platform == "win32":
        alone = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", "-m", "duologue.agents.models.child"]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **alone)


def no_library() -> BadInput:
    """What to do on a machine that has no xllamacpp."""
    musl = "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE"))
    if musl or (sys.platform == "win32" and platform.machine().upper() == "ARM64"):
        where = "Alpine and other musl systems" if musl else "Windows on ARM"
        return BadInput(f"the embedded model does not run here: xllamacpp has no wheel for {where}", "", _OTHERWISE)
    return BadInput("the embedded model needs xllamacpp", "", "Type: pip install 'duologue[local]'")


def explain(code: int, answer: dict[str, str], noise: str, path: Path) -> BadInput:
    """Why a child did not start, from its exit code, its answer and what stood on its standard error."""
    text = answer.get("text", "")
    if answer.get("fault") == "import":
        return _explain_import(text)
    if code in (-signal.SIGILL, 0xC000001D):
        what = "the embedded model does not run on this processor: xllamacpp is built for AVX2"
        return BadInput(what, "", _OTHERWISE)
    if code == -9 or any(sign in f"{noise} {text}".lower() for sign in _STARVED):
        return BadInput("the model is too large for this machine's memory", path, f"Take a smaller one. {_OTHERWISE}")
    why = _first_error(noise) or text or f"its process ended with code {code}"
    return BadInput(f"llama.cpp cannot run this model ({why[:300]})", path, "Take another file, or local:")


def _first_error(noise: str) -> str:
    """The first error that llama.cpp logged, without its stamp; else the last line."""
    if logged := re.search(r"^[\d.]+ E\s+\S+\s+(.+)$", noise, re.MULTILINE):
        return logged[1]
    return next((line.strip() for line in reversed(noise.splitlines()) if line.strip()), "")


def _explain_import(text: str) -> BadInput:
    if "libgomp" in text:
        then = "Type: apt install libgomp1 (or dnf install libgomp)"
        return BadInput("the embedded model needs the system's libgomp, which is missing", "", then)
    if "No module named 'xllamacpp'" in text:
        return no_library()
    if "DLL load failed" in text:
        then = "Install Microsoft's Visual C++ Redistributable"
        return BadInput(f"xllamacpp does not load ({text})", "", then)
    return BadInput(f"xllamacpp does not load ({text})", "", "Type: pip install --force-reinstall xllamacpp")
