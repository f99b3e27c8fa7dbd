"""Written forms: what stands in files, and how a fault in one is told.

Every form is a frozen pydantic model that refuses unknown keys and names the nearest known one.
Files are UTF-8 whatever the locale says.
"""

import difflib
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import from_json

from duologue.tasks.faults import BadInput

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "COMPACT",
    "BadInput",
    "Line",
    "Written",
    "canonical",
    "fingerprint",
    "nearest",
    "parse",
    "read_lines",
    "read_records",
    "read_toml",
    "reading",
    "written_whole",
]


Form = TypeVar("Form", bound="Written")

COMPACT = ConfigDict(extra="forbid")
"""The configuration of parts that stand by the thousand: pydantic's dataclasses with slots take a sixth of the memory
of a `Written` and a third of its time."""


class Written(BaseModel):
    """Base of every written form: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **values: Any) -> Self:
        """A copy with some fields replaced, checked again."""
        return self.model_validate({**self.model_dump(), **values})


def nearest(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` for the known word nearest to `word`, or an empty string."""
    folded = {name.casefold(): name for name in known}
    sought = word.casefold()
    close = difflib.get_close_matches(sought, folded, n=1, cutoff=0.6)
    if not close and len(sought) >= 3:
        close = [name for name in folded if sought in name]
    return f", did you mean {folded[close[0]]!r}?" if close else ""


def parse(form: type[Form], data: Any, where: str | Path) -> Form:
    """`data` as a `form`. Raises BadInput that names the first faulty key."""
    try:
        return form.model_validate(data)
    except ValidationError as error:
        raise BadInput(_first_fault(form, error), where) from None


@contextmanager
def reading(path: "Path | Traversable") -> Iterator[None]:
    """While the text of `path` is read: raises BadInput where that cannot be."""
    where = str(path)
    try:
        yield
    except FileNotFoundError:
        raise BadInput("no such file", where) from None
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8 text", where, "Save it as UTF-8.") from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where) from None


def read_toml(path: "Path | Traversable") -> dict[str, Any]:
    """The table in a TOML file. Raises BadInput where there is none."""
    where = str(path)
    if path.is_dir():
        raise BadInput("is a folder, not a file", where)
    with reading(path):
        text = path.read_text(encoding="utf-8-sig")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not valid TOML: {error}", where) from None


class Line(NamedTuple):
    """A line of a JSON Lines file that is not blank."""

    where: str
    """File and line number, `tasks.jsonl:3`."""
    offset: int
    """Bytes from the start of the file."""
    raw: bytes

    def data(self, shares: bool = False) -> Any:
        """What the line says; `shares` has short texts that are equal kept once, whatever line they stand in.

        Raises BadInput that names the line where it says nothing.
        """
        try:
            text = self.raw.decode("utf-8-sig")
            return from_json(text) if shares else json.loads(text)
        except UnicodeDecodeError:
            raise BadInput("is not UTF-8 text", self.where, "Save it as UTF-8.") from None
        except (ValueError, RecursionError) as error:
            raise BadInput(f"is not valid JSON: {error}", self.where) from None


def read_lines(path: "Path | Traversable") -> Iterator[Line]:
    """The lines of a JSON Lines file, one at a time, not yet parsed. Raises BadInput where it cannot be read."""
    offset = 0
    try:
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                if raw.strip(b"\xef\xbb\xbf \t\r\n"):
                    yield Line(f"{path}:{number}", offset, raw)
                offset += len(raw)
    except FileNotFoundError:
        raise BadInput("no such file", str(path)) from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", str(path)) from None


def read_records(path: "Path | Traversable", form: type[Form]) -> Iterator[Form]:
    """The records of a JSON Lines file, one at a time. Raises BadInput with file and line."""
    for line in read_lines(path):
        yield parse(form, line.data(), line.where)


def canonical(data: Any) -> str:
    """`data` as JSON text that does not depend on key order. Models count as their fields."""
    return _canonical.encode(data)


@contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """A new text file that takes the place of `path` once all is written, and is removed where that fails."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def fingerprint(*parts: Any) -> str:
    """Sixteen hex digits that change when any part does."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=_plain)


_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")


def _first_fault(form: type[BaseModel], error: ValidationError) -> str:
    """The first fault, an unknown key before all others: a misspelt key also looks like a missing one."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    fault = next((f for f in faults if f["type"] in _UNKNOWN), faults[0])
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] in _UNKNOWN:
        key = str(fault["loc"][-1])
        known = _keys_at(form, fault["loc"][:-1])
        return f"unknown key {place!r}{nearest(key, known) or _listed(known)}"
    shapeless = fault["type"] in ("model_type", "dict_type", "dataclass_type")
    message = "Expected a table of keys and values" if shapeless else fault["msg"].removeprefix("Value error, ")
    return f"{place}: {message[0].lower()}{message[1:]}" if place else message[0].lower() + message[1:]


def _listed(known: list[str]) -> str:
    return f" (known: {', '.join(sorted(known))})" if known else ""


def _keys_at(form: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The known keys of the model that stands at `place` inside `form`."""
    shape: Any = form
    for part in place:
        shape = _shape_at(shape, part)
    return [field.alias or name for name, field in _fields_in(shape).items()]


def _shape_at(shape: Any, part: int | str) -> Any:
    """The annotation of what stands under `part` in what is annotated `shape`."""
    origin = get_origin(shape)
    if isinstance(origin, type) and issubclass(origin, Mapping | Sequence):
        return get_args(shape)[1 if issubclass(origin, Mapping) else 0]
    field = _fields_in(shape).get(str(part))
    return field.annotation if field else shape


def _fields_in(annotation: Any) -> Mapping[str, FieldInfo]:
    """The fields of the first form in what is annotated."""
    if isinstance(annotation, type) and (held := getattr(annotation, "__pydantic_fields__", None)):
        return cast(Mapping[str, FieldInfo], held)
    return next((found for arg in get_args(annotation) if (found := _fields_in(arg))), {})
