"""`duologue judge --exam`: what a judge finds in dialogues with known faults."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from duologue.commands.board import fetch_weights
from duologue.commands.output import emit, run_folder

if TYPE_CHECKING:
    from duologue.campaign import JudgeSpec
    from duologue.exam.marks import Marks

__all__ = ["examine"]

AT_ONCE = 8


def examine(run: str, asked: dict[str, str], kept: Path | None, as_json: bool) -> None:
    """Have a judge sit the exam and print its marks: the one that is `asked` for, or else that of `run`."""
    import asyncio

    from duologue.views.exam import draw

    spec, beside = _spec(run, asked)
    fetch_weights([spec.model] if not spec.base_url else [])
    with _told() as judged:
        found = asyncio.run(_sat(spec, beside, kept, judged))
    emit(found, as_json, lambda: draw(found))
    overall = found.overall
    if not overall.found.of and overall.not_asked < overall.faults:
        raise typer.Exit(3)


def _spec(run: str, asked: dict[str, str]) -> "tuple[JudgeSpec, Path]":
    """The judge, and the folder that its files count from. Raises BadInput where none is named."""
    from duologue.campaign import JudgeSpec
    from duologue.provenance import campaign_of
    from duologue.record import read_manifest
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
    own = campaign.judge.model_dump(exclude_defaults=True, exclude={"panel", "samples"})
    return parse(JudgeSpec, own | given, "judge"), Path(campaign.beside)


async def _sat(spec: "JudgeSpec", beside: Path, kept: Path | None, judged: Callable[[int, int], None]) -> "Marks":
    from duologue.agents.judge import Judge
    from duologue.agents.models.door import Models, ModelSpec, placed
    from duologue.agents.rubric import read_rubric
    from duologue.exam.marks import marks
    from duologue.exam.paper import read_kinds, read_paper
    from duologue.exam.sitting import exhibits, sit

    rubric, items = read_rubric(spec.rubric, beside), read_paper()
    chosen = exhibits(items, rubric)
    asked = ModelSpec(
        model=placed(spec.model, beside), base_url=spec.base_url, key=spec.key, top_p=spec.top_p, limits=spec.limits
    )
    async with Models() as models:
        model = models.open(asked)
        judge = Judge(model, rubric)
        await model.start()
        verdicts = await sit(judge, chosen, models.most_at_once(AT_ONCE), kept, lambda n: judged(n, len(chosen)))
    return marks(items, read_kinds().values(), rubric, model.name, verdicts)


@contextmanager
def _told() -> Iterator[Callable[[int, int], None]]:
    """Show how many transcripts are judged; call it with (done, in all)."""
    from duologue.views.console import console

    screen = console(stderr=True)
    with screen.status("The judge reads …") as status:
        yield lambda done, of: status.update(f"The judge reads … {done} of {of} dialogues")
