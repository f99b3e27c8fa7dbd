"""Ladders: of several assistants who stands where."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparing.difference import NARROW
from duologue.comparing.ladder import Ladder, Rung
from duologue.scoring.measures import ENDS, SHARES, label
from duologue.statistics.interval import FEWEST
from duologue.views.difference import signed
from duologue.views.layout import QUIET, USER, WARN, Fitting, facts, joined, whisker
from duologue.views.text import count, number, plain, safe

__all__ = ["draw_ladders"]


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
    told = "A > B: A is shown to be ahead of B; A, B: neither is; open: neither ahead of any of the others nor behind"
    places = "those that what is shown leaves open; rows without one shown to be ahead stand by their means"
    notes = [("order", Text(told, style=QUIET)), ("places", Text(places, style=QUIET))]
    notes = notes if any(not _flat(ladder) for ladder in ladders) else []
    for ladder in ladders:
        if ladder.then and not _flat(ladder):
            reach = f"equal, surely to within {100 * NARROW:.0f} points"
            told = f"between two whose {label(ladder.metric)} is {reach}, {label(ladder.then)} decides"
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
    size = f"n {ladder.n:,} · {count(ladder.profiles, 'profile')}".replace(" ", "\xa0")
    told.append(f"   {size}", style=QUIET)
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
