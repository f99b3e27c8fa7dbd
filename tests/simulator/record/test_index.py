"""The index: it holds what the record gives, is believed only where it fits, and nothing depends on it."""

import asyncio
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.record.test_store import a_run, said, started, write
from tests.simulator.records import dialogue, stored
from tests.simulator.test_run import VERDICT, campaign

from duologue import scores
from duologue.agents.ending import ending
from duologue.agents.events import AssistantTurn, CellEnded, UserTurn
from duologue.agents.rubric import read_rubric
from duologue.agents.usage import Tokens, Usage
from duologue.agents.verdict import Score, Verdict
from duologue.record.digest import digest, read_line
from duologue.record.index import NAME, read_head, read_index
from duologue.record.indexer import Indexer
from duologue.record.run import Run, read_run
from duologue.record.store import Lock, in_use
from duologue.record.stored import Shelf, folded
from duologue.run import judge_again, resume, run
from duologue.scores import noted, overview, summary
from duologue.tasks.written import BadInput


def made_anew(folder: Path) -> Run:
    """The run as its record has it."""
    (folder / NAME).unlink(missing_ok=True)
    return read_run(folder)


def told(found: Run) -> Any:
    return summary(found).model_dump()


def over(cell: str, seq: int, reason: Any = "satisfied", attempt: int = 1) -> CellEnded:
    return CellEnded(cell=cell, seq=seq, attempt=attempt, time=1, ending=ending(reason, "user"))


def test_a_line_holds_a_whole_digest() -> None:
    usage = Usage(input=5, output=1, stored=1, spared=Tokens(5, 0, 1))
    for each in (
        dialogue(),
        dialogue(reason=""),
        dialogue("欧阳 \u2028", reason="timeout", role="assistant", detail='a "quoted" \\ detail\n'),
        dialogue(usage=usage, scores={"own": Score(value=2.5), "odd": Score(unscored='off the "scale"')}),
        dialogue(situation={"device": "phone", "location": "a\nb"}),
    ):
        made = digest(each)
        assert read_line(made.line()) == made and "\n" not in made.line()
    assert digest(dialogue(scores={"a": True, "b": Score(value=1.0)})).verdicts[0].scores["a"].value is True
    assert digest(dialogue(scores={"a": True, "b": Score(value=1.0)})).verdicts[0].scores["b"].value is not True


async def test_the_index_of_a_run_is_what_its_record_gives(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    kept = read_index(done.folder)
    assert kept is not None and kept.said is not None and len(kept.dialogues) == 12
    anew = made_anew(done.folder)
    assert done.dialogues == kept.dialogues == anew.dialogues
    assert told(done) == told(read_run(done.folder)) == told(anew) == overview(done.folder).model_dump()
    other = campaign(judge={"model": "scripted:" + VERDICT.replace("yes", "no")}).judge
    again, _ = await judge_again(done.folder, other)
    assert {len(each.verdicts) for each in again.dialogues} == {2}
    kept = read_index(done.folder)
    assert kept is not None and kept.dialogues == again.dialogues == made_anew(done.folder).dialogues


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.97])
async def test_a_resumed_run_has_the_index_that_its_record_gives(tmp_path: Path, kept: float) -> None:
    whole = await run(campaign(), tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "run.json").write_bytes((whole.folder / "run.json").read_bytes())
    events = (whole.folder / "events-0001.jsonl").read_bytes()
    (cut / "events-0001.jsonl").write_bytes(events[: int(len(events) * kept)])
    before = read_run(cut)
    done = await resume(cut)
    held = read_index(cut)
    assert held is not None and len(done.dialogues) == 12 and done.notes == before.notes
    assert held.dialogues == done.dialogues == made_anew(cut).dialogues
    assert [each.cell for each in done.dialogues][: len(before.dialogues)] == [each.cell for each in before.dialogues]


