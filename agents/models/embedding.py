"""Vectors of texts, from the embedded model: the mean over a text's tokens, of length one."""

import asyncio
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.agents.models import weights
from duologue.agents.models.known import DEFAULT
from duologue.agents.models.local import cores
from duologue.agents.models.process import Process, no_library
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["LocalEmbedding"]

LONGEST = 6_000
"""Letters of a text that count."""
PATIENCE = 600.0
"""Seconds for one text on a busy machine."""


class LocalEmbedding:
    """Turns texts into vectors in a child process of its own. A text that comes again costs nothing.

    `path` is a GGUF file; without one it is the default embedded model's. `wanted` is what somebody wrote to have it,
    and `instead` what to write where it cannot be had.
    """

    def __init__(
        self, path: Path | None = None, wanted: str = 'memory = "embedding"', instead: str = 'memory = "bm25:5"'
    ) -> None:
        self._path, self._wanted, self._instead = path, wanted, instead
        self._process: Process | None = None
        self._client: ClientSession | None = None
        self._vectors: dict[str, list[float]] = {}
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Start the process. Raises BadInput with what to do where this machine cannot run it."""
        if importlib.util.find_spec("xllamacpp") is None:
            why = no_library()
            then = f"{why.then}, or w" if "pip" in why.then else "W"
            raise BadInput(f"{self._wanted} cannot be used: {why.what}", "", f"{then}rite {self._instead}")
        known = weights.named(DEFAULT)
        path = self._path or (known and weights.fetch(known))
        assert path
        self._process = await Process.start(path, max(1, cores() - 1), embeds=True)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of `texts`. Raises BadInput where the process does not answer."""
        async with self._lock:
            for text in texts:
                if text not in self._vectors:
                    self._vectors[text] = await self._ask(text)
        return [self._vectors[text] for text in texts]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
        if self._process is not None:
            self._process.kill()

    async def _ask(self, text: str) -> list[float]:
        import aiohttp

        assert self._process is not None
        if self._client is None:
            self._client = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE))
        headers = {"Authorization": f"Bearer {self._process.key}"}
        body = {"input": text[:LONGEST] or " "}
        try:
            async with self._client.post(f"{self._process.base_url}/embeddings", json=body, headers=headers) as answer:
                answer.raise_for_status()
                found = await answer.json()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise BadInput(f"the embedded model gives no vectors ({type(error).__name__})", self._wanted) from None
        return [float(each) for each in found["data"][0]["embedding"]]
