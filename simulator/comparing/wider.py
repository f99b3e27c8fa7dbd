"""Wider runs: what to write on the command line so that a campaign takes more profiles, as it selects them."""

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["of_size", "wider"]


def wider(campaign: Mapping[str, Any], times: float) -> str:
    """What makes the selection of `campaign` so many `times` as large, as far as an option can."""
    chosen = campaign.get("select") or {}
    sizes = {name: size for name in ("profiles", "sample") if isinstance(size := chosen.get(name), int)}
    if sizes:
        return " ".join(f"--set select.{name}={math.ceil(size * times)}" for name, size in sizes.items())
    named = next((name for name in ("profiles", "tasks", "domains") if chosen.get(name)), "")
    return f"name more in select.{named}" if named else "take data with more profiles"


def of_size(profiles: int, tasks: int, trials: int) -> str:
    """What makes a campaign take so many profiles with so many tasks each, and so many trials of these."""
    told = f"--set select.profiles={profiles} --set select.sample={profiles * tasks}"
    return told + (f" --set trials={trials}" if trials > 1 else "")
