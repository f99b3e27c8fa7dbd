"""Runs on disk to be labelled, labels made by hand, and a terminal to label at."""

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.simulator import records

from duologue.agents.rubric import Rubric
from duologue.agents.verdict import Score, Verdict
from duologue.campaign import Campaign
from duologue.labelling.labels import Drawn, Label, LabelFile, Value, labels_path
from duologue.labelling.questions import questions_of
from duologue.record.run import Run, read_run
from duologue.run import run
from duologue.tasks.written import parse

ASSISTANTS = ("zephyr-nine", "quartz-two")
RUBRIC = """
name = "brief"
preferences = false
dimensions = [
    { name = "success", scale = "yes_no", question = "Is all done?", anchors = { yes = "All of it." } },
    { name = "warmth", scale = { low = 1, high = 3 }, question = "How warm is it?" },
]
"""
PATIENCE = 100
"""Seconds after which a `duologue` that says nothing hangs: a machine with much else to do takes its time."""
SIZE = ("COLUMNS", "LINES")
"""What would say otherwise than the terminal how large it is."""
ASKS = ("[q]uit > ", "skips to the questions > ")
"""How a screen ends that waits for an answer."""


async def held(folder: Path, sample: int = 4, **changes: Any) -> Run:
    """A run of `sample` scenarios with each of two assistants, without a judge. Beside it lies `brief.toml`."""
    (folder / "brief.toml").write_text(RUBRIC, encoding="utf-8")
    table = {
        "name": "t",
        "user": {"script": ["I would like to see a film this week.", "Thanks, that is all."]},
        "assistant": [{"name": name, "script": ["Noted.", "All booked."]} for name in ASSISTANTS],
        "select": {"profiles": 2, "domains": ["Movies"], "sample": sample},
        **changes,
    }
    await run(parse(Campaign, table, "test"), folder / "runs" / "one")
    return read_run(folder / "runs" / "one")


def brief(folder: Path) -> Rubric:
    from duologue.agents.rubric import read_rubric

    return read_rubric(str(folder / "brief.toml"))


def judged(run: Run, rubric: Rubric, say: Callable[[int], Mapping[str, Any]], judge: str = "openai:judge") -> Run:
    """`run` on disk with a verdict on each dialogue; `say` gives the scores of the dialogue of that number."""
    with (run.folder / f"verdicts-{len(list(run.folder.glob('verdicts-*'))) + 1:04}.jsonl").open("w") as file:
        for number, each in enumerate(run.dialogues):
            scores = {name: Score(value=value) for name, value in say(number).items()}
            known = {"cell": each.cell, "attempt": each.attempt, "judge": judge, "rubric_name": rubric.name}
            file.write(Verdict(**known, rubric=rubric.fingerprint, scores=scores, time=1.0).model_dump_json() + "\n")
    return read_run(run.folder)


def made(folder: Path, rubric: Rubric, scores: Iterable[tuple[str, Mapping[str, Any]]]) -> Run:
    """A run of one dialogue for each of (profile, scores), which exists but for its folder's labels."""
    dialogues = [
        records.dialogue(profile, task=f"task-{number}", rubric=rubric.fingerprint, scores=dict(given))
        for number, (profile, given) in enumerate(scores)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    done = replace(records.run(*dialogues), folder=folder)
    return replace(done, dialogues=tuple(done.dialogues))


def labelled(
    run: Run, rubric: Rubric, name: str, scores: Mapping[int, Mapping[str, Value]], drawn: bool = True, **more: Any
) -> None:
    """Add labels by `name`: the scores of dialogues by their place in the run."""
    mark = Drawn(seed=1, n=len(scores), of=len(run.dialogues)) if drawn else None
    with LabelFile(labels_path(run.folder, name)) as file:
        file.keep([_label(run, rubric, name, place, said, drawn=mark, **more) for place, said in scores.items()])


def _label(run: Run, rubric: Rubric, name: str, place: int, scores: Mapping[str, Value], **more: Any) -> Label:
    each = run.dialogues[place]
    known = {"cell": each.cell, "attempt": each.attempt, "labeller": name, "questions": questions_of(rubric)}
    return Label(**{**known, "rubric": rubric.fingerprint, "rubric_name": rubric.name, "scores": scores, **more})


def _words(shown: bytes) -> str:
    """What stands on the screen, without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode("utf-8", "replace"))


class Terminal:
    """A `duologue` at a terminal of its own: reads until it waits for an answer, and types."""

    CHILD = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from duologue.cli import main; main()"

    def __init__(self, folder: Path, *arguments: str, columns: int = 80, lines: int = 200) -> None:
        self._screen, keyboard = os.openpty()
        fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.CHILD, *arguments],
            cwd=folder,
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name not in SIZE} | {"TERM": "xterm"},
        )
        os.close(keyboard)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._screen)

    def wait(self) -> str:
        """What has come on the screen since the last answer, up to where it asks for the next."""
        end, seen = time.monotonic() + PATIENCE, b""
        while not _words(seen).endswith(ASKS):
            if not self._ready(end) or not (more := self._more()):
                raise TimeoutError(_words(seen))
            seen += more
        return _words(seen)

    def answer(self, *words: str | bytes) -> str:
        """Type each of `words` at a prompt; gives all that was on the screen."""
        shown = ""
        for word in words:
            shown += self.wait()
            os.write(self._screen, word if isinstance(word, bytes) else f"{word}\n".encode())
        return shown

    def end(self) -> tuple[str, int]:
        """The rest of what it says, and its exit code."""
        end, seen = time.monotonic() + PATIENCE, b""
        while self._ready(end) and (more := self._more()):
            seen += more
        return _words(seen), self._process.wait(PATIENCE)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _ready(self, end: float) -> bool:
        return bool(select.select([self._screen], [], [], max(0.0, end - time.monotonic()))[0])

    def _more(self) -> bytes:
        """What there is to read; nothing where the other side has closed."""
        try:
            return os.read(self._screen, 65536)
        except OSError:
            return b""
