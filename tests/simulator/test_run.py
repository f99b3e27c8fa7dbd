"""Runs: concurrency, resuming, judging again, and what survives kills, signals and full disks."""

import asyncio
import json
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

from duologue.agents.events import AssistantTurn, Event, UserTurn
from duologue.campaign import Campaign
from duologue.listener import Listener
from duologue.record.run import Run, read_run
from duologue.run import judge_again, resume, run
from duologue.scores import summary
from duologue.tasks.written import BadInput, parse

VERDICT = json.dumps(
    {
        dimension: {"reason": "It says so.", "turn": 1, "quote": "Noted", "score": score}
        for dimension, score in {
            "success": "yes",
            "personalisation": 3,
            "user_naturalness": 4,
            "user_coherence": 4,
            "assistant_naturalness": 5,
            "assistant_coherence": 5,
        }.items()
    }
)


def table(**changes: Any) -> dict[str, Any]:
    """A campaign of two profiles and the tasks of Movies, on scripted models, told as a table."""
    return {
        "name": "t",
        "user": {"script": ["I would like to see a film this week.", "On Friday.", "Thanks, that is all."]},
        "judge": {"model": "scripted:" + VERDICT},
        "assistant": [
            {"name": "plain", "model": "scripted:Noted, on which day?|Noted, it is booked.|Goodbye.", "tools": "off"},
            {"name": "other", "script": ["Noted.", "Noted, all booked."]},
        ],
        "select": {"profiles": 2, "domains": ["Movies"], "sample": 6},
        **changes,
    }


def campaign(**changes: Any) -> Campaign:
    return parse(Campaign, table(**changes), "test")


def artefacts(done: Run) -> list[Any]:
    """The events and verdicts of a run but for times, cell by cell."""
    held = sorted(stored(done), key=lambda dialogue: dialogue.cell)
    untimed: Any = {"time": True, "seconds": True}
    return [[each.model_dump(exclude=untimed) for each in (*dialogue.events, *dialogue.verdicts)] for dialogue in held]


async def test_concurrency_changes_nothing_but_times(tmp_path: Path) -> None:
    user = {"model": "scripted:" + "|".join(f"I would like film number {n}." for n in range(9))}
    one, many = [
        await run(campaign(user=user, limits={"concurrency": n, "turns": 4}), tmp_path / str(n)) for n in (1, 16)
    ]
    assert artefacts(one) == artefacts(many)
    assert len(one.dialogues) == one.manifest.cells > 4
    assert all(dialogue.verdicts for dialogue in one.dialogues)


