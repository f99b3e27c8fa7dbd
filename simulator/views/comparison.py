"""The screen of a comparison: assistants two by two, and with how many profiles each one wins."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparing.comparison import Comparison, Difference, Pairing, Side
from duologue.comparing.ladder import main_scores
from duologue.scoring.measures import EFFORT, SHARES, STATE_SCALES, label
from duologue.views.difference import finding, nearly, shown
from duologue.views.ladder import draw_ladders
from duologue.views.layout import QUIET, USER, WARN, Fitting, command, facts, joined, tallies
from duologue.views.remarks import parted, profiles_of, remarks
from duologue.views.scale import placed, withheld
from duologue.views.strata import draw_strata
from duologue.views.text import count, number, plain, safe

__all__ = ["draw"]

MOST = 3
"""So many pairings are shown with all of their scores; of more, the main scores alone."""
NAME = 28
"""Cells of a score's name that stand in one line; longer ones take more lines."""
LONGEST = 12
"""Letters of an assistant's name that heads a column; longer ones are called A and B."""


def draw(comparison: Comparison) -> RenderableType:
    """Every pairing of the comparison, and what to know about it; by group, the groups alone."""
    beside = bool(comparison.state.judge and comparison.judging.judge) and not comparison.judging.of_state
    blocks: list[RenderableType] = [*_judged(comparison)]
    if len(comparison.pairings) > 1 or comparison.by:
        blocks += [Text(), facts((safe(side.label), _told(side, "")) for side in comparison.sides)]
    if comparison.by:
        blocks += draw_strata(comparison.strata, comparison.by, comparison.advice, beside)
    else:
        blocks += [*_whole(comparison, beside), *_placed(comparison)]
    notes = [Text.assemble(("Note: ", f"bold {WARN}"), plain(note, WARN)) for note in comparison.notes]
    return Group(*blocks, *([Text()] if notes else []), *notes)


def _whole(comparison: Comparison, beside: bool) -> Iterator[RenderableType]:
    if len(comparison.pairings) > 1:
        yield from draw_ladders(comparison.ladders, beside)
        many = len(comparison.pairings) > MOST
        yield from _main(comparison, beside) if many else _pairings(comparison.pairings, beside)
        return
    sides = {side.label: side for side in comparison.sides}
    for pairing in comparison.pairings:
        yield Text()
        yield _pairing(pairing, sides, beside)


def _judged(comparison: Comparison) -> Iterator[Text]:
    used, state = comparison.judging, comparison.state
    if state.judge:
        yield Text(f"by state: read from the end states of the worlds, no model ({state.rubric[:8]})", style=QUIET)
    if used.judge and not used.of_state:
        told = f"judged by {safe(used.judge)} under the rubric {safe(used.rubric_name)} ({used.rubric[:8]})"
        yield Text(told, style=QUIET)
    elif not state.judge:
        yield Text("Not judged: only what needs no judge is compared.", style=WARN)
    if comparison.doubts:
        yield Text.assemble(("Careful: ", f"bold {WARN}"), plain(comparison.doubts, WARN))


def _placed(comparison: Comparison) -> Iterator[RenderableType]:
    """Where each side stands between floor and ceiling, and once why it cannot be told of a score."""
    held = [side for side in comparison.sides if side.places]
    if held:
        told: list[tuple[str, RenderableType]] = []
        for side in held:
            lines = list(placed(side.places))
            told += [("" if place else safe(side.label), line) for place, line in enumerate(lines)]
        told += _withheld(held)
        yield Text()
        yield Text("from floor to ceiling", style="bold")
        yield facts(told)
    if comparison.unscaled:
        yield Text()
        yield plain(f"scale  {comparison.unscaled}", QUIET)


def _withheld(sides: Sequence[Side]) -> Iterator[tuple[str, Text]]:
    """Each reason why a score places nobody, once; with the sides where it is not all of them."""
    whose: dict[str, list[str]] = {}
    for side in sides:
        for line in withheld(side.places):
            whose.setdefault(line.plain, []).append(safe(side.label))
    for why, labels in whose.items():
        everybody = len(labels) == len(sides)
        told = why if everybody else f"{', '.join(labels)}: {why}"
        yield "all" if everybody and len(sides) > 1 else "", Text(told, style=WARN)


