"""The table of runs, and the table of one run's dialogues."""

import time
from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from duologue.scores import Row, Summary
from duologue.views.layout import BAD, GOOD, QUIET, WARN, Fitting
from duologue.views.text import clip, count, number, safe

__all__ = ["draw_dialogues", "draw_runs"]


_WIDTHS = ((11, 11, 8), (19, 14, 10), (22, 16, 12), (44, 36, 20))
"""Of profile, task and assistant in terminals of 60, 80, 120 and 160 columns."""


def draw_runs(runs: Sequence[tuple[Summary, float]]) -> RenderableType:
    """The runs: each with when it started, in seconds since the epoch."""
    if not runs:
        return Text("No runs here yet. Begin one: duologue run", style=QUIET)
    return Fitting(100, _runs(runs, wide=True), _runs(runs, wide=False))


def draw_dialogues(rows: Sequence[Row], names: Mapping[str, str] | None = None) -> RenderableType:
    """The dialogues of one run. `names` gives a profile's name by its id."""
    if not rows:
        return Text("No dialogue has begun.", style=QUIET)
    known = names or {}
    tight, usual, wide, widest = (_dialogues(rows, known, widths) for widths in _WIDTHS)
    return Fitting(160, widest, Fitting(120, wide, Fitting(80, usual, tight)))


def _runs(runs: Sequence[tuple[Summary, float]], wide: bool) -> RenderableType:
    table = _ruled()
    table.add_column("run", overflow="fold", ratio=3)
    if wide:
        table.add_column("started", no_wrap=True)
    table.add_column("dialogues" if wide else "held", justify="right", no_wrap=True)
    table.add_column("assistant", no_wrap=True, ratio=2)
    table.add_column("success", justify="right", no_wrap=True)
    table.add_column("pers", justify="right", no_wrap=True)
    for summary, started in runs:
        for place, cells in enumerate(_assistant_cells(summary)):
            head: list[Text | str] = (
                [Text(safe(summary.folder), style="cyan"), _held(summary)] if not place else ["", ""]
            )
            if wide:
                head.insert(1, time.strftime("%Y-%m-%d %H:%M", time.localtime(started)) if not place else "")
            table.add_row(*head, *cells)
    return table


def _held(summary: Summary) -> Text:
    unfinished = sum(each.unfinished for each in summary.assistants)
    done = summary.dialogues - unfinished
    return Text(f"{done:,}") if done == summary.planned else Text(f"{done:,}/{summary.planned:,}", style=WARN)


def _assistant_cells(summary: Summary) -> Iterable[tuple[Text, Text, Text]]:
    if not summary.assistants:
        yield Text("–", QUIET), Text("–", QUIET), Text("–", QUIET)
    for each in summary.assistants:
        success, personal = (each.metrics.get(name) for name in ("success", "personalisation"))
        yield (
            Text(clip(each.name, 16)),
            _number(success.mean if success else None, share=True),
            _number(personal.mean if personal else None),
        )


def _dialogues(rows: Sequence[Row], names: Mapping[str, str], widths: tuple[int, int, int]) -> Table:
    tight, wide = widths == _WIDTHS[0], widths in _WIDTHS[2:]
    trials = any(row.trial != 1 for row in rows) and not tight
    table = _ruled(1 if tight else 2)
    table.add_column("", justify="right", style=QUIET, no_wrap=True)
    for heading in ("profile", "task", "assistant"):
        table.add_column(heading, no_wrap=True)
    for heading in (["trial"] if trials else []) + (["turns"] if wide else []):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ending", no_wrap=True)
    table.add_column("success" if wide else "ok", justify="right", no_wrap=True)
    table.add_column("pers", justify="right", no_wrap=True)
    for row in rows:
        texts = (_who(row.profile, names), row.task, row.assistant)
        cells = [Text(clip(text, width)) for text, width in zip(texts, widths, strict=True)]
        trial = [Text(str(row.trial))] if trials else []
        turns = [Text(str(row.turns))] if wide else []
        success, personal = _yes_no(row.metrics.get("success")), _number(row.metrics.get("personalisation"))
        table.add_row(Text(str(row.number)), *cells, *trial, *turns, _ending(row, wide), success, personal)
    unscored = sum(not row.scored for row in rows)
    table.caption = Text(
        count(len(rows), "dialogue") + (f", {unscored:,} not scored" if unscored else "") + "; pers: personalisation"
    )
    table.caption_justify = "left"
    return table


def _ruled(gap: int = 2) -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold", show_edge=False)


def _who(profile: str, names: Mapping[str, str]) -> str:
    name = names.get(profile, "")
    return f"{name} ({profile})" if name and name != profile else profile


def _ending(row: Row, wide: bool) -> Text:
    if row.ending is None:
        return Text("not ended", style=WARN)
    reason = row.ending.reason.replace("_", " ")
    blamed = row.ending.owner in ("assistant", "simulator", "infrastructure")
    told = f"{reason} ({row.ending.owner})" if blamed and wide else clip(reason, 10)
    return Text(told, style=BAD if row.ending.owner == "assistant" else WARN if blamed or not row.finished else "")


def _yes_no(value: float | None) -> Text:
    if value is None:
        return Text("–", style=QUIET)
    return Text("yes", style=GOOD) if value >= 0.5 else Text("no", style=BAD)


def _number(value: float | None, share: bool = False) -> Text:
    if value is None:
        return Text("–", style=QUIET)
    return Text(number(value, share) if share or value != int(value) else f"{value:.0f}")
