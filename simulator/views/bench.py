"""The screen of a bench: how far it is, and its tables."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from duologue.bench.performance import Watch
from duologue.bench.question import Answer
from duologue.bench.report import Figure, Line, Report, Table
from duologue.money.prices import money
from duologue.scoring.measures import label
from duologue.views.console import console
from duologue.views.layout import QUIET, WARN, Fitting, command, facts, joined
from duologue.views.text import count, plain, safe

__all__ = ["asking", "draw"]


@contextmanager
def asking() -> Iterator[Watch]:
    """Show how far a bench is; call it as a Watch."""
    screen = console(stderr=True)
    columns = TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("asking", total=None)
        failed = 0

        def watch(done: int, of: int, answer: Answer | None) -> None:
            nonlocal failed
            failed += bool(answer and answer.fault)
            told = f"asking, {count(failed, 'call')} failed" if failed else "asking"
            bar.update(task, completed=done, total=of, description=told)

        yield watch


def draw(report: Report) -> RenderableType:
    """What a bench found."""
    blocks: list[RenderableType] = [_heading(report), facts(_facts(report))]
    for table in report.tables:
        blocks += [Text(), Text(safe(table.title), style="bold"), _table(table)]
    notes = [Text.assemble(("Note: ", f"bold {WARN}"), plain(note, WARN)) for note in report.notes]
    told = Text(safe(report.stopped), style=WARN)
    stopped = [Text(), told, command(f"duologue resume {report.folder}")] if report.stopped else []
    return Group(*blocks, *([Text()] if notes else []), *notes, *stopped)


def _heading(report: Report) -> Text:
    told = f"  {count(report.items, 'item')} · {report.answered} of {count(report.asked, 'question')} answered"
    return Text.assemble((safe(report.bench), "bold"), (told, QUIET))


def _facts(report: Report) -> Iterator[tuple[str, RenderableType]]:
    yield "data", Text(safe(report.data))
    yield from ((role, Text(safe(model))) for role, model in report.models.items())
    yield from ((name, Text(safe(told))) for name, told in report.options.items())
    if report.failed:
        yield "no answer", Text(", ".join(f"{times} {why}" for why, times in report.failed.items()), style=WARN)
    for role, used in report.usage.items():
        if not used.calls:
            continue
        amount = report.cost.get(role)
        tokens = f"{used.input or 0:,} in, {used.output or 0:,} out" if used.input is not None else "tokens not told"
        cost = "cost unknown" if amount is None else money(amount, report.currency)
        yield f"{role} used", joined([tokens, cost, f"{report.seconds.get(role, 0):.0f} s of waiting"])
    yield "folder", Text(safe(report.folder))


def _table(table: Table) -> RenderableType:
    """A line a row where there is room for all of its figures; else a line a column; else its figures in two, three or
    four grids, one below the other; else a figure a row."""
    shown: RenderableType = _long(table)
    for parts in (4, 3, 2):
        if len(_columns(table)) >= 2 * parts - 1:
            shown = Fitting(0, Group(*_stacked(table, parts)), shown)
    below = [Text(told, style=QUIET) for told in _below(table)]
    fitting = Fitting(0, _wide(table, _columns(table)), Fitting(0, _turned(table), shown))
    return Padding(Group(fitting, *below), (0, 0, 0, 2))


def _stacked(table: Table, parts: int) -> Iterator[RenderableType]:
    columns = _columns(table)
    size = -(-len(columns) // parts)
    for start in range(0, len(columns), size):
        yield from ([Text()] if start else [])
        yield _wide(table, columns[start : start + size])


def _wide(table: Table, columns: list[str]) -> Grid:
    grid = _grid(*table.names)
    for name in columns:
        grid.add_column(_headed(_named(table, name)), justify="right", vertical="top", no_wrap=True)
    for line in table.lines:
        cells = [_figure(line.figures.get(name), name in table.shares, "\n") for name in columns]
        grid.add_row(*(Text(safe(part)) for part in line.name), *cells)
    return grid


def _headed(name: str) -> str:
    """A heading on two lines, about as long each."""
    words = name.split()
    cut = min(range(1, len(words) + 1), key=lambda at: max(len(" ".join(words[:at])), len(" ".join(words[at:]))))
    return "\n".join(filter(None, (" ".join(words[:cut]), " ".join(words[cut:]))))


def _turned(table: Table) -> Grid:
    grid = _grid("")
    for line in table.lines:
        grid.add_column(" ".join(map(safe, line.name)), justify="right", no_wrap=True)
    for name in _columns(table):
        cells = [_figure(line.figures.get(name), name in table.shares, "\n") for line in table.lines]
        grid.add_row(Text(_named(table, name)), *cells)
    return grid


def _long(table: Table) -> Grid:
    grid = _grid(*table.names, "figure", "", "over")
    for line in table.lines:
        heads = [Text(safe(part)) for part in line.name]
        for name, figure in line.figures.items():
            over = Text(f"{figure.n:,}" if figure.n else "", style=QUIET)
            grid.add_row(*heads, Text(_named(table, name)), _figure(figure, name in table.shares, "  "), over)
            heads = [Text() for _ in heads]
    return grid


def _columns(table: Table) -> list[str]:
    return list(dict.fromkeys(name for line in table.lines for name in line.figures))


def _grid(*names: str) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    for name in names:
        grid.add_column(name, overflow="fold")
    return grid


_SPELT = {"c score": "C-score", "ue score": "UE-score", "bertscore": "BERTScore", "unieval": "UniEval", "nli ": "NLI "}
"""How metrics are spelt in the papers, by how their names begin."""


def _named(table: Table, name: str) -> str:
    told = label(name)
    for begun, spelt in _SPELT.items():
        told = spelt + told.removeprefix(begun) if told.startswith(begun) else told
    return told + ("" if table.comparable_to_paper.get(name, True) else " *")


def _below(table: Table) -> Iterator[str]:
    unscored = {" ".join(map(safe, line.name)): _unscored(line) for line in table.lines}
    if told := [f"{name} {missing:,}" for name, missing in unscored.items() if missing]:
        yield f"not scored: {', '.join(told)}"
    lacking = [
        f"– {_named(table, name)}: {safe(why)}"
        for name in _columns(table)
        for why in dict.fromkeys(_why(line, name) for line in table.lines)
        if why
    ]
    yield from lacking
    if table.clusters and any(figure.low is not None for line in table.lines for figure in line.figures.values()):
        yield f"95 % intervals, clustered by {table.clusters}"
    elif table.clusters:
        yield f"no 95 % intervals: there are too few to cluster by {table.clusters}"
    if not all(table.comparable_to_paper.values()):
        yield "* not got as in the paper: not comparable with its figures"


def _unscored(line: Line) -> int:
    return max((figure.unscored for figure in line.figures.values()), default=0)


def _why(line: Line, name: str) -> str:
    figure = line.figures.get(name)
    return figure.why if figure is not None and figure.value is None else ""


def _figure(figure: Figure | None, share: bool, between: str) -> Text:
    """A figure, its interval behind it."""
    if figure is None or figure.value is None:
        return Text("–", style=QUIET)
    told = Text(_number(figure.value, share) + (" %" if share else ""))
    if figure.low is not None and figure.high is not None:
        told.append(f"{between}{_number(figure.low, share)} to {_number(figure.high, share)}", style=QUIET)
    return told


def _number(value: float, share: bool) -> str:
    return f"{100 * value:.1f}" if share else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