def _pairing(pairing: Pairing, sides: dict[str, Side], beside: bool) -> RenderableType:
    """The only pairing there is, with what both are told and everything that there is to know."""
    heads = _heads(pairing)
    legend = [
        _told(sides[name], "" if head == name else name) for head, name in zip(heads, _names(pairing), strict=True)
    ]
    told = facts(zip(heads, legend, strict=True))
    if not pairing.pairs:
        return Group(_heading(pairing), told, Text(), _nothing_shared(pairing))
    held = [each for each in pairing.differences if each.pairs]
    below = facts([("", Text()), *remarks(pairing, heads[0], beside)])
    return Group(_heading(pairing), told, Text(), _differences(held, heads, beside), below)


def _pairings(pairings: Sequence[Pairing], beside: bool) -> Iterator[RenderableType]:
    """Several pairings: scores in which the two are the same are in one line, and each remark stands once."""
    alone, common = parted(pairings, beside)
    for pairing, own in zip(pairings, alone, strict=True):
        yield Text()
        yield _heading(pairing)
        if not pairing.pairs:
            yield _nothing_shared(pairing)
            continue
        heads = _heads(pairing)
        if heads != _names(pairing):
            yield facts((head, Text(safe(name))) for head, name in zip(heads, _names(pairing), strict=True))
        held = [each for each in pairing.differences if each.pairs]
        if unlike := [each for each in held if not _is_same(each)]:
            yield _differences(unlike, heads, beside)
        same = [f"{label(each.metric, beside)} {_mean(each, each.a)}{_reach(each)}" for each in held if _is_same(each)]
        yield facts([*([("the same", joined(same))] if same else []), *own])
    if common:
        yield Text()
        yield facts(common)


def _main(comparison: Comparison, beside: bool) -> Iterator[RenderableType]:
    """Many pairings: for each main score a line each two, and in one line those that show no difference."""
    held = [(pairing, each) for pairing in comparison.pairings for each in pairing.differences if each.pairs]
    for metric in main_scores(dict.fromkeys(each.metric for _, each in held)):
        some = [(pairing, each) for pairing, each in held if each.metric == metric]
        plainly = [each.finding == "no difference shown" and not nearly(each) for _, each in some]
        told = [both for both, nothing in zip(some, plainly, strict=True) if not nothing]
        none = [_duo(pairing) for (pairing, _), nothing in zip(some, plainly, strict=True) if nothing]
        yield Text()
        yield Text(f"  {label(metric, beside)}", style="bold")
        if told:
            yield Fitting(0, _duos(told, tally=True), _duos(told))
        if none:
            whose = joined(none) if told else Text("between any two", style=QUIET)
            yield Padding(Text("no difference shown  ", style=QUIET).append_text(whose), (0, 0, 0, 4))
    _, common = parted(comparison.pairings, beside)
    two = Text.assemble(("of two: ", QUIET), command("duologue compare RUN -a ONE -a OTHER"))
    yield facts([("", Text()), *common, ("all scores", two)])


def _duo(pairing: Pairing) -> Text:
    return Text.assemble((safe(pairing.a), USER), (" – ", QUIET), (safe(pairing.b), "magenta"))


def _duos(held: Sequence[tuple[Pairing, Difference]], tally: bool = False) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("", overflow="fold")
    for name in ("difference", "p", *["w/t/l"] * tally):
        table.add_column(name, no_wrap=True)
    table.add_column("", overflow="fold")
    for pairing, each in held:
        tallied = [_tally(each)] if tally else []
        table.add_row(_duo(pairing), *shown(each), *tallied, finding(each, _heads(pairing, ("first", "second"))))
    return Padding(table, (0, 0, 0, 4))


def _is_same(each: Difference) -> bool:
    """Whether the two have the same score with every profile."""
    return not each.difference and not each.wins and not each.losses


def _reach(each: Difference) -> str:
    """How far the two may be apart all the same."""
    return f" (±{100 * each.high:.0f} points)" if each.high and each.metric in SHARES else ""


def _heading(pairing: Pairing) -> Text:
    a, b = Text(safe(pairing.a), style=f"bold {USER}"), Text(safe(pairing.b), style="bold magenta")
    told = f"   {count(pairing.pairs, 'pair')} · {count(profiles_of(pairing), 'profile')}"
    return Text.assemble(a, ("  against  ", QUIET), b).append(told, style=QUIET)