async def test_dialogues_recorded_by_several_at_once_stand_as_in_the_files(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    indexer = Indexer(folder)
    first, second = [started("a"), over("a", 2), started("c"), over("c", 2)], [started("b"), over("b", 2), started("d")]
    for event in (first[0], *second, *first[1:]):
        indexer.event(event)
    await write(folder, *first)
    await write(folder, *second)
    assert [each.cell for each in indexer.index().dialogues] == ["a", "c", "b", "d"]
    assert indexer.index().dialogues == made_anew(folder).dialogues


async def test_another_attempt_takes_the_place_of_the_first(tmp_path: Path) -> None:
    script = tmp_path / "a.toml"
    script.write_text("replies = [{ say = 'Noted.' }, { fail = 'timeout' }]", encoding="utf-8")
    limits = {"tries": 1, "backoff": 0}
    assistants = [{"name": "a", "model": f"scripted:{script}"}]
    done = await run(campaign(assistant=assistants, limits=limits), tmp_path / "r")
    script.write_text("replies = ['Noted.', 'Noted, booked.', 'Bye.']", encoding="utf-8")
    again = await resume(done.folder, failed=True)
    assert {each.attempt for each in again.dialogues} == {2}
    assert again.dialogues == made_anew(done.folder).dialogues


async def test_no_key_reaches_the_index_and_questions_are_counted_as_recorded(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def asks(messages):\n    return 'Is api_key: abcdef12?'\n"
        "def raises(messages):\n    raise ValueError('boom sk-abcdefghijklmnop1234')\n",
        encoding="utf-8",
    )
    assistants = [{"name": name, "callable": f"{tmp_path / 'mine.py'}:{name}"} for name in ("asks", "raises")]
    done = await run(campaign(assistant=assistants, limits={"turns": 2}), tmp_path / "r")
    assert done.dialogues == made_anew(done.folder).dialogues
    assert "[secret]" in (done.folder / NAME).read_text(encoding="utf-8")
    assert "sk-abc" not in (done.folder / NAME).read_text(encoding="utf-8")


@pytest.mark.parametrize("change", ["events", "verdicts", "manifest", "touch", "another", "format"])
async def test_an_index_that_does_not_fit_is_not_believed(tmp_path: Path, change: str) -> None:
    done = await run(campaign(), tmp_path / "r")
    events, verdicts = done.folder / "events-0001.jsonl", done.folder / "verdicts-0001.jsonl"
    if change == "events":
        events.write_bytes(events.read_bytes()[:-30])
    elif change == "verdicts":
        verdicts.write_bytes(verdicts.read_bytes().replace(b'"value":true', b'"value":null'))
    elif change == "manifest":
        path = done.folder / "run.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"name": "t"', '"name": "u"'), encoding="utf-8")
    elif change == "touch":
        os.utime(events, (1, 1))
    elif change == "another":
        await write(done.folder, started("c"), said("c", 2))
    else:
        head = (done.folder / NAME).read_bytes().split(b"\n", 2)
        head[1] = head[1].replace(b"[3, ", b"[2, ", 1)
        body = zlib.crc32(head[2])
        (done.folder / NAME).write_bytes(
            f"{zlib.crc32(head[1] + b'%c' % 10):08x} {body:08x}\n".encode() + b"\n".join(head[1:])
        )
    assert read_head(done.folder) is None and read_index(done.folder) is None
    assert read_run(done.folder).dialogues == made_anew(done.folder).dialogues
    assert read_index(done.folder) is not None


@pytest.mark.parametrize("at", [0.0, 0.02, 0.5, 0.99, 1.0])
async def test_a_damaged_index_is_made_anew(tmp_path: Path, at: float) -> None:
    done = await run(campaign(), tmp_path / "r")
    whole = (done.folder / NAME).read_bytes()
    for damaged in (whole[: int(len(whole) * at)], _flipped(whole, int((len(whole) - 1) * at)), b"", b"[]\n[]\n"):
        (done.folder / NAME).write_bytes(damaged)
        found = read_run(done.folder)
        assert found.dialogues == done.dialogues and told(found) == told(done)
        assert damaged == whole or (done.folder / NAME).read_bytes() != damaged


def _flipped(text: bytes, at: int) -> bytes:
    return text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]


async def test_the_summary_is_left_in_the_index_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = await run(campaign(), tmp_path / "r")
    made_anew(done.folder)
    assert (head := read_head(done.folder)) is not None and head.said is None
    said = overview(done.folder)
    assert (head := read_head(done.folder)) is not None and head.said is not None
    monkeypatch.chdir(tmp_path)
    moved = overview(Path("r"))
    assert moved.folder == "r" and moved.model_copy(update={"folder": said.folder}) == said
    assert noted(read_run(Path("r"))) == moved


async def test_a_torn_line_is_told_of_wherever_the_run_is_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_run(tmp_path / "r")
    path = await write(folder, started("c"), said("c", 2))
    path.write_bytes(path.read_bytes()[:-9])
    for _ in range(2):
        assert read_run(folder).notes == (f"{path}:2: the last line is torn and was dropped",)
    monkeypatch.chdir(tmp_path)
    assert overview(Path("r")).notes == ("r/events-0001.jsonl:2: the last line is torn and was dropped",)


