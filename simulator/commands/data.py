"""`duologue profiles` and `duologue tasks`: list, show, check, import."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duologue.commands.output import JSON, emit

if TYPE_CHECKING:
    from duologue.profiles.checks import Finding
    from duologue.profiles.dataset import Dataset

__all__ = ["profiles", "tasks"]

profiles = typer.Typer(help="The simulated people: list, show, check, import.", no_args_is_help=True)
tasks = typer.Typer(help="What they want: list, show, check, import.", no_args_is_help=True)

Data = Annotated[
    str, typer.Option("--data", metavar="SOURCE", help="`shipped`, `personalens:PATH`, or a folder of your own.")
]
From = Annotated[str, typer.Option("--from", metavar="FORMAT", help="The format of the data: `personalens`.")]
To = Annotated[Path, typer.Option("--to", metavar="FOLDER", help="The folder to write JSON Lines files into.")]
Source = Annotated[Path, typer.Argument(metavar="PATH", help="The folder that holds the data.", show_default=False)]
Part = Literal["profiles", "tasks"]


@profiles.command("list")
def list_profiles(data: Data = "shipped", as_json: JSON = False) -> None:
    """List the profiles of a dataset."""
    from duologue.views.people import profile_table

    held = list(_open(data).profiles())
    emit(held, as_json, lambda: profile_table(held))


@profiles.command("show")
def show_profile(
    id: Annotated[str, typer.Argument(help="The profile's id.", show_default=False)],
    data: Data = "shipped",
    as_json: JSON = False,
) -> None:
    """Show one profile in full."""
    from duologue.views.people import profile_card

    profile = _open(data).profile(id)
    emit(profile, as_json, lambda: profile_card(profile))


@profiles.command("check")
def check_profiles(data: Data = "shipped", as_json: JSON = False) -> None:
    """Check every profile: unknown keys, domains and values, contradictions, leaks."""
    from duologue.profiles.checks import check_profiles

    _report(check_profiles(_open(data)), as_json, "profiles")


@profiles.command("import")
def import_profiles(path: Source, form: From, to: To = Path("imported")) -> None:
    """Read profiles of another format and write them as JSON Lines."""
    _import(path, form, to, "profiles")


@tasks.command("list")
def list_tasks(data: Data = "shipped", as_json: JSON = False) -> None:
    """List the tasks of a dataset."""
    from duologue.views.people import task_table

    held = list(_open(data).tasks())
    emit(held, as_json, lambda: task_table(held))


@tasks.command("show")
def show_task(
    id: Annotated[str, typer.Argument(help="The task's id.", show_default=False)],
    data: Data = "shipped",
    as_json: JSON = False,
) -> None:
    """Show one task in full."""
    from duologue.views.people import task_card

    task = _open(data).task(id)
    emit(task, as_json, lambda: task_card(task))


@tasks.command("check")
def check_tasks(data: Data = "shipped", as_json: JSON = False) -> None:
    """Check every task: unknown keys, preferences that no domain has, requests that give preferences away."""
    from duologue.profiles.checks import check_tasks

    _report(check_tasks(_open(data)), as_json, "tasks")


@tasks.command("import")
def import_tasks(path: Source, form: From, to: To = Path("imported")) -> None:
    """Read tasks, domains and scenarios of another format and write them as JSON Lines."""
    _import(path, form, to, "tasks")


def _open(source: str) -> "Dataset":
    from duologue.profiles.dataset import open_dataset

    return open_dataset(source)


def _report(findings: "list[Finding]", as_json: bool, what: str) -> None:
    from duologue.views.people import finding_list

    emit(findings, as_json, lambda: finding_list(findings, what))
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(2)


def _import(path: Path, form: str, to: Path, part: Part) -> None:
    from duologue.profiles.dataset import write_dataset
    from duologue.profiles.personalens import open_personalens
    from duologue.profiles.tally import lines
    from duologue.tasks.written import BadInput
    from duologue.views.console import console
    from duologue.views.text import safe

    if form != "personalens":
        raise BadInput(f"unknown format {form!r}", "--from", "Known: personalens")
    data = open_personalens(path)
    written = write_dataset(data, to, (part,))
    screen = console()
    for line in lines(data.tally):
        screen.print(safe(line), markup=False, soft_wrap=True)
    counts = ", ".join(f"{count} {what}" for what, count in written.items())
    told = f"Wrote {counts} to {safe(str(to))}. The data keep their own licence (CC BY-NC 4.0)."
    screen.print(told, markup=False, soft_wrap=True)
    if "scenarios" not in written:
        other = "tasks" if part == "profiles" else "profiles"
        command = f"duologue {other} import --from personalens {shlex.quote(str(path))} --to {shlex.quote(str(to))}"
        screen.print(f"Next: {safe(command)}", markup=False, soft_wrap=True)
