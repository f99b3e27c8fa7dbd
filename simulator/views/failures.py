"""The dialogues of a run that ended without scores: whose doing, why, which, and what to type next."""

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.filters import Failing
from duologue.views.layout import BAD, QUIET, WARN, command, facts
from duologue.views.text import clip, count, safe

__all__ = ["draw_failures"]

NAMED = 10
"""How many dialogues of a group are named."""


def draw_failures(groups: Sequence[Failing], folder: str) -> RenderableType:
    """The groups, the largest first."""
    if not groups:
        return Text("No dialogue ended without scores.", style=QUIET)
    total = sum(len(each.rows) for each in groups)
    blocks: list[RenderableType] = [Text(f"{count(total, 'dialogue')} ended without scores", style="bold")]
    for each in groups:
        blocks += [Text(), _heading(each), facts(_told(each))]
    return Group(*blocks, Text(), facts(_next(groups, shlex.quote(safe(folder))), indent=0))


def _heading(each: Failing) -> Text:
    whose = f" ({each.owner})" if each.owner else ""
    style = BAD if each.owner == "assistant" else WARN
    return Text.assemble((f"{len(each.rows):,} × ", "bold"), (f"{each.reason.replace('_', ' ')}{whose}", style))


def _told(each: Failing) -> Iterator[tuple[str, RenderableType]]:
    if each.detail:
        yield "why", Text(clip(each.detail, 300))
    more = f" and {len(each.rows) - NAMED:,} more" if len(each.rows) > NAMED else ""
    yield "dialogues", Text(", ".join(str(row.number) for row in each.rows[:NAMED]) + more)
    names = dict.fromkeys(row.assistant for row in each.rows)
    yield "with", Text(clip(", ".join(names), 200), style=QUIET)


def _next(groups: Sequence[Failing], folder: str) -> Iterator[tuple[str, RenderableType]]:
    if any(each.owner == "infrastructure" for each in groups):
        yield "run the failed again", command(f"duologue resume --failed {folder}")
    if any(each.lacking for each in groups):
        yield "judge what lacks a score", command(f"duologue resume {folder}")
    yield "see one", command(f"duologue replay {folder} {groups[0].rows[0].number}")
