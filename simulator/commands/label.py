"""`duologue label`: people score a random sample of a run's dialogues."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import RUN, run_folder

if TYPE_CHECKING:
    from duologue.agents.rubric import Rubric
    from duologue.record.run import Run

__all__ = ["label"]


def label(
    run: RUN = "last",
    n: Annotated[int, typer.Option("--n", min=1, help="How many dialogues are drawn.")] = 100,
    seed: Annotated[int, typer.Option(help="By which they are drawn: all who name the same label the same ones.")] = 1,
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Who labels; by default your login name.")] = "",
    rubric: Annotated[str, typer.Option(help="A shipped rubric's name, or a TOML file; by default the run's.")] = "",
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take labels made elsewhere, from a CSV or JSONL file."),
    ] = None,
    picked: Annotated[
        bool,
        typer.Option("--picked", help="The file's dialogues were picked by hand, not drawn: no estimate uses them."),
    ] = False,
) -> None:
    """Score a random sample of a run's dialogues yourself.

    You see each without the assistant's name and the judge's scores. Leave and go on whenever you like; several people
    label the same sample, each in another order.
    """
    from duologue.labelling.labels import labeller
    from duologue.record.run import read_run
    from duologue.tasks.written import BadInput

    by, folder = labeller(name or _login()), run_folder(run)
    if picked and source is None:
        raise BadInput("--picked is for labels made elsewhere", then="Give their file too: --from FILE --picked")
    if source is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(
            "labels are given at a terminal, and this is none", then="Give labels made elsewhere: --from FILE"
        )
    read = read_run(folder)
    under = _rubric(read, rubric)
    if source is not None:
        _take(read, under, by, source, None if picked else (n, seed))
        return
    again = f"duologue label {shlex.quote(str(folder))} --as {by}"
    again += "".join(
        f" --{option} {value}" for option, value, usual in (("n", n, 100), ("seed", seed, 1)) if value != usual
    )
    _sit(read, under, by, (n, seed), f"{again} --rubric {shlex.quote(rubric)}" if rubric else again)


def _sit(run: "Run", rubric: "Rubric", by: str, drawn: tuple[int, int], again: str) -> None:
    """Take labels at the terminal. `again` is what to type to go on."""
    from duologue.labelling.session import Session
    from duologue.views.console import console
    from duologue.views.label import Terminal, farewell, welcome

    with Session(run, rubric, by, drawn) as session:
        for note in session.notes:
            console(stderr=True).print(note, style="yellow", markup=False, soft_wrap=True)
        before, count = session.done, len(session.order)
        console().print(welcome(rubric.name, by, before, count, session.sample.drawn.of))
        interrupted = False
        try:
            session.desk(Terminal()).work()
        except KeyboardInterrupt:
            interrupted = True
        then = f"duologue agreement {shlex.quote(str(run.folder))}"
        console().print(farewell(session.kept, session.done, count, again, then, session.parts))
    if interrupted:
        raise typer.Exit(130)


def _take(run: "Run", rubric: "Rubric", by: str, source: Path, drawn: tuple[int, int] | None) -> None:
    """Take labels from a file."""
    from duologue.labelling.session import take
    from duologue.views.console import console
    from duologue.views.label import taken

    found = take(run, rubric, by, source, drawn)
    console().print(taken(by, found, f"duologue agreement {shlex.quote(str(run.folder))}"))


def _rubric(run: "Run", named: str) -> "Rubric":
    """The rubric to label under. Raises BadInput where people cannot."""
    from duologue.agents.rubric import read_rubric
    from duologue.labelling.questions import own_rubric
    from duologue.tasks.written import BadInput

    rubric = read_rubric(named) if named else own_rubric(run)
    if rubric.pairwise:
        then = "Name another with --rubric, or have pairs judged: duologue compare --pairwise"
        raise BadInput(f"the rubric {rubric.name} compares two dialogues, and people label one at a time", then=then)
    if not rubric.dimensions:
        raise BadInput(f"the rubric {rubric.name} has no dimension to label", then="Name another with --rubric")
    return rubric


def _login() -> str:
    """The name under which somebody is logged in; empty where nobody is."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
