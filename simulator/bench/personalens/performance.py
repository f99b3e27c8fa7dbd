"""PersonaLens's protocol performed: each part is a run of its own in the bench's folder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from duologue.bench.personalens.campaigns import OWN, Part, campaigns, choices, options, seats
from duologue.bench.personalens.tables import tables
from duologue.bench.plan import Plan, begin, is_bench, read_manifest
from duologue.bench.report import Report
from duologue.campaign import Campaign
from duologue.listener import Listener
from duologue.record.run import Run, read_run
from duologue.record.store import create_folder
from duologue.run import judge_again, resume, run
from duologue.scores import summary
from duologue.tasks.written import fingerprint

__all__ = ["perform", "reported"]


async def perform(plan: Plan, folder: Path, listeners: Sequence[Listener] = ()) -> Report:
    """Hold and judge what `plan` asks and `folder` does not hold yet, and report. Each part is a run in it.

    Raises what `duologue.run.run` does, and BadInput where the folder holds another bench.
    """
    chosen, planned = choices(plan), campaigns(plan)
    if not is_bench(folder):
        create_folder(folder)
    begin(plan, _contents(planned), folder)
    left = plan.limits.budget
    for part, campaign in planned.items():
        at = folder / part
        if (at / "run.json").exists():
            done = await resume(at, listeners, budget=left)
        else:
            limited = campaign.limits.model_copy(update={"budget": left})
            done = await run(campaign.model_copy(update={"limits": limited}), at, listeners)
        if done.stopped or any(each.ending is None or not each.ending.finished for each in done.dialogues):
            break
        assert campaign.judge is not None
        if chosen.preferences:
            done, _ = await judge_again(at, campaign.judge.model_copy(update={"rubric": OWN}), listeners)
        left = None if left is None else max(left - _cost(done), 1e-9)
    return reported(folder)


def reported(folder: Path) -> Report:
    """What the bench in `folder` shows so far."""
    plan = read_manifest(folder).plan
    planned = campaigns(plan)
    held = {part: read_run(folder / part) for part in planned if (folder / part / "run.json").exists()}
    failed: Counter[str] = Counter()
    for found in held.values():
        ends = (each.ending for each in found.dialogues if each.ending and not each.ending.scored)
        failed.update(f"{end.owner}: {end.reason}" for end in ends)
    ended = sum(bool(d.ending and d.ending.finished) for found in held.values() for d in found.dialogues)
    count = sum(found.manifest.cells for found in held.values())
    return Report(
        bench=plan.bench,
        folder=str(folder),
        data=plan.data,
        models={role: spec.model for role, spec in seats(plan).items()},
        options=options(plan, planned),
        items=count,
        asked=count,
        answered=ended,
        failed=dict(failed),
        tables=tuple(table for part, found in held.items() for table in tables(part, found)),
        stopped="" if len(held) == len(planned) and ended == count else "Dialogues are left to hold.",
        notes=tuple(dict.fromkeys(note for found in held.values() for note in (*found.manifest.notes, *found.notes))),
    )


def _contents(planned: Mapping[Part, Campaign]) -> str:
    """The fingerprint of what is held and judged. The data's own stands in the runs, which refuse other data."""
    held = {part: each.model_dump(mode="json", exclude={"limits", "prices"}) for part, each in planned.items()}
    return fingerprint(held)


def _cost(done: Run) -> float:
    """What a run has cost, as far as it is known."""
    return sum(cost or 0.0 for each in summary(done).assistants for cost in each.cost.values())
