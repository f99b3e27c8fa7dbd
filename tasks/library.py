"""What ships with the package: domains, tasks and situations, and how files of them are read."""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from duologue.tasks.domain import Domain
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, Line, Written, nearest, parse, read_lines, read_toml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "Entry",
    "certain",
    "domain_entries",
    "line_entries",
    "shipped_domains",
    "shipped_situations",
    "shipped_tasks",
    "toml_entries",
    "toml_files",
]

Form = TypeVar("Form", bound=Written)
Record = TypeVar("Record")
Entry = tuple[str, Record | BadInput]
"""Where a record stands, and the record, or why it cannot be read."""


def shipped_domains() -> Iterator["Entry[Domain]"]:
    """The domains of the package."""
    return chain.from_iterable(domain_entries(folder) for folder in _shipped_folders())


def domain_entries(folder: "Traversable") -> Iterator["Entry[Domain]"]:
    """The domain whose `domain.toml`, and `catalogue.jsonl` where it has one, stand in `folder`, if any does."""
    file = folder / "domain.toml"
    if not file.is_file():
        return
    try:
        data = read_toml(file)
        if (rows := folder / "catalogue.jsonl").is_file():
            data["catalogue"] = [line.data() for line in read_lines(rows)]
    except BadInput as fault:
        yield str(file), fault
        return
    yield str(file), _tried(Domain, data, str(file))


def shipped_tasks() -> Iterator["Entry[Task]"]:
    """The tasks of the package, those over several domains included."""
    found = (folder / "tasks.toml" for folder in _shipped_folders())
    return chain.from_iterable(toml_entries(file, Task, "task") for file in found if file.is_file())


def shipped_situations() -> tuple[Situation, ...]:
    """The situations in which shipped and hand-written tasks take place."""
    file = files("duologue.tasks") / "situations.toml"
    return tuple(certain(toml_entries(file, Situation, "situation")))


def toml_files(folder: "Traversable") -> list["Traversable"]:
    """The TOML files in `folder` by name; none where there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)


def toml_entries(file: "Traversable", form: type[Form], table: str) -> Iterator["Entry[Form]"]:
    """The records of one TOML file: the file itself is one, or it holds `[[table]]` tables."""
    try:
        data = read_toml(file)
    except BadInput as fault:
        yield str(file), fault
        return
    if not isinstance(data.get(table), list):
        yield str(file), _tried(form, data, str(file))
        return
    for number, record in enumerate(data.pop(table), 1):
        where = f"{file} [[{table}]] {number}"
        yield where, _tried(form, record, where)
    for key in data:
        yield str(file), BadInput(f"unknown key {key!r} beside [[{table}]]{nearest(key, [table])}", str(file))


def line_entries(path: "Path | Traversable", form: type[Form]) -> Iterator["Entry[Form]"]:
    """The records of a JSON Lines file, one at a time; a faulty line does not hide the next."""
    try:
        for line in read_lines(path):
            yield line.where, _tried_line(line, form)
    except BadInput as fault:
        yield str(path), fault


def certain(entries: Iterable["Entry[Record]"]) -> Iterator[Record]:
    """The records of `entries`. Raises the first BadInput among them."""
    for _, record in entries:
        if isinstance(record, BadInput):
            raise record
        yield record


def _tried(form: type[Form], data: object, where: str) -> Form | BadInput:
    try:
        return parse(form, data, where)
    except BadInput as fault:
        return fault


def _tried_line(line: Line, form: type[Form]) -> Form | BadInput:
    try:
        return parse(form, line.data(), line.where)
    except BadInput as fault:
        return fault


def _shipped_folders() -> list["Traversable"]:
    return sorted((files("duologue.tasks") / "domains").iterdir(), key=lambda folder: folder.name)
