"""The table of runs, and the table of one run's dialogues."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from duologue.scoring.measures import SHARES, label
from duologue.scoring.scorecard import Row, Summary
from duologue.views.layout import BAD, GOOD, QUIET, WARN, Fitting
from duologue.views.text import clip, count, number, safe

__all__ = ["draw_dialogues", "draw_runs"]

_HEADS = {
    "personalisation": "pers",
    "success": "success",
    "state_success": "success",
    "state_preferences_met": "met",
}
_NARROW = ("state_success", "success")
LEGEND = "success and met (of the preferences decided) are by state; judge: task success as a judge has it"


def draw_runs(runs: Sequence[tuple[Summary, float]]) -> RenderableType:
    """The runs: each with when it started, in seconds since the epoch. A run's name is to be copied: it is never broken
    while there is a line that it fits in."""
    if not runs:
        return Text("No runs here yet. Begin one: duologue run", style=QUIET)
    narrow = Fitting(0, _runs(runs, wide=False), _Stacked(runs))
    return Group(Fitting(0, _runs(runs, wide=True), narrow), Text(LEGEND, style=f"italic {QUIET}"))


def draw_dialogues(
    rows: Sequence[Row],
    metrics: Mapping[str, bool] | None = None,
    *,
    held: int | None = None,
    unscored: int | None = None,
    of: int | None = None,
) -> RenderableType:
    """The dialogues of one run with two of their scores: `metrics` by name, and of each whether it is yes or no.

    Where `rows` are only the first ones, `held` is how many they all are, and `unscored` how many of these are not
    scored. `of` is how many the run has, where they were chosen among them.
    """
    if not rows:
        return Text(f"None of its {of:,} dialogues is like that." if of else "No dialogue has begun.", style=QUIET)
    held = len(rows) if held is None else held
    unscored = sum(not row.scored for row in rows) if unscored is None else unscored
    told = count(held, "dialogue") if of is None else f"{held:,} of {count(of, 'dialogue')}"
    told += f", {unscored:,} not scored" if unscored else ""
    table = _Dialogues(rows, metrics or {"success": True, "personalisation": False}, told)
    if held == len(rows):
        return table
    narrower = f"{'' if of is None else 'more of '}--domain, --assistant, --ended, --where"
    return Group(table, Text(f"and {held - len(rows):,} more: narrow down with {narrower}, or --all", style=WARN))


@dataclass(frozen=True, slots=True)
class _Dialogues:
    """A table that gives way where room is short: first the task is cut, then the profile, then the assistant."""

    rows: Sequence[Row]
    metrics: Mapping[str, bool]
    told: str
    """How many they are."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= 110
        fixed = [self._numbers(), *self._counts(wide), self._endings(wide), *map(self._scores, self.metrics)]
        gap = 1 if options.max_width >= 72 else 0
        between = gap + 1  # the box draws a space of its own
        room = options.max_width - sum(between + max(cell_len(str(cell)) for cell in column) for column in fixed)
        texts = [(row.profile, row.task, row.assistant) for row in self.rows]
        named = self._fitted(list(zip(*texts, strict=True)), room - 2 * between)
        table = _ruled(gap)
        for head, *_ in (columns := [fixed[0], *named, *fixed[1:]]):
            left = str(head) in ("profile", "task", "assistant", "ending")
            table.add_column(head, justify="left" if left else "right", no_wrap=True)
        for cells in zip(*(column[1:] for column in columns), strict=True):
            table.add_row(*cells)
        yield table
        yield self._caption()

    def _numbers(self) -> list[Text]:
        return [Text(""), *(Text(str(row.number), style=QUIET) for row in self.rows)]

    def _counts(self, wide: bool) -> Iterator[list[Text]]:
        if any(row.trial != 1 for row in self.rows):
            yield [Text("trial"), *(Text(str(row.trial)) for row in self.rows)]
        if wide:
            yield [Text("turns"), *(Text(str(row.turns)) for row in self.rows)]

    def _endings(self, wide: bool) -> list[Text]:
        return [Text("ending"), *(_ending(row, wide) for row in self.rows)]

    def _scores(self, metric: str) -> list[Text]:
        show = _yes_no if self.metrics[metric] else _number
        share = {"share": True} if metric in SHARES and not self.metrics[metric] else {}
        return [Text(self._head(metric)), *(show(row.metrics.get(metric), **share) for row in self.rows)]

    def _head(self, metric: str) -> str:
        return "judge" if metric == "success" and "state_success" in self.metrics else _short(metric)

    def _fitted(self, texts: Sequence[Sequence[str]], room: int) -> Iterator[list[Text]]:
        heads = ("profile", "task", "assistant")
        wanted = [max(cell_len(head), *map(_width, held)) for head, held in zip(heads, texts, strict=True)]
        widths = list(wanted)
        for place, least in ((1, 14), (0, 12), (2, 24), (1, 8), (0, 8), (2, 12), (1, 4), (0, 4), (2, 4)):
            widths[place] -= min(max(sum(widths) - room, 0), max(widths[place] - least, 0))
        for head, held, width in zip(heads, texts, widths, strict=True):
            yield [Text(clip(head, width)), *(Text(clip(text, width)) for text in held)]

    def _caption(self) -> Text:
        parts = [self.told]
        heads = {name: self._head(name) for name in self.metrics}
        parts += [f"{head}: {label(name)}" for name, head in heads.items() if head not in (label(name), name)]
        return Text("; ".join(parts), style=f"italic {QUIET}")


