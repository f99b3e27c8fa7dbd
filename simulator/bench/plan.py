"""The plan of a bench: which protocol, over which data, with which models. It is what `bench.json` holds."""

from typing import Any

from pydantic import Field

from duologue.agents.models.call import CallLimits
from duologue.agents.models.door import ModelSpec
from duologue.prices import Prices
from duologue.tasks.written import Written

__all__ = ["Limits", "Manifest", "Plan"]


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
