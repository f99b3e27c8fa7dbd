"""The judge against the world: how far both agree, in a few lines or in full."""

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.scoring.concord import ENOUGH, NAMES, Class, Concord, Count, Likeness
from duologue.views.layout import BAD, GOOD, QUIET, WARN, Fitting
from duologue.views.text import number, plain

__all__ = ["draw_brief", "draw_whole"]


def draw_brief(concord: Concord) -> RenderableType:
    """A line for each class of statements: the share equal, kappa, and where both differ most, if need be below."""
    wide, narrow = (_classes(concord.classes, differing) for differing in (True, False))
    below = [_differs(name, like.differing[0]) for name, like in concord.classes.items() if like.differing]
    return Padding(Fitting(0, wide, Group(narrow, *below)), (0, 0, 0, 2))


def draw_whole(concord: Concord) -> RenderableType:
    """Everything: of each class how often the judge says what where the world shows what, and each domain."""
    blocks: list[RenderableType] = []
    for name, like in concord.classes.items():
        blocks += [Text(), Padding(_table(name, like), (0, 0, 0, 2))]
        if alone := concord.one_sided[name]:
            told = f"{alone:,} more, of which only the judge or only the world says something, are not compared"
            blocks.append(Padding(Text(told, style=f"italic {QUIET}"), (0, 0, 0, 2)))
    if concord.domains:
        blocks += [Text(), Padding(_domains(concord), (0, 0, 0, 2))]
    return Group(*blocks, Text())


def _classes(classes: Mapping[Class, Likeness], differing: bool) -> Table:
    table = _grid("judge against the world", "equal", "kappa, 95 % interval", "n")
    if differing:
        table.add_column("differ most", no_wrap=True)
    for name, like in classes.items():
        most = [_difference(like.differing[0]) if like.differing else Text("nowhere", style=QUIET)] if differing else []
        table.add_row(Text(NAMES[name]), *_measures(like), Text(f"{like.agreement.items:,}"), *most)
    return table


def _grid(first: str, equal: str, kappa: str, count: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column(first, no_wrap=True)
    table.add_column(equal, justify="right", no_wrap=True)
    table.add_column(kappa)
    table.add_column(count, justify="right", no_wrap=True)
    return table


def _measures(like: Likeness) -> Iterator[Text]:
    """The share equal, and kappa with its interval."""
    found = like.agreement
    yield Text("–" if found.observed is None else number(found.observed, True), style="bold")
    if found.value is None or min(len(like.judge), len(like.world)) < 2:
        yield Text(_silent(like), style=WARN)
        return
    told = Text(f"{found.value:.2f}", style=_hue(found.value))
    if found.low is not None and found.high is not None:
        told.append(f" ({found.low:.2f} to {found.high:.2f})", style=QUIET)
    yield told


def _silent(like: Likeness) -> str:
    """Why kappa says nothing: one side, or both, always say the same."""
    (judge, *others), (world, *more) = like.judge, like.world
    if not others and not more:
        return f"says nothing: both always {_word(judge)}" if judge == world else "says nothing: one answer each"
    return f"says nothing: {'world' if others else 'judge'} always {_word(world if others else judge)}"


def _hue(kappa: float) -> str:
    return GOOD if kappa >= 0.6 else WARN if kappa >= 0.3 else BAD


def _difference(most: Count) -> Text:
    return Text.assemble(
        (f"{most.count:,} × ", QUIET), ("judge ", QUIET), _word(most.judge), (", world ", QUIET), _word(most.world)
    )


def _differs(name: Class, most: Count) -> Text:
    return Text.assemble((f"{NAMES[name]} differ most: ", QUIET), _difference(most))


def _word(told: str) -> str:
    return plain(told.replace("_", " ")).plain


def _table(name: Class, like: Likeness) -> Table:
    """What the judge says in rows, what the world shows in columns, each with its share of all."""
    counts = {(each.judge, each.world): each.count for each in like.table}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column(f"{NAMES[name]}: judge", no_wrap=True)
    for shown in like.world:
        table.add_column(_word(shown), justify="right", no_wrap=True)
    table.add_column("all", justify="right", no_wrap=True)
    for said, share in like.judge.items():
        cells = [_count(counts.get((said, shown), 0), said == shown) for shown in like.world]
        table.add_row(Text(_word(said)), *cells, Text(number(share, True), style=QUIET))
    shares = [Text(number(share, True), style=QUIET) for share in like.world.values()]
    table.add_row(Text("world, all", style=QUIET), *shares, Text(f"{like.agreement.items:,}", style=QUIET))
    return table


def _count(count: int, equal: bool) -> Text:
    return Text(f"{count:,}" if count else "·", style=GOOD if equal and count else WARN if count else QUIET)


def _domains(concord: Concord) -> RenderableType:
    table = _grid("judge against the world", "equal", "kappa", "n")
    for domain, classes in concord.domains.items():
        for place, (name, like) in enumerate(classes.items()):
            title = Text.assemble(("" if place else domain), ("  " if place else ": ", QUIET), (NAMES[name], QUIET))
            table.add_row(title, *_measures(like), Text(f"{like.agreement.items:,}"))
    legend = Text(f"domains with {ENOUGH} statements or more", style=f"italic {QUIET}")
    return Group(table, legend)
