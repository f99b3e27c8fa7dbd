"""Ladders and strata: of several assistants who stands where, and how two differ group by group."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparing.ladder import Ladder, Rung
from duologue.comparing.strata import Stratum
from duologue.measures import ENDS, SHARES, label
from duologue.statistics.interval import FEWEST
from duologue.views.difference import finding, shown, signed
from duologue.views.layout import QUIET, USER, WARN, Fitting, facts, joined, whisker
from duologue.views.text import clip, count, number, plain, safe

__all__ = ["draw_ladders", "draw_strata"]

FEW = 30
"""Below so many profiles a group is called small."""
MOST = 12
"""Groups that are shown of two assistants in one score."""


def draw_ladders(ladders: Sequence[Ladder], beside: bool) -> Iterator[RenderableType]:
    """Each ladder; where no difference is shown at all, in one line."""
    if not ladders:
        return
    yield Text()
    yield Text("who stands where", style="bold")
    for ladder in ladders:
        yield _headline(ladder, beside)
        if not _flat(ladder):
            yield Fitting(0, _rungs(ladder, bar=True), _rungs(ladder))
    told = "A > B: A is shown to be ahead; A ~ B: neither is. Places are those that what is shown leaves open"
    notes = [("places", Text(told, style=QUIET))]
    for ladder in ladders:
        if ladder.then and not _flat(ladder):
            told = f"where {label(ladder.metric)} is equal, or shows no difference, {label(ladder.then)} decides"
            notes.append(("ties", Text(told, style=QUIET)))
    shown = [each for each in ladders if not _flat(each)]
    if methods := dict.fromkeys(each.method for each in shown if _has_strengths(each)):
        told = f"log-odds of being ahead with a profile of the average of these ({'; '.join(methods)})"
        notes.append(("strength", Text(told, style=QUIET)))
    for why in dict.fromkeys(each.why for each in shown if not _has_strengths(each)):
        told = "the share of duels won, a duel being two assistants with one profile, a tie a half"
        notes.append(("won", plain(f"{told}{f'; no strengths: {why}' if why else ''}", QUIET)))
    yield facts(notes)


def _flat(ladder: Ladder) -> bool:
    return all(rung.best == 1 and rung.worst == len(ladder.rungs) for rung in ladder.rungs)


def _has_strengths(ladder: Ladder) -> bool:
    """Whether strengths with intervals can be shown; else the duels won are."""
    return all(rung.strength_low is not None for rung in ladder.rungs)


def _headline(ladder: Ladder, beside: bool) -> Text:
    name = Text(f"  {label(ladder.metric, beside)}  ", style="bold")
    if not _flat(ladder):
        told = Text(safe(ladder.order), style=USER)
    elif ladder.profiles < FEWEST:
        told = Text("too few profiles", style=WARN)
    else:
        told = Text("no difference shown", style=QUIET)
    told.append(f"   n {ladder.n:,} · {count(ladder.profiles, 'profile')}", style=QUIET)
    if _flat(ladder):
        means = [f"{safe(rung.label)} {_number(rung.mean, ladder.metric in SHARES)}" for rung in ladder.rungs]
        told.append("\n    ").append_text(joined(means))
    return name.append_text(told)


def _rungs(ladder: Ladder, bar: bool = False) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("place", no_wrap=True)
    table.add_column("", overflow="fold")
    then = [label(ladder.then).removesuffix(" by state").removeprefix("met ")] if ladder.then else []
    strong = _has_strengths(ladder)
    for name in ("mean", "95 %", *then, "strength" if strong else "won", "95 %"):
        table.add_column(name, justify="left" if "%" in name else "right", no_wrap=True)
    bar = bar and ladder.metric in ENDS
    if bar:
        table.add_column("", no_wrap=True)
    for rung in ladder.rungs:
        place = f"{rung.best}" if rung.best == rung.worst else f"{rung.best}–{rung.worst}"
        share = ladder.metric in SHARES
        mean, reach = _number(rung.mean, share), _ends(rung.low, rung.high, share)
        cells: list[str | Text] = [place, Text(safe(rung.label), style="bold"), mean, Text(reach, style=QUIET)]
        cells += [_number(rung.then, share)] if ladder.then else []
        cells += _strength(rung) if strong else _won(rung)
        cells += [_bar(rung, ENDS[ladder.metric])] if bar else []
        table.add_row(*cells)
    return Padding(table, (0, 0, 0, 4))


def _strength(rung: Rung) -> list[str | Text]:
    if rung.strength is None or rung.strength_low is None or rung.strength_high is None:
        return ["–", "–"]
    reach = f"{signed(rung.strength_low, False)} to {signed(rung.strength_high, False)}"
    return [signed(rung.strength, False), Text(reach, style=QUIET)]


def _won(rung: Rung) -> list[str | Text]:
    return [_number(rung.won, True), Text(_ends(rung.won_low, rung.won_high, True), style=QUIET)]


def _ends(low: float | None, high: float | None, share: bool) -> str:
    if low is None or high is None:
        return "–"
    return f"{number(low, share).removesuffix(' %')} to {number(high, share)}"


def _bar(rung: Rung, ends: tuple[float, float]) -> Text:
    return Text() if rung.mean is None else whisker(rung.mean, rung.low, rung.high, ends, 12)


def _number(value: float | None, share: bool) -> str:
    return "–" if value is None else number(value, share)


def draw_strata(strata: Sequence[Stratum], by: str, beside: bool) -> Iterator[RenderableType]:
    """How each two differ within each group, a table for each main score."""
    told = by.replace("_", " ")
    yield Text()
    yield Text(f"by {told}", style="bold")
    pairs: dict[tuple[str, str], list[Stratum]] = defaultdict(list)
    for stratum in strata:
        pairs[stratum.a, stratum.b].append(stratum)
    if not strata:
        yield Text("  No two are told the same of the user.", style=WARN)
    for (a, b), held in pairs.items():
        metrics = dict.fromkeys(each.metric for stratum in held for each in stratum.differences if each.pairs)
        for metric in metrics:
            yield Text.assemble(
                (f"  {label(metric, beside)}  ", "bold"), (safe(a), USER), (" against ", QUIET), (safe(b), "magenta")
            )
            yield _groups(metric, held, (safe(a), safe(b)), told)
    yield from _small(strata)


def _groups(metric: str, strata: Iterable[Stratum], heads: tuple[str, str], told: str) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column(told, overflow="fold")
    table.add_column("profiles", justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    table.add_column("p", no_wrap=True)
    table.add_column("", overflow="fold")
    every = [(stratum, each) for stratum in strata for each in stratum.differences if each.metric == metric]
    held = [(stratum, each) for stratum, each in every if each.profiles >= FEWEST]
    for stratum, each in held[:MOST]:
        name = Text(clip(stratum.group, 28), style=WARN if each.profiles < FEW else "")
        table.add_row(name, f"{each.profiles:,}", *shown(each), finding(each, heads))
    parts: list[RenderableType] = [Padding(table, (0, 0, 0, 4))] if held else []
    if left := len(every) - len(held[:MOST]):
        few = f" of fewer than {FEWEST} profiles" if len(held) <= MOST else ""
        parts.append(Text(f"    {'and ' * bool(held)}{count(left, 'group')}{few}: --json lists all", style=QUIET))
    return Group(*parts)


def _small(strata: Sequence[Stratum]) -> Iterator[RenderableType]:
    """A warning of small groups, and how p is meant."""
    notes = []
    if small := dict.fromkeys(stratum.group for stratum in strata if stratum.profiles < FEW):
        told = f"{count(len(small), 'group')} of fewer than {FEW} profiles; below {FEWEST} nothing is said of one"
        notes.append(("small", Text(told, style=WARN)))
    if len(strata) > 1:
        told = "adjusted over all groups and scores of this part (Holm); that two groups differ is not tested"
        notes.append(("p", Text(told, style=QUIET)))
    yield facts(notes)
