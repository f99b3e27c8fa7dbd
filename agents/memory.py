"""Memory: which earlier sessions an assistant is reminded of.

Sessions are looked up once, by what the user says first, and stay the same for the whole dialogue: what stands first
in a prompt must not change under the turns that follow it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol

from duologue.agents.speaker import Said, Speaker
from duologue.agents.transcript import Transcript
from duologue.agents.words import tokens
from duologue.profiles.profile import Session
from duologue.tasks.written import BadInput

__all__ = ["Embedding", "Memory", "Reminded", "gist", "likeness", "memory", "shared_words"]

Method = Literal["bm25", "embedding"]
COUNT = 5
"""How many sessions are found where nobody says how many."""


class Embedding(Protocol):
    """What turns texts into vectors of length one."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class Memory:
    """Finds the sessions that have most to do with some words."""

    def __init__(self, method: Method, count: int, embedding: Embedding | None = None) -> None:
        self.method, self.count, self._embedding = method, count, embedding

    async def recall(self, held: Sequence[Session], words: str) -> tuple[Session, ...]:
        """Up to `count` of the sessions, the best first; of equally good ones the first in `held`."""
        if not held:
            return ()
        if self._embedding:
            marks = await likeness(self._embedding, [gist(session) for session in held], words)
        else:
            marks = shared_words([_text(session) for session in held], words)
        order = sorted(range(len(held)), key=lambda place: (-marks[place], place))
        return tuple(held[place] for place in order[: self.count] if marks[place] > 0)


def memory(written: str, embedding: Callable[[], Embedding]) -> Memory:
    """The memory that `bm25:5` or `embedding:5` names; `embedding` opens what the latter needs."""
    method, _, count = written.partition(":")
    if method not in ("bm25", "embedding"):
        raise BadInput(f"unknown memory {method!r}", "memory", "Write bm25:5 or embedding:5")
    number = int(count or COUNT)
    return Memory("embedding", number, embedding()) if method == "embedding" else Memory("bm25", number)


class Reminded:
    """An assistant that is seated once the user has opened: what it is told depends on the first words."""

    guarded = False

    def __init__(self, seat: Callable[[str], Awaitable[Speaker]], rebuildable: bool) -> None:
        self._seat, self.rebuildable = seat, rebuildable
        self._speaker: Speaker | None = None

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        if self._speaker is None:
            self._speaker = await self._seat(script.said_by("user")[0])
        return await self._speaker.speak(script, faults)

    async def close(self) -> None:
        if self._speaker is not None:
            await self._speaker.close()


def shared_words(texts: Sequence[str], words: str) -> list[float]:
    """Of each text how much it has to do with `words`, by BM25."""
    import bm25s
    from bm25s.stopwords import STOPWORDS_EN

    empty = set(STOPWORDS_EN)
    corpus = [[token for token in tokens(text) if token not in empty] for text in texts]
    query = [token for token in tokens(words) if token not in empty]
    seen = {token for text in corpus for token in text}
    if not (asked := [token for token in dict.fromkeys(query) if token in seen]):
        return [0.0] * len(texts)
    index = bm25s.BM25(backend="numpy")
    index.index(corpus, show_progress=False)
    return [float(mark) for mark in index.get_scores(asked)]


async def likeness(embedding: Embedding, texts: Sequence[str], words: str) -> list[float]:
    """Of each text how near its vector is to that of `words`: their cosine."""
    query, *vectors = await embedding.embed([words, *texts])
    return [sum(a * b for a, b in zip(query, vector, strict=True)) for vector in vectors]


def _text(session: Session) -> str:
    return "\n".join([session.domain, session.summary, *(turn.text for turn in session.turns)])


def gist(session: Session) -> str:
    """What of a session is made a vector: its summary, which is short, or where it has none its turns."""
    return f"{session.domain}\n{session.summary}" if session.summary else _text(session)
