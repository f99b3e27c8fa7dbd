"""Word vectors, and what is told where a measure cannot be opened."""

import importlib.util
import math
import struct
from pathlib import Path

import pytest

from duologue.agents.models.call import Request
from duologue.agents.models.door import ModelSpec, open_model, placed
from duologue.tasks.written import BadInput

ROWS = {"dog": (1.0, 0.0), "cat": (1.0, 1.0), "Ähre": (0.0, 2.0)}


def written(path: Path, rows: int = len(ROWS)) -> Path:
    lines = [f"{rows} 2", *(f"{word} {x} {y}" for word, (x, y) in ROWS.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def packed(path: Path, cut: int = 0) -> Path:
    held = b"".join(word.encode() + b" " + struct.pack("<2f", *row) + b"\n" for word, row in ROWS.items())
    path.write_bytes(f"{len(ROWS)} 2\n".encode() + held[: len(held) - cut])
    return path


async def cosine(path: Path, *texts: str) -> float:
    opened = open_model(ModelSpec(model=f"vectors:{path}"))
    await opened.start()
    return (await opened.complete(Request(texts=texts))).figures["cosine"]


async def test_the_cosine_of_mean_vectors_of_known_words(tmp_path: Path) -> None:
    for path in (written(tmp_path / "words.txt"), packed(tmp_path / "words.bin")):
        assert await cosine(path, "dog unknown", "cat") == pytest.approx(1 / math.sqrt(2))
        assert await cosine(path, "dog cat", "Ähre") == pytest.approx(0.5 / math.sqrt(1.25))
        assert await cosine(path, "nothing known", "cat") == 0
        assert await cosine(path, "dog", "Ähre") == 0


@pytest.mark.parametrize("content", [b"", b"no numbers\n", b"2 3\nword 1 2\n", b"2 2\ndog 1 2\n", b"1 2\ndog 1 x\n"])
async def test_a_file_that_holds_no_vectors_is_refused(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "bad.txt").write_bytes(content)
    with pytest.raises(BadInput, match="holds no word vectors"):
        await open_model(ModelSpec(model=f"vectors:{path}")).start()


async def test_a_binary_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    for cut in (3, 12):
        path = packed(tmp_path / "words.bin", cut)
        with pytest.raises(BadInput, match="it ends"):
            await open_model(ModelSpec(model=f"vectors:{path}")).start()


async def test_a_path_that_is_not_there_and_a_layer_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        await open_model(ModelSpec(model=f"vectors:{tmp_path / 'none'}")).start()
    with pytest.raises(BadInput, match="'x' is no layer"):
        open_model(ModelSpec(model="encoder:somewhere?layer=x"))


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="the extra nli is installed")
async def test_without_the_extra_it_is_told_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        await open_model(ModelSpec(model=f"classifier:{tmp_path}")).start()
    assert "not installed here" in str(raised.value)
    assert raised.value.then == "Type: pip install 'duologue[nli]'"


def test_relative_paths_count_from_a_folder(tmp_path: Path) -> None:
    assert placed("classifier:nli", tmp_path) == f"classifier:{tmp_path / 'nli'}"
    assert placed("classifier:/nli", tmp_path) == "classifier:/nli"
