"""Reading runs, measured by hand: `python tests/bench/reading.py [--dialogues N] [--keep FOLDER]`.

Holds a few dialogues of the references, copies their record under new ids up to N dialogues (judged too, by a scripted
judge), and prints the CPU seconds and the most memory of commands on it, each in a process of its own: those that find
no index first.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

COMMAND = "from duologue.cli import main; main()"
SCORES = {
    "success": "yes", "personalisation": 3, "user_naturalness": 4, "user_coherence": 4, "assistant_naturalness": 5,
    "assistant_coherence": 5,
}  # fmt: skip
STEPS = (
    ("list, no index", ("list", ".")),
    ("list", ("list", ".")),
    ("show", ("show", "./many")),
    ("show --json", ("show", "./many", "--json")),
    ("show, filtered", ("show", "./many", "--where", "state_success=no")),
    ("show --failed", ("show", "./many", "--failed")),
    ("show DIALOGUE", ("show", "./many", "7")),
    ("compare", ("compare", "./many", "--json")),
    ("show, no index, no summary", ("show", "./many")),
)
PEAK = """
import atexit, os
if os.path.exists("/proc/self/status"):
    atexit.register(lambda: open(os.environ["PEAK"], "w").write(open("/proc/self/status").read()))
"""
"""Has a process tell of its own memory: what is told of a child by the system also counts what its parent held."""


def measure(folder: Path, *arguments: str) -> tuple[float, float, int]:
    """CPU seconds, the most memory in MB, and the exit code of a command."""
    with tempfile.NamedTemporaryFile() as told:
        process = subprocess.Popen(
            [sys.executable, "-c", PEAK + COMMAND, *arguments],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PEAK": told.name},
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        own = re.search(rb"VmHWM:\s*(\d+)", told.read())
    most = int(own[1]) if own else used.ru_maxrss
    return used.ru_utime + used.ru_stime, most / 1024, process.returncode


def held(folder: Path, scenarios: int) -> Path:
    """A run of the references, judged by a script."""
    answer = {name: {"reason": "so", "turn": 1, "quote": "I", "score": score} for name, score in SCORES.items()}
    (folder / "judge.toml").write_text(f"replies = ['''{json.dumps(answer)}''']", encoding="utf-8")
    sets = [f"select.sample={scenarios}", f"judge.model=scripted:{folder / 'judge.toml'}"]
    flags = [flag for each in sets for flag in ("--set", each)]
    command = [sys.executable, "-c", COMMAND, "run", "references", *flags, "--out", "few"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "few"


def copied(few: Path, many: Path, dialogues: int) -> None:
    """Write the record of `few` into `many` under new ids, again and again, up to so many dialogues."""
    many.mkdir()
    manifest = json.loads((few / "run.json").read_text(encoding="utf-8"))
    (many / "run.json").write_text(json.dumps({**manifest, "cells": dialogues}), encoding="utf-8")
    for kind in ("events", "verdicts"):
        lines: dict[str, list[str]] = defaultdict(list)
        for line in (few / f"{kind}-0001.jsonl").read_text(encoding="utf-8").splitlines():
            lines[json.loads(line)["cell"]].append(line)
        with (many / f"{kind}-0001.jsonl").open("w", encoding="utf-8") as file:
            for cell, place in _cells(list(lines), dialogues):
                file.writelines(f"{each}\n" for each in _renamed(lines[cell], cell, place, len(lines)))


def _cells(cells: list[str], dialogues: int) -> Iterator[tuple[str, int]]:
    for place in range(dialogues):
        yield cells[place % len(cells)], place


def _renamed(lines: list[str], cell: str, place: int, of: int) -> Iterator[str]:
    for line in lines:
        yield line.replace(cell, f"{place:016x}").replace('"profile":"', f'"profile":"{place // of}-', 1)


def main() -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--dialogues", type=int, default=10_000)
    reader.add_argument("--scenarios", type=int, default=25, help="how many are held, with four assistants each")
    reader.add_argument("--keep", type=Path, help="leave the run there")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep.absolute() if asked.keep else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "many").exists():
            copied(held(folder, asked.scenarios), folder / "many", asked.dialogues)
        size = sum(path.stat().st_size for path in (folder / "many").iterdir()) / 1e6
        print(f"{asked.dialogues:,} dialogues, {size:,.0f} MB; load {os.getloadavg()[0]:.1f}")
        for name, arguments in STEPS:
            if "no index" in name:
                (folder / "many" / "index.jsonl").unlink(missing_ok=True)
            seconds, most, code = measure(folder, *arguments)
            print(f"{name:28} {seconds:6.2f} s CPU {most:6.0f} MB{f'  exit code {code}' if code else ''}", flush=True)


if __name__ == "__main__":
    main()
