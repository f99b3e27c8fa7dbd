"""`duologue compare --pairwise`: a judge lays two assistants' dialogues side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.output import emit, run_folder

if TYPE_CHECKING:
    from duologue.campaign import JudgeSpec
    from duologue.duels.report import Duels
    from duologue.duels.tournament import Card
    from duologue.scoring.judging import Judging

__all__ = ["BASE_URL", "BUDGET", "MODEL", "PAIRWISE", "check_pairwise", "pairwise"]

PAIRWISE = Annotated[
    bool,
    typer.Option("--pairwise", help="Have a judge lay dialogues side by side, in both orders, and say who is better."),
]
MODEL = Annotated[str, typer.Option(help="With --pairwise: the judge's model, such as openai:NAME or local.")]
BASE_URL = Annotated[str, typer.Option(help="With --pairwise: an OpenAI-compatible server for the judge.")]
BUDGET = Annotated[
    float | None,
    typer.Option(metavar="AMOUNT", help="With --pairwise: what the judge may cost in all, by [prices]."),
]
FAILURES = 0.2
"""The share of answers that may be spoilt before the command ends with exit code 3."""


def check_pairwise(pairwise: bool, by: str) -> None:
    """Raises BadInput where options do not go together."""
    from duologue.tasks.written import BadInput

    if not pairwise:
        raise BadInput("--model, --base-url and --budget are for a judge that compares pairs", then="Add --pairwise")
    if by:
        raise BadInput("--by groups graded scores, not what a judge says of pairs", then="Drop --by, or --pairwise")


def pairwise(
    runs: Sequence[str],
    assistants: Sequence[str],
    rubric: str,
    judge: str,
    asked: dict[str, str],
    budget: float | None,
    as_json: bool,
) -> None:
    """Have pairs judged that have not been, and print what came of all.

    `judge` is whose answers are shown, and nobody is asked; `asked` is the `model` to ask, and its `base_url`. Without
    either, whoever judged last is shown if that was every pair, else the campaign's judge is asked for the others.
    """
    from duologue.duels.tournament import said, tournament, whose
    from duologue.record.run import read_run
    from duologue.views.duels import draw

    card = tournament([read_run(run_folder(name)) for name in runs], assistants, rubric or "pairwise")
    by, whole = whose(card, judge)
    spec = None if judge else _to_ask(card, asked, by, whole)
    stopped, held = "", spec is not None
    if spec:
        by, stopped = _held(card, spec, budget)
    assert by is not None, "whoever is named has judged, or somebody is asked"
    found = said(card, by, stopped)
    emit(found, as_json, lambda: draw(found))
    if code := _exit_code(found, held):
        raise typer.Exit(code)


def _to_ask(card: "Card", asked: dict[str, str], by: "Judging | None", whole: bool) -> "JudgeSpec | None":
    """Who is to be asked; None where what stands is enough. Raises BadInput where there is nobody and nothing."""
    from duologue.campaign import JudgeSpec
    from duologue.duels.warnings import is_model
    from duologue.provenance import campaign_of
    from duologue.tasks.written import BadInput, parse

    own = campaign_of(card.runs[0].manifest, card.folder).judge
    if not any(asked.values()) and by and (whole or own is None or not is_model(own.model, by.judge)):
        return None
    kept = own.model_dump(exclude_defaults=True, exclude={"rubric", "samples", "panel"}) if own else {}
    written = {**kept, **{key: value for key, value in asked.items() if value}}
    if not written.get("model"):
        then = f"Name one: duologue compare {card.folder} --pairwise --model MODEL"
        raise BadInput("the campaign has no judge, and no model is named to be one", card.folder, then)
    return parse(JudgeSpec, written, "judge")


def _held(card: "Card", spec: "JudgeSpec", budget: float | None) -> "tuple[Judging, str]":
    import asyncio

    from duologue.duels.holding import hold
    from duologue.views.duels import watching

    with watching() as spectator:
        return asyncio.run(hold(card, spec, spectator, budget))


def _exit_code(found: "Duels", held: bool) -> int:
    """0 fine, 3 where too many answers were spoilt, 130 where some are left to be asked for."""
    if held and found.left > found.failed:
        return 130
    return 3 if found.failed > FAILURES * found.answers else 0
