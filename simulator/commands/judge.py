"""`duologue judge`: judge a run's dialogues again, by another rubric or judge."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.board import performing
from duologue.commands.exam import examine
from duologue.commands.output import JSON, emit, place, run_folder
from duologue.commands.outside import brought_in, is_from_outside
from duologue.commands.run import exit_code

if TYPE_CHECKING:
    from duologue.listener import Listener
    from duologue.record.run import Run
    from duologue.scoring.judging import Judging

__all__ = ["judge"]


def judge(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's folder, its name under runs/, `last`, or a file or folder of dialogues held elsewhere.",
            show_default=False,
        ),
    ] = "last",
    rubric: Annotated[str, typer.Option(help="A shipped rubric's name, or a TOML file.")] = "",
    model: Annotated[str, typer.Option(help="The judge's model, such as openai:NAME or local.")] = "",
    base_url: Annotated[str, typer.Option(help="An OpenAI-compatible server for the judge.")] = "",
    samples: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100, help="How often each judge looks at a dialogue.")
    ] = None,
    exam: Annotated[
        bool, typer.Option("--exam", help="Judge no run, but dialogues with known faults: what does the judge find?")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="PLACE",
            parser=place,
            help="The new run's folder, for dialogues held elsewhere; for an exam, a file that keeps what was judged.",
        ),
    ] = None,
    data: Annotated[
        str, typer.Option(help="Where the profiles and tasks are that such dialogues name: a folder, personalens:PATH.")
    ] = "",
    as_json: JSON = False,
) -> None:
    """Judge a run again, by another rubric or judge, or dialogues held elsewhere, and print the scores.

    Only dialogues that have no verdict yet under this rubric and judge are judged, and of several looks only those
    that are missing are taken. Under a rubric with a call for each question, one that a verdict of this judge has
    answered before is not asked again. End states that have not been read are read too, and without a judge nothing
    else is done.
    Dialogues from a file (two-voice JSON Lines, lists of chat messages, ShareGPT, PersonaLens) become a run first.
    """
    from duologue.campaign import JudgeSpec
    from duologue.provenance import campaign_of
    from duologue.record.run import read_manifest, read_run
    from duologue.run import judge_again
    from duologue.tasks.written import BadInput, parse

    asked = {"rubric": rubric, "model": model, "base_url": base_url, "samples": samples}
    if exam:
        examine(run, asked, to, as_json)
        return
    if is_from_outside(run):
        run = str(brought_in(Path(run), to, data, {"rubric": rubric, "model": model, "base_url": base_url}))
    elif to or data:
        raise BadInput("--to and --data are for dialogues held elsewhere, and this is a run", run, "Leave them out")
    folder = run_folder(run)
    campaign, before = campaign_of(read_manifest(folder), folder), _verdicts(read_run(folder))
    lone = {"panel"} if model else None  # a judge that is named judges alone
    own = campaign.judge.model_dump(exclude_defaults=True, exclude=lone) if campaign.judge else {}
    written = {**own, **{key: value for key, value in asked.items() if value}}
    if (rubric or base_url or samples) and not written.get("model"):
        options = {"--rubric": rubric, "--base-url": base_url, "--samples": str(samples or "")}
        asked_for = "".join(f" {option} {shlex.quote(value)}" for option, value in options.items() if value)
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
