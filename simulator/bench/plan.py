"""The plan of a bench: which protocol, over which data, with which models. It is what `bench.json` holds."""

import json
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import Field

from duologue.agents.models.call import CallLimits
from duologue.agents.models.door import ModelSpec
from duologue.money.prices import Prices
from duologue.record.store import write_once
from duologue.tasks.written import BadInput, Written, parse

__all__ = ["FILE", "Limits", "Manifest", "Plan", "begin", "check_same", "is_bench", "read_manifest"]

FILE = "bench.json"


class Limits(CallLimits):
    """How much at once, how long, how often. Times in seconds."""

    concurrency: int = Field(default=4, ge=1, le=100_000)
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What the bench may cost in all, in the currency of the prices."""


class Plan(Written):
    """What to ask of whom. What is chosen of a protocol stands in `options`, which that protocol checks."""

    bench: str
    data: str
    """A file or a folder."""
    models: dict[str, ModelSpec]
    """By role: `model`, the one under test, and whoever else the protocol needs, such as `judge`."""
    options: dict[str, Any] = Field(default_factory=dict)
    seed: int = 0
    sample: int | None = Field(default=None, ge=1)
    """How many items, drawn by the seed; all of them where it is left out."""
    limits: Limits = Limits()
    prices: Prices = Prices()


class Manifest(Written):
    """`bench.json`: the plan, and what it was made of. Only limits and prices may change when it is gone on with."""

    v: int = 1
    duologue: str
    """The version of Duologue."""
    started: float
    plan: Plan
    contents: str
    """The fingerprint of the data's items that are used, and of the prompts."""


def is_bench(folder: Path) -> bool:
    """Whether a bench was performed in `folder`."""
    return (folder / FILE).is_file()


def read_manifest(folder: Path) -> Manifest:
    """The `bench.json` of a folder. Raises BadInput where it is none."""
    path = folder / FILE
    try:
        return parse(Manifest, json.loads(path.read_text(encoding="utf-8")), path)
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None


def begin(plan: Plan, contents: str, folder: Path) -> None:
    """Write what the folder holds: the bench, or the limits and prices with which it is gone on with.

    Raises as `check_same` does.
    """
    made = Manifest(duologue=version("duologue"), started=time.time(), plan=plan, contents=contents)
    if is_bench(folder):
        check_same(plan, contents, folder)
        made = read_manifest(folder).model_copy(update={"plan": plan})
    write_once(folder / FILE, made.model_dump(mode="json"))


def check_same(plan: Plan, contents: str, folder: Path) -> None:
    """Raises BadInput where the folder holds another bench than `plan`, or was made of other data or prompts."""
    kept = read_manifest(folder)
    ours, theirs = (each.model_dump(mode="json", exclude={"limits", "prices"}) for each in (plan, kept.plan))
    unlike = [f"{name}: {theirs[name]} -> {ours[name]}" for name in ours if ours[name] != theirs[name]]
    if unlike:
        raise BadInput(f"holds another bench: {'; '.join(unlike)}", folder, "Name another folder with --out")
    if kept.contents != contents:
        raise BadInput(
            "the data or the prompts have changed since it began", folder, "Put them back, or begin anew with --out"
        )