class Recalls(Listener):
    """Notes when memories are looked up, and what was said in between."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def event(self, event: Event) -> None:
        if isinstance(event, UserTurn | AssistantTurn):
            self.heard.append(event.role)

    def recalling(self, cell: str, *, over: bool) -> None:
        self.heard.append("found" if over else "looking")


async def test_listeners_hear_while_a_memory_is_looked_up(tmp_path: Path) -> None:
    told = {"name": "told", "model": "scripted:Noted.|Goodbye.", "tools": "off", "memory": "bm25:2"}
    heard = Recalls()
    await run(campaign(assistant=[told], select={"profiles": 1, "sample": 1}), tmp_path / "r", [heard])
    assert heard.heard[:4] == ["user", "looking", "found", "assistant"]
    assert heard.heard.count("looking") == 1


async def test_an_opener_is_shared_by_all_assistants(tmp_path: Path) -> None:
    user = {"model": "scripted:I would like to see a film.|It should be on Friday evening.|Two seats, please."}
    done = await run(campaign(user=user, limits={"turns": 2}), tmp_path / "r")
    sources = [d.events[1].source for d in stored(done) if isinstance(d.events[1], UserTurn)]
    assert sources.count("model") == sources.count("reused") == len(done.dialogues) / 2


@pytest.mark.parametrize("kept", [0.1, 0.35, 0.5, 0.77, 0.99])
async def test_what_is_left_of_a_killed_run_is_finished(tmp_path: Path, kept: float) -> None:
    """However many bytes of the record survive, resuming gives the artefacts of an undisturbed run."""
    whole = await run(campaign(), tmp_path / "whole")
    expected = artefacts(whole)
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "run.json").write_bytes((whole.folder / "run.json").read_bytes())
    events = (whole.folder / "events-0001.jsonl").read_bytes()
    (cut / "events-0001.jsonl").write_bytes(events[: int(len(events) * kept)])
    done = await resume(cut)
    assert artefacts(done) == expected


async def test_resume_repeats_nothing_that_is_whole(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    again = await resume(done.folder)
    assert artefacts(again) == artefacts(done)
    assert not (done.folder / "events-0002.jsonl").exists()


async def test_an_opener_from_before_a_kill_lets_out_the_same(tmp_path: Path) -> None:
    told = {"domain": "Movies", "type": "director", "value": "Vera Stolz", "wish": "likes"}
    said = json.dumps({"message": "A film by Stolz, please.", "told": [told], "stop": False, "reason": "none"})
    plan = campaign(user={"model": f"scripted:{said}"}, judge=None, limits={"turns": 1, "concurrency": 1})
    whole = await run(plan, tmp_path / "whole")
    lines = (whole.folder / "events-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines, 1) if '"cell_ended"' in line)
    assert '"Vera Stolz"' in "".join(lines[:first])
    killed = tmp_path / "killed"
    killed.mkdir()
    (killed / "run.json").write_bytes((whole.folder / "run.json").read_bytes())
    (killed / "events-0001.jsonl").write_text("".join(lines[:first]), encoding="utf-8")
    assert artefacts(await resume(killed)) == artefacts(whole)


async def test_only_what_lacks_a_verdict_is_judged(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    verdicts = (done.folder / "verdicts-0001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (done.folder / "verdicts-0001.jsonl").write_text("".join(verdicts[2:]), encoding="utf-8")
    again = await resume(done.folder)
    assert not (done.folder / "events-0002.jsonl").exists()
    assert len((done.folder / "verdicts-0002.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert artefacts(again) == artefacts(done)


async def test_a_judge_that_failed_judges_at_resume(tmp_path: Path) -> None:
    script = tmp_path / "judge.toml"
    script.write_text("replies = [{ fail = 'provider_error' }]", encoding="utf-8")
    limits = {"tries": 1, "backoff": 0}
    done = await run(campaign(judge={"model": f"scripted:{script}"}, limits=limits), tmp_path / "r")
    assert {(v.owner, bool(v.unscored)) for d in done.dialogues for v in d.verdicts} == {("infrastructure", True)}
    manifest = json.loads((done.folder / "run.json").read_text(encoding="utf-8"))
    assert manifest["fingerprints"]["judge"]
    script.write_text("replies = ['''" + VERDICT + "''']", encoding="utf-8")
    again = await resume(done.folder)
    assert not (done.folder / "events-0002.jsonl").exists()
    assert all(d.verdicts[-1].scores["success"].value is True for d in again.dialogues)


async def test_another_judge_judges_beside_the_first(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    other = campaign(judge={"model": "scripted:" + VERDICT.replace("yes", "no")}).judge
    again, by = await judge_again(done.folder, other)
    assert by.judge == again.dialogues[0].verdicts[1].judge
    assert {len(dialogue.verdicts) for dialogue in again.dialogues} == {2}
    assert {dialogue.verdicts[1].scores["success"].value for dialogue in again.dialogues} == {False}
    assert len((await judge_again(done.folder, other))[0].dialogues[0].verdicts) == 2


async def test_failed_dialogues_begin_again_as_a_new_attempt(tmp_path: Path) -> None:
    script = tmp_path / "a.toml"
    script.write_text("replies = [{ say = 'Noted.' }, { fail = 'timeout' }]", encoding="utf-8")
    assistants = [{"name": "a", "model": f"scripted:{script}"}]
    done = await run(campaign(assistant=assistants, limits={"tries": 1, "backoff": 0}), tmp_path / "r")
    assert {d.ending.owner for d in done.dialogues if d.ending} == {"infrastructure"}
    assert {len(d.script.messages) for d in stored(done)} == {3}
    assert artefacts(await resume(done.folder)) == artefacts(done)
    script.write_text("replies = ['Noted.', 'Noted, booked.', 'Bye.']", encoding="utf-8")
    again = await resume(done.folder, failed=True)
    assert {d.attempt for d in again.dialogues} == {2}
    assert {d.ending.reason for d in again.dialogues if d.ending} == {"satisfied"}


async def test_changed_data_is_refused_at_resume(tmp_path: Path) -> None:
    person = tmp_path / "data" / "profiles" / "mia.toml"
    person.parent.mkdir(parents=True)
    person.write_text('[preferences.Movies]\n"film genre" = "musical"\n', encoding="utf-8")
    done = await run(campaign(data=str(tmp_path / "data"), select={"domains": ["Movies"]}), tmp_path / "r")
    person.write_text('[preferences.Movies]\n"film genre" = "western"\n', encoding="utf-8")
    with pytest.raises(BadInput, match="changed since the run began: profile mia;"):
        await resume(done.folder)


@pytest.mark.parametrize("what", ["name", "turns", "trials"])
async def test_a_campaign_that_was_edited_in_the_run_is_refused(tmp_path: Path, what: str) -> None:
    done = await run(campaign(limits={"turns": 5}), tmp_path / "r")
    path = done.folder / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["campaign"]["limits"] |= {"concurrency": 2, **({"turns": 3} if what == "turns" else {})}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    if what != "turns":
        await resume(done.folder)
    manifest["campaign"] |= {"trials": 2} if what == "trials" else {}
    manifest["campaign"]["assistant"][0] |= {"name": "edited"} if what == "name" else {}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    for going_on in (resume, judge_again):
        with pytest.raises(BadInput, match=r"run\.json: the campaign in it was edited"):
            await going_on(done.folder)
    del manifest["fingerprints"]["campaign"]  # as an older version left it
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert (await resume(done.folder)).dialogues


async def test_what_the_campaign_no_longer_holds_is_not_left_to_do(tmp_path: Path) -> None:
    done = await run(campaign(judge=None), tmp_path / "r")
    assert summary(done).left == 0
    (events,) = done.folder.glob("events-*")
    lines = events.read_text(encoding="utf-8").splitlines(keepends=True)
    events.write_text("".join(line for line in lines if '"kind":"cell_ended"' not in line), encoding="utf-8")
    assert summary(read_run(done.folder)).left == done.manifest.cells
    manifest = json.loads((done.folder / "run.json").read_text(encoding="utf-8"))
    del manifest["fingerprints"]["campaign"]
    manifest["campaign"]["assistant"][0]["name"] = "edited"
    (done.folder / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    again = await resume(done.folder)
    assert any(dialogue.ending is None for dialogue in again.dialogues)
    assert summary(again).left == 0


CALLABLES = """
import asyncio, time

