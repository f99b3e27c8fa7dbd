"""`duologue judge`: judge a run's dialogues again, by another rubric or judge."""

from typing import Annotated

import typer

from duologue.commands.output import JSON, RUN, run_folder
from duologue.commands.run import finish, performing

__all__ = ["judge"]


def judge(
    run: RUN = "last",
    rubric: Annotated[str, typer.Option(help="A shipped rubric's name, or a TOML file.")] = "",
    model: Annotated[str, typer.Option(help="The judge's model, such as openai:NAME or local.")] = "",
    base_url: Annotated[str, typer.Option(help="An OpenAI-compatible server for the judge.")] = "",
    as_json: JSON = False,
) -> None:
    """Judge a run again, by another rubric or judge.

    Only dialogues that have no verdict yet under this rubric and judge are judged.
    """
    from duologue.campaign import Campaign, JudgeSpec
    from duologue.record import read_manifest
    from duologue.run import judge_again
    from duologue.tasks.written import parse

    folder = run_folder(run)
    own = parse(Campaign, read_manifest(folder).campaign, folder / "run.json").judge
    asked = {"rubric": rubric, "model": model, "base_url": base_url}
    written = {**(own.model_dump(exclude_defaults=True) if own else {}), **{k: v for k, v in asked.items() if v}}
    spec = parse(JudgeSpec, written, "judge") if written.get("model") else None
    finish(performing(lambda listener: judge_again(folder, spec, [listener])), as_json)
