"""`duologue judge`: judge a run's dialogues again, by another rubric or judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import JSON, RUN, emit, run_folder
from duologue.commands.run import exit_code, performing

if TYPE_CHECKING:
    from duologue.campaign import JudgeSpec
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

    Only dialogues that have no verdict yet under this rubric and judge are judged.
    """
    from duologue.campaign import JudgeSpec
    from duologue.provenance import campaign_of
    from duologue.record import read_run
    from duologue.run import judge_again
    from duologue.tasks.written import parse

    folder = run_folder(run)
    before = read_run(folder)
    campaign = campaign_of(before.manifest, folder)
    asked = {"rubric": rubric, "model": model, "base_url": base_url}
    own = campaign.judge.model_dump(exclude_defaults=True) if campaign.judge else {}
    written = {**own, **{key: value for key, value in asked.items() if value}}
    spec = parse(JudgeSpec, written, "judge") if written.get("model") else None
    after = performing(lambda listener: judge_again(folder, spec, [listener]))
    assert spec is not None  # without one `judge_again` has refused
    _finish(before, after, spec, Path(campaign.beside), as_json)


def _finish(before: "Run", after: "Run", spec: "JudgeSpec", beside: Path, as_json: bool) -> None:
    """Print the scores of the judge that was asked for, whoever judged last, and end with the exit code."""
    import asyncio

    from duologue.agents.rubric import read_rubric
    from duologue.scores import summary
    from duologue.tasks.written import BadInput
    from duologue.views.console import console
    from duologue.views.summary import draw
    from duologue.views.text import plain

    if _verdicts(before) == _verdicts(after):
        told = f"Nothing was left to judge by {spec.model} under the rubric {spec.rubric}."
        console(stderr=True).print(plain(told), soft_wrap=True)
    try:
        said = summary(after, read_rubric(spec.rubric, beside).fingerprint, asyncio.run(_name(spec, beside)))
    except BadInput:  # nothing could be judged
        console(stderr=True).print(plain(f"{spec.model} has given no verdict under {spec.rubric}."), soft_wrap=True)
        said = summary(after)
    emit(said, as_json, lambda: draw(said, after.manifest.notes))
    if code := exit_code(said):
        raise typer.Exit(code)


def _verdicts(run: "Run") -> int:
    return sum(len(dialogue.verdicts) for dialogue in run.dialogues)


async def _name(spec: "JudgeSpec", beside: Path) -> str:
    """What the judge is called in its verdicts: what its model calls itself once it is opened."""
    from duologue.agents.models.door import Models, ModelSpec, placed

    model = placed(spec.model, beside)
    async with Models() as models:
        return models.open(ModelSpec(model=model, base_url=spec.base_url, key=spec.key)).name
