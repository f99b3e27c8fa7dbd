"""The formats that profiles can be imported from, by name, and which of them a file looks like."""

import csv
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from duologue.tasks.faults import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from duologue.profiles.imports.person import Read

__all__ = ["FORMATS", "Format", "keys_in", "refusal"]

LOOK = 1 << 16
"""Characters that are enough to tell what a file holds."""


class Format(NamedTuple):
    """A format of other people's data."""

    what: str
    """What the files hold and how they are spelt."""
    licence: str
    marks: tuple[frozenset[str], ...]
    """Keys that rows of it have, for each of its forms."""

    def people(self, path: Path) -> "Iterator[Read]":
        """Whom the data at `path` tell of, one after the other. Raises BadInput where it holds other data."""
        name = next(name for name, each in FORMATS.items() if each is self)
        module: Any = import_module(f"duologue.profiles.imports.{name.replace('-', '_')}")
        return cast("Callable[[Path], Iterator[Read]]", module.people)(path)

    def fits(self, keys: frozenset[str]) -> bool:
        """Whether a row with these keys can be one of it."""
        return any(mark <= keys for mark in self.marks)


def _marks(*forms: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(form.split(", ")) for form in forms)


FORMATS: dict[str, Format] = {
    "personachat": Format(
        "PersonaChat or ConvAI2: numbered text with `your persona:` lines, JSON with `personality`, or dialogue logs",
        "MIT by a mirror's card; of the logs none is known",
        _marks("your persona", "personality, utterances", "bot_profile, user_profile"),
    ),
    "synthetic-persona-chat": Format(
        "Synthetic-Persona-Chat: CSV with `user 1 personas` and `user 2 personas`",
        "CC BY 4.0",
        _marks("user 1 personas, user 2 personas"),
    ),
    "personamem": Format(
        "PersonaMem: the questions' CSV beside its contexts, or the CSV of version 2 with `preference`",
        "MIT of version 1, CC BY 4.0 of version 2, by their cards",
        _marks("shared_context_id, end_index_in_shared_context", "persona_id, preference"),
    ),
    "prefeval": Format(
        "PrefEval: a JSON list with `preference` and `question`, or a folder of such files",
        "CC BY-NC 4.0",
        _marks("preference, question"),
    ),
    "nemotron-personas": Format(
        "Nemotron-Personas: JSON Lines, or Parquet, with `uuid` and `persona`", "CC BY 4.0", _marks("uuid, persona")
    ),
    "personahub": Format(
        "PersonaHub: JSON Lines with `persona` or `input persona`",
        "CC BY-NC-SA 4.0",
        _marks("persona", "input persona"),
    ),
}
"""Where a row fits several, the first one is meant."""


def refusal(name: str, path: Path) -> BadInput:
    """Why the file at `path` is none of the format `name`, and which one it looks like."""
    keys = keys_in(path)
    shown = ", ".join(sorted(keys))
    held = f" (it has {shown if len(shown) <= 90 else shown[:89] + '…'})" if keys else ""
    other = next((known for known, format in FORMATS.items() if format.fits(keys)), "")
    then = f"It looks like {other}: --from {other}" if other and other != name else f"Expected {FORMATS[name].what}"
    return BadInput(f"holds no {name} rows{held}", path, then)


def keys_in(path: Path) -> frozenset[str]:
    """The keys or columns that the beginning of a file shows; none where it is no text."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            text = file.read(LOOK).lstrip()
    except OSError:
        return frozenset()
    if text[:4] == "PAR1" or "\0" in text:
        return frozenset()
    if text.startswith(("{", "[")):
        return frozenset(re.findall(r'"([^"\\\n]{1,60})"\s*:', text))
    if re.match(r"\d+ (your|partner's) persona:", text):
        return frozenset({"your persona"})
    return frozenset(each.strip()[:60] for each in next(csv.reader(text.splitlines()[:1]), []) if each.strip())
