"""A measure as a model: `classifier:PATH`, `yesno:PATH`, `encoder:PATH` or `vectors:PATH`."""

import asyncio
import importlib.util
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from duologue.agents.models.call import Reply, Request, Traits
from duologue.agents.usage import Usage
from duologue.tasks.written import BadInput

__all__ = ["KINDS", "Gauging", "Measure"]

KINDS: Mapping[str, str] = {
    "classifier": "duologue.agents.models.measures.classifier",
    "yesno": "duologue.agents.models.measures.yesno",
    "encoder": "duologue.agents.models.measures.encoder",
    "vectors": "duologue.agents.models.measures.vectors",
}
"""By what is written before the path, the module whose `load` reads what is there."""
NEEDED = ("torch", "transformers")


class Gauging(Protocol):
    """What has been read from a path."""

    def figures(self, texts: Sequence[str]) -> Mapping[str, float]:
        """Numbers by name. Raises Failure where the texts are longer than it takes."""
        ...

    def rendered(self, messages: Sequence[tuple[str, str]]) -> str:
        """One text of (role, words), as it was trained to read a dialogue."""
        ...


class Measure:
    """Tells `figures` of a request's `texts`, or of its messages as one text. Nothing is fetched, nothing is cut."""

    adaptations: tuple[str, ...] = ()

    def __init__(self, kind: str, written: str) -> None:
        """`written` is a path; an encoder's may end in `?layer=N`. Raises BadInput where N is no number."""
        self.name = f"{kind}:{written}"
        self._kind = kind
        path, asked, layer = written.partition("?layer=") if kind == "encoder" else (written, "", "")
        if asked and not layer.isdecimal():
            raise BadInput(f"{layer!r} is no layer", self.name, "Write it like encoder:PATH?layer=17")
        self._path, self._layer = Path(path), int(layer) if asked else None
        self._read: Gauging | None = None
        self._turn = asyncio.Lock()

    @property
    def traits(self) -> Traits:
        return Traits(schemas=False, tools=False)

    async def start(self) -> None:
        """Read what is at the path. Raises BadInput where there is no such model, or no library to read it with."""
        async with self._turn:
            self._read = self._read or await asyncio.to_thread(self._load)

    async def complete(self, request: Request) -> Reply:
        """The figures of the request. Raises Failure where its texts are too long."""
        if self._read is None:
            await self.start()
        read, began = cast(Gauging, self._read), asyncio.get_running_loop().time()
        texts = request.texts or (read.rendered([(each.role, each.text) for each in request.messages]),)
        async with self._turn:
            figures = await asyncio.to_thread(read.figures, texts)
        seconds = asyncio.get_running_loop().time() - began
        return Reply("", usage=Usage(input=0, output=0, calls=0), seconds=seconds, figures=figures)

    async def release(self, conversation: str) -> None:
        """It keeps nothing of a conversation."""

    async def close(self) -> None:
        self._read = None

    def _load(self) -> Gauging:
        if not self._path.exists():
            then = f"Write {self._kind}:PATH of a model on this machine"
            raise BadInput("no such file or folder", self._path, then)
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
        if missing and self._kind != "vectors":
            why = f"{self._kind} needs {' and '.join(missing)}, not installed here"
            raise BadInput(why, self._path, "Type: pip install 'duologue[nli]'")
        chosen = {} if self._layer is None else {"layer": self._layer}
        return cast(Gauging, import_module(KINDS[self._kind]).load(self._path, **chosen))
