"""`duologue bench`: the protocols of papers, over data that the user brings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.board import fetch, fetch_weights, performing
from duologue.commands.output import JSON, emit, place

if TYPE_CHECKING:
    from duologue.bench.plan import Plan
    from duologue.bench.report import Report

__all__ = ["bench", "go_on_with", "show"]


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
    from duologue.views.bench import draw

    report = _campaigns(plan, folder) if plan.bench == "personalens" else _questions(plan, folder)
    emit(report, as_json, lambda: draw(report))
    if code := exit_code(report):
        raise typer.Exit(code)


def go_on_with(folder: Path, budget: float | None, as_json: bool) -> None:
    """Go on with the bench in `folder`, under another budget where one is given."""
    from duologue.bench.plan import read_manifest

    plan = read_manifest(folder).plan
    if budget is not None:
        limits = plan.limits.model_copy(update={"budget": None if budget == float("inf") else budget})
        plan = plan.model_copy(update={"limits": limits})
    perform(plan, folder, as_json)


def show(folder: Path, as_json: bool) -> None:
    """Print what the bench in `folder` shows so far."""
    from duologue.bench.performance import reported
    from duologue.bench.personalens.performance import reported as campaigns_reported
    from duologue.bench.plan import read_manifest
    from duologue.views.bench import draw

    named = read_manifest(folder).plan.bench
    report = campaigns_reported(folder) if named == "personalens" else reported(folder)
    emit(report, as_json, lambda: draw(report))


def _questions(plan: "Plan", folder: Path) -> "Report":
    import asyncio

    from duologue.bench.performance import perform as performed
    from duologue.views.bench import asking

    fetch_weights(spec.model for spec in plan.models.values() if not spec.base_url)
    with asking() as watch:
        return asyncio.run(performed(plan, folder, watch))


def _campaigns(plan: "Plan", folder: Path) -> "Report":
    """PersonaLens's protocol is held as campaigns are, with their board."""
    from duologue.bench.personalens.campaigns import campaigns
    from duologue.bench.personalens.performance import perform as performed

    for campaign in campaigns(plan).values():
        fetch(campaign)
    return performing(lambda listener: performed(plan, folder, [listener]))


def exit_code(report: "Report") -> int:
    """0 fine, 3 where more than a fifth has no answer through the infrastructure, 130 where it was stopped early."""
    if report.stopped:
        return 130
    spoilt = sum(count for why, count in report.failed.items() if why.startswith("infrastructure"))
    return 3 if spoilt > 0.2 * max(1, report.asked) else 0
