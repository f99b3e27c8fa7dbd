"""The screen of a comparison: assistants two by two, and with how many profiles each one wins."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparison import Comparison, Difference, Pairing, Side
from duologue.measures import EFFORT, SHARES, label
from duologue.statistics import FEWEST
from duologue.views.layout import QUIET, USER, WARN, Fitting, facts, joined, tallies
from duologue.views.text import clip, count, number, plain, safe

__all__ = ["draw"]


def draw(comparison: Comparison) -> RenderableType:
    """Every pairing of the comparison, and what to know about it."""
    sides = {side.label: side for side in comparison.sides}
    blocks: list[RenderableType] = [_judged(comparison)]
    for pairing in comparison.pairings:
        blocks += [Text(), _pairing(pairing, sides)]
    notes = [Text.assemble(("Note: ", f"bold {WARN}"), plain(note, WARN)) for note in comparison.notes]
    return Group(*blocks, *([Text()] if notes else []), *notes)


def _judged(comparison: Comparison) -> Text:
    used = comparison.judging
    if not used.judge:
        return Text("Not judged: only what needs no judge is compared.", style=WARN)
    return Text(
        f"judged by {safe(used.judge)} under the rubric {safe(used.rubric_name)} ({used.rubric[:8]})", style=QUIET
    )


def _pairing(pairing: Pairing, sides: dict[str, Side]) -> RenderableType:
    a, b = Text(safe(pairing.a), style=f"bold {USER}"), Text(safe(pairing.b), style="bold magenta")
    profiles = max((each.profiles for each in pairing.differences), default=0)
    heading = Text.assemble(a, ("  against  ", QUIET), b)
    heading.append(f"   {count(pairing.pairs, 'pair')} · {count(profiles, 'profile')}", style=QUIET)
    told = [(clip(name, 24), _told(sides[name])) for name in (pairing.a, pairing.b)]
    needed = 96 if any(each.low is not None for each in pairing.differences) else 80
    return Group(
        heading,
        facts(told),
        Text(),
        Fitting(112, _table(pairing, wide=True), Fitting(needed, _table(pairing), _narrow(pairing))),
        facts(_remarks(pairing, profiles)),
    )


def _told(side: Side) -> Text:
    told = Text(f"is told of the user: {safe(' + '.join(side.context) or 'nothing')}", style=QUIET)
    return told.append("  reads the answers", style=WARN) if side.reads_answers else told


def _table(pairing: Pairing, wide: bool = False) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("score", no_wrap=True)
    table.add_column(Text(clip(pairing.a, 12 if wide else 8), style=USER), justify="right", no_wrap=True)
    table.add_column(Text(clip(pairing.b, 12 if wide else 8), style="magenta"), justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    if wide:
        table.add_column("pairs", justify="right", no_wrap=True)
        table.add_column("wins/ties/losses", no_wrap=True)
    else:
        table.add_column("w/t/l", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in pairing.differences:
        tally = _tally(each, bar=wide)
        middle = [Text(str(each.pairs)), tally] if wide else [tally]
        table.add_row(
            Text(clip(label(each.metric), 24)),
            _mean(each, each.a),
            _mean(each, each.b),
            _difference(each),
            *middle,
            _finding(each, pairing),
            style=QUIET if each.metric in EFFORT else "",
        )
    return Padding(table, (0, 0, 0, 2))


def _narrow(pairing: Pairing) -> RenderableType:
    """Two lines a metric."""
    lines: list[RenderableType] = []
    for each in pairing.differences:
        means = Text.assemble(
            _mean(each, each.a), (" − ", QUIET), _mean(each, each.b), (" = ", QUIET), _difference(each)
        )
        tally = Text("w/t/l ", style=QUIET).append_text(_tally(each)).append("  ")
        lines.append(Text.assemble("  ", (f"{clip(label(each.metric), 22):<22}", "bold"), means))
        lines.append(Text.assemble("    ", tally, _finding(each, pairing)))
    return Group(*lines)


def _tally(each: Difference, bar: bool = False) -> Text:
    if not each.pairs:
        return Text("–", style=QUIET)
    drawn = tallies(each.wins, each.ties, each.losses).append(" ") if bar else Text()
    return drawn.append(f"{each.wins}/{each.ties}/{each.losses}", style=QUIET)


def _mean(each: Difference, value: float | None) -> Text:
    return Text("–", style=QUIET) if value is None else Text(number(value, each.metric in SHARES))


def _difference(each: Difference) -> Text:
    if each.difference is None:
        return Text("–", style=QUIET)
    share = each.metric in SHARES
    told = Text(_signed(each.difference, share), style="bold" if each.metric not in EFFORT else "")
    if each.low is not None and each.low == each.high:
        told.append("  all equal", style=QUIET)
    elif each.low is not None and each.high is not None:
        told.append(f"  {_signed(each.low, share)} to {_signed(each.high, share)}", style=QUIET)
    return told


def _signed(value: float, share: bool) -> str:
    """With its sign; a difference of shares is in points of a percent."""
    shown = f"{abs(100 * value):.0f}" if share else number(abs(value))
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{shown}" if float(shown.replace(",", "")) else "0"


def _finding(each: Difference, pairing: Pairing) -> Text:
    if each.finding == "a higher":
        return Text(f"{clip(pairing.a, 16)} higher", style=f"bold {USER}")
    if each.finding == "b higher":
        return Text(f"{clip(pairing.b, 16)} higher", style="bold magenta")
    told = "too few profiles" if each.finding == "too few profiles to tell" else each.finding
    return Text(told, style=WARN if each.finding in ("too few profiles to tell", "not ranked") else QUIET)


def _remarks(pairing: Pairing, profiles: int) -> Iterator[tuple[str, RenderableType]]:
    yield "", Text()
    for note in pairing.notes:
        yield "note", plain(note, WARN)
    if profiles < FEWEST:
        told = f"none is shown with {count(profiles, 'profile')}: below {FEWEST} it would be a guess"
    else:
        told = "95 %, from a bootstrap over whole profiles; points of a percent for shares"
    yield "intervals", Text(told, style=WARN if profiles < FEWEST else QUIET)
    if pairing.unpaired:
        yield "no pair", joined([f"{times} {safe(why)}" for why, times in pairing.unpaired.items()])
    yield from _dropped(pairing.differences)


def _dropped(differences: Iterable[Difference]) -> Iterator[tuple[str, RenderableType]]:
    """The pairs that scores had to leave out, each set of reasons once, and what they could change at worst."""
    alike: dict[tuple[tuple[str, int], ...], list[Difference]] = defaultdict(list)
    for each in differences:
        if each.dropped and each.metric not in EFFORT:
            alike[tuple(Counter(dropped.why for dropped in each.dropped).most_common())].append(each)
    for reasons, held in alike.items():
        told = Text(
            f"{count(sum(times for _, times in reasons), 'pair')} from {', '.join(label(d.metric) for d in held)}"
        )
        for why, times in reasons[:3]:
            told.append(f"\n{times} × {clip(why, 110)}", style=WARN)
        if len(reasons) > 3:
            told.append(f"\nand {count(len(reasons) - 3, 'more reason')}: --json lists all", style=QUIET)
        worst = [f"{label(d.metric)} {_range(d)}" for d in held if d.worst is not None]
        if worst:
            told.append("\nwhatever they had scored, the difference would lie in: ", style=QUIET).append_text(
                joined(worst)
            )
        yield "left out", told


def _range(each: Difference) -> str:
    assert each.worst is not None
    low, high = (_signed(end, each.metric in SHARES) for end in each.worst)
    return f"{low} to {high}"
