"""`duologue run`, `resume` and `chat`: hold dialogues and judge them."""

from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duologue.commands.board import fetch, performing
from duologue.commands.output import JSON, RUN, emit, place, run_folder
from duologue.commands.require import REQUIRE, kept

if TYPE_CHECKING:
    from duologue.campaign import Campaign
    from duologue.listener import Listener
    from duologue.record.run import Run
    from duologue.scoring.scorecard import Summary

__all__ = ["BASE_URL", "MODEL", "SET", "chat", "everywhere", "finish", "resume", "run"]

CAMPAIGN = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="A TOML file, or a shipped campaign's name.")]
MODEL = Annotated[str, typer.Option(help="Use this model in every role that a model plays, such as openai:NAME.")]
BASE_URL = Annotated[str, typer.Option(help="An OpenAI-compatible server for every role that a model plays.")]
SET = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one value of the campaign, such as limits.concurrency=50."),
]
OUT = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", parser=place, help="The run's folder; by default a new one under runs/."),
]
BUDGET = Annotated[
    float | None,
    typer.Option(
        metavar="AMOUNT", help="What the whole run may cost, by [prices]; it stops there, to be resumed. inf: no limit."
    ),
]
WORKERS = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes that share the work, where one core is not enough."),
]
CACHE = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=place, help="Keep models' answers there, and never ask the same again."),
]


def run(
    campaign: CAMPAIGN = "quickstart",
    model: MODEL = "",
    base_url: BASE_URL = "",
    sets: SET = None,
    workers: WORKERS = None,
    budget: BUDGET = None,
    cache: CACHE = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what it may take in calls, tokens and money; call nobody.")
    ] = False,
    out: OUT = None,
    require: REQUIRE = None,
    as_json: JSON = False,
) -> None:
    """Hold a campaign's dialogues, judge them, print the summary."""
    from duologue.campaign import read_campaign
    from duologue.gates import check_gates, gates

    read = read_campaign(campaign, [*everywhere(model, base_url, sets), *_changed(workers, budget, cache)])
    read = read.model_copy(update={"require": (*read.require, *(require or ()))})
    check_gates(gates(read.require), read)
    if dry_run:
        _tell_estimate(read, as_json)
        return
    from duologue.run import run as perform

    fetch(read)
    finish(performing(lambda listener: perform(read, out, [listener])), as_json)


def resume(
    run: RUN = "last",
    failed: Annotated[bool, typer.Option(help="Hold dialogues again that the infrastructure ended.")] = False,
    workers: WORKERS = None,
    budget: BUDGET = None,
    as_json: JSON = False,
) -> None:
    """Finish an interrupted run; judge what has no verdict. Benches are gone on with too."""
    from duologue.bench.plan import is_bench
    from duologue.commands.bench import go_on_with
    from duologue.record.run import read_manifest
    from duologue.run import resume as perform
    from duologue.tasks.faults import BadInput

    folder = run_folder(run)
    if is_bench(folder):
        go_on_with(folder, budget, as_json)
        return
    if read_manifest(folder).person:
        raise BadInput("a chat cannot be gone on with", folder, "Begin another: duologue chat")

    def go_on(listener: "Listener") -> Awaitable["Run"]:
        return perform(folder, [listener], failed=failed, budget=budget, workers=workers)

    finish(performing(go_on), as_json)


def chat(
    campaign: CAMPAIGN = "quickstart",
    seat: Annotated[Literal["user", "assistant"], typer.Option(help="Where you sit.")] = "user",
    profile: Annotated[str, typer.Option(help="Whose profile, by id; otherwise the campaign's first.")] = "",
    task: Annotated[str, typer.Option(help="Which task, by id; otherwise the campaign's first.")] = "",
    assistant: Annotated[str, typer.Option(help="With which assistant; otherwise the campaign's first.")] = "",
    sets: SET = None,
) -> None:
    """Sit in the user's or the assistant's seat of one dialogue.

    /stop, /giveup and /quit end it.
    """
    import asyncio

    from duologue.campaign import read_campaign
    from duologue.cast import Keyboard
    from duologue.run import run as perform
    from duologue.seating import known_to, one_dialogue, the_scenario
    from duologue.views.chat import ask, show, told

    read = one_dialogue(read_campaign(campaign, sets or ()), seat, profile, task, assistant)
    fetch(read)
    case = the_scenario(read)
    told(case, seat, known_to(read, case) if seat == "assistant" else "")
    finish(asyncio.run(perform(read, keyboard=Keyboard(ask, show))), as_json=False)


def finish(run: "Run", as_json: bool) -> None:
    """Print what the run says, and end with the exit code that it deserves."""
    from duologue.gates import gates, outcomes
    from duologue.scores import summary
    from duologue.views.summary import draw

    said = summary(run)
    emit(said, as_json, lambda: draw(said, run.manifest.notes))
    bounds = gates(run.manifest.campaign.get("require", ()))
    if code := exit_code(said, kept(outcomes(bounds, said, checked=True))):
        raise typer.Exit(code)


def exit_code(said: "Summary", met: bool = True) -> int:
    """0 fine, 3 where too much could not be scored, 130 where dialogues are left to hold or the budget ended it, 1
    where all is there and the required bounds are not `met`."""
    from duologue.scores import alarms

    if said.left or said.stopped:
        return 130
    return 3 if alarms(said) else 0 if met else 1


def _changed(workers: int | None, budget: float | None, cache: Path | None) -> list[str]:
    """What `--workers`, `--budget` and `--cache` change of a campaign."""
    import json

    budget = None if budget == float("inf") else budget
    given = {"limits.workers": workers, "limits.budget": budget, "cache.path": cache and str(cache.absolute())}
    return [f"{key}={json.dumps(value)}" for key, value in given.items() if value is not None]


def _tell_estimate(campaign: "Campaign", as_json: bool) -> None:
    import asyncio

    from duologue.money.estimate import estimate
    from duologue.views.estimate import draw

    found = asyncio.run(estimate(campaign))
    emit(found, as_json, lambda: draw(found))


def everywhere(model: str, base_url: str, sets: list[str] | None) -> list[str]:
    """What `--model`, `--set` and `--base-url` change of a campaign, in this order: a server is for the roles too that
    `--set` has a model play. What `--set` says of one role's own server stays.
    """
    plain = sets or []
    own = [each for each in plain if each.partition("=")[0].strip().endswith(".base_url")]
    return [*[f"*.model={model}"] * bool(model), *plain, *([f"*.base_url={base_url}", *own] if base_url else [])]
