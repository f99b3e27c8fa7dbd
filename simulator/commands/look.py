"""`duologue list`, `show` and `replay`: look at what was run."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import JSON, RUN, emit, run_folder
from duologue.commands.require import REQUIRE, kept

if TYPE_CHECKING:
    from duologue.agents.verdict import Verdict
    from duologue.gates import Gate, Outcome
    from duologue.record.run import Dialogue, Run
    from duologue.scoring.scorecard import Summary
    from duologue.views.replay import Step

__all__ = ["JUDGE", "RUBRIC", "list_runs", "replay", "show"]

RUBRIC = Annotated[str, typer.Option(help="Verdicts under this rubric: its name, fingerprint or TOML file.")]
JUDGE = Annotated[str, typer.Option(help="Verdicts by this judge: its model, or `state` for the end states alone.")]
DIALOGUE = Annotated[
    str, typer.Argument(metavar="DIALOGUE", help="Its number in `show RUN`, or the beginning of its cell id.")
]

MOST = 100
"""How many dialogues a table shows unless all are asked for."""


def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where the runs are.")] = Path("runs"), as_json: JSON = False
) -> None:
    """List the runs, the newest first."""
    from duologue.record.run import read_manifest
    from duologue.scores import overview
    from duologue.tasks.faults import BadInput
    from duologue.views.console import console
    from duologue.views.listing import draw_runs
    from duologue.views.text import safe

    folders = [path.parent for path in folder.glob("*/run.json")]
    runs, broken = [], []
    for each in folders:
        try:
            runs.append((overview(each), read_manifest(each).started))
        except BadInput as fault:
            broken.append(str(fault))
    runs.sort(key=lambda held: -held[1])
    for sentence in broken:
        console(stderr=True).print(safe(f"left out: {sentence}"), markup=False, soft_wrap=True)
    emit([said for said, _ in runs], as_json, lambda: draw_runs(runs))


def show(
    run: RUN = "last",
    dialogue: DIALOGUE = "",
    domain: Annotated[str, typer.Option(help="Only dialogues whose task is of this domain.")] = "",
    assistant: Annotated[str, typer.Option("--assistant", "-a", help="Only this assistant's dialogues.")] = "",
    ended: Annotated[
        str, typer.Option(metavar="REASON", help="Only those that ended so: a reason or an owner, such as timeout.")
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Only those with such a score: 'state_success=no', 'tokens>5000'."),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Those that ended without scores, by reason, and what to do about it.")
    ] = False,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help=f"All of them, not the first {MOST} alone, and the judge against the world in full."
        ),
    ] = False,
    require: REQUIRE = None,
    rubric: RUBRIC = "",
    judge: JUDGE = "",
    as_json: JSON = False,
) -> None:
    """Show a run's dialogues and scores, or one dialogue.

    Where dialogues are chosen, they alone are shown, without the scores of the whole run.
    """
    from rich.console import Group

    from duologue.bench.plan import is_bench
    from duologue.commands.bench import show as show_bench
    from duologue.filters import Filter, failing, filtered
    from duologue.gates import gates, outcomes
    from duologue.record.run import read_run
    from duologue.scores import headline, noted, rows, summary
    from duologue.tasks.written import BadInput
    from duologue.views.concord import draw_whole
    from duologue.views.failures import draw_failures
    from duologue.views.listing import draw_dialogues
    from duologue.views.summary import draw

    if is_bench(folder := run_folder(run)):
        show_bench(folder, as_json)
        return
    read, bounds = read_run(folder), gates(require or ())
    if dialogue and bounds:
        raise BadInput("a bound is on the scores of a whole run", "--require", f"Leave {dialogue!r} out")
    if dialogue:
        _show_one(read, dialogue, rubric, judge, as_json)
        return
    said = summary(read, rubric, judge) if rubric or judge else noted(read)
    found = outcomes(bounds, said)
    by = Filter(domain, assistant, ended, tuple(where or ()))
    most = None if every or as_json else MOST
    table = rows(read, used=said.judging, state=said.state, most=None if by or failed else most)
    chosen = filtered(table, by) if by else table
    if failed:
        groups = failing(chosen, judged=said.judged)
        lost = [{"owner": g.owner, "reason": g.reason, "detail": g.detail, "dialogues": g.rows} for g in groups]
        emit({"summary": said, "failed": lost}, as_json, lambda: draw_failures(groups, said.folder))
        _end(said, bounds, found)
        return
    held, unscored = said.dialogues, said.dialogues - said.scored
    if by:
        held, unscored = len(chosen), sum(not row.scored for row in chosen)
    told = {"held": held, "unscored": unscored, "of": said.dialogues if by else None}
    shown = headline(read, said.judging)
    emit(
        {"summary": said, "dialogues": chosen},
        as_json,
        lambda: Group(
            draw_dialogues(chosen[:most], shown, **told),
            *([draw_whole(said.concord)] if every and said.concord and not by else []),
            *([] if by else [draw(said, read.manifest.notes)]),
        ),
    )
    _end(said, bounds, found)


def _end(said: "Summary", bounds: "Sequence[Gate]", found: "Sequence[Outcome]") -> None:
    """End with the exit code that a run deserves of which bounds were asked."""
    from duologue.commands.run import exit_code

    if bounds and (code := exit_code(said, kept(found))):
        raise typer.Exit(code)


def _show_one(run: "Run", dialogue: str, rubric: str, judge: str, as_json: bool) -> None:
    from rich.console import Group

    one = _pick(run, dialogue)
    held = {"events": one.events, "verdicts": one.verdicts}
    emit(held, as_json, lambda: Group(*_steps(run, one, rubric, judge)))


def replay(
    run: RUN = "last",
    dialogue: DIALOGUE = "1",
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each turn.")] = False,
    speed: Annotated[float, typer.Option(help="1: as fast as it was; 10: ten times; 0: at once.", min=0)] = 0,
    full: Annotated[bool, typer.Option("--full", help="Show tool calls, their answers and reasoning uncut.")] = False,
    rubric: RUBRIC = "",
    judge: JUDGE = "",
) -> None:
    """Play a stored dialogue with the verdict beside it."""
    import time

    from duologue.record.run import read_run
    from duologue.views.console import console

    read, screen = read_run(run_folder(run)), console()
    for taken in _steps(read, _pick(read, dialogue), rubric, judge, full):
        if step:
            screen.input("")
        elif speed:
            time.sleep(min(taken.seconds / speed, 10))
        screen.print(taken)


def _pick(run: "Run", wanted: str) -> "Dialogue":
    from duologue.record.run import read_dialogue
    from duologue.tasks.written import BadInput

    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and 1 <= int(wanted) <= len(run.dialogues):
        return read_dialogue(run.folder, run.dialogues[int(wanted) - 1].cell)
    found = [dialogue.cell for dialogue in run.dialogues if len(wanted) >= 4 and dialogue.cell.startswith(wanted)]
    if len(found) == 1:
        return read_dialogue(run.folder, found[0])
    count = len(run.dialogues)
    raise BadInput(
        f"no dialogue {wanted!r} among its {count}" if count else "has no dialogue yet",
        run.folder,
        f"See them: duologue show {run.folder}",
    )


def _steps(run: "Run", one: "Dialogue", rubric: str, judge: str, full: bool = False) -> "Iterator[Step]":
    """The dialogue step by step, with its verdict and, beside a judge's, what its end state shows."""
    from duologue.rubrics import kept_rubric
    from duologue.scoring.consensus import told
    from duologue.scoring.judging import by_state, heard, judged_by
    from duologue.views.replay import steps

    verdict, looks = _verdict(run, one, rubric, judge)
    read = heard(one.verdicts, by_state([run])) if verdict and not judged_by(verdict).of_state else []
    under = kept_rubric(run.folder, verdict.rubric) if verdict else None
    state = told(read) if read else None
    return steps(one, verdict, _name(run, one), looks, rubric=under, state=state, full=full)


def _verdict(run: "Run", dialogue: "Dialogue", rubric: str, judge: str) -> "tuple[Verdict | None, Sequence[Verdict]]":
    """The dialogue's verdict of the judge and rubric by which the run's table is made, else of its state; and the looks
    that it is folded from."""
    from duologue.scoring.consensus import told
    from duologue.scoring.judging import by_state, heard, judging

    looks = heard(dialogue.verdicts, judging([run], rubric, judge))
    if not looks and not judge and not rubric:
        looks = heard(dialogue.verdicts, by_state([run]))
    return (told(looks) if looks else None), looks


def _name(run: "Run", dialogue: "Dialogue") -> str:
    """The name of the dialogue's profile, where the data is still to be had."""
    from duologue.profiles.dataset import open_dataset
    from duologue.provenance import campaign_of
    from duologue.tasks.written import BadInput

    try:
        campaign = campaign_of(run.manifest, run.folder)
        data = open_dataset(campaign.data, Path(campaign.beside))
        return data.profile(dialogue.started.profile).name
    except BadInput:
        return ""
