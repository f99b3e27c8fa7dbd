"""The cache of replies: an SQLite file that several processes may use at once. Off unless a campaign names it.

The key is everything that shapes a reply: who is asked and where, what is asked, and the seed, in which campaign
seed, trial, turn and draft are. Only whole answers are kept, never failures, refusals or cut ones. A call without a
seed is of no trial, and is always made.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache as once
from importlib.metadata import version
from pathlib import Path
from typing import Any

from duologue.agents.message import ToolCall
from duologue.agents.models.call import Model, Reply, Request, Token, Traits
from duologue.agents.secrets import masked, redact
from duologue.agents.usage import Usage
from duologue.tasks.tool import as_function
from duologue.tasks.written import BadInput, canonical

__all__ = ["Cache", "CachedModel", "remembering"]

PATIENCE = 0.2
"""Seconds that everybody waits while another process writes to the file; then a reply is not kept."""
_PLACES = ("_BASE_URL", "_API_BASE", "_ENDPOINT", "_API_VERSION", "_REGION", "OLLAMA_HOST")
"""How variables end that say where a provider without a written address is asked."""
_ELSEWHERE = "Name another file for the cache, delete this one, or leave the cache off"
_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT, seal TEXT, made REAL) WITHOUT ROWID"


class Cache:
    """A file of replies. Raises BadInput on making where it cannot be used; after that a fault of the file switches
    the cache off, and `told` says so."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.told: tuple[str, ...] = ()
        self._file: sqlite3.Connection | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)
            self._file.execute("SELECT key, reply, seal, made FROM replies LIMIT 1")
        except (sqlite3.Error, OSError) as fault:
            self.close()
            raise BadInput(f"is no cache to use ({fault})", path, _ELSEWHERE) from None

    def find(self, key: str) -> Reply | None:
        """The reply under `key`, as it was made; None where there is none, or none that is sound."""
        if self._file is None:
            return None
        try:
            row = self._file.execute("SELECT reply, seal FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as fault:
            self._fail(fault)
            return None
        return _read(row[0]) if row and row[1] == _seal(key, row[0]) else None

    def keep(self, key: str, reply: Reply) -> None:
        """Keep `reply` under `key`, unless it holds a secret: a masked reply would be another one."""
        text = _written(reply)
        if self._file is None or redact(text) != text or masked(json.loads(text)) != json.loads(text):
            return
        row = (key, text, _seal(key, text), time.time())
        try:
            self._file.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as fault:
            self._fail(fault)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _fail(self, fault: sqlite3.Error) -> None:
        busy = getattr(fault, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        if busy:
            self.told = (f"The cache {self.path} was kept busy by another process: some replies are not in it.",)
            return
        self.told = (f"The cache {self.path} failed ({fault}): went on without it.",)
        self.close()


class CachedModel:
    """A model whose seeded calls are answered from a cache where the same was asked before.

    `whose` is what tells it from other models: its name, address and defaults. Equal calls at one time are made once,
    unless not `shared`: an embedded model's callers hold a process each while they wait.
    """

    def __init__(self, model: Model, cache: Cache, whose: Mapping[str, Any], *, shared: bool = True) -> None:
        self.model = model
        self._cache, self._shared = cache, shared
        self._whose = canonical({"duologue": _version(), **whose})
        self._making: dict[str, asyncio.Future[Reply | None]] = {}

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def traits(self) -> Traits:
        return self.model.traits

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What the model did not take as asked, and what went wrong with the cache, one sentence each."""
        return (*self.model.adaptations, *self._cache.told)

    async def start(self) -> None:
        await self.model.start()

    async def complete(self, request: Request) -> Reply:
        """The stored answer, or the model's. Raises Failure."""
        if request.seed is None:
            return await self.model.complete(request)
        key = _key(self._whose, request)
        while (making := self._making.get(key)) is not None:
            if (made := await asyncio.shield(making)) is not None:
                return _again(made)
        if (found := self._cache.find(key)) is not None:
            return _again(found)
        return await self._make(key, request)

    async def release(self, conversation: str) -> None:
        await self.model.release(conversation)

    async def close(self) -> None:
        await self.model.close()

    async def _make(self, key: str, request: Request) -> Reply:
        mine: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        if self._shared:
            self._making[key] = mine
        try:
            reply = await self.model.complete(request)
            if _is_whole(reply):
                self._cache.keep(key, reply)
                mine.set_result(reply)
            return reply
        finally:
            self._making.pop(key, None)
            if not mine.done():
                mine.set_result(None)


def remembering(
    model: Model, cache: Cache, written: str, base_url: str = "", defaults: Mapping[str, Any] | None = None
) -> CachedModel:
    """`model`, `written` like that and opened at `base_url`, if that is given, with `cache` before it."""
    local = written.partition(":")[0] == "local" and not base_url
    whose: dict[str, Any] = {"model": written, "address": base_url, "asked": defaults or {}}
    if local:
        from duologue.agents.models.local import LocalModel

        file = model.pool.path if isinstance(model, LocalModel) else Path(model.name)
        held = file.stat()
        whose |= {"file": file.name, "size": held.st_size, "made": held.st_mtime_ns, "runs_on": version("xllamacpp")}
    elif not base_url:
        whose["environment"] = {n: v for n, v in os.environ.items() if n.endswith(_PLACES)}
    return CachedModel(model, cache, whose, shared=not local)


def _is_whole(reply: Reply) -> bool:
    """Whether an answer was neither cut nor empty."""
    return reply.finish == "stop" and bool(reply.text.strip() or reply.calls)


def _again(reply: Reply) -> Reply:
    return replace(reply, usage=reply.usage.from_cache())


def _key(whose: str, request: Request) -> str:
    """What tells a call from any other. Whose it is counts: two assistants that are asked the same answer each for
    themselves."""
    asked = {
        "by": [request.conversation, request.role],
        "messages": [
            (m.role, m.text, [(c.id, c.name, c.arguments) for c in m.calls], m.call) for m in request.messages
        ],
        "prompt": request.prompt,
        "schema": (request.schema.name, request.schema.schema) if request.schema else None,
        "tools": [as_function(tool) for tool in request.tools],
        "asked": [request.temperature, request.top_p, request.max_tokens, request.seed, request.stop],
        "extra": request.extra,
        **({"likely": request.likely} if request.likely else {}),
        **({"given": request.given} if request.given else {}),
    }
    return hashlib.sha256(f"{whose}\n{canonical(asked)}".encode()).hexdigest()


def _written(reply: Reply) -> str:
    calls = [(call.id, call.name, call.arguments) for call in reply.calls]
    usage = reply.usage.model_dump(mode="json")
    whole = {"text": reply.text, "reasoning": reply.reasoning, "usage": usage, "seconds": reply.seconds, "calls": calls}
    return json.dumps({**whole, "likely": reply.tokens} if reply.tokens else whole, default=dict)


def _read(text: str) -> Reply:
    held = json.loads(text)
    return Reply(
        text=held["text"],
        reasoning=held["reasoning"],
        usage=Usage.model_validate(held["usage"]),
        seconds=held["seconds"],
        calls=tuple(ToolCall(*call) for call in held["calls"]),
        tokens=tuple(Token(text, tuple((t, p) for t, p in likely)) for text, likely in held.get("likely", ())),
    )


def _seal(key: str, reply: str) -> str:
    """Shows whether a reply stands under its own key as it was written."""
    return hashlib.sha256(f"{key}\n{reply}".encode()).hexdigest()[:32]


@once
def _version() -> str:
    return version("duologue")