def _differences(held: Sequence[Difference], heads: tuple[str, str], beside: bool) -> RenderableType:
    """One line a score where there is room for it, else two."""
    tables = _table(held, heads, beside, wide=True), _table(held, heads, beside), _narrow(held, heads, beside)
    return Fitting(120, tables[0], Fitting(0, tables[1], tables[2]))


def _names(pairing: Pairing) -> tuple[str, str]:
    return pairing.a, pairing.b


def _heads(pairing: Pairing, instead: tuple[str, str] = ("A", "B")) -> tuple[str, str]:
    """What the two are called in the table: their names, or `instead` where those are too long for it."""
    a, b = (safe(name) for name in _names(pairing))
    return (a, b) if max(cell_len(a), cell_len(b)) <= LONGEST and "@" not in a + b else instead


def _nothing_shared(pairing: Pairing) -> Text:
    missing = joined([f"{times} {safe(why)}" for why, times in pairing.unpaired.items()])
    told = Text("They share no scenario: no profile had the same task in the same situation with both.", style=WARN)
    return told.append(" ").append_text(missing) if pairing.unpaired else told


def _told(side: Side, name: str) -> Text:
    """What a side is told; with its `name` where the table calls it otherwise."""
    told = Text(f"{safe(name)}, " if name else "")
    told.append(f"is told of the user: {safe(side.told or 'nothing')}", style=QUIET)
    return told.append("  reads the answers", style=WARN) if side.reads_answers else told


def _table(held: Sequence[Difference], heads: tuple[str, str], beside: bool, wide: bool = False) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    stated = all(each.metric in {*STATE_SCALES, *EFFORT} for each in held)
    table.add_column("score by state" if stated else "score", max_width=NAME, overflow="fold")
    table.add_column(Text(heads[0], style=USER), justify="right", no_wrap=True)
    table.add_column(Text(heads[1], style="magenta"), justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    table.add_column("p", no_wrap=True)
    if wide:
        table.add_column("pairs", justify="right", no_wrap=True)
    table.add_column("wins/ties/losses" if wide else "w/t/l", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in held:
        pairs = [Text(str(each.pairs))] if wide else []
        name, style = label(each.metric, beside), QUIET if each.metric in EFFORT else ""
        named = plain(name.removesuffix(" by state") if stated else name)
        means = _mean(each, each.a), _mean(each, each.b), *shown(each)
        table.add_row(named, *means, *pairs, _tally(each, bar=wide), finding(each, heads), style=style)
    return Padding(table, (0, 0, 0, 2))


def _narrow(held: Sequence[Difference], heads: tuple[str, str], beside: bool) -> RenderableType:
    """Two lines a metric, and a third where its name is a long one."""
    lines: list[RenderableType] = []
    names = [safe(label(each.metric, beside)) for each in held]
    width = max((cell_len(name) for name in names if cell_len(name) <= NAME), default=0)
    for each, name in zip(held, names, strict=True):
        apart, p = shown(each)
        means = Text.assemble(_mean(each, each.a), (" − ", QUIET), _mean(each, each.b), (" = ", QUIET), apart)
        tally = Text("w/t/l ", style=QUIET).append_text(_tally(each)).append("  ")
        if cell_len(name) > NAME:
            lines.append(Text(f"  {name}", style="bold"))
            name = ""
        lines.append(Text.assemble("  ", (set_cell_size(name, width), "bold"), "  ", means))
        told = Text.assemble(("p ", QUIET), p, "  ", "" if each.metric in EFFORT else tally, finding(each, heads))
        lines.append(Text.assemble("    ", told))
    return Group(*lines)


def _tally(each: Difference, bar: bool = False) -> Text:
    if each.metric in EFFORT:
        return Text()
    drawn = tallies(each.wins, each.ties, each.losses).append(" ") if bar else Text()
    return drawn.append(f"{each.wins}/{each.ties}/{each.losses}", style=QUIET)


def _mean(each: Difference, value: float | None) -> Text:
    return Text("–", style=QUIET) if value is None else Text(number(value, each.metric in SHARES))
