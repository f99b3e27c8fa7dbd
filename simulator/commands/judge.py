"""`duologue judge`: judge a run's dialogues again, by another rubric or judge."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import JSON, RUN, emit, run_folder
from duologue.commands.run import exit_code, performing

if TYPE_CHECKING:
    from duologue.judging import Judging
    from duologue.listener import Listener
    from duologue.record import Run

__all__ = ["judge"]


def judge(
    run: RUN = "last",
    rubric: Annotated[str, typer.Option(help="A shipped rubric's name, or a TOML file.")] = "",
    model: Annotated[str, typer.Option(help="The judge's model, such as openai:NAME or local.")] = "",
    base_url: Annotated[str, typer.Option(help="An OpenAI-compatible server for the judge.")] = "",
    as_json: JSON = False,
) -> None:
    """Judge a run again, by another rubric or judge, and print its scores.

    Only dialogues that have no verdict yet under this rubric and judge are judged. End states that have not
    been read are read too, and without a judge nothing else is done.
    """
    from duologue.campaign import JudgeSpec
    from duologue.provenance import campaign_of
    from duologue.record import read_manifest, read_run
    from duologue.run import judge_again
    from duologue.tasks.written import BadInput, parse

    folder = run_folder(run)
    campaign, before = campaign_of(read_manifest(folder), folder), _verdicts(read_run(folder))
    asked = {"rubric": rubric, "model": model, "base_url": base_url}
    own = campaign.judge.model_dump(exclude_defaults=True) if campaign.judge else {}
    written = {**own, **{key: value for key, value in asked.items() if value}}
    if (rubric or base_url) and not written.get("model"):
        asked_for = f" --rubric {shlex.quote(rubric)}" if rubric else f" --base-url {shlex.quote(base_url)}"
        then = f"Name one: duologue judge {shlex.quote(run)}{asked_for} --model MODEL"
        raise BadInput("the campaign has no judge, and no model is named to be one", folder, then)
    spec = parse(JudgeSpec, written, "judge") if written.get("model") else None
    made: list[Judging] = []

    async def again(listener: "Listener") -> "Run":
        done, by = await judge_again(folder, spec, [listener])
        made.append(by)
        return done

    after = performing(again)
    _finish(before, after, made[0], as_json)


def _finish(before: int, after: "Run", by: "Judging", as_json: bool) -> None:
    """Print the scores of the judge that was asked for, whoever judged last, and end with the exit code.

    `before` is how many verdicts there were.
    """
    from duologue.scores import summary
    from duologue.tasks.written import BadInput
    from duologue.views.console import console
    from duologue.views.summary import draw
    from duologue.views.text import plain

    whose = "the end states" if by.of_state else f"{by.judge} under the rubric {by.rubric_name}"
    if before == _verdicts(after):
        console(stderr=True).print(plain(f"Nothing was left to judge by {whose}."), soft_wrap=True)
    try:
        said = summary(after, by.rubric, by.judge)
    except BadInput:  # nothing could be judged
        console(stderr=True).print(plain(f"There is no verdict by {whose}."), soft_wrap=True)
        said = summary(after)
    emit(said, as_json, lambda: draw(said, after.manifest.notes))
    if code := exit_code(said):
        raise typer.Exit(code)


def _verdicts(run: "Run") -> int:
    return sum(len(dialogue.verdicts) for dialogue in run.dialogues)
