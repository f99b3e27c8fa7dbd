"""The embedded model: llama.cpp in child processes, each serving one dialogue at a time.

What a model answers depends on what its process computed before, so that a dialogue keeps one process to itself, does
not reuse the cache at the first call of each role, and gives the same words again on the same machine.
"""

import asyncio
import dataclasses
import importlib.util
import itertools
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.models import weights
from duologue.agents.models.call import CallLimits, Reply, Request, Traits
from duologue.agents.models.connection import Endpoint
from duologue.agents.models.given import forced
from duologue.agents.models.known import KNOWN
from duologue.agents.models.openai import OpenAIModel
from duologue.agents.models.process import CONTEXT, Process, no_library
from duologue.agents.models.retry import persist, within
from duologue.tasks.written import BadInput

__all__ = ["LocalModel", "Pool", "cores", "open_local"]

_PENALTIES: dict[str, Any] = {
    "dry_multiplier": 0.8,
    "dry_allowed_length": 3,
    "dry_penalty_last_n": 1024,
    "repeat_penalty": 1.08,
    "repeat_last_n": 256,
}
"""Without them so small a model says one line over and over. They would spoil the form of JSON."""

_SMALL = 3_000_000_000
_PATIENCE = 600.0
"""Seconds for one call where nobody said how long: a long prompt on a busy core takes minutes."""

Asking = Callable[[Endpoint, Request], Awaitable[Reply]]


def open_local(
    name: str,
    limits: CallLimits,
    defaults: Mapping[str, Any] | None = None,
    pools: "dict[Path, Pool] | None" = None,
    processes: int | None = None,
) -> "LocalModel":
    """The embedded model `name`: a known one (the default one where it is empty), or the path of a GGUF file.

    A known model that is not in the cache is fetched first. Models opened with the same `pools` share the processes
    of equal files: `processes` dialogues at a time, by default one per core and two at most. Nothing is started yet.
    Raises BadInput.
    """
    name = weights.spelled(name)
    if importlib.util.find_spec("xllamacpp") is None:
        raise no_library()
    path = _file(name)
    pools = {} if pools is None else pools
    if path not in pools:
        pools[path] = Pool(path, min(processes or 2, cores()))
    return LocalModel(f"local:{name}", pools[path], limits, defaults)


