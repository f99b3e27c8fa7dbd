"""`duologue agreement`: how far the judge agrees with people, and people among themselves."""

from typing import Annotated

import typer

from duologue.commands.look import JUDGE, RUBRIC
from duologue.commands.output import JSON, RUN, emit, run_folder

__all__ = ["agreement"]


def agreement(
    run: RUN = "last",
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", "-d", help="Only this dimension; give it as often as you like.")
    ] = None,
    rubric: RUBRIC = "",
    judge: JUDGE = "",
    as_json: JSON = False,
) -> None:
    """Compare the judge's scores with people's labels, and people's among themselves.

    Where the labelled dialogues were drawn at random, each assistant's mean over the whole run is given too, with the
    judge's bias taken out.
    """
    from duologue.labelling.accord import accord
    from duologue.record.run import read_run
    from duologue.views.agreement import draw

    found = accord(read_run(run_folder(run)), rubric, judge, dimension or ())
    emit(found, as_json, lambda: draw(found))
