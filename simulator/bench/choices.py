"""Choices: how the words of a command become the plan of a bench."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from duologue.agents.models.door import ModelSpec, placed
from duologue.bench.plan import Limits, Plan
from duologue.tasks.written import BadInput, parse

__all__ = ["plan_of"]


def plan_of(
    name: str,
    data: Path,
    models: Mapping[str, str],
    base_url: str,
    sets: Iterable[str],
    sample: int | None,
    seed: int,
    concurrency: int,
    budget: float | None,
) -> Plan:
    """The plan that a command asks for. `sets` are `key=value`: options of the protocol, or `ROLE.model=...` and so on
    for a role's model. Raises BadInput."""
    specs = {role: {"model": model, "base_url": base_url} for role, model in models.items()}
    options: dict[str, Any] = {}
    for each in sets:
        key, between, value = each.partition("=")
        if not between or not key.strip():
            raise BadInput(f"{each!r} sets nothing", "--set", "Write it like --set setting=none")
        role, dot, field = key.strip().partition(".")
        if dot:
            specs.setdefault(role, {"base_url": base_url})[field] = _value(value)
        else:
            options[role] = _value(value)
    for spec in specs.values():
        if isinstance(model := spec.get("model"), str):
            spec["model"] = placed(model, Path.cwd())
    return Plan(
        bench=name,
        data=str(data.absolute()),
        models={role: parse(ModelSpec, spec, f"{role} of the bench") for role, spec in specs.items()},
        options=options,
        seed=seed,
        sample=sample,
        limits=Limits(concurrency=concurrency, budget=budget),
    )


def _value(written: str) -> Any:
    """The value as TOML reads it, or the text itself."""
    try:
        return tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        return written.strip()
