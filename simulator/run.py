"""A run: one execution of a campaign, from a notebook, a script or the command line alike.

    from duologue.campaign import read_campaign
    from duologue.run import run
    from duologue.scores import summary

    done = await run(read_campaign("my-campaign.toml"))
    print(summary(done))

Outside a notebook: `asyncio.run(run(...))`.
"""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType

from duologue.agents.events import Event
from duologue.agents.prompt import prompts_fingerprint
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign, Cell, JudgeSpec, cells
from duologue.cast import Cast, Keyboard
from duologue.engine import Engine, Work
from duologue.listener import Listener
from duologue.profiles.dataset import Dataset, open_dataset
from duologue.profiles.scenario import ScenarioKey
from duologue.record import Dialogue, Manifest, Run, read_manifest, read_run
from duologue.selection import select
from duologue.store import Lock, StoreFault, Writer, create_folder, new_file, write_once
from duologue.tasks.written import BadInput, fingerprint, parse

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
    async with Cast(campaign, data, keyboard) as cast:
        work = [Work(cell) for cell in cells(campaign, keys)]
        manifest = _manifest(campaign, data, keys, cast, len(work))
        folder = create_folder(folder or new_folder(campaign.name))
        with Lock(folder):
            write_once(folder / "run.json", manifest.model_dump(mode="json"))
            engine = Engine(cast, data, campaign.limits.turns)
            await _perform(folder, engine, work, campaign, listeners, patient=keyboard is None)
    return read_run(folder)


async def resume(folder: Path, listeners: Sequence[Listener] = (), *, failed: bool = False) -> Run:
    """Go on with a run: finish what was interrupted, hold what is missing, judge what has no verdict.

    With `failed`, dialogues that the infrastructure ended begin again as a new attempt.
    Raises BadInput where the data or the prompts are no longer those that the run began with.
    """
    manifest = read_manifest(folder)
    campaign = parse(Campaign, manifest.campaign, folder / "run.json")
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data) as cast:
        now = _fingerprints(campaign, cast) | _contents(data, keys)
        _check_unchanged(manifest.fingerprints | manifest.data, now, folder)
        with Lock(folder):
            so_far = read_run(folder)
            cast.remember_openers(so_far.dialogues)
            work = list(_left(campaign, keys, so_far, cast, failed))
            await _perform(folder, Engine(cast, data, campaign.limits.turns), work, campaign, listeners)
    return read_run(folder)


async def judge_again(folder: Path, judge: JudgeSpec | None = None, listeners: Sequence[Listener] = ()) -> Run:
    """Judge every dialogue of a run that has no verdict under `judge` yet (the campaign's own by default).

    Raises BadInput where there is no judge, or where the data is no longer what the dialogues were about.
    """
    manifest = read_manifest(folder)
    campaign = parse(Campaign, manifest.campaign, folder / "run.json")
    campaign = campaign.model_copy(update={"judge": judge or campaign.judge})
    if campaign.judge is None:
        raise BadInput("the campaign has no judge", folder, "Name one: duologue judge RUN --model MODEL")
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data, seats=False) as cast:
        _check_unchanged(manifest.data, _contents(data, keys), folder)
        with Lock(folder):
            held = {dialogue.cell: dialogue for dialogue in read_run(folder).dialogues}
            ended = ((cell, held[cell.id]) for cell in cells(campaign, keys) if cell.id in held)
            work = [_to_judge(cell, dialogue) for cell, dialogue in ended if _lacks_verdict(dialogue, cast)]
            await _perform(folder, Engine(cast, data, campaign.limits.turns), work, campaign, listeners)
    return read_run(folder)


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
        with _interruptible(engine, patient):
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
        if not cast.rebuildable(cell.assistant):
            return Work(cell, attempt + 1)
        return Work(cell, attempt, dialogue.events)
    if failed and end.owner == "infrastructure":
        return Work(cell, attempt + 1)
    return _to_judge(cell, dialogue) if cast.judges and _lacks_verdict(dialogue, cast) else None


def _lacks_verdict(dialogue: Dialogue, cast: Cast) -> bool:
    end = dialogue.ending
    return end is not None and end.scored and not any(cast.settled(verdict) for verdict in dialogue.verdicts)


def _to_judge(cell: Cell, dialogue: Dialogue) -> Work:
    return Work(cell, dialogue.started.attempt, dialogue.events, dialogue.ending)


def _manifest(campaign: Campaign, data: Dataset, keys: list[ScenarioKey], cast: Cast, count: int) -> Manifest:
    return Manifest(
        name=campaign.name,
        duologue=version("duologue"),
        started=time.time(),
        cells=count,
        campaign=campaign.model_dump(mode="json", exclude_defaults=True),
        fingerprints=_fingerprints(campaign, cast),
        data=_contents(data, keys),
        notes=cast.notes,
    )


def _fingerprints(campaign: Campaign, cast: Cast) -> dict[str, str]:
    return {
        "prompts": prompts_fingerprint(),
        "user": fingerprint(campaign.user),
        "judge": fingerprint(campaign.judge, cast.rubric),
        "seed": str(campaign.seed),
    }


def _contents(data: Dataset, keys: list[ScenarioKey]) -> dict[str, str]:
    profiles = {f"profile {id}": fingerprint(data.profile(id)) for id in sorted({key.profile for key in keys})}
    return profiles | {f"task {id}": fingerprint(data.task(id)) for id in sorted({key.task for key in keys})}


def _check_unchanged(then: dict[str, str], now: dict[str, str], folder: Path) -> None:
    changed = sorted(what for what in then | now if then.get(what) != now.get(what))
    if changed:
        named = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise BadInput(
            f"changed since the run began: {named}; its parts would not compare",
            folder,
            f"Put {'them' if len(changed) > 1 else 'it'} back, or begin a new run",
        )


@contextmanager
def _interruptible(engine: Engine, patient: bool) -> Iterator[None]:
    """The first Ctrl-C ends after the calls in flight, unless not `patient`; the second at once.

    Elsewhere than in the main thread signals are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def heard(_signal: int, _frame: FrameType | None) -> None:
        if engine.halted == "interrupted" or not patient:
            loop.call_soon_threadsafe(engine.abandon, "Leaving at once.")
        else:
            told = "Stopping after the calls in flight; Ctrl-C again leaves at once."
            loop.call_soon_threadsafe(engine.halt, "interrupted", told)

    before = {kind: signal.signal(kind, heard) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
