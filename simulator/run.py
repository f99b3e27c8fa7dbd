"""A run: one execution of a campaign, from a notebook, a script or the command line alike.

    from duologue.campaign import read_campaign
    from duologue.run import run
    from duologue.scores import summary

    done = await run(read_campaign("my-campaign.toml"))
    print(summary(done))

Outside a notebook: `asyncio.run(run(...))`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from duologue.alterations import altered
from duologue.campaign import Campaign, JudgeSpec, cells
from duologue.cast import Cast, Keyboard
from duologue.crew import Crew
from duologue.engine import Engine, Work
from duologue.interrupts import interruptible
from duologue.listener import Audience, Listener
from duologue.money.budget import Purse, priced, purse
from duologue.preflight import rehearse
from duologue.profiles.dataset import Dataset, open_dataset
from duologue.provenance import campaign_of, check_unchanged, contents, fingerprints, gone_on_with, manifest
from duologue.record.index import write
from duologue.record.indexer import Indexer
from duologue.record.recorder import recorded
from duologue.record.run import Run, read_manifest, read_run, run_of
from duologue.record.store import Lock, create_folder, new_files, write_once
from duologue.record.stored import KINDS, Shelf
from duologue.remaining import begun_of, left, openers, unscored
from duologue.rubrics import keep_rubric
from duologue.scores import summary
from duologue.scoring.judging import Judging
from duologue.selection import select
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
    campaign = priced(campaign)
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    rehearse(data, keys)
    async with Cast(campaign, data, keyboard) as cast:
        work = [Work(cell) for cell in cells(campaign, keys)]
        folder = folder or new_folder(campaign.name)
        place = folder.absolute()
        team = _team(place, campaign, cast, data, work)
        money = purse(campaign, team.halt)
        judges = cast.jury.judging.judges if campaign.judge else ()
        begun = manifest(campaign, data, keys, len(work), rubric=cast.jury.rubric, judges=judges, notes=cast.notes)
        create_folder(folder)
        with Lock(place) as lock:
            write_once(place / "run.json", begun.model_dump(mode="json"))
            _keep(place, cast)
            done = await _perform(
                place, team, lock, work, campaign, [Audience(listeners), *money], patient=keyboard is None
            )
        stopped = _stopped(money, done, cast)
    return replace(done, folder=folder, stopped=stopped)


async def resume(
    folder: Path,
    listeners: Sequence[Listener] = (),
    *,
    failed: bool = False,
    budget: float | None = None,
    workers: int | None = None,
) -> Run:
    """Go on with a run: finish what was interrupted, hold what is missing, judge what has no verdict.

    With `failed`, dialogues that the infrastructure ended begin again as a new attempt. `budget` is what the whole run
    may cost from now on, what it has cost before included, inf for whatever it takes; `workers` is how many processes
    share what is left.
    Raises BadInput where the campaign's file, the data or the prompts are no longer those that the run began with, or
    where the budget is spent.
    """
    begun, place = read_manifest(folder), folder.absolute()
    campaign = priced(_under(altered(campaign_of(begun, folder), folder), budget, workers))
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data) as cast:
        found = fingerprints(campaign, cast.jury.rubric) | contents(data, keys)
        check_unchanged(begun.fingerprints | begun.data, found, folder)
        with Lock(place) as lock:
            so_far = read_run(folder)
            work = left(campaign, keys, so_far, cast, failed)
            first = openers(campaign, work, so_far)
            shelf = Shelf(place, [*begun_of(work), *first])
            team = _team(place, campaign, cast, data, work, shelf, first)
            if isinstance(team, Engine):
                cast.speakers.remember_openers(shelf.dialogues(first))
            money = purse(campaign, team.halt, folder)
            if (now := gone_on_with(begun, campaign)) != begun:
                write_once(place / "run.json", now.model_dump(mode="json"))
            _keep(place, cast)
            done = await _perform(place, team, lock, work, campaign, [Audience(listeners), *money], so_far, shelf)
        stopped = _stopped(money, done, cast)
    return replace(done, folder=folder, stopped=stopped)


def _stopped(money: Sequence[Purse], done: Run, cast: Cast) -> str:
    """Why the budget stopped a run before all was done; empty where it did not."""
    ended = [(each, each.ending) for each in done.dialogues if each.ending and each.ending.finished]
    judged = all(cast.jury.stood(each.verdicts) >= set(cast.jury.looks) for each, end in ended if end.scored)
    return "" if judged and len(ended) >= done.manifest.cells else "".join(watcher.told for watcher in money)


def _keep(folder: Path, cast: Cast) -> None:
    """Keep the rubric that verdicts are about to be asked under."""
    if cast.jury.rubric is not None:
        keep_rubric(folder, cast.jury.rubric)


def _under(campaign: Campaign, budget: float | None, workers: int | None) -> Campaign:
    """`campaign` under another budget or with other workers, also when it is gone on with once more."""
    if budget is not None and not budget > 0:
        raise BadInput(f"{budget:g} is no budget", "budget", "Give what the whole run may cost, such as 5")
    asked = {"budget": budget, "workers": workers}
    new = {name: None if value == math.inf else value for name, value in asked.items() if value is not None}
    sets = (*campaign.sets, *(f"limits.{name}={value!r}" for name, value in new.items() if value is not None))
    return campaign.model_copy(update={"limits": campaign.limits.model_copy(update=new), "sets": sets})


async def judge_again(
    folder: Path, judge: JudgeSpec | None = None, listeners: Sequence[Listener] = ()
) -> tuple[Run, Judging]:
    """Judge every dialogue of a run that lacks a verdict under `judge` (the campaign's own by default), of each look
    of each judge of a panel what is missing, and read the end states that have not been read.

    Gives the run, read back, and whose verdicts those of `judge` are; without a judge, the reading of the states.
    Raises BadInput where there is nothing to judge by, or where the data is no longer what the dialogues were about.
    """
    begun, place = read_manifest(folder), folder.absolute()
    campaign = campaign_of(begun, folder)
    campaign = campaign.model_copy(update={"judge": judge or campaign.judge})
    if campaign.judge is None and not any(dialogue.had_world for dialogue in read_run(folder).dialogues):
        raise BadInput("the campaign has no judge", folder, "Name one: duologue judge RUN --model MODEL")
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    async with Cast(campaign, data, seats=False) as cast:
        check_unchanged(begun.data, contents(data, keys), folder)
        with Lock(place) as lock:
            so_far = read_run(folder)
            work = unscored(campaign, keys, so_far, cast)
            shelf = Shelf(place, begun_of(work))
            team = _team(place, campaign, cast, data, work, shelf, seats=False)
            _keep(place, cast)
            done = await _perform(place, team, lock, work, campaign, [Audience(listeners)], so_far, shelf)
        by = cast.jury.judging
    return replace(done, folder=folder), by


def new_folder(name: str) -> Path:
    """`runs/NAME-DATE-TIME`, with a number behind it where that is taken."""
    stem = Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    taken = (path for path in (stem, *(Path(f"{stem}-{n}") for n in range(2, 1000))) if not path.exists())
    return next(taken)


def _team(
    folder: Path,
    campaign: Campaign,
    cast: Cast,
    data: Dataset,
    work: Sequence[Work],
    shelf: Shelf | None = None,
    first: Sequence[str] = (),
    *,
    seats: bool = True,
) -> Engine | Crew:
    """Who does the work: this process, or several. Raises BadInput where it cannot be shared."""
    workers = campaign.limits.workers
    if min(workers, len(work)) < 2:
        if shelf is None:
            return Engine(cast, data, campaign.limits.turns)
        return Engine(cast, data, campaign.limits.turns, shelf.events, shelf.verdicts)
    if cast.embeds:
        then = "Leave workers out, or raise limits.concurrency"
        raise BadInput(f"{workers} workers: an embedded model has processes of its own", "limits.workers", then)
    return Crew(folder, campaign, first, looks=cast.jury.looks, seats=seats)


async def _perform(
    folder: Path,
    team: Engine | Crew,
    lock: Lock,
    work: Sequence[Work],
    campaign: Campaign,
    listeners: Sequence[Listener],
    so_far: Run | None = None,
    shelf: Shelf | None = None,
    *,
    patient: bool = True,
) -> Run:
    """Do `work` and record it; gives the run as it then is. `shelf` holds the dialogues of `so_far`."""
    indexer = Indexer(folder, so_far, shelf.events if shelf else None)
    with interruptible(team, patient):
        if isinstance(team, Crew):
            await team.run(work, campaign.limits.concurrency, [indexer, *listeners], lock.file)
        else:
            files = new_files(folder, KINDS)
            await recorded(team, work, campaign.limits.concurrency, [indexer, *listeners], files)
    index = indexer.index()
    done = run_of(folder, read_manifest(folder), index)
    said = summary(done).model_dump(mode="json")
    write(folder, replace(index, said=said))
    return replace(done, said=said)
