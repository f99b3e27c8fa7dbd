"""The screen of a plan: how many profiles, tasks and trials an effect takes."""

import math
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparing.planning import Design, Plan
from duologue.money.prices import money
from duologue.scoring.measures import SHARES, label
from duologue.views.layout import QUIET, USER, WARN, command, facts, joined
from duologue.views.text import count, number, plain, safe

__all__ = ["draw"]


def draw(plan: Plan) -> RenderableType:
    """What the pilot shows of the spread, and the designs that find the effect."""
    head = Text.assemble((safe(plan.a), f"bold {USER}"), ("  against  ", QUIET), (safe(plan.b), "bold magenta"))
    asked = [
        label(plan.metric),
        f"a difference of {_amount(plan.effect, plan)}",
        f"found {100 * plan.power:.0f} % of the time",
    ]
    return Group(
        head,
        Padding(joined(asked), (0, 0, 0, 2)),
        Text(),
        _designs(plan),
        Text(),
        facts(_facts(plan)),
    )


def _designs(plan: Plan) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    paid = any(design.cost is not None for design in plan.designs)
    for name in ("tasks a profile", "trials", "profiles", "to be careful", "dialogues", *["cost"] * paid):
        table.add_column(name, justify="right")
    cheapest = min((design.dialogues for design in plan.designs if design.dialogues is not None), default=None)
    for design in plan.designs:
        table.add_row(*_cells(design, plan, paid), style="bold" if design.dialogues == cheapest else "")
    return Padding(table, (0, 0, 0, 2))


def _cells(design: Design, plan: Plan, paid: bool) -> Iterator[str]:
    yield str(design.tasks)
    yield str(design.trials)
    for value in (design.profiles, design.cautious):
        yield "over a million" if value is None else f"{value:,}"
    yield "–" if design.dialogues is None else f"{design.dialogues:,}"
    if paid:
        yield "–" if design.cost is None else money(design.cost, plan.currency)


def _facts(plan: Plan) -> Iterator[tuple[str, RenderableType]]:
    pilot = plan.pilot
    held = [count(pilot.pairs, "pair"), count(pilot.profiles, "profile"), count(pilot.scenarios, "scenario")]
    yield "pilot", joined(held)
    spread = [("profiles", pilot.profile), ("tasks of one profile", pilot.task), ("trials", pilot.trial)]
    known = [f"{_amount(math.sqrt(of), plan)} between {name}" for name, of in spread if of]
    yield "spread", joined(known).append("  (standard deviations of the difference)", style=QUIET)
    yield "it would find", Text(f"{_amount(plan.detectable, plan)} or more, {100 * plan.power:.0f} % of the time")
    for note in plan.notes:
        yield "note", plain(note, WARN)
    if plan.select:
        yield "to run it", command(f"duologue run CAMPAIGN.toml {plan.select}")
    told = "profiles where the true spread is as large as the pilot leaves possible with 80 % confidence"
    yield "to be careful", Text(told, style=QUIET)
    told = "for this score alone at the 5 % level; a comparison of several adjusts for that, and so needs more"
    yield "level", Text(told, style=QUIET)


def _amount(value: float, plan: Plan) -> str:
    if plan.metric in SHARES:
        return f"{100 * value:.3g} points"
    return number(value) if value >= 0.1 else f"{value:.2g}"
