"""The formats that tasks can be imported from, by name."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.tasks.imports.files import Tell
    from duologue.tasks.imports.taking import Taken

__all__ = ["FORMATS", "Format"]


class Format(NamedTuple):
    """A format of other people's data."""

    what: str
    """What the files hold and how they are spelt."""
    licence: str

    def take(self, path: Path, tell: "Tell") -> "Taken":
        """The tasks and domains of the data at `path`. Raises BadInput where it holds other data."""
        name = next(name for name, each in FORMATS.items() if each is self)
        module: Any = import_module(f"duologue.tasks.imports.{name}")
        return cast("Callable[[Path, Tell], Taken]", module.take)(path, tell)


FORMATS: dict[str, Format] = {
    "sgd": Format("SGD: schema.json and dialogues_*.json, in one folder or in train, dev and test", "CC BY-SA 4.0"),
    "multiwoz": Format(
        "MultiWOZ 2.2: schema.json and dialogues_*.json, with data.json and *_db.json where they are there",
        "MIT",
    ),
}
