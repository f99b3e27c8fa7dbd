"""`duologue compare`: assistants side by side, on the same scenarios."""

from typing import Annotated

import typer

from duologue.commands.look import JUDGE, RUBRIC
from duologue.commands.output import JSON, emit, run_folder

__all__ = ["compare"]


def compare(
    runs: Annotated[list[str] | None, typer.Argument(help="Runs: folders, names under runs/, or `last`.")] = None,
    assistant: Annotated[
        list[str] | None, typer.Option("--assistant", "-a", help="Only this assistant; give it twice or more.")
    ] = None,
    rubric: RUBRIC = "",
    judge: JUDGE = "",
    as_json: JSON = False,
) -> None:
    """Compare assistants on equal scenarios.

    Pairs have equal profile, task, situation and trial.
    """
    from duologue.comparison import compare as compared
    from duologue.record import read_run
    from duologue.views.comparison import draw

    found = compared([read_run(run_folder(name)) for name in runs or ["last"]], assistant or (), rubric, judge)
    emit(found, as_json, lambda: draw(found))
