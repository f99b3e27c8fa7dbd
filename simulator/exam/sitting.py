"""A sitting: a judge reads the transcripts of the exam. With a file, what was judged is kept, and not asked again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from duologue.agents.ending import Ending
from duologue.agents.judge import Judge
from duologue.agents.rubric import Rubric
from duologue.agents.secrets import masked
from duologue.agents.verdict import Verdict
from duologue.exam.paper import Exhibit, Item
from duologue.hands import Hands
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, read_lines

__all__ = ["exhibits", "sit"]

ENDING = Ending(reason="satisfied", owner="user", role="user")


def exhibits(items: Iterable[Item], rubric: Rubric) -> dict[str, Exhibit]:
    """The transcripts to be judged under `rubric`, by cell: of the faults that it asks about, and their good ones."""
    asked = [item for item in items if item.sign(rubric)]
    return {each.cell: each for item in asked for each in (item.sound, item.faulty)}


async def sit(
    judge: Judge,
    asked: Mapping[str, Exhibit],
    at_once: int,
    kept: Path | None = None,
    judged: Callable[[int], None] = lambda done: None,
) -> dict[str, Verdict]:
    """The verdicts on `asked`, by cell, `at_once` at a time.

    Those in the file `kept` of the same judge and rubric are taken from there, others are added as they come; `judged`
    is told how many there are. Raises BadInput where the file cannot be used.
    """
    held = {cell: verdict for cell, verdict in _held(kept, judge) if cell in asked}
    queue = iter([(cell, each) for cell, each in asked.items() if cell not in held])
    with _opened(kept) as file:

        async def labour() -> None:
            for cell, each in queue:
                held[cell] = verdict = await _judge(judge, cell, each)
                if file:
                    _keep(file, verdict)
                judged(len(held))

        judged(len(held))
        await Hands().work(labour, at_once)
    return held


async def _judge(judge: Judge, cell: str, each: Exhibit) -> Verdict:
    seed = number("exam", cell) % 2**31
    return await judge.judge(each.scenario, each.script, cell=cell, attempt=1, seed=seed, ending=ENDING)


def _held(kept: Path | None, judge: Judge) -> Iterator[tuple[str, Verdict]]:
    """What the file holds of this judge and rubric, but for what the infrastructure spoilt."""
    for verdict in _verdicts(kept) if kept and kept.exists() else ():
        same = verdict.rubric == judge.fingerprint and verdict.judge == judge.model.name
        if same and verdict.owner != "infrastructure":
            yield verdict.cell, verdict


def _verdicts(path: Path) -> Iterator[Verdict]:
    """The verdicts in a file. A last line that was cut off while it was written is taken out."""
    for line in read_lines(path):
        if not line.raw.endswith(b"\n"):
            with path.open("rb+") as file:
                file.truncate(line.offset)
            return
        try:
            yield Verdict.model_validate_json(line.raw)
        except ValidationError:
            raise BadInput("is no verdict", line.where, "Name another file with --to") from None


def _opened(kept: Path | None) -> "IO[str] | nullcontext[None]":
    try:
        return kept.open("a", encoding="utf-8", newline="\n") if kept else nullcontext()
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", str(kept)) from None


def _keep(file: IO[str], verdict: Verdict) -> None:
    try:
        file.write(json.dumps(masked(verdict.model_dump(mode="json")), ensure_ascii=True) + "\n")
        file.flush()
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", file.name) from None