@dataclass(frozen=True, slots=True)
class _Stacked:
    """The runs where no line has room for a name and its scores: each name stands on a line of its own."""

    runs: Sequence[tuple[Summary, float]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _runs(self.runs, wide=False, stacked=True)
        lines = console.render_lines(table, options, pad=False)
        yield Segments([segment for line in lines[:2] for segment in (*line, Segment.line())])
        rest = iter(lines[2:])
        for summary, _ in self.runs:
            yield Text(safe(summary.folder), style="cyan", overflow="fold")
            held = list(islice(rest, max(1, len(summary.assistants))))
            yield Segments([segment for line in held for segment in (*line, Segment.line())])


def _runs(runs: Sequence[tuple[Summary, float]], wide: bool, stacked: bool = False) -> Table:
    """A row for each assistant of each run, the run's own cells in the first of them; `stacked` without its name."""
    table = _ruled()
    if not stacked:
        table.add_column("run", no_wrap=True)
    if wide:
        table.add_column("started", no_wrap=True)
    table.add_column("dialogues" if wide else "held", justify="right", no_wrap=True)
    table.add_column("assistant", no_wrap=True)
    for metric in ("success", "met", "judge", "pers") if wide else ("success", "judge"):
        table.add_column(metric, justify="right", no_wrap=True)
    for summary, started in runs:
        head = [] if stacked else [Text(safe(summary.folder), style="cyan")]
        head += [Text(time.strftime("%Y-%m-%d %H:%M", time.localtime(started)))] if wide else []
        head.append(_held(summary))
        for place, cells in enumerate(_assistant_cells(summary, wide)):
            table.add_row(*(head if not place else [Text() for _ in head]), *cells)
    return table


def _held(summary: Summary) -> Text:
    unfinished = sum(each.unfinished for each in summary.assistants)
    done = summary.dialogues - unfinished
    return Text(f"{done:,}") if done == summary.planned else Text(f"{done:,}/{summary.planned:,}", style=WARN)


def _assistant_cells(summary: Summary, wide: bool) -> Iterable[tuple[Text, ...]]:
    shown = ("state_success", "state_preferences_met", "success", "personalisation") if wide else _NARROW
    if not summary.assistants:
        yield tuple(Text("–", QUIET) for _ in ("", *shown))
    for each in summary.assistants:
        means = [(name, each.metrics[name].mean if name in each.metrics else None) for name in shown]
        yield Text(clip(each.name, 16)), *(_number(mean, share=name in SHARES) for name, mean in means)


def _width(text: str) -> int:
    return cell_len(clip(text, 60))


def _short(metric: str) -> str:
    """A metric as the head of a narrow column."""
    known = {
        "personalisation": "pers",
        "success": "success",
        "state_success": "success",
        "state_preferences_met": "met",
    }
    return known.get(metric) or clip(label(metric), 10)


def _ruled(gap: int = 2) -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold", show_edge=False)


def _ending(row: Row, wide: bool) -> Text:
    if row.ending is None:
        return Text("not ended", style=WARN)
    reason = row.ending.reason.replace("_", " ")
    blamed = row.ending.owner in ("assistant", "simulator", "infrastructure")
    told = f"{reason} ({row.ending.owner})" if blamed and wide else reason
    return Text(told, style=BAD if row.ending.owner == "assistant" else WARN if blamed or not row.finished else "")


def _yes_no(value: float | None) -> Text:
    if value is None:
        return Text("–", style=QUIET)
    return Text("yes", style=GOOD) if value >= 0.5 else Text("no", style=BAD)


def _number(value: float | None, share: bool = False) -> Text:
    if value is None:
        return Text("–", style=QUIET)
    return Text(number(value, share) if share or value != int(value) else f"{value:.0f}")
