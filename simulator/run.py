"""A run: one execution of a campaign, from a notebook, a script or the command line alike.

    from duologue.campaign import read_campaign
    from duologue.run import run
    from duologue.scores import summary

    done = await run(read_campaign("my-campaign.toml"))
    print(summary(done))

Outside a notebook: `asyncio.run(run(...))`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from duologue.agents.events import Event
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign, Cell, JudgeSpec, cells
from duologue.cast import Cast, Keyboard
from duologue.engine import Engine, Work
from duologue.interrupts import interruptible
from duologue.judging import Judging
from duologue.listener import Listener
from duologue.measures import had_world
from duologue.preflight import rehearse
from duologue.profiles.dataset import open_dataset
from duologue.profiles.scenario import ScenarioKey
from duologue.provenance import campaign_of, check_unchanged, contents, fingerprints, manifest
from duologue.record import Dialogue, Run, read_manifest, read_run
from duologue.selection import select
from duologue.store import Lock, StoreFault, Writer, create_folder, new_file, write_once
from duologue.tasks.written import BadInput

__all__ = ["judge_again", "new_folder", "resume", "run"]


async def run(
    campaign: Campaign,
    folder: Path | None = None,
    listeners: Sequence[Listener] = (),
    keyboard: Keyboard | None = None,
) -> Run:
    """Run a campaign into a new folder under `runs/` (or into `folder`) and read it back.

    `keyboard` is how a person who sits in a seat is asked; Ctrl-C then leaves at once.
    Raises BadInput before the first call where something in the campaign cannot work, and StoreFault
    where the disk stops taking the record. What was said before that is kept.
    """
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    rehearse(data, keys)
    async with Cast(campaign, data, keyboard) as cast:
        work = [Work(cell) for cell in cells(campaign, keys)]
        begun = manifest(campaign, data, keys, cast, len(work))
        folder = create_folder(folder or new_folder(campaign.name))
        place = folder.absolute()
        with Lock(place):
            write_once(place / "run.json", begun.model_dump(mode="json"))
            engine = Engine(cast, data, campaign.limits.turns)
            await _perform(place, engine, work, campaign, listeners, patient=keyboard is None)
    return replace(read_run(place), folder=folder)


async def resume(folder: Path, listeners: Sequence[Listener] = (), *, failed: bool = False) -> Run:
    """Go on with a run: finish what was interrupted, hold what is missing, judge what has no verdict.

    With `failed`, dialogues that the infrastructure ended begin again as a new attempt.
    Raises BadInput where the data or the prompts are no longer those that the run began with.
    """
    begun, place = read_manifest(folder), folder.absolute()
    campaign = campaign_of(begun, folder)
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data) as cast:
        now = fingerprints(campaign, cast) | contents(data, keys)
        check_unchanged(begun.fingerprints | begun.data, now, folder)
        with Lock(place):
            so_far = read_run(folder)
            cast.speakers.remember_openers(so_far.dialogues)
            work = list(_left(campaign, keys, so_far, cast, failed))
            await _perform(place, Engine(cast, data, campaign.limits.turns), work, campaign, listeners)
    return replace(read_run(place), folder=folder)


async def judge_again(
    folder: Path, judge: JudgeSpec | None = None, listeners: Sequence[Listener] = ()
) -> tuple[Run, Judging]:
    """Judge every dialogue of a run that has no verdict under `judge` yet (the campaign's own by default), and read
    the end states that have not been read.

    Gives the run, read back, and whose verdicts those of `judge` are; without a judge, the reading of the states.
    Raises BadInput where there is nothing to judge by, or where the data is no longer what the dialogues were about.
    """
    begun, place = read_manifest(folder), folder.absolute()
    campaign = campaign_of(begun, folder)
    campaign = campaign.model_copy(update={"judge": judge or campaign.judge})
    if campaign.judge is None and not any(had_world(dialogue.events) for dialogue in read_run(folder).dialogues):
        raise BadInput("the campaign has no judge", folder, "Name one: duologue judge RUN --model MODEL")
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data, seats=False) as cast:
        check_unchanged(begun.data, contents(data, keys), folder)
        with Lock(place):
            held = {dialogue.cell: dialogue for dialogue in read_run(folder).dialogues}
            ended = ((cell, held[cell.id]) for cell in cells(campaign, keys) if cell.id in held)
            work = [work for cell, dialogue in ended if (work := _to_score(cell, dialogue, cast))]
            await _perform(place, Engine(cast, data, campaign.limits.turns), work, campaign, listeners)
        by = cast.judging
    return replace(read_run(place), folder=folder), by


def new_folder(name: str) -> Path:
    """`runs/NAME-DATE-TIME`, with a number behind it where that is taken."""
    stem = Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    taken = (path for path in (stem, *(Path(f"{stem}-{n}") for n in range(2, 1000))) if not path.exists())
    return next(taken)


class Recorder(Listener):
    """The listener that writes the record."""

    def __init__(self, folder: Path, on_fault: Callable[[OSError], None]) -> None:
        self._events = Writer(new_file(folder, "events"), on_fault)
        self._verdicts = Writer(new_file(folder, "verdicts"), on_fault)

    def event(self, event: Event) -> None:
        self._events.append(event)

    def verdict(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)

    def state(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)

    def close(self) -> None:
        self._events.close()
        self._verdicts.close()


async def _perform(
    folder: Path,
    engine: Engine,
    work: Sequence[Work],
    campaign: Campaign,
    listeners: Sequence[Listener],
    *,
    patient: bool = True,
) -> None:
    faults: list[OSError] = []

    def disk_failed(fault: OSError) -> None:
        faults.append(fault)
        engine.abandon("The disk no longer takes the record: stopping.")

    recorder = Recorder(folder, disk_failed)
    try:
        with interruptible(engine, patient):
            await engine.run(work, campaign.limits.concurrency, [recorder, *listeners])
    finally:
        recorder.close()
    if faults:
        raise StoreFault(folder, faults[0])


def _left(campaign: Campaign, keys: list[ScenarioKey], so_far: Run, cast: Cast, failed: bool) -> Iterator[Work]:
    """What is still to do, in the order of the campaign."""
    held = {dialogue.cell: dialogue for dialogue in so_far.dialogues}
    for cell in cells(campaign, keys):
        dialogue = held.get(cell.id)
        if dialogue is None:
            yield Work(cell)
        elif (work := _left_of(cell, dialogue, cast, failed)) is not None:
            yield work


def _left_of(cell: Cell, dialogue: Dialogue, cast: Cast, failed: bool) -> Work | None:
    attempt, end = dialogue.started.attempt, dialogue.ending
    if end is None or not end.finished:
        if not cast.speakers.rebuildable(cell.assistant):
            return Work(cell, attempt + 1)
        return Work(cell, attempt, dialogue.events)
    if failed and end.owner == "infrastructure":
        return Work(cell, attempt + 1)
    return _to_score(cell, dialogue, cast)


def _to_score(cell: Cell, dialogue: Dialogue, cast: Cast) -> Work | None:
    """What an ended dialogue lacks: the reading of its end state, the judge's verdict; None where it has both."""
    end = dialogue.ending
    if end is None or not end.scored:
        return None
    reads = had_world(dialogue.events) and not any(map(cast.is_read, dialogue.verdicts))
    judges = cast.judges and not any(map(cast.settled, dialogue.verdicts))
    if not reads and not judges:
        return None
    return Work(cell, dialogue.started.attempt, dialogue.events, end, reads, judges)
