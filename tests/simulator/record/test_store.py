"""The run folder: what is on disk when, what is read back, and what is refused."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.simulator.records import stored

from duologue.agents.ending import ending
from duologue.agents.events import AssistantTurn, CellEnded, CellStarted, ToolCalled, UserTurn
from duologue.agents.message import ToolCall, sound
from duologue.agents.secrets import remember
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Verdict
from duologue.folding import named
from duologue.record.run import Manifest, read_run
from duologue.record.store import Lock, Writer, create_folder, new_files, write_once
from duologue.tasks.written import BadInput


def a_run(folder: Path) -> Path:
    manifest = Manifest(name="t", duologue="0", started=0, cells=2, campaign={})
    write_once(create_folder(folder) / "run.json", manifest.model_dump(mode="json"))
    return folder


def started(cell: str, attempt: int = 1, seq: int = 1) -> CellStarted:
    return CellStarted(
        cell=cell, attempt=attempt, seq=seq, time=1, scenario="s", profile="p", task="t", assistant="a", trial=1
    )


def said(cell: str, seq: int, text: str = "hi", attempt: int = 1) -> UserTurn:
    return UserTurn(cell=cell, attempt=attempt, seq=seq, turn=1, role="user", time=1, text=text)


async def write(folder: Path, *records: object, kind: str = "events") -> Path:
    writer = Writer(new_files(folder, [kind])[kind], lambda fault: None)
    for record in records:
        writer.append(record)  # type: ignore[arg-type]
    writer.close()
    return writer.path


async def test_records_are_on_disk_within_a_quarter_of_a_second(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "events-0001.jsonl", lambda fault: None)
    writer.append(said("c", 1))
    begun = time.monotonic()
    while not writer.path.exists() or not writer.path.read_bytes().endswith(b"\n"):
        await asyncio.sleep(0.01)
        assert time.monotonic() - begun < 2
    writer.close()
    assert json.loads(writer.path.read_text(encoding="utf-8"))["text"] == "hi"


async def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    end = CellEnded(cell="c1", seq=3, time=1, ending=ending("satisfied", "user"))
    await write(
        folder, started("c1"), started("c2"), said("c1", 2, "snow \u2603 \U0001f469\u200d\U0001f469 \u202e"), end
    )
    run = read_run(folder)
    assert [dialogue.cell for dialogue in run.dialogues] == ["c1", "c2"]
    assert stored(run)[0].script.messages[0].text == "snow \u2603 \U0001f469\u200d\U0001f469 \u202e"
    assert run.dialogues[0].ending is not None and run.dialogues[0].ending.reason == "satisfied"
    assert run.dialogues[1].ending is None


async def test_the_highest_attempt_counts_with_its_own_verdicts(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    await write(folder, started("c"), said("c", 2, "old"))
    await write(folder, started("c", 2), said("c", 2, "new", 2))
    verdicts = [Verdict(cell="c", attempt=n, rubric="r", rubric_name="r", judge="j", unscored=str(n)) for n in (1, 2)]
    await write(folder, *verdicts, kind="verdicts")
    (dialogue,) = stored(folder)
    assert dialogue.script.said_by("user") == ("new",)
    assert [verdict.unscored for verdict in dialogue.verdicts] == ["2"]


async def test_a_dialogue_spread_over_files_is_one(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    await write(folder, started("c"), said("c", 2))
    reply = AssistantTurn(cell="c", seq=3, turn=1, role="assistant", time=1, text="yes")
    await write(folder, reply)
    (dialogue,) = stored(folder)
    assert [event.seq for event in dialogue.events] == [1, 2, 3]


async def test_a_torn_last_line_is_dropped_and_said(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2))
    path.write_bytes(path.read_bytes()[:-20])
    run = read_run(folder)
    assert [event.kind for event in stored(run)[0].events] == ["cell_started"]
    assert len(run.notes) == 1 and f"{path}:2" in run.notes[0]
    await write(folder, said("c", 2, "again"))
    assert stored(folder)[0].script.said_by("user") == ("again",)


@pytest.mark.parametrize("damage", [b'{"v":1,"cel', b"\x00\x00\x00", b"[]", b'{"kind":"other"}'])
async def test_damage_in_the_middle_is_refused_with_file_and_line(tmp_path: Path, damage: bytes) -> None:
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2), said("c", 3))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + b"\n" + lines[2])
    with pytest.raises(BadInput, match=r"events-0001\.jsonl:2: damaged line"):
        read_run(folder)


@pytest.mark.parametrize("tail", [b'{"garbage\n', b"\n", b"\x00\x00\n", b'{"v":1,"cel'])
async def test_whatever_damages_the_last_line_it_is_dropped_and_said(tmp_path: Path, tail: bytes) -> None:
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2))
    path.write_bytes(path.read_bytes() + tail)
    run = read_run(folder)
    assert [event.seq for event in stored(run)[0].events] == [1, 2]
    assert len(run.notes) == 1 and f"{path}:3" in run.notes[0]


async def test_a_missing_line_is_refused_and_a_doubled_one_counts_once(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2), said("c", 3))
    (folder / "events-0002.jsonl").write_bytes(path.read_bytes())
    assert [event.seq for event in stored(folder)[0].events] == [1, 2, 3]
    lines = path.read_bytes().splitlines(keepends=True)
    (folder / "events-0002.jsonl").unlink()
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(BadInput, match="event 2 of dialogue c is missing"):
        read_run(folder)


@pytest.mark.parametrize(
    "text",
    [
        'Put "Authorization: Bearer abcdefghijk" into the header.',
        'say "bearer abcdefgh12", then \\ "x-api-key=abcdefgh\\"',
        "https://me:secret@host/ and \ud800 \x00 \x1b",
        'my key is "q\\uote-123456',
    ],
)
async def test_masking_never_breaks_the_record(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", 'my key is "q\\uote-123456')
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2, sound(text)))
    kept = stored(folder)[0].script.messages[0].text
    assert not any(secret in kept for secret in ("abcdefgh", "me:secret", "uote-123456"))
    assert "uote-123456" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ['plum"tart-77x', "plumtartsoup", "plum\\tärt-77x"])
async def test_a_secret_is_masked_as_a_key_and_inside_of_json(
    tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", key)
    text = json.dumps({"note": key})
    (call,) = named([ToolCall("c1", f"do {key}", {key: key, "x": [key, {f"a {key}": text}]})], Transcript())
    fields = {"turn": 1, "role": "assistant", "time": 1, "call": "c1"}
    given = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
    folder = a_run(tmp_path / "r")
    calls = [
        ToolCalled(cell="c", seq=2, name=call.name, arguments=given, of=2, **fields),
        ToolCalled(cell="c", seq=3, name="book", arguments='{"a": ' + text, of=2, **fields),
    ]
    path = await write(folder, started("c"), *calls)
    text = path.read_text(encoding="utf-8")
    assert text.count("[secret]") == 7
    assert "plum" not in text and "77x" not in text
    first = stored(folder)[0].events[1]
    assert isinstance(first, ToolCalled) and first.arguments == call.arguments


async def test_a_step_that_was_cut_off_is_left_out_and_what_was_said_instead_stands(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    fields = {"cell": "c", "turn": 1, "role": "assistant", "time": 1, "name": "look", "arguments": {}, "of": 3}
    calls = [ToolCalled(seq=seq, call=f"c{seq}", **fields) for seq in (3, 4)]
    await write(folder, started("c"), said("c", 2), *calls)
    assert [event.seq for event in stored(folder)[0].events] == [1, 2]
    reply = AssistantTurn(cell="c", seq=3, turn=1, role="assistant", time=1, text="yes")
    await write(folder, reply)
    assert stored(folder)[0].events[2:] == (reply,)
    older = [event.model_copy(update={"of": 1}) for event in calls]
    await write(a_run(tmp_path / "older"), started("c"), said("c", 2), *older)
    assert [event.seq for event in stored(tmp_path / "older")[0].events] == [1, 2, 3, 4]


async def test_a_secret_that_is_a_word_of_the_format_spoils_nothing(tmp_path: Path) -> None:
    remember("user")
    remember("null")
    folder = a_run(tmp_path / "r")
    await write(folder, started("c"), said("c", 2, "the user said null"))
    assert stored(folder)[0].script.messages[0].text == "the user said null"


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        read_run(tmp_path)


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    a_run(tmp_path / "r")
    with pytest.raises(BadInput, match="duologue resume"):
        create_folder(tmp_path / "r")


HOLD = """
import sys, time
from pathlib import Path
from duologue.record.store import Lock
with Lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_stops_at_the_lock_and_names_the_first(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BadInput, match=f"process {holder.pid}"), Lock(tmp_path):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with Lock(tmp_path):
        pass


async def test_no_verdict_is_on_disk_before_what_it_speaks_of(tmp_path: Path) -> None:
    faults: list[OSError] = []
    for place, lost in ((tmp_path, False), (tmp_path / "missing", True)):
        events = Writer(place / "events-0001.jsonl", faults.append)
        verdicts = Writer(tmp_path / f"verdicts-{lost}.jsonl", faults.append, after=events)
        events.append(said("c1", 1))
        verdicts.append(said("c1", 2))
        verdicts.commit()
        assert events.path.exists() == verdicts.path.exists() == (not lost)
        verdicts.close()
        events.close()
    assert len(faults) == 1
