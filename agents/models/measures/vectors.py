"""`vectors:PATH`: how alike two texts are by the vectors of their words, from a file in word2vec's form."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from duologue.tasks.written import BadInput

__all__ = ["Vectors", "load"]


class Vectors:
    """The `cosine` of the mean vectors of two texts' words, split at white space; 0 where either has no known word."""

    def __init__(self, places: Mapping[str, int], table: Any) -> None:
        self._places, self._table = places, table

    def figures(self, texts: Sequence[str]) -> Mapping[str, float]:
        import numpy as np

        means = []
        for text in texts:
            if not (known := [self._places[word] for word in text.split() if word in self._places]):
                return {"cosine": 0.0}
            means.append(self._table[known].mean(axis=0, dtype="float64"))
        first, second = means
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return {"cosine": float(first @ second) / size if size else 0.0}

    def rendered(self, messages: Sequence[tuple[str, str]]) -> str:
        return " ".join(words for _, words in messages)


def load(path: Path) -> Vectors:
    """The vectors in a file: text, or binary where its name ends in .bin. Raises BadInput where it is damaged."""
    import numpy as np

    then = "Name a file in word2vec's form: a line with two numbers, then a word and its vector each"
    try:
        with path.open("rb") as file:
            words, size = map(int, file.readline().split())
            table, places = np.empty((words, size), dtype="float32"), dict[str, int]()
            rows = _binary(file, words, size) if path.suffix == ".bin" else _written(file, words, size)
            for place, (word, row) in enumerate(rows):
                places.setdefault(word, place)
                table[place] = row
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", path, then) from None
    except (ValueError, MemoryError) as error:
        raise BadInput(f"holds no word vectors ({error})", path, then) from None
    return Vectors(places, table)


def _written(file: BinaryIO, words: int, size: int) -> Iterator[tuple[str, Any]]:
    for number in range(2, words + 2):
        word, *held = file.readline().decode(errors="replace").rstrip().rsplit(" ", size)
        if len(held) != size:
            raise ValueError(f"line {number} does not hold a word and {size} numbers")
        yield word, [float(each) for each in held]


def _binary(file: BinaryIO, words: int, size: int) -> Iterator[tuple[str, Any]]:
    import numpy as np

    for number in range(1, words + 1):
        word = bytearray()
        while (letter := file.read(1)) != b" ":
            if not letter:
                raise ValueError(f"it ends before word {number}")
            word += letter
        held = file.read(4 * size)
        if len(held) < 4 * size:
            raise ValueError(f"it ends within word {number}")
        yield word.decode(errors="replace").lstrip("\n"), np.frombuffer(held, dtype="<f4")
