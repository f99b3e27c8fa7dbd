"""Benches against the loopback server: small data, a plan, and the record."""

import json
from pathlib import Path
from typing import Any

from tests.simulator.bench.personafeedback.made_up import planned, write_release

from duologue.bench.plan import Plan

__all__ = ["CASES", "A", "B", "answers", "plan_for", "settle"]

A, B = '{"choice": "A"}', '{"choice": "B"}'
CASES = 4
"""Two questions each."""


def plan_for(folder: Path, server: Any, model: str = f"say:{A}", **changes: Any) -> Plan:
    """A bench of CASES cases in `folder`, asked of a model of the server, one call at a time."""
    data = folder / "data"
    if not data.exists():
        write_release(data, {"general/easy": CASES})
    limits = {"concurrency": 1, "tries": 1, "backoff": 0.001, **changes.pop("limits", {})}
    spec = {"model": model, "base_url": server.base_url, **changes.pop("spec", {})}
    return planned(data, limits=limits, **changes).changed(models={"model": spec})


def answers(folder: Path) -> list[dict[str, Any]]:
    """Every line of the record, in the order of its files."""
    files = sorted(folder.glob("answers-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def settle(folder: Path, keep: int, torn: str = "") -> None:
    """Leave as much of the record as a process that was killed had written: `keep` lines, and a part of one."""
    (file,) = folder.glob("answers-*.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:keep]) + torn, encoding="utf-8")
