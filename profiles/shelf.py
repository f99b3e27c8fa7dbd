"""Where profiles stand: one TOML file a person, or a JSON Lines file that is never held in memory."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.profiles.profile import Profile
from duologue.tasks.library import Entry, certain, line_entries
from duologue.tasks.written import BadInput, Line, parse, read_lines, read_toml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["ProfileFiles", "ProfileLines"]


class ProfileFiles:
    """Profiles in TOML files. The file's stem is the id where none is written."""

    def __init__(self, paths: Sequence["Traversable"]) -> None:
        self._paths = paths

    def entries(self) -> Iterator[Entry[Profile]]:
        return iter(self._entries)

    def index(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Each id with the domains in which the profile has preferences."""
        return ((profile.id, frozenset(profile.preferences)) for profile in certain(self._entries))

    def read(self, id: str) -> Profile:
        return next(profile for profile in certain(self._entries) if profile.id == id)

    @cached_property
    def _entries(self) -> tuple[Entry[Profile], ...]:
        return tuple((str(path), _profile(path)) for path in self._paths)


class ProfileLines:
    """Profiles in a JSON Lines file, read by id through an index of byte offsets."""

    def __init__(self, path: "Path | Traversable") -> None:
        self._path = path
        self._lines: dict[str, tuple[str, int]] = {}

    def entries(self) -> Iterator[Entry[Profile]]:
        return line_entries(self._path, Profile)

    def index(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Each id with the domains in which the profile has preferences. Raises BadInput for a line without an id."""
        for line in read_lines(self._path):
            data = line.data()
            id = _id(data, line.where)
            self._lines[id] = (line.where, line.offset)
            preferences = data.get("preferences")
            yield id, frozenset(preferences if isinstance(preferences, dict) else ())

    def read(self, id: str) -> Profile:
        """The profile of that id, which `index` has met before. Raises BadInput where its line is faulty."""
        where, offset = self._lines[id]
        with self._path.open("rb") as file:
            file.seek(offset)
            profile = parse(Profile, Line(where, offset, file.readline()).data(shares=True), where)
        if profile.id != id:
            raise BadInput("was changed while it was read", str(self._path), "Start again.")
        return profile


def _profile(path: "Traversable") -> Profile | BadInput:
    try:
        return parse(Profile, {"id": path.name.removesuffix(".toml"), **read_toml(path)}, str(path))
    except BadInput as fault:
        return fault


def _id(data: Any, where: str) -> str:
    id = data.get("id") if isinstance(data, dict) else None
    if not isinstance(id, str):
        raise BadInput("is not a profile: it has no `id`", where)
    return id
