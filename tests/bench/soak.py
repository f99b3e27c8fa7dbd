"""The engine's soak: `python -m tests.bench.soak [--dialogues N] [--kills K] [--faults SHARE] [--seed S]`.

A run through a server that answers a share of its calls with faults of all kinds, killed at random moments and gone
on with until it is done, beside an undisturbed one. Prints what was found in a table, and ends with 1 where a dialogue
is lost, told twice, ended for another reason than the server gave it, or differs between the two.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.soaked import TURNS, misjudged, read, records, unlike

ROOT = Path(__file__).parents[2]
CODE = "from duologue.cli import main; main()"
DONE = (0, 3)
"""Exit codes of a run that was finished: well, or with too many dialogues without scores."""
TRIALS, ASSISTANTS = 2, 2
GROUP = 0.25
"""Seconds within which whatever was said is on disk."""
SLACK = 0.75
"""What a busy machine may add to that, and how late the server may take up a call."""
CAMPAIGN = """
name = "soak"
seed = {seed}
trials = {trials}
[user]
model = "openai:user"
base_url = "{url}"
[judge]
model = "openai:judge"
base_url = "{url}"
[[assistant]]
name = "plain"
model = "openai:plain"
base_url = "{url}"
tools = "off"
[[assistant]]
name = "acts"
model = "openai:acts"
base_url = "{url}"
tools = "native"
[select]
sample = {sample}
[limits]
concurrency = {at_once}
turns = {turns}
failures = 1
backoff = 0.02
backoff_cap = 0.2
first_byte = {first_byte}
call = {call}
workers = {workers}
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What is to be done, and how it is to be disturbed."""

    dialogues: int
    kills: int
    faults: float
    seed: int
    at_once: int = 50
    workers: int = 1
    patience: float = 6.0
    """Seconds for a call; half of it for the first byte."""
    code: str = CODE
    """What performs a command of Duologue's."""

    @property
    def command(self) -> tuple[str, ...]:
        return sys.executable, "-c", self.code

    @property
    def sample(self) -> int:
        return max(1, self.dialogues // (TRIALS * ASSISTANTS))

    @property
    def cells(self) -> int:
        return self.sample * TRIALS * ASSISTANTS


@dataclass(slots=True)
class Soaked:
    """One run to its end: its folder, what the server gave, and how often and when it was killed."""

    folder: Path
    seconds: float = 0.0
    given: dict[str, Any] = field(default_factory=dict)
    kills: list[tuple[float, float]] = field(default_factory=list)
    """When each kill began and was over, on the machine's monotonic clock."""
    faults: list[str] = field(default_factory=list)

    @property
    def kill_costs(self) -> list[tuple[int, int]]:
        """For each kill, the calls in flight, and those answered so shortly before that they need not be on disk."""
        times = [span for spans in self.given["paid"].values() for span in spans]
        flight = [sum(begun <= over + SLACK and kill <= ended for begun, ended in times) for kill, over in self.kills]
        late = [sum(kill - GROUP - SLACK <= ended < kill for _, ended in times) for kill, _ in self.kills]
        return list(zip(flight, late, strict=True))

    @property
    def paid_again(self) -> dict[str, list[list[float]]]:
        return {key: spans for key, spans in self.given["paid"].items() if len(spans) > 1}


@contextmanager
def server(load: Load) -> Iterator[tuple[str, dict[str, Any]]]:
    """A server with a fault plan in a process of its own: its address, and what it gave once it is left."""
    given: dict[str, Any] = {}
    command = [sys.executable, "-m", "tests.servers.fault_plan", "--seed", str(load.seed), "--share", str(load.faults)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), given
        finally:
            given |= json.loads(process.communicate()[0] or "{}")


def soak(load: Load, place: Path, kill_at: Sequence[int] = ()) -> Soaked:
    """Run the campaign, killing it whenever its record has so many lines, and go on with it until it is done."""
    place.mkdir()
    done, begun = Soaked(place / "run"), time.monotonic()
    with server(load) as (url, given):
        command = [*load.command, "run", str(written(load, url, place)), "--out", str(done.folder)]
        for lines in kill_at:
            if (killed := _killed(command, done, lines)) is None:
                break
            done.kills.append(killed)
            command = [*load.command, "resume", str(done.folder)]
        else:
            code, said = _finished(command, done)
            done.faults += [f"exit code {code}: {said[-1500:]}"] * (code not in DONE)
    done.seconds, done.given = time.monotonic() - begun, given
    (place / "given.json").write_text(json.dumps([done.kills, given]), encoding="utf-8")
    return done


def written(load: Load, url: str, place: Path) -> Path:
    """The campaign's file, in `place`."""
    fields = {"url": url, "trials": TRIALS, "turns": TURNS, "call": load.patience, "first_byte": load.patience / 2}
    known = {"seed": load.seed, "sample": load.sample, "at_once": load.at_once, "workers": load.workers}
    file = place / "soak.toml"
    file.write_text(CAMPAIGN.format(**fields, **known), encoding="utf-8")
    return file


def _killed(command: Sequence[str], done: Soaked, lines: int) -> tuple[float, float] | None:
    """Begin, and kill when the record has so many lines: from when to when. None where it came to its end before."""
    with (done.folder.parent / "said").open("ab") as said:
        process = subprocess.Popen(command, cwd=done.folder.parent, stdout=said, stderr=said)
    try:
        while _lines(done.folder) < lines:
            if process.poll() is not None:
                done.faults += [f"exit code {process.returncode} before it was killed"] * (
                    process.returncode not in DONE
                )
                return None
            time.sleep(0.005)
        begun = time.monotonic()
        process.kill()
        process.wait()
        return begun, time.monotonic()
    finally:
        process.kill()
        process.wait()


def _finished(command: Sequence[str], done: Soaked) -> tuple[int, str]:
    told = subprocess.run(
        command, cwd=done.folder.parent, capture_output=True, text=True, encoding="utf-8", check=False
    )
    with (done.folder.parent / "said").open("a", encoding="utf-8") as said:
        said.write(told.stdout + told.stderr)
    return told.returncode, told.stdout + told.stderr


_COUNTED: dict[Path, tuple[int, int]] = {}
"""By file, how far its lines have been counted, and how many there are."""


def _lines(folder: Path) -> int:
    total = 0
    for path in folder.glob("events-*.jsonl"):
        at, lines = _COUNTED.get(path, (0, 0))
        with path.open("rb") as file:
            file.seek(at)
            grown = file.read()
        _COUNTED[path] = at + len(grown), lines + grown.count(b"\n")
        total += _COUNTED[path][1]
    return total


def overpaid(run: Soaked) -> Iterator[str]:
    """Calls that were paid for again although no kill can have lost their answer, nor a standstill of the machine have
    kept it back."""
    for key, spans in run.paid_again.items():
        for begun, ended in spans[:-1]:
            if any(begun - 1 <= stop and start <= ended + 1 for start, stop in run.given["stalls"]):
                continue
            if not any(begun <= over + SLACK and kill - GROUP - SLACK <= ended for kill, over in run.kills):
                off = min((abs(kill - ended) for kill, _ in run.kills), default=0.0)
                yield f"call {key} was answered {off:.2f} s off any kill, and made again"


def compare(load: Load, calm: Soaked, killed: Soaked) -> dict[str, list[str]]:
    """What is wrong, by what it is about."""
    found: dict[str, list[str]] = {"exit codes": [*calm.faults, *killed.faults]}
    read_back = {"undisturbed": (calm, read(calm.folder)), "killed": (killed, read(killed.folder))}
    for name, (run, record) in read_back.items():
        lost = load.cells - len(record.cells)
        found[f"{name}: lost or told twice"] = [f"{lost} dialogues are lost"] * bool(lost) + record.faults
        found[f"{name}: reasons and owners"] = list(misjudged(load.seed, record, run.given["final"]))
        found[f"{name}: paid again for nothing"] = list(overpaid(run))
    found["killed: paid again, more than in flight"] = [
        f"{len(killed.paid_again)} calls, {sum(map(sum, killed.kill_costs))} in flight or not on disk yet"
    ] * (len(killed.paid_again) > sum(map(sum, killed.kill_costs)))
    found["asked on after a final fault"] = [f"{calm.given['repeated_final']} times"] * bool(
        calm.given["repeated_final"]
    )
    found["differences between the two"] = list(unlike(read_back["undisturbed"][1], read_back["killed"][1]))
    return found


def show(load: Load, calm: Soaked, killed: Soaked, found: Mapping[str, Sequence[str]]) -> None:
    """The table."""
    print(f"\n{load.cells} dialogues, {load.faults:.0%} faults, seed {load.seed}, {load.workers} workers")
    print(f"{'':<32}{'undisturbed':>12}{'killed':>12}")
    ends = [Counter(e["ending"]["reason"] for e in records(r.folder, "events") if e["kind"] == "cell_ended")
            for r in (calm, killed)]  # fmt: skip
    rows: list[tuple[str, Any, Any]] = [
        ("seconds", f"{calm.seconds:.0f}", f"{killed.seconds:.0f}"),
        ("times killed", 0, len(killed.kills)),
        *((name, calm.given[key], killed.given[key]) for name, key in (("calls", "asked"), ("requests", "requests"))),
        ("  answered", *(len(run.given["paid"]) for run in (calm, killed))),
        ("  paid again", *(len(run.paid_again) for run in (calm, killed))),
        ("  in flight at kills", 0, sum(flight for flight, _ in killed.kill_costs)),
        ("  answered just before", 0, sum(late for _, late in killed.kill_costs)),
        ("  standstills of the machine", *(len(run.given["stalls"]) for run in (calm, killed))),
        ("faults that pass", *(sum(run.given["passing"].values()) for run in (calm, killed))),
        *((f"  {kind}", *(r.given["passing"].get(kind, 0) for r in (calm, killed))) for kind in calm.given["passing"]),
        ("final faults", *(sum(run.given["kinds"].values()) for run in (calm, killed))),
        *((f"  {kind}", *(r.given["kinds"].get(kind, 0) for r in (calm, killed))) for kind in calm.given["kinds"]),
        ("uncommon answers", *(sum(run.given["odd"].values()) for run in (calm, killed))),
        ("dialogues ended", *(end.total() for end in ends)),
        *((f"  {reason}", *(end[reason] for end in ends)) for reason in sorted(ends[0] | ends[1])),
    ]
    for name, one, other in rows:
        print(f"{name:<32}{one!s:>12}{other!s:>12}")
    print("\nwrong:")
    for what, faults in found.items():
        print(f"  {what:<42}{len(faults):>6}")
        for fault in faults[:5]:
            print(f"    {fault}")


def both(load: Load, place: Path) -> tuple[Soaked, Soaked, dict[str, list[str]]]:
    """An undisturbed run, one that is killed, and what is wrong."""
    calm = soak(load, place / "undisturbed")
    total = sum(1 for _ in records(calm.folder, "events"))
    draw = random.Random(load.seed)
    moments = sorted(draw.randint(total // 20, total * 19 // 20) for _ in range(load.kills))
    killed = soak(load, place / "killed", moments)
    return calm, killed, compare(load, calm, killed)


def main() -> int:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--dialogues", type=int, default=3000)
    reader.add_argument("--kills", type=int, default=5)
    reader.add_argument("--faults", type=float, default=0.2, help="the share of calls that meet one")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--workers", type=int, default=1)
    reader.add_argument("--at-once", type=int, default=50)
    reader.add_argument("--keep", type=Path, help="leave both runs in this folder, which must be new")
    asked = reader.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    load = Load(asked.dialogues, asked.kills, asked.faults, asked.seed, asked.at_once, asked.workers)
    with tempfile.TemporaryDirectory() as scratch:
        place = asked.keep or Path(scratch) / "soak"
        place.mkdir()
        calm, killed, found = both(load, place)
        show(load, calm, killed, found)
    return int(any(found.values()) or len(killed.kills) < load.kills)


if __name__ == "__main__":
    os.environ.pop("OPENAI_BASE_URL", None)
    sys.exit(main())
