"""`duologue profiles` and `duologue tasks`: list, show, check, generate, import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duologue.commands.output import JSON, emit, place
from duologue.profiles.imports.formats import FORMATS
from duologue.tasks.imports.formats import FORMATS as TASK_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

    from duologue.profiles.dataset import Dataset
    from duologue.profiles.finding import Bounded, Finding
    from duologue.profiles.library import Library

__all__ = ["profiles", "tasks"]

profiles = typer.Typer(help="The simulated people: list, show, check, generate, import.", no_args_is_help=True)
tasks = typer.Typer(help="What they want: list, show, check, import.", no_args_is_help=True)

PERSONALENS = "personalens"
KNOWN = (PERSONALENS, *FORMATS)
"""The names that `--from` takes."""

Data = Annotated[
    str, typer.Option("--data", metavar="SOURCE", help="`shipped`, `personalens:PATH`, or a folder of your own.")
]
Source = Annotated[
    Path, typer.Argument(metavar="PATH", help="The file or folder that holds the data.", show_default=False)
]


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
    """Check every profile: unknown keys, domains and values, contradictions; how even tastes are, what leaks."""
    from duologue.profiles.checks import examine_profiles
    from duologue.views.figures import profile_figures

    checked = examine_profiles(_open(data))
    bounds = checked.figures.bounds()
    told = {"findings": checked.findings, "figures": checked.figures, "bounds": bounds}
    _report(checked.findings, bounds, as_json, "profiles", told, lambda: profile_figures(checked.figures))


@profiles.command("generate")
def generate_profiles(
    data: Annotated[
        str, typer.Option("--data", metavar="SOURCE", help="`shipped`, or a folder of your own with domains.")
    ] = "shipped",
    n: Annotated[int, typer.Option("--n", metavar="COUNT", help="How many people.")] = 1500,
    seed: Annotated[int, typer.Option("--seed", metavar="NUMBER", help="Another seed makes other people.")] = 1,
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FOLDER|FILE", parser=place, help="A folder for profiles.jsonl, or a .jsonl file."
        ),
    ] = Path("people"),
) -> None:
    """Make people: the same count and seed make the same file.

    Their preferences are those of the shipped domains. A folder of your own in --data adds its domains: everybody has
    preferences in those that have a people.toml.
    """
    from duologue.profiles.generator import generate, write_people
    from duologue.tasks.library import certain
    from duologue.tasks.written import BadInput
    from duologue.views.console import console
    from duologue.views.text import safe

    if n < 1:
        raise BadInput(f"{n} is no number of people", "--n", "Give 1 or more, e.g. --n 1500")
    if seed < 0:
        raise BadInput(f"{seed} is no seed", "--seed", "Give 0 or more, e.g. --seed 1")
    path = to if to.suffix == ".jsonl" else to / "profiles.jsonl"
    library = _library(data)
    own = list(certain(library.inclined_entries()))
    size = write_people(path, generate(n, seed, certain(library.shared_entries()), own))
    told = f"Wrote {n:,} people ({size / 1e6:.1f} MB) to {path}. To use them: {_use(path, data if own else '')}."
    console().print(safe(told), markup=False, soft_wrap=True)
    if left := sorted(library.own_domains() - {each.domain.name for each in own}):
        told = f"Nobody has preferences in {', '.join(left)}: there is no people.toml beside its domain.toml."
        console(stderr=True).print(safe(told), markup=False, soft_wrap=True)


@profiles.command("import")
def import_profiles(
    path: Source,
    form: Annotated[
        str, typer.Option("--from", metavar="NAME", help=f"What the data are: {', '.join(KNOWN)}.", show_default=False)
    ],
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FOLDER|FILE", parser=place, help="A folder for profiles.jsonl, or a .jsonl file."
        ),
    ] = Path("imported"),
) -> None:
    """Read the people of another data set and write them as profiles, with whatever was repaired or left out counted.

    No data ship with the tool, and those that you have keep their licence. Personas that know no domains get one
    named Persona, in domains.jsonl beside the profiles: name it in the domains of your own tasks.
    """
    from duologue.commands.imports import bring_dataset, bring_people

    if form == PERSONALENS:
        bring_dataset(path, to, "profiles")
    else:
        bring_people(form, path, to)


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
    """Check every task and its domains: keys, slots, records, catalogues, words that give preferences away."""
    from duologue.profiles.checks import examine_tasks
    from duologue.views.figures import task_figures

    checked = examine_tasks(_open(data))
    bounds = checked.figures.bounds(checked.shipped)
    told = {"findings": checked.findings, "figures": checked.figures, "bounds": bounds}
    _report(checked.findings, bounds, as_json, "tasks", told, lambda: task_figures(bounds))


@tasks.command("import")
def import_tasks(
    path: Source,
    form: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="NAME",
            help=f"What the data are: {', '.join((PERSONALENS, *TASK_FORMATS))}.",
            show_default=False,
        ),
    ],
    to: Annotated[
        Path, typer.Option("--to", metavar="FOLDER", parser=place, help="The folder to write JSON Lines files into.")
    ] = Path("imported"),
) -> None:
    """Read the tasks of another data set and write them with their domains, with whatever was repaired or left out
    counted.

    Of sgd and multiwoz, the goals of the dialogues become tasks, equal ones once, and what can be booked becomes
    records, so that success shows in the world. No data ship with the tool, and those that you have keep their licence.
    """
    from duologue.commands.imports import bring_dataset, bring_tasks

    if form == PERSONALENS:
        bring_dataset(path, to, "tasks")
    else:
        bring_tasks(form, path, to)


def _open(source: str) -> "Dataset":
    from duologue.profiles.dataset import open_dataset

    return open_dataset(source)


def _use(path: Path, beside: str) -> str:
    """How a campaign comes to use people in the file `path`; `beside` is the folder that their own domains are in."""
    if beside and (path.name != "profiles.jsonl" or path.parent.resolve() != Path(beside).expanduser().resolve()):
        return f"put them into {beside} as profiles.jsonl, beside the domains"
    if path.name != "profiles.jsonl":
        return "name it profiles.jsonl in a folder of its own"
    return f'data = "{path.parent.as_posix()}" in a campaign'


def _library(source: str) -> "Library":
    """The dataset whose domains people are made for."""
    from duologue.profiles.library import Library
    from duologue.tasks.written import BadInput

    opened = _open(source)
    if not isinstance(opened, Library):
        raise BadInput("nothing says how people are inclined there", source, "Give --data a folder of your own.")
    return opened


def _report(
    findings: "Sequence[Finding]",
    bounds: "Sequence[Bounded]",
    as_json: bool,
    what: str,
    told: "dict[str, Any]",
    figures: "Callable[[], RenderableType]",
) -> None:
    """Print figures and findings; ends with 2 where something is wrong, else with 1 where a bound is not kept."""
    from rich.console import Group

    from duologue.views.people import finding_list

    emit(told, as_json, lambda: Group(figures(), finding_list(findings, what)))
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(2)
    if any(bounded.met is False for bounded in bounds):
        raise typer.Exit(1)
