"""`duologue compare`: assistants side by side, on the same scenarios."""

from typing import Annotated

import typer

from duologue.commands.duels import BASE_URL, BUDGET, MODEL, PAIRWISE, check_pairwise
from duologue.commands.duels import pairwise as compare_pairwise
from duologue.commands.look import JUDGE, RUBRIC
from duologue.commands.output import JSON, emit, run_folder

__all__ = ["compare"]


def compare(
    runs: Annotated[list[str] | None, typer.Argument(help="Runs: folders, names under runs/, or `last`.")] = None,
    assistant: Annotated[
        list[str] | None, typer.Option("--assistant", "-a", help="Only this assistant; give it twice or more.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="GROUP",
            help="Only group by group: by domain, context (what both are told), a field of the situation such as "
            "device, or of the users' demographics such as age.",
        ),
    ] = "",
    rubric: RUBRIC = "",
    judge: JUDGE = "",
    pairwise: PAIRWISE = False,
    model: MODEL = "",
    base_url: BASE_URL = "",
    budget: BUDGET = None,
    as_json: JSON = False,
) -> None:
    """Compare assistants on equal scenarios.

    Pairs have equal profile, task, situation and trial. Of three or more assistants it is told who stands where.
    """
    asked = {"model": model, "base_url": base_url}
    if pairwise or any(asked.values()) or budget is not None:
        check_pairwise(pairwise, by)
        compare_pairwise(runs or ["last"], assistant or (), rubric, judge, asked, budget, as_json)
        return
    from duologue.comparing.comparison import compare as compared
    from duologue.record.run import read_run
    from duologue.views.comparison import draw

    found = compared([read_run(run_folder(name)) for name in runs or ["last"]], assistant or (), rubric, judge, by)
    emit(found, as_json, lambda: draw(found))