class LocalModel:
    """One way to ask an embedded model: a pool of processes, shared with others, and what a request leaves open."""

    adaptations: tuple[str, ...] = ()

    def __init__(self, name: str, pool: "Pool", limits: CallLimits, defaults: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.traits = Traits(small=pool.path.stat().st_size < _SMALL, raw=True, tools=False, context=CONTEXT)
        self.pool = pool
        patience = limits.call if "call" in limits.model_fields_set else _PATIENCE
        self._limits = limits.changed(tries=1, call=patience)  # a dead process does not come back by asking it again
        self._defaults = defaults
        known = weights.named(name)
        self._blanks = known.blanks if known else ()
        self._single = itertools.count()

    async def start(self) -> None:
        """Start a first process. Raises BadInput with what to do where this machine cannot run the model."""
        await self.pool.start()

    async def complete(self, request: Request) -> Reply:
        """The answer. A new conversation waits for a free process and keeps it until it is released."""
        conversation = request.conversation or f"single call {id(self)} {next(self._single)}"
        try:
            worker = await self.pool.seat(conversation)
            return await worker.complete(request, self._ask)
        finally:
            if not request.conversation:
                await self.release(conversation)

    async def release(self, conversation: str) -> None:
        """Free the process that serves this conversation."""
        self.pool.release(conversation)

    async def close(self) -> None:
        """Kill the processes, those of the models that share them too."""
        await self.pool.close()

    async def _ask(self, endpoint: Endpoint, request: Request) -> Reply:
        if request.given:
            call = self._limits.call
            told = lambda: within(call, forced(endpoint, request, self._limits), endpoint.shown)  # noqa: E731
            return (await persist(told, self._limits))[0]
        # A new one each time: what it learns from one dialogue's answers must not change the next one's.
        model = OpenAIModel(self.name, endpoint, self._limits, self._defaults, self.traits)
        extra = {"logit_bias": [[token, False] for token in self._blanks]} if request.schema else _PENALTIES
        try:
            return await model.complete(dataclasses.replace(request, extra={**extra, **request.extra}))
        finally:
            await model.close()


class Pool:
    """Processes that run one file. They start as they are needed, and are killed by `close`."""

    def __init__(self, path: Path, processes: int) -> None:
        self.path, self.size = path, processes
        threads = max(1, cores() - 1) if processes == 1 else 1
        self._workers = [_Worker(path, threads) for _ in range(processes)]
        self._idle = self._workers[::-1]
        self._seats = asyncio.Semaphore(processes)
        self._serving: dict[str, _Worker] = {}
        self._doors: dict[str, asyncio.Lock] = {}

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that live."""
        return [worker.process.pid for worker in self._workers if worker.process and worker.process.alive]

    async def start(self) -> None:
        """Start a first process. Raises BadInput."""
        await self._workers[0].start()

    async def seat(self, conversation: str) -> "_Worker":
        """The worker of this conversation; a new one waits its turn until one is free."""
        async with self._doors.setdefault(conversation, asyncio.Lock()):
            if conversation not in self._serving:
                await self._seats.acquire()
                self._serving[conversation] = self._idle.pop()
            return self._serving[conversation]

    def release(self, conversation: str) -> None:
        """Free the worker of this conversation. Of the idle ones, the one used last serves next."""
        self._doors.pop(conversation, None)
        if worker := self._serving.pop(conversation, None):
            worker.forget()
            self._idle.append(worker)
            self._seats.release()

    async def close(self) -> None:
        for worker in self._workers:
            await worker.close()


class _Worker:
    """A seat in the pool: a process, started at the first call and again after it died. One call at a time."""

    def __init__(self, path: Path, threads: int) -> None:
        self.process: Process | None = None
        self._path = path
        self._threads = threads
        self._endpoint: Endpoint | None = None
        self._lock = asyncio.Lock()
        self._warm: set[str] = set()

    async def start(self) -> None:
        """Start the process unless it lives. Raises BadInput."""
        async with self._lock:
            await self._living()

    async def complete(self, request: Request, ask: Asking) -> Reply:
        """The answer; asked for once more, of a new process, where the first died of it."""
        async with self._lock:
            try:
                return await self._try(request, ask)
            except Failure as failure:
                if failure.reason != "provider_error" or not await self._died():
                    raise
            reply = await self._try(request, ask)
            return dataclasses.replace(reply, usage=reply.usage.changed(retries=reply.usage.retries + 1))

    def forget(self) -> None:
        """The conversation is over: nothing of it is reused."""
        self._warm.clear()

    async def close(self) -> None:
        self._kill()
        endpoint, self._endpoint = self._endpoint, None
        if endpoint:
            await endpoint.leave()

    async def _try(self, request: Request, ask: Asking) -> Reply:
        try:
            endpoint = await self._living()
        except BadInput as fault:
            raise Failure("provider_error", str(fault)) from None
        slot = 0 if request.role == "user" else 1
        state = {"id_slot": slot, "cache_prompt": request.role in self._warm}
        self._warm.add(request.role)
        try:
            return await ask(endpoint, dataclasses.replace(request, extra={**request.extra, **state}))
        except (Failure, asyncio.CancelledError) as stopped:
            if not isinstance(stopped, Failure) or stopped.reason == "timeout":
                self._kill()  # else it goes on in the background, beside the next dialogue's first call
            raise

    async def _living(self) -> Endpoint:
        if self._endpoint and self.process and self.process.alive:
            return self._endpoint
        await self.close()
        self._warm.clear()
        self.process = await Process.start(self._path, self._threads)
        self._endpoint = Endpoint(self.process.base_url, self.process.key)
        self._endpoint.enter()
        return self._endpoint

    async def _died(self) -> bool:
        return self.process is not None and await self.process.ended(within=0.5)

    def _kill(self) -> None:
        process, self.process = self.process, None
        if process:
            process.kill()


def cores() -> int:
    """How many cores this process may use: by affinity, and by the quota of a Linux container."""
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):  # no container, or no quota: the word "max"
        return count


def _file(name: str) -> Path:
    """The GGUF file that `name` stands for, fetched first where it is a known one that is not there."""
    if known := weights.named(name):
        if not weights.found(known):
            logging.getLogger(__name__).warning(known.notice)
        return weights.fetch(known)
    path = Path(name).expanduser().absolute()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise BadInput(f"cannot read this model ({error.strerror})", path, _KNOWN) from None
    if magic != b"GGUF":
        raise BadInput("is not a GGUF file", path, _KNOWN)
    return path


_KNOWN = f"Known models: {', '.join(f'local:{name}' for name in KNOWN)}"
