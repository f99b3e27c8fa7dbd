"""What commands print: a view for people, JSON for scripts."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["JSON", "RUN", "emit", "place", "run_folder"]

JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
RUN = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's folder, its name under runs/, or `last`.", show_default=False)
]

LONG = 1000
"""Items from which a list is printed line by line."""


def emit(value: Any, as_json: bool, view: "Callable[[], RenderableType]") -> None:
    """Print `value` as JSON, or else its view."""
    if as_json:
        sys.stdout.writelines(_json(value))
        sys.stdout.write("\n")
    else:
        from duologue.views.console import console

        console().print(view())


def place(name: str | Path) -> Path:
    """Where to write. Raises BadInput for an empty name, which would be the folder that one is in."""
    from duologue.tasks.faults import BadInput

    if not str(name).strip():
        raise BadInput("an empty name is no place to write to", then="Name a folder, or write . for this one")
    return Path(name)


def run_folder(name: str) -> Path:
    """The folder of the run or the bench that `name` means. Raises BadInput with the nearest known name."""
    from duologue.tasks.written import BadInput, nearest

    held = [*Path("runs").glob("*/run.json"), *Path("runs").glob("*/bench.json")]
    known = {path.parent.name: path.parent for path in sorted(held, key=_age)}
    if name == "last":
        if not known:
            raise BadInput("no run yet", Path("runs"), "Make one: duologue run quickstart")
        return list(known.values())[-1]
    if (Path(name) / "run.json").exists() or name not in known:
        path = Path(name)
        if not path.is_dir():
            raise BadInput(f"no run {name!r}{nearest(name, list(known))}", then="See the runs: duologue list")
        return path
    return known[name]


def _age(path: Path) -> float:
    return path.stat().st_mtime


def _json(value: Any) -> Iterator[str]:
    """`value` as JSON, in parts. Long lists have an item a line, made when its turn comes."""
    if isinstance(value, dict) and any(isinstance(each, Sequence) and len(each) > LONG for each in value.values()):
        for place, (key, each) in enumerate(value.items()):
            yield f"{',' if place else '{'}\n{json.dumps(key)}: "
            yield from _json(each)
        yield "\n}"
    elif isinstance(value, list | tuple) and len(value) > LONG:
        for place, each in enumerate(value):
            yield f"{',' if place else '['}\n{_line(each)}"
        yield "\n]"
    else:
        yield json.dumps(_plain(value), indent=1, ensure_ascii=True)


def _line(value: Any) -> str:
    from pydantic import BaseModel

    text = value.model_dump_json() if isinstance(value, BaseModel) else ""
    return text if text and text.isascii() else json.dumps(_plain(value), ensure_ascii=True)


def _plain(value: Any) -> Any:
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