def steady(messages):
    return f"Noted {len(messages)}."

def raises(messages):
    if len(messages) > 2:
        raise ValueError("boom with key sk-abcdefghijklmnop1234")
    return "Noted."

async def hangs(messages):
    await asyncio.sleep(3600)

def hangs_in_a_thread(messages):
    time.sleep(3600)

def wrong():
    return ""

def moves(messages):
    import os
    os.chdir("/")
    return "Noted."

class Odd(Exception):
    def __str__(self):
        raise ValueError("cannot be told")

def raises_oddly(messages):
    raise Odd
"""


def callables(folder: Path, *names: str) -> list[dict[str, str]]:
    (folder / "mine.py").write_text(CALLABLES, encoding="utf-8")
    return [{"name": name, "callable": f"{folder / 'mine.py'}:{name}"} for name in names]


async def test_one_that_raises_loses_its_own_dialogues_only(tmp_path: Path) -> None:
    done = await run(campaign(assistant=callables(tmp_path, "steady", "raises")), tmp_path / "r")
    ends = {(d.assistant, d.ending.reason, d.ending.owner) for d in done.dialogues if d.ending}
    assert ends == {("steady", "satisfied", "user"), ("raises", "error", "assistant")}
    text = "".join(path.read_text(encoding="utf-8") for path in done.folder.iterdir())
    assert "ValueError: boom" in text and "sk-abc" not in text
    said = [e.text for d in stored(done) for e in d.events if isinstance(e, AssistantTurn)]
    assert not any("boom" in words for words in said)


async def test_those_that_hang_are_timeouts_and_the_others_finish(tmp_path: Path) -> None:
    assistants = callables(tmp_path, "steady", "hangs", "hangs_in_a_thread")
    limits = {"call": 1.5, "tries": 1, "concurrency": 8}
    begun = time.monotonic()
    done = await run(campaign(assistant=assistants, limits=limits), tmp_path / "r")
    assert time.monotonic() - begun < 20
    ends = {(d.assistant, d.ending.reason, d.ending.role) for d in done.dialogues if d.ending}
    hung = {(name, "timeout", "assistant") for name in ("hangs", "hangs_in_a_thread")}
    assert ends == {("steady", "satisfied", "user"), *hung}
    assert all(d.script.messages for d in stored(done))


async def test_one_that_changes_the_folder_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = await run(campaign(assistant=callables(tmp_path, "moves")), Path("r"))
    assert done.folder == Path("r")
    assert {d.ending.reason for d in done.dialogues if d.ending} == {"satisfied"}


async def test_an_error_that_cannot_be_told_is_still_the_assistants(tmp_path: Path) -> None:
    done = await run(campaign(assistant=callables(tmp_path, "raises_oddly")), tmp_path / "r")
    assert {(d.ending.reason, d.ending.owner) for d in done.dialogues if d.ending} == {("error", "assistant")}


async def test_more_at_once_than_there_is_takes_no_more_than_there_is(tmp_path: Path) -> None:
    done = await run(campaign(limits={"concurrency": 100_000}), tmp_path / "r")
    assert len(done.dialogues) == done.manifest.cells


async def test_a_wrong_signature_is_found_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"def reply\(messages\)"):
        await run(campaign(assistant=callables(tmp_path, "wrong")), tmp_path / "r")
    assert not (tmp_path / "r").exists()


def start(folder: Path, delay: float = 0.05, count: int = 40, workers: int = 1) -> subprocess.Popen[bytes]:
    """A process that runs a campaign of slow scripted dialogues into `folder`."""
    script = folder / "slow.toml"
    replies = ", ".join(f"{{ say = 'Noted, {n}.', delay = {delay} }}" for n in range(3))
    script.write_text(f"replies = [{replies}]", encoding="utf-8")
    changes = {
        "assistant": [{"name": "slow", "model": f"scripted:{script}"}],
        "select": {"profiles": 8, "sample": count},
        "limits": {"concurrency": 8, "workers": workers},
        "judge": None,
    }
    (folder / "campaign.json").write_text(json.dumps(table(**changes)), encoding="utf-8")
    code = (
        "import asyncio, json, sys\nfrom pathlib import Path\n"
        "from duologue.campaign import Campaign\nfrom duologue.run import run\n"
        "folder = Path(sys.argv[1])\n"
        "campaign = Campaign.model_validate(json.loads((folder / 'campaign.json').read_text(encoding='utf-8')))\n"
        "asyncio.run(run(campaign, folder / 'r'))\n"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(folder)], stderr=subprocess.PIPE)


def wait_for_events(folder: Path, count: int, workers: int = 1) -> None:
    """Until each worker has recorded so many events."""
    begun = time.monotonic()
    files = [folder / "r" / f"events-{number:04}.jsonl" for number in range(1, workers + 1)]
    while not all(file.exists() and file.read_bytes().count(b"\n") >= count for file in files):
        assert time.monotonic() - begun < 30 * workers
        time.sleep(0.01)


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = start(tmp_path)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_killed_at_any_moment_it_goes_on_from_the_last_turn(tmp_path: Path, slow: subprocess.Popen[bytes]) -> None:
    wait_for_events(tmp_path, 60)
    slow.kill()
    slow.wait()
    before = read_run(tmp_path / "r")
    turns = sum(isinstance(e, UserTurn | AssistantTurn) for d in stored(before) for e in d.events)
    done = asyncio.run(resume(tmp_path / "r"))
    assert len(done.dialogues) == 40
    assert {d.ending.reason for d in done.dialogues if d.ending} == {"satisfied"}
    assert {d.script.said_by("assistant") for d in stored(done)} == {("Noted, 0.", "Noted, 1.", "Noted, 2.")}
    second = (tmp_path / "r" / "events-0002.jsonl").read_text(encoding="utf-8")
    assert turns + second.count('_turn"') == 40 * 6


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_one_interrupt_drains_and_saves(tmp_path: Path, slow: subprocess.Popen[bytes]) -> None:
    wait_for_events(tmp_path, 40)
    slow.send_signal(signal.SIGINT)
    assert slow.wait(timeout=20) == 0
    left = read_run(tmp_path / "r")
    assert len(left.dialogues) < 40
    assert all(d.ending is not None for d in left.dialogues)
    assert "interrupted" in {d.ending.reason for d in left.dialogues if d.ending}
    done = asyncio.run(resume(tmp_path / "r"))
    assert {d.script.said_by("assistant") for d in stored(done)} == {("Noted, 0.", "Noted, 1.", "Noted, 2.")}


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("workers", [1, 2])
def test_two_interrupts_leave_at_once(tmp_path: Path, workers: int) -> None:
    process = start(tmp_path, delay=60, workers=workers)
    try:
        wait_for_events(tmp_path, 16 // workers, workers)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10 * workers) == 0
    finally:
        process.kill()
        process.communicate()
    assert {d.script.said_by("assistant") for d in stored(tmp_path / "r")} == {()}


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs to mount a small file system")
def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    from duologue.record.store import StoreFault

    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        many = campaign(select={"domains": ["Movies"], "profiles": 12}, judge=None)
        with pytest.raises(StoreFault, match="duologue resume"):
            asyncio.run(run(many, small / "r"))
        kept = read_run(small / "r")
        assert 0 < len(kept.dialogues) < kept.manifest.cells
        roomy = tmp_path / "roomy"
        subprocess.run(["cp", "-r", str(small / "r"), str(roomy)], check=True)
        done = asyncio.run(resume(roomy))
        assert len(done.dialogues) == done.manifest.cells
        assert artefacts(done) == artefacts(asyncio.run(run(many, tmp_path / "undisturbed")))
    finally:
        subprocess.run(["umount", str(small)], check=True)


async def test_a_listener_that_raises_loses_nothing_but_its_own_hearing(tmp_path: Path) -> None:
    class Deaf(Listener):
        heard = 0

        def event(self, event: Event) -> None:
            self.heard += 1
            raise ValueError("not my day")

    class Notes(Listener):
        def __init__(self) -> None:
            self.notes: list[str] = []

        def note(self, text: str) -> None:
            self.notes.append(text)

    deaf, notes = Deaf(), Notes()
    done = await run(campaign(), tmp_path / "r", [deaf, notes])
    assert deaf.heard == 1
    assert [note for note in notes.notes if "Deaf" in note] == [
        "The listener Deaf raised ValueError('not my day') and hears no more."
    ]
    assert artefacts(done) == artefacts(await run(campaign(), tmp_path / "undisturbed"))
