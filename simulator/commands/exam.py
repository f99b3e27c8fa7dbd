"""`duologue judge --exam`: what a judge finds in dialogues with known faults."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from duologue.commands.board import fetch_weights
from duologue.commands.output import emit, run_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.agents.rubric import Rubric
    from duologue.agents.verdict import Verdict
    from duologue.campaign import JudgeSpec
    from duologue.exam.paper import Exhibit

__all__ = ["examine"]

AT_ONCE = 8


def examine(run: str, asked: dict[str, Any], kept: Path | None, as_json: bool) -> None:
    """Have a judge sit the exam and print its marks: the one that is `asked` for, or else that of `run`, with its
    panel."""
    import asyncio

    from duologue.agents.rubric import read_rubric
    from duologue.exam.marks import marks
    from duologue.exam.paper import read_kinds, read_paper
    from duologue.exam.sitting import exhibits
    from duologue.tasks.written import BadInput
    from duologue.views.exam import draw

    spec, beside = _spec(run, asked)
    rubric, items = read_rubric(spec.rubric, beside), read_paper()
    chosen = exhibits(items, rubric)
    if not chosen:
        then = "Give it a dimension called success or personalisation, or preferences = true"
        raise BadInput("asks nothing that would show a fault of the exam", f"rubric {rubric.name}", then)
    fetch_weights([member.model for member in spec.members if not member.base_url])
    with _told() as judged:
        verdicts = asyncio.run(_sat(spec, beside, rubric, chosen, kept, judged))
    found = marks(items, read_kinds().values(), rubric, verdicts)
    emit(found, as_json, lambda: draw(found))
    overall = found.overall
    if not overall.found.of and overall.not_asked < overall.faults:
        raise typer.Exit(3)


def _spec(run: str, asked: dict[str, Any]) -> "tuple[JudgeSpec, Path]":
    """The judge, and the folder that its files count from. Raises BadInput where none is named."""
    from duologue.campaign import JudgeSpec
    from duologue.provenance import campaign_of
    from duologue.record.run import read_manifest
    from duologue.tasks.written import BadInput, parse

    given = {key: value for key, value in asked.items() if value}
    if "model" in given:
        return parse(JudgeSpec, given, "judge"), Path()
    if run == "last":
        then = "duologue judge --exam --model MODEL, or duologue judge RUN --exam for the judge of a run"
        raise BadInput("no judge is named to sit the exam", then=f"Name one: {then}")
    folder = run_folder(run)
    campaign = campaign_of(read_manifest(folder), folder)
    if campaign.judge is None:
        then = "Name one: duologue judge --exam --model MODEL"
        raise BadInput("the campaign has no judge to sit the exam", folder, then)
    own = campaign.judge.model_dump(exclude_defaults=True)
    return parse(JudgeSpec, own | given, "judge"), Path(campaign.beside)


async def _sat(
    spec: "JudgeSpec",
    beside: Path,
    rubric: "Rubric",
    asked: "Mapping[str, Exhibit]",
    kept: Path | None,
    judged: Callable[[int, int], None],
) -> "dict[str, list[Verdict]]":
    """The verdicts of the judge and its panel, all their looks."""
    from duologue.agents.judge import Judge
    from duologue.agents.models.door import CallLimits, Models, bare
    from duologue.exam.sitting import sit
    from duologue.jury import unlike

    in_all = len(asked) * len(spec.members) * spec.samples

    def done(verdicts: int) -> None:
        judged(verdicts, in_all)

    async with Models() as models:
        opened = [models.open(bare(member, beside, CallLimits())) for member in spec.members]
        judges = list(unlike(Judge(model, rubric) for model in opened).values())
        for model in opened:
            await model.start()
        return await sit(judges, asked, models.most_at_once(AT_ONCE), kept, done, spec.samples)


@contextmanager
def _told() -> Iterator[Callable[[int, int], None]]:
    """Show how many verdicts there are; call it with (done, in all)."""
    from duologue.views.console import console

    screen = console(stderr=True)
    with screen.status("The judge reads …") as status:
        yield lambda done, of: status.update(f"The judge reads … {done} of {of}")
