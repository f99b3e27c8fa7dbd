"""The tally of an import: what was read, repaired, kept though odd, and dropped, and how often."""

from collections.abc import Iterable

from pydantic import Field

from duologue.tasks.personalens import Note
from duologue.tasks.written import Written

__all__ = ["Count", "Tally", "Tallying", "lines"]

EXAMPLES = 3
LONGEST = 300


class Count(Written):
    """How often something happened, and the first few times that it did."""

    number: int = 0
    examples: tuple[str, ...] = ()


class Tally(Written):
    """What an import found, by kind."""

    read: dict[str, Count] = Field(default_factory=dict)
    repaired: dict[str, Count] = Field(default_factory=dict)
    kept: dict[str, Count] = Field(default_factory=dict)
    """Odd, but taken over as it stands."""
    dropped: dict[str, Count] = Field(default_factory=dict)


class Tallying:
    """Adds notes up, each part of the source once however often it is read."""

    def __init__(self) -> None:
        self._parts: set[str] = set()
        self._counts: dict[tuple[str, str], tuple[int, list[str]]] = {}

    def add(self, part: str, notes: Iterable[Note]) -> None:
        """Counts the notes on a part of the source; a part that was counted before counts no more."""
        if part in self._parts:
            return
        self._parts.add(part)
        self.count(notes)

    def count(self, notes: Iterable[Note]) -> None:
        """Counts the notes on a part that is read only once, so that nothing need be remembered of it."""
        for note in notes:
            number, examples = self._counts.get((note.fate, note.kind), (0, []))
            if note.what and len(examples) < EXAMPLES and (example := _printable(note.what)) not in examples:
                examples.append(example)
            self._counts[note.fate, note.kind] = (number + note.number, examples)

    def tally(self) -> Tally:
        """What has been counted until now, each fate in the order of its kinds' names."""
        fates: dict[str, dict[str, Count]] = {}
        for (fate, kind), (number, examples) in sorted(self._counts.items()):
            if number:
                fates.setdefault(fate, {})[kind] = Count(number=number, examples=tuple(examples))
        return Tally(**fates)


def _printable(text: str) -> str:
    """`text` short enough for a line, and free of the half characters that damaged files and file names can hold."""
    return (text if len(text) <= LONGEST else text[: LONGEST - 1] + "…").encode("utf-8", "backslashreplace").decode()


def lines(tally: Tally) -> list[str]:
    """The tally as plain lines: one of what was read, then one a kind of repair, oddity and loss, with its examples."""
    read = ", ".join(f"{kind}: {count.number:,}" for kind, count in tally.read.items())
    told = [f"read      {read or 'nothing'}"]
    for fate, counts in (("repaired", tally.repaired), ("kept", tally.kept), ("dropped", tally.dropped)):
        for kind, count in counts.items():
            told.append(f"{fate:<9} {kind}: {count.number:,}{_such_as(count)}")
    return told


def _such_as(count: Count) -> str:
    return f", such as {'; '.join(count.examples)}" if count.examples else ""
