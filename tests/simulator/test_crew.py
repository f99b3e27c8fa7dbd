"""Crews: several processes share a run, and nothing depends on how many."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.records import stored
from tests.simulator.test_run import artefacts, campaign, start, wait_for_events

from duologue.listener import Listener
from duologue.record.run import read_run
from duologue.run import judge_again, resume, run
from duologue.scores import summary
from duologue.tasks.written import BadInput

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
OPENERS = "scripted:" + "|".join(f"I would like film number {n}." for n in range(9))


class Notes(Listener):
    """Keeps what is told of a run as a whole, and counts the rest."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.heard = 0

    def event(self, event: Any) -> None:
        self.heard += 1

    def note(self, text: str) -> None:
        self.notes.append(text)


def told(done: Any) -> dict[str, Any]:
    """A summary but for its folder and times."""
    said = summary(done).model_dump(exclude={"folder": True, "elapsed": True})
    for each in said["assistants"]:
        del each["seconds"], each["metrics"]["seconds"]
    return said


async def test_results_do_not_depend_on_how_many_workers_there_are(tmp_path: Path) -> None:
    heard = Notes()
    one, three = [
        await run(
            campaign(user={"model": OPENERS}, limits={"workers": n, "turns": 4, "concurrency": 5}),
            tmp_path / str(n),
            [heard],
        )
        for n in (1, 3)
    ]
    assert artefacts(one) == artefacts(three)
    assert told(one) == told(three)
    assert len(list((tmp_path / "3").glob("events-*.jsonl"))) == 3
    assert heard.heard == 2 * sum(len(dialogue.events) for dialogue in stored(one))
    assert read_run(tmp_path / "3").dialogues == three.dialogues


async def test_openers_are_shared_and_kept_across_workers_and_parts(tmp_path: Path) -> None:
    whole = await run(campaign(user={"model": OPENERS}, limits={"turns": 2}), tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "run.json").write_bytes((tmp_path / "whole" / "run.json").read_bytes())
    lines = (tmp_path / "whole" / "events-0001.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "events-0001.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    assert artefacts(await resume(cut, workers=2)) == artefacts(whole)


async def test_workers_judge_what_lacks_a_verdict(tmp_path: Path) -> None:
    whole = await run(campaign(limits={"workers": 2}), tmp_path / "r")
    expected = artefacts(whole)
    for file in (tmp_path / "r").glob("verdicts-*.jsonl"):
        file.unlink()
    done, _ = await judge_again(tmp_path / "r")
    assert artefacts(done) == expected


async def test_what_a_function_prints_does_not_disturb_a_crew(tmp_path: Path) -> None:
    code = "import os\ndef reply(messages):\n    print('{}')\n    os.write(1, b'{\\n')\n    return 'Noted.'\n"
    (tmp_path / "loud.py").write_text(code, encoding="utf-8")
    loud = [{"name": "loud", "callable": "loud:reply"}]
    done = await run(campaign(assistant=loud, beside=str(tmp_path), limits={"workers": 2}), tmp_path / "r")
    assert {each.ending.reason for each in done.dialogues if each.ending} == {"satisfied"}


async def test_a_worker_that_leaves_without_a_word_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("import os\ndef reply(messages):\n    os._exit(0)\n", encoding="utf-8")
    heard, gone = Notes(), [{"name": "gone", "callable": "gone:reply"}]
    asked = campaign(assistant=gone, beside=str(tmp_path), limits={"workers": 2})
    await run(asked, tmp_path / "r", [heard])
    assert sum("ended with exit code 0; 3 of its dialogues are left" in note for note in heard.notes) == 2


async def test_embedded_models_are_not_shared(tmp_path: Path) -> None:
    known = [{"name": "a", "script": ["Noted."], "memory": "embedding:2"}]
    pytest.importorskip("xllamacpp")
    from duologue.agents.models.weights import missing

    if missing("local"):
        pytest.skip("the weights are not in the cache")
    with pytest.raises(BadInput, match=r"2 workers: an embedded model has processes of its own"):
        await run(campaign(assistant=known, limits={"workers": 2}), tmp_path / "r")
    assert not (tmp_path / "r").exists()


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = start(tmp_path, delay=0.1, count=32, workers=2)
    yield process
    process.kill()
    process.communicate()


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def check_finished(folder: Path) -> None:
    done = asyncio.run(resume(folder / "r"))
    assert len(done.dialogues) == 32
    assert {d.script.said_by("assistant") for d in stored(done)} == {("Noted, 0.", "Noted, 1.", "Noted, 2.")}


@LINUX
def test_workers_end_with_whoever_began_them(tmp_path: Path, slow: subprocess.Popen[bytes]) -> None:
    wait_for_events(tmp_path, 20, 2)
    workers = workers_of(slow)
    assert len(workers) == 2
    slow.kill()
    slow.wait()
    begun = time.monotonic()
    while any(Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes() for pid in workers):
        assert time.monotonic() - begun < 20
        time.sleep(0.05)
    assert {each.ending.reason for each in read_run(tmp_path / "r").dialogues if each.ending} <= {"satisfied"}
    check_finished(tmp_path)


@LINUX
def test_a_worker_that_is_killed_costs_its_own_part_only(tmp_path: Path, slow: subprocess.Popen[bytes]) -> None:
    wait_for_events(tmp_path, 20, 2)
    os.kill(workers_of(slow)[0], signal.SIGKILL)
    assert slow.wait(timeout=60) == 0
    left = read_run(tmp_path / "r")
    finished = sum(each.ending is not None for each in left.dialogues)
    assert 16 <= finished < 32
    check_finished(tmp_path)


@POSIX
def test_one_interrupt_drains_all_workers(tmp_path: Path, slow: subprocess.Popen[bytes]) -> None:
    wait_for_events(tmp_path, 10, 2)
    slow.send_signal(signal.SIGINT)
    assert slow.wait(timeout=30) == 0
    left = read_run(tmp_path / "r")
    assert len(left.dialogues) < 32
    assert {each.ending.reason if each.ending else "" for each in left.dialogues} <= {"interrupted", "satisfied"}
    check_finished(tmp_path)
