"""`duologue bench`: the protocols of papers, over data that the user brings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import JSON, emit, place

if TYPE_CHECKING:
    from duologue.bench.plan import Plan
    from duologue.bench.report import Report

__all__ = ["bench", "perform"]


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="personalens, personafeedback or persobench.")],
    data: Annotated[Path, typer.Option(metavar="PATH", parser=place, help="The data, a file or a folder.")],
    model: Annotated[str, typer.Option(help="The model under test, such as openai:NAME or local.")],
    judge: Annotated[str, typer.Option(help="The model that judges, where the protocol has a judge.")] = "",
    base_url: Annotated[str, typer.Option(help="An OpenAI-compatible server for every model.")] = "",
    options: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A choice of the protocol, such as setting=none."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only so many items, drawn by the seed.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the sample and the order of answers.")] = 1,
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, help="Calls at once.")] = 4,
    budget: Annotated[float | None, typer.Option(metavar="AMOUNT", help="What it may cost; it stops there.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", parser=place, help="Its folder; one with the same bench is gone on with."),
    ] = None,
    as_json: JSON = False,
) -> None:
    """Run a paper's protocol on a model, and print its table."""
    from duologue.bench.choices import plan_of
    from duologue.run import new_folder

    roles = {"model": model} | ({"judge": judge} if judge else {})
    plan = plan_of(name, data, roles, base_url, options or (), sample, seed, concurrency, budget)
    perform(plan, out or new_folder(f"bench-{name}"), as_json)


def perform(plan: "Plan", folder: Path, as_json: bool) -> None:
    """Perform a bench, or go on with it, print its report, and end with its exit code."""
    import asyncio

    from duologue.bench.performance import perform as performed
    from duologue.views.bench import asking, draw

    with asking() as watch:
        report = asyncio.run(performed(plan, folder, watch))
    emit(report, as_json, lambda: draw(report))
    if code := exit_code(report):
        raise typer.Exit(code)


def exit_code(report: "Report") -> int:
    """0 fine, 3 where more than a fifth has no answer through the infrastructure, 130 where it was stopped early."""
    if report.stopped:
        return 130
    spoilt = sum(count for why, count in report.failed.items() if why.startswith("infrastructure"))
    return 3 if spoilt > 0.2 * max(1, report.asked) else 0
