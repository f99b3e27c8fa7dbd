"""The engine's cost, measured by hand: `python tests/bench/engine.py [--dialogues N] [--at-once C] [--seconds S] ...`.

Dialogues of five turns a side and a judge's call against a loopback endpoint: held by `duologue run` with the record on
disk and the board on a terminal, and by hand, with the openai SDK and with aiohttp. Prints CPU a call, how much longer
than the ideal it took, and the most memory. Other work on the machine makes everything look slower.
"""

import argparse
import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TURNS, CALLS = 5, 11
"""Turns a side, and calls in a dialogue: those of both sides and the judge's."""
CONTENDERS = {"duologue": "duologue", "sdk": "openai SDK, by hand", "aiohttp": "aiohttp, by hand"}
HEADS = (
    "", "CPU a call", "less start", "of aiohttp", "makespan", "of ideal", "whole", "peak", "at once", "server",
)  # fmt: skip
UNITS = ("dialogues", "ms", "ms", "x", "s", "x", "s", "MB", "calls", "ms")
GROWTH, BRIEF = (400, 1600, 10_000), 0.02
WIDE = (2000, 1000, 1.0)
COMMAND = "from duologue.cli import main; main()"
CAMPAIGN = """
seed = 1
[user]
model = "openai:user"
base_url = "{url}"
[judge]
model = "openai:judge"
base_url = "{url}"
[[assistant]]
name = "plain"
model = "openai:assistant"
base_url = "{url}"
tools = "off"
[select]
sample = {dialogues}
[limits]
concurrency = {at_once}
turns = {turns}
"""


@dataclass(frozen=True, slots=True)
class Load:
    """How many dialogues, how many of them at once, and the seconds that a call takes."""

    dialogues: int
    at_once: int
    seconds: float

    @property
    def calls(self) -> int:
        return CALLS * self.dialogues

    @property
    def ideal(self) -> float:
        """Seconds that the calls take at least."""
        return self.calls * self.seconds / min(self.at_once, self.dialogues)


@dataclass(slots=True)
class Taken:
    """What a process took: CPU and wall clock in seconds, memory in MB, and what the endpoint saw of it."""

    cpu: float
    wall: float
    peak: float
    said: str
    makespan: float = 0.0
    endpoint: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


