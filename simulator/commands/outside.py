"""What `duologue judge` does about a file or folder of dialogues that were held elsewhere: it makes them a run."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duologue.outside.bringing import Origin

__all__ = ["brought_in", "is_from_outside"]

SHOWN = 5
"""Dialogues left out that are told one by one."""


def is_from_outside(name: str) -> bool:
    """Whether `name` means dialogues and no run: a file, or a folder that is no run and has not the name of one."""
    path = Path(name)
    if path.is_dir():
        return not (path / "run.json").exists() and not (Path("runs") / name / "run.json").exists()
    return path.is_file() or path.suffix.lower() in (".json", ".jsonl", ".ndjson")


def brought_in(place: Path, to: Path | None, data: str, judge: Mapping[str, str]) -> Path:
    """The folder of the run that the dialogues in `place` make: the one that they made before, or a new one.

    `judge` is what was asked for of the judge. Raises BadInput where no model is named for a new run.
    """
    import asyncio

    from duologue.campaign import JudgeSpec
    from duologue.outside.bringing import bring_in, brought_before
    from duologue.run import new_folder
    from duologue.tasks.written import BadInput, parse

    if not place.exists():
        raise BadInput("no such file", place)
    runs = [to] if to else [path.parent for path in sorted(Path("runs").glob("*/run.json"))]
    if before := brought_before(place, data, runs):
        _say(f"{place} was brought in before, as {before}.")
        return before
    written = {key: value for key, value in judge.items() if value}
    if not written.get("model"):
        then = f"Name one: duologue judge {shlex.quote(str(place))} --model MODEL"
        raise BadInput("no model is named to judge these dialogues", place, then)
    folder = to or new_folder(place.absolute().stem)
    origin = asyncio.run(bring_in(place, folder, parse(JudgeSpec, written, "judge"), data))
    _tell(origin, folder)
    return folder


def _tell(origin: "Origin", folder: Path) -> None:
    """What was taken, and what was not."""
    from duologue.outside.bringing import ORIGIN
    from duologue.outside.told import READ
    from duologue.views.text import count

    files = f" in {count(origin.files, 'file')}" if origin.files > 1 else ""
    _say(f"Brought in {count(origin.dialogues, 'dialogue')}{files} as {folder}.")
    if origin.system:
        _say(f"{count(origin.system, 'message')} of the system left out: a judge is not told what an assistant was.")
    if origin.unread:
        keys = ", ".join(list(origin.unread)[:SHOWN])
        _say(f"Not read, since nothing is known of them: {keys}{', …' if len(origin.unread) > SHOWN else ''}.")
        _say(f"What is read: {'; '.join(f'{what} under {_either(names)}' for what, names in READ.items())}.", fold=True)
    for sentence in origin.left_out[:SHOWN]:
        _say(f"left out: {sentence}")
    if len(origin.left_out) > SHOWN:
        _say(f"left out: {len(origin.left_out) - SHOWN} more, all told in {folder / ORIGIN}")


def _either(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _say(sentence: str, *, fold: bool = False) -> None:
    """Print `sentence` as it is, or folded at the width where it is a long one."""
    from duologue.views.console import console
    from duologue.views.text import plain

    console(stderr=True).print(plain(sentence), soft_wrap=not fold)
