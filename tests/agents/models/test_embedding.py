"""Vectors from the embedded model, in a child process that is the stand-in's."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from duologue.agents.models.embedding import LONGEST, LocalEmbedding
from duologue.tasks.written import BadInput

STANDIN = str(Path(__file__).parent / "standin")


@pytest_asyncio.fixture
async def embedding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalEmbedding]:
    monkeypatch.setenv("PYTHONPATH", STANDIN)
    monkeypatch.syspath_prepend(STANDIN)
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    made = LocalEmbedding(path)
    await made.start()
    yield made
    await made.close()


async def test_each_text_has_a_vector_and_is_asked_for_once(embedding: LocalEmbedding) -> None:
    assert await embedding.embed(["tea", "coffee", "tea"]) == [[3.0, 1.0], [6.0, 2.0], [3.0, 1.0]]
    assert await embedding.embed(["coffee"]) == [[6.0, 2.0]]


async def test_only_so_much_of_a_text_counts(embedding: LocalEmbedding) -> None:
    ((letters, _),) = await embedding.embed(["x" * 10 * LONGEST])
    assert letters == LONGEST


async def test_a_process_that_dies_is_told_in_a_sentence(embedding: LocalEmbedding) -> None:
    with pytest.raises(BadInput, match="the embedded model gives no vectors"):
        await embedding.embed(["die"])


async def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(BadInput, match=r'memory = "embedding".* pip install \'duologue\[local\]\''):
        await LocalEmbedding().start()