async def test_what_is_said_after_an_ending_is_read_as_it_stands(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    reply = AssistantTurn(cell="c", seq=3, turn=1, role="assistant", time=1, text="yes")
    await write(
        folder, started("c"), said("c", 2), over("c", 3), started("d"), said("d", 2), over("d", 3, "interrupted")
    )
    await write(folder, reply, over("c", 4), said("d", 4, "on"), over("d", 5))
    first, second = stored(folder)
    assert [event.seq for event in first.events] == [1, 2, 3, 4] and first.events[2] == reply
    assert [event.seq for event in second.events] == [1, 2, 3, 4, 5]
    assert read_run(folder).dialogues == tuple(map(digest, (first, second)))
    assert [each.turns for each in read_run(folder).dialogues] == [1, 2]


async def test_lines_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    await write(folder, started("c"), over("c", 3), started("d"), over("d", 3))
    await write(folder, said("c", 2))
    with pytest.raises(BadInput, match="event 2 of dialogue d is missing"):
        read_run(folder)
    await write(folder, said("d", 2), started("e", 2), said("e", 2, attempt=1))
    assert [(each.cell, each.turns) for each in read_run(folder).dialogues] == [("c", 1), ("d", 1), ("e", 0)]


async def test_only_what_is_under_way_is_held_while_a_record_is_read(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    await write(folder, *(each for n in range(50) for each in (started(f"c{n}"), said(f"c{n}", 2), over(f"c{n}", 3))))
    begun: list[str] = []
    for cell, made in folded(folder, lambda events: begun.append(events[0].cell) or len(events), []).items():
        assert made == 3 and cell in begun
    assert begun == [f"c{n}" for n in range(50)]


async def test_a_dialogue_is_read_alone(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    shelf = Shelf(done.folder, [done.dialogues[3].cell])
    found = shelf.dialogue(done.dialogues[3].cell)
    assert found is not None and digest(found) == done.dialogues[3]
    assert any(isinstance(event, UserTurn) for event in found.events) and len(found.verdicts) == 1
    assert shelf.dialogue(done.dialogues[4].cell) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
async def test_a_folder_that_cannot_be_written_to_is_read_all_the_same(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    (done.folder / NAME).unlink()
    done.folder.chmod(0o555)
    try:
        assert overview(done.folder).dialogues == 12
    finally:
        done.folder.chmod(0o755)
    assert not (done.folder / NAME).exists()


HOLD = """
import sys
from pathlib import Path
from duologue.record.store import Lock
with Lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_no_index_is_left_while_a_process_has_the_run(tmp_path: Path) -> None:
    done = asyncio.run(run(campaign(), tmp_path / "r"))
    (done.folder / NAME).unlink()
    command = [sys.executable, "-c", HOLD, str(done.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        assert in_use(done.folder)
        assert overview(done.folder).dialogues == 12
        assert not (done.folder / NAME).exists()
        holder.communicate()
    with Lock(done.folder):
        pass
    assert overview(done.folder).dialogues == 12 and (done.folder / NAME).exists()


async def test_nothing_else_is_left_beside_the_record(tmp_path: Path) -> None:
    done = await run(campaign(), tmp_path / "r")
    made_anew(done.folder)
    names, rubric = {path.name for path in done.folder.iterdir()}, f"rubric-{read_rubric().fingerprint}.json"
    assert names == {"run.json", "lock", "events-0001.jsonl", "verdicts-0001.jsonl", NAME, rubric}


async def test_a_verdict_on_another_attempt_is_in_no_digest(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r")
    await write(folder, started("c"), over("c", 2), started("c", 2), over("c", 2, attempt=2))
    verdicts = [Verdict(cell="c", attempt=n, rubric="r", rubric_name="r", judge="j", unscored=str(n)) for n in (1, 2)]
    await write(folder, *verdicts, kind="verdicts")
    (one,) = read_run(folder).dialogues
    assert [verdict.unscored for verdict in one.verdicts] == ["2"]


def test_reading_loads_no_statistics(tmp_path: Path) -> None:
    done = asyncio.run(run(campaign(), tmp_path / "r"))
    code = (
        "import sys\nfrom pathlib import Path\nfrom duologue.scores import overview\n"
        "overview(Path(sys.argv[1]))\n"
        "sys.exit(' '.join({'numpy', 'scipy', 'openai', 'langchain_core', 'jinja2'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code, str(done.folder)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert (
        json.loads((done.folder / "run.json").read_text(encoding="utf-8"))["cells"]
        == scores.overview(done.folder).planned
    )
