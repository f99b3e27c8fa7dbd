"""Figures of profiles and tasks, each beside the bound that it must keep to."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from duologue.profiles.figures import BOUNDED_FROM, Figures, TypeFigures
from duologue.profiles.finding import Bounded
from duologue.views.layout import BAD, GOOD, QUIET, facts
from duologue.views.text import safe

__all__ = ["profile_figures", "task_figures"]


def profile_figures(figures: Figures) -> RenderableType:
    """What a dataset's profiles are like: type by type, all together, and against their bounds."""
    parts: list[RenderableType] = [_types(figures.types), Text()] if figures.types else []
    parts += [facts([(name, Text(told)) for name, told in _overview(figures)], indent=0), Text()]
    parts.append(_bounds(figures.bounds()))
    if figures.profiles < BOUNDED_FROM:
        parts.append(Text(f"Bounds hold from {BOUNDED_FROM} profiles on.", style=QUIET))
    return Group(*parts, Text())


def task_figures(bounds: Sequence[Bounded]) -> RenderableType:
    """What a dataset's tasks are like, and the shipped ones against their bounds."""
    return Group(_bounds(bounds), Text())


def _overview(figures: Figures) -> list[tuple[str, str]]:
    least, mean, most = figures.sessions
    marks = f"{figures.avoided:.0%} avoided, {figures.sensitive:.0%} sensitive"
    changed = f"{figures.changed_types:.1%} of the types changed over time"
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in figures.evidence.items())
    return [
        ("profiles", f"{figures.profiles:,}"),
        ("preferences", f"{figures.preferences:,}: {marks}; {changed}"),
        ("sessions", f"{least} to {most} a person, {mean:.1f} on average"),
        ("evidence", kinds or "none"),
    ]


def _types(types: Sequence[TypeFigures]) -> Table:
    """One line a type, under its domain."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("preference type", overflow="ellipsis", no_wrap=True)
    for head in ("values", "held by", "evenness", "most liked", "shown"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("by most", overflow="ellipsis", no_wrap=True)
    for domain, held in groupby(types, key=lambda each: each.domain):
        table.add_row(Text(safe(domain), style="bold"))
        for each in held:
            even = "" if each.evenness is None else f"{each.evenness:.2f}"
            counts = (str(each.values), f"{each.holders:,}", even, f"{each.modal_share:.0%}", f"{each.shown:.0%}")
            table.add_row(Text(f"  {safe(each.type)}"), *counts, Text(safe(each.modal), style=QUIET))
    return table


def _bounds(bounds: Sequence[Bounded]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(4):
        table.add_column(overflow="fold")
    for each in bounds:
        mark = Text("–", QUIET) if each.met is None else Text("✓", GOOD) if each.met else Text("✗", f"bold {BAD}")
        bound = f"({each.bound})" if each.bound else ""
        table.add_row(mark, Text(each.name, style="bold"), Text(safe(each.value)), Text(bound, style=QUIET))
    return table