@contextmanager
def endpoint(seconds: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """An endpoint in a process of its own: its address, and a table that holds what it saw once it is left."""
    seen: dict[str, Any] = {}
    command = [sys.executable, str(HERE / "endpoint.py"), str(seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), seen
        finally:
            seen |= json.loads(process.communicate()[0] or "{}")


def perform(command: Sequence[str], given: str = "") -> Taken:
    """Run a command on a terminal of its own, `given` on its standard input, to its end."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    said, begun = bytearray(), time.time()
    with tempfile.TemporaryFile() as written:
        written.write(given.encode())
        written.seek(0)
        environment = {**os.environ, "TERM": "xterm-256color"}
        process = subprocess.Popen(command, stdin=written, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    reader = threading.Thread(target=_read, args=(ours, said))
    reader.start()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.time() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    os.close(ours)
    taken = Taken(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, said.decode(errors="replace"))
    if process.returncode:
        taken.faults.append(f"exit code {process.returncode}: {taken.said[-2000:]}")
    return taken


def _read(terminal: int, into: bytearray) -> None:
    """Take what is written on a terminal, until nobody has it open any more."""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            return
        if not piece:
            return
        into += piece


def hold(load: Load, extra: Sequence[str]) -> Taken:
    """Have Duologue hold the dialogues, as users do, and look through its record."""
    with tempfile.TemporaryDirectory() as scratch:
        written, folder = Path(scratch) / "bench.toml", Path(scratch) / "run"
        with endpoint(load.seconds) as (url, seen):
            campaign = CAMPAIGN.format(url=url, dialogues=load.dialogues, at_once=load.at_once, turns=TURNS)
            written.write_text(campaign, encoding="utf-8")
            taken = perform([sys.executable, "-c", COMMAND, "run", str(written), "--out", str(folder), *extra])
        taken.endpoint = seen
        taken.faults += examine(folder, load, taken)
    return taken


def by_hand(contender: str, load: Load, bodies: list[str]) -> Taken:
    """The same calls, with the prompts, schemas and parameters of `bodies`, those of one dialogue."""
    with endpoint(load.seconds) as (url, seen):
        command = [sys.executable, str(HERE / "floors.py"), contender, url, str(load.dialogues), str(load.at_once)]
        taken = perform(command, json.dumps(bodies))
    taken.endpoint = seen
    if not taken.faults:
        taken.makespan = float(taken.said)
    taken.faults += miscounted(load, seen)
    return taken


def examine(folder: Path, load: Load, taken: Taken) -> list[str]:
    """What is wrong with the record, if anything; takes the makespan from its first and last time."""
    kinds: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    turns: Counter[tuple[str, str, int]] = Counter()
    scored: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    times = []
    for event in _records(folder, "events"):
        kinds[event["kind"]] += 1
        times.append(event["time"])
        if event["kind"] in ("user_turn", "assistant_turn"):
            turns[event["cell"], event["role"], event["turn"]] += 1
        elif event["kind"] == "cell_ended":
            endings[event["ending"]["reason"]] += 1
    for verdict in _records(folder, "verdicts"):
        times.append(verdict["time"])
        scored[verdict["cell"]] += 1
        if verdict["unscored"]:
            unscored[verdict["unscored"]] += 1
    taken.makespan = max(times, default=0) - min(times, default=0)
    wanted = {
        "dialogues begun": (kinds["cell_started"], load.dialogues),
        "dialogues that came to the limit of turns": (endings["turn_limit"], load.dialogues),
        "drafts discarded": (kinds["user_draft"], 0),
        "turns": (len(turns), 2 * TURNS * load.dialogues),
        "turns told twice": (turns.total() - len(turns), 0),
        "dialogues judged": (len(scored), load.dialogues),
        "dialogues judged twice": (scored.total() - len(scored), 0),
        "verdicts without scores": (unscored.total(), 0),
    }
    faults = [f"{name}: {found}, not {right}" for name, (found, right) in wanted.items() if found != right]
    return [*faults, *([f"endings {dict(endings)}, unscored {dict(unscored)}"] * bool(faults)), *miscounted(
        load, taken.endpoint
    )]  # fmt: skip


def _records(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob(f"{kind}-*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def miscounted(load: Load, seen: dict[str, Any]) -> list[str]:
    """Whether the endpoint was asked as often as there were calls to make."""
    asked = sum(seen.get("asked", {}).values())
    return [f"the endpoint was asked {asked} times, not {load.calls}: {seen.get('asked')}"] * (asked != load.calls)


class Bench:
    """The contenders, each of which holds one dialogue first: what it takes to start is told apart."""

    def __init__(self, extra: Sequence[str]) -> None:
        self._extra = extra
        self._starts: dict[str, float] = {}
        self._bodies: list[str] = self._run("duologue", Load(1, 1, BRIEF)).endpoint.get("kept", [])
        if not self._bodies:
            raise SystemExit("Duologue made no call: there is nothing to compare")

    def measure(self, contender: str, load: Load) -> Taken:
        if contender not in self._starts:
            self._starts[contender] = self._run(contender, Load(1, 1, BRIEF)).cpu
        return self._run(contender, load)

    def row(self, contender: str, load: Load, taken: Taken, floor: Taken | None) -> list[str]:
        """What there is to say of a contender, for the table."""
        begin = self._starts[contender] * (load.calls - CALLS) / load.calls
        yardstick = f"{taken.cpu / floor.cpu:.2f}" if floor else ""
        return [
            f"{CONTENDERS[contender]} {load.dialogues}", f"{1000 * taken.cpu / load.calls:.3f}",
            f"{1000 * (taken.cpu - begin) / load.calls:.3f}", yardstick,
            f"{taken.makespan:.1f}", f"{taken.makespan / load.ideal:.2f}", f"{taken.wall:.1f}", f"{taken.peak:.0f}",
            str(taken.endpoint.get("peak", "")), f"{1000 * taken.endpoint.get('cpu', 0) / load.calls:.3f}",
        ]  # fmt: skip

    def _run(self, contender: str, load: Load) -> Taken:
        taken = hold(load, self._extra) if contender == "duologue" else by_hand(contender, load, self._bodies)
        for fault in taken.faults:
            print(f"{contender}, {load.dialogues} dialogues: {fault}")
        return taken


def told(row: Sequence[str]) -> str:
    """A row of the table: a name, then numbers to the right."""
    return f"{row[0]:<27}" + "".join(f"{cell:>11}" for cell in row[1:])


def show(bench: Bench, title: str, loads: Sequence[Load], contenders: Sequence[str]) -> None:
    """Measure and print one table, cheapest contender first, so that the others can be compared with it."""
    busy = os.getloadavg()[0]
    print(
        f"\n{title}; {loads[0].at_once} at once, {loads[0].seconds:g} s a call; {os.cpu_count()} cores, load {busy:.1f}"
    )
    print(told(HEADS), told(UNITS), sep="\n")
    for load in loads:
        floor = None
        for contender in reversed([name for name in CONTENDERS if name in contenders]):
            taken = bench.measure(contender, load)
            floor = taken if contender == "aiohttp" else floor
            if taken.makespan:
                print(told(bench.row(contender, load, taken, floor)), flush=True)


def main() -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--dialogues", type=int, default=1600)
    reader.add_argument("--at-once", type=int, default=100)
    reader.add_argument("--seconds", type=float, default=0.1, help="how long a call takes")
    reader.add_argument("--only", choices=CONTENDERS, help="measure this contender alone")
    reader.add_argument("--growth", action="store_true", help="Duologue at 400, 1,600 and 10,000 dialogues instead")
    reader.add_argument("--wide", action="store_true", help="2,000 dialogues, 1,000 at once, 1 s a call instead")
    reader.add_argument("--workers", type=int, help="passed on to duologue run; the peak is the largest process's")
    asked = reader.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    bench = Bench(["--workers", str(asked.workers)] if asked.workers else [])
    contenders = [asked.only] if asked.only else list(CONTENDERS)
    if asked.growth:
        loads = [Load(dialogues, asked.at_once, BRIEF) for dialogues in GROWTH]
        show(bench, "growth", loads, [asked.only or "duologue"])
    if asked.wide:
        show(bench, "wide", [Load(*WIDE)], contenders)
    if not asked.growth and not asked.wide:
        show(bench, "engine", [Load(asked.dialogues, asked.at_once, asked.seconds)], contenders)


if __name__ == "__main__":
    main()
