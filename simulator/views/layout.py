"""Colours and building blocks that the screens share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from duologue.agents.ending import Ending

__all__ = [
    "ASSISTANT",
    "BAD",
    "GOOD",
    "JUDGE",
    "QUIET",
    "USER",
    "WARN",
    "Fitting",
    "command",
    "facts",
    "faulty",
    "joined",
    "tallies",
    "whisker",
]

USER, ASSISTANT, JUDGE = "cyan", "green", "magenta"
GOOD, BAD, WARN, QUIET = "green", "red", "yellow", "dim"
BOUNDLESS = 1000
"""More columns than any table takes."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """Draws `wide` where at least `width` columns are there, else `narrow`. A width of 0 is what `wide` takes."""

    width: int
    wide: RenderableType
    narrow: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = self.width or Measurement.get(console, options.update(width=BOUNDLESS), self.wide).maximum
        yield self.wide if options.max_width >= width else self.narrow


def faulty(end: Ending) -> str:
    """What went wrong and whose it was, such as `provider error of the user's model`."""
    reason = {"internal": "internal error"}.get(end.reason, end.reason.replace("_", " "))
    if end.owner not in ("assistant", "simulator", "infrastructure") or end.reason == "user_broken":
        return reason
    spoken = "the simulated user" if end.reason in ("loop", "internal") else "the user's model"
    whose = {"user": spoken, "judge": "the judge's model"}.get(end.role, f"the {end.role}")
    return f"{reason} of {whose}" if end.reason != "refused" else f"{reason} by {whose}"


def command(text: str) -> Text:
    """Something to type next."""
    return Text(text, style=f"bold {USER}", overflow="fold")


def facts(pairs: Iterable[tuple[str, RenderableType]], indent: int = 2) -> Table:
    """Named facts, one below the other: quiet names left, facts right, long ones wrapped."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=QUIET, no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for name, fact in pairs:
        table.add_row(Text(" " * indent + name), fact)
    return table


def joined(parts: Sequence[Text | str], between: str = " · ") -> Text:
    """The parts in one line of text, quiet dots between them."""
    return Text(between, style=QUIET).join([Text(part) if isinstance(part, str) else part for part in parts])


def tallies(wins: int, ties: int, losses: int, width: int = 12) -> Text:
    """A bar of wins (left), ties and losses (right), each as long as its share."""
    total = wins + ties + losses
    if not total:
        return Text("")
    left = _cells(wins, total, width)
    right = min(_cells(losses, total, width), width - left)
    return Text.assemble(("█" * left, GOOD), ("░" * (width - left - right), QUIET), ("█" * right, BAD))


def _cells(part: int, total: int, width: int) -> int:
    """A part's share of the width, and at least one cell for anything that is not nothing."""
    return max(1, int(part / total * width)) if part else 0


def whisker(
    mean: float, low: float | None, high: float | None, ends: tuple[float, float], width: int = 20, style: str = GOOD
) -> Text:
    """A mean as a dot on its scale, the interval as a line through it."""

    def cell(value: float) -> int:
        share = (value - ends[0]) / (ends[1] - ends[0])
        return min(width - 1, max(0, round(share * (width - 1))))

    track = ["·"] * width
    styles = [QUIET] * width
    if low is not None and high is not None:
        for at in range(cell(low), cell(high) + 1):
            track[at], styles[at] = "━", style
    track[cell(mean)], styles[cell(mean)] = "●", f"bold {style}"
    return Text.assemble(*zip(track, styles, strict=True))
