"""Labels: what people say of a run's dialogues, one file a labeller in the run's folder, appended to alone."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from duologue.tasks.written import BadInput, Line, Written, parse, read_lines

__all__ = ["Drawn", "Label", "LabelFile", "Value", "labeller", "labels_path", "newest", "read_labels"]

Value = bool | int | None
"""A score that a person gives; None where they skipped the question."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = ("judge", "people", "state")
"""What others are called where labels are compared."""


class Drawn(Written):
    """The random draw that a labelled dialogue belongs to: `n` of the `of` scored dialogues, by `seed`."""

    seed: int
    n: int
    of: int


class Label(Written):
    """What one person says of one dialogue under one rubric."""

    v: Literal[1] = 1
    cell: str
    attempt: int
    labeller: str
    rubric: str
    """The rubric's fingerprint."""
    rubric_name: str
    questions: dict[str, str]
    """A fingerprint of each dimension's question: only answers to equal ones are compared."""
    scores: dict[str, Value] = Field(default_factory=dict)
    part: bool = False
    """Whether the labeller left in the middle: nothing is compared with it, and they go on from there."""
    drawn: Drawn | None = None
    """None where the dialogue was picked by hand."""
    time: float = 0


def labeller(name: str) -> str:
    """`name` as it is stored, in small letters. Raises BadInput where it cannot name a labeller."""
    folded = name.strip().lower()
    then = "Name yourself with --as: letters, digits and _, a letter first, at most 40, such as --as ann"
    if not folded:
        raise BadInput("nobody is named to label", then=then)
    if not _NAME.fullmatch(folded):
        raise BadInput(f"{name!r} cannot name a labeller", then=then)
    if folded in _TAKEN:
        raise BadInput(f"{name!r} is what another column is called beside the labels", then=then)
    return folded


def labels_path(folder: Path, name: str) -> Path:
    """The file of a labeller in a run's folder."""
    return folder / f"labels-{name}.jsonl"


def read_labels(folder: Path, torn: list[str]) -> list[Label]:
    """All labels of a run, file by file in the order written. `torn` takes a sentence for each last line cut off.

    Raises BadInput where a line is damaged, or where a file holds somebody else's labels.
    """
    return [label for path in sorted(folder.glob("labels-*.jsonl")) for label in _read(path, torn)]


def newest(labels: Iterable[Label], name: str, questions: dict[str, str]) -> dict[tuple[str, int], Label]:
    """What `name` said last of each dialogue, in whole or in part, by cell and attempt, among labels that answer just
    these `questions`."""
    return {(each.cell, each.attempt): each for each in labels if each.labeller == name and each.questions == questions}


def _read(path: Path, torn: list[str]) -> list[Label]:
    lines = list(read_lines(path))
    if lines and _is_torn(lines[-1]):
        torn.append(f"{lines.pop().where}: the last line is torn and was dropped")
    held = [_label(line) for line in lines]
    other = next((each.labeller for each in held if labels_path(path.parent, each.labeller) != path), None)
    if other is not None:
        raise BadInput(f"holds labels by {other!r}", path, f"Call it {labels_path(path.parent, other).name}")
    return held


def _label(line: Line) -> Label:
    return parse(Label, line.data(), line.where)


def _is_torn(line: Line) -> bool:
    """Whether a last line was cut off: the process may have been killed while writing it."""
    if line.raw.endswith(b"\n"):
        return False
    try:
        _label(line)
    except BadInput:
        return True
    return False


class LabelFile:
    """A labeller's file, open to be added to. What is kept is on the disk when `keep` is over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def __enter__(self) -> Self:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(self._path, flags, 0o644)
        self._mend()
        return self

    def __exit__(self, *_: Any) -> None:
        os.close(self._file)

    def keep(self, labels: Sequence[Label]) -> None:
        """Add `labels`. Raises BadInput where the disk does not take them."""
        group = "".join(f"{label.model_dump_json()}\n" for label in labels).encode()
        try:
            while group:
                group = group[os.write(self._file, group) :]
            os.fsync(self._file)
        except OSError as fault:
            then = "What was labelled before stays; make room and go on"
            raise BadInput(f"cannot be written ({fault.strerror})", self._path, then) from None

    def _mend(self) -> None:
        """End the last line where it is whole but for its end; take it away where it is torn."""
        lines = list(read_lines(self._path))
        if not lines or lines[-1].raw.endswith(b"\n"):
            return
        if _is_torn(lines[-1]):
            os.ftruncate(self._file, lines[-1].offset)
        else:
            os.write(self._file, b"\n")
