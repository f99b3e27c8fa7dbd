"""A run through a server that fails in every way ends the same, however often it is killed, the disk is full, or the
clock jumps."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench import soak

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs POSIX limits and a clock shared by processes")

LOAD = soak.Load(dialogues=32, kills=2, faults=0.2, seed=5, at_once=16, patience=3.0)
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
from duologue.cli import main
main()
"""
JUMPING = """
import random, time
real, draw = time.time, random.Random(1)
time.time = lambda: real() + draw.choice((-86400, -5, 0, 5, 86400))
from duologue.cli import main
main()
"""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> soak.Soaked:
    """The undisturbed run."""
    return soak.soak(LOAD, tmp_path_factory.mktemp("soak") / "calm")


def test_killed_twice_while_the_clock_jumps_it_ends_as_an_undisturbed_one(calm: soak.Soaked, tmp_path: Path) -> None:
    lines = sum(1 for _ in soak.records(calm.folder, "events"))
    killed = soak.soak(replace(LOAD, code=JUMPING), tmp_path / "killed", [lines // 3, 2 * lines // 3])
    assert len(killed.kills) == 2
    assert {what: faults for what, faults in soak.compare(LOAD, calm, killed).items() if faults} == {}
    assert len(calm.given["passing"]) > 8 and len(calm.given["kinds"]) > 4
    assert len(soak.read(calm.folder).cells) == LOAD.cells == 32
    times = [event["time"] for event in soak.records(killed.folder, "events")]
    assert max(times) - min(times) > 86400
    assert all(event.get("seconds", 0) >= 0 for event in soak.records(killed.folder, "events"))
    shown = performed(JUMPING, ["show", str(killed.folder)])
    assert shown.returncode == 0, shown.stderr


def test_a_disk_that_is_full_in_the_middle_of_a_line_loses_nothing(calm: soak.Soaked, tmp_path: Path) -> None:
    room = (calm.folder / "events-0001.jsonl").stat().st_size // 2
    with soak.server(LOAD) as (url, _):
        folder = tmp_path / "run"
        command = "run", str(soak.written(LOAD, url, tmp_path)), "--out", str(folder)
        stopped = performed(FULL.format(room=room), command)
        assert stopped.returncode == 3 and "Make room, then: duologue resume" in stopped.stderr, stopped.stderr
        assert (folder / "events-0001.jsonl").stat().st_size == room
        assert performed(soak.CODE, ["resume", str(folder)]).returncode in soak.DONE
    record = soak.read(folder)
    assert record.faults == []
    assert list(soak.unlike(soak.read(calm.folder), record)) == []


def performed(code: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False)
