"""`duologue plan`: how many dialogues a comparison needs."""

from typing import Annotated

import typer

from duologue.commands.look import JUDGE
from duologue.commands.output import JSON, RUN, emit, run_folder

__all__ = ["plan"]


def plan(
    effect: Annotated[float, typer.Option(help="The smallest difference that matters; of shares 0.05 is five points.")],
    run: RUN = "last",
    metric: Annotated[str, typer.Option(metavar="NAME", help="The score; by default preferences met.")] = "",
    power: Annotated[float, typer.Option(help="How likely it is to be found where it is there.")] = 0.8,
    assistant: Annotated[
        list[str] | None, typer.Option("--assistant", "-a", help="The two assistants, where the pilot has more.")
    ] = None,
    judge: JUDGE = "",
    as_json: JSON = False,
) -> None:
    """Tell how many profiles, tasks and trials a comparison needs, from the spread that a pilot run shows."""
    from duologue.comparing.planning import plan as planned
    from duologue.record.run import read_run
    from duologue.views.plan import draw

    found = planned(read_run(run_folder(run)), effect, metric, power, assistant or (), judge)
    emit(found, as_json, lambda: draw(found))
