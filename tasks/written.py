"""Written forms: what stands in files, and how a fault in one is told.

Every form is a frozen pydantic model that refuses unknown keys and names the nearest known one.
Files are UTF-8 whatever the locale says.
"""

import difflib
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

__all__ = ["BadInput", "Written", "canonical", "fingerprint", "nearest", "parse", "read_records", "read_toml"]


Form = TypeVar("Form", bound="Written")


class BadInput(Exception):
    """What a person gave cannot be used.

    The message says what is wrong, where, and what to type next, in one or two lines.
    """

    def __init__(self, what: str, where: str | Path = "", then: str = "") -> None:
        self.what, self.where, self.then = what, str(where), then
        head = f"{self.where}: {what}" if self.where else what
        super().__init__(f"{head}. {then}".strip() if then else head)


class Written(BaseModel):
    """Base of every written form: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **values: Any) -> Self:
        """A copy with some fields replaced, checked again."""
        return self.model_validate({**self.model_dump(), **values})


def nearest(word: str, known: Iterator[str] | list[str] | tuple[str, ...] | Mapping[str, Any]) -> str:
    """`, did you mean 'x'?` for the known word nearest to `word`, or an empty string."""
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f", did you mean {folded[close[0]]!r}?" if close else ""


def parse(form: type[Form], data: Any, where: str | Path) -> Form:
    """`data` as a `form`. Raises BadInput that names the first faulty key."""
    try:
        return form.model_validate(data)
    except ValidationError as error:
        raise BadInput(_first_fault(form, error), where) from None


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file. Raises BadInput where there is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BadInput("no such file", path) from None
    except IsADirectoryError:
        raise BadInput("is a folder, not a file", path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"is not valid TOML: {error}", path) from None


def read_records(path: Path, form: type[Form]) -> Iterator[Form]:
    """The records of a JSON Lines file, one at a time. Raises BadInput with file and line."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield parse(form, _json(line, f"{path}:{number}"), f"{path}:{number}")
    except FileNotFoundError:
        raise BadInput("no such file", path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None


def canonical(data: Any) -> str:
    """`data` as JSON text that does not depend on key order. Models count as their fields."""
    return json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=_plain)


def fingerprint(*parts: Any) -> str:
    """Sixteen hex digits that change when any part does."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


def _json(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise BadInput(f"is not valid JSON: {error}", where) from None


def _first_fault(form: type[BaseModel], error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        key = str(fault["loc"][-1])
        return f"unknown key {place!r}{nearest(key, _keys_at(form, fault['loc'][:-1]))}"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {message[0].lower()}{message[1:]}" if place else message


def _keys_at(form: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The known keys of the model that stands at `place` inside `form`."""
    model: type[BaseModel] | None = form
    for part in place:
        if model is None or not isinstance(part, str):
            continue
        field = model.model_fields.get(part)
        model = _model_in(field.annotation) if field else model
    return [f.alias or n for n, f in model.model_fields.items()] if model else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)
