"""A sitting: judges read the transcripts of the exam. With a file, what was judged is kept, and not asked again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from io import FileIO
from pathlib import Path

from pydantic import ValidationError

from duologue.agents.ending import Ending
from duologue.agents.judge import Judge
from duologue.agents.rubric import Rubric
from duologue.agents.secrets import masked
from duologue.agents.verdict import Verdict
from duologue.exam.paper import Exhibit, Item
from duologue.hands import Hands
from duologue.record.store import StoreFault
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, read_lines

__all__ = ["exhibits", "sit"]

ENDING = Ending(reason="satisfied", owner="user", role="user")


def exhibits(items: Iterable[Item], rubric: Rubric) -> dict[str, Exhibit]:
    """The transcripts to be judged under `rubric`, by cell: of the faults that it asks about, and their good ones."""
    asked = [item for item in items if item.sign(rubric)]
    return {each.cell: each for item in asked for each in (item.sound, item.faulty)}


async def sit(
    judges: Sequence[Judge],
    asked: Mapping[str, Exhibit],
    at_once: int,
    kept: Path | None = None,
    judged: Callable[[int], None] = lambda done: None,
    looks: int = 1,
) -> dict[str, list[Verdict]]:
    """The verdicts on `asked`, by cell, `at_once` at a time: so many `looks` of each of `judges`, in that order.

    Those in the file `kept` of the same judge, rubric and look are taken from there, others are added as they come;
    `judged` is told how many there are. Raises BadInput where the file cannot be used.
    """
    due = [(cell, place, look) for cell in asked for place in range(len(judges)) for look in range(1, looks + 1)]
    wanted = set(due)
    held = {key: verdict for key, verdict in _held(kept, judges) if key in wanted}
    queue = iter([key for key in due if key not in held])
    with _opened(kept) as file:

        async def labour() -> None:
            for cell, place, look in queue:
                verdict = await _judge(judges[place], cell, asked[cell], look)
                held[cell, place, look] = verdict
                if file and kept:
                    _keep(file, kept, verdict)
                judged(len(held))

        judged(len(held))
        await Hands().work(labour, at_once)
    found: dict[str, list[Verdict]] = {cell: [] for cell in asked}
    for key in due:
        found[key[0]].append(held[key])
    return found


async def _judge(judge: Judge, cell: str, each: Exhibit, look: int) -> Verdict:
    seed = number("exam", cell) % 2**31
    return await judge.judge(each.scenario, each.script, cell=cell, attempt=1, seed=seed, ending=ENDING, look=look)


def _held(kept: Path | None, judges: Sequence[Judge]) -> Iterator[tuple[tuple[str, int, int], Verdict]]:
    """What the file holds of these judges and their rubric, by cell, judge and look, but for what the infrastructure
    spoilt."""
    places = {(judge.fingerprint, judge.model.name): place for place, judge in enumerate(judges)}
    for verdict in _verdicts(kept) if kept and kept.exists() else ():
        place = places.get((verdict.rubric, verdict.judge))
        if place is not None and verdict.owner != "infrastructure":
            yield (verdict.cell, place, verdict.look), verdict


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


def _opened(kept: Path | None) -> "FileIO | nullcontext[None]":
    """Without a buffer: what a full disk leaves in one would be written again when the file is closed."""
    try:
        return kept.open("ab", buffering=0) if kept else nullcontext()
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", str(kept)) from None


def _keep(file: FileIO, kept: Path, verdict: Verdict) -> None:
    line = json.dumps(masked(verdict.model_dump(mode="json")), ensure_ascii=True).encode() + b"\n"
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        raise StoreFault(kept, error, "give the same command again") from None
