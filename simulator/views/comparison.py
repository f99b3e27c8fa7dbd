"""The screen of a comparison: assistants two by two, and with how many profiles each one wins."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparison import Comparison, Difference, Pairing, Side
from duologue.measures import EFFORT, SHARES, label
from duologue.statistics import FEWEST
from duologue.views.layout import QUIET, USER, WARN, Fitting, facts, joined, tallies
from duologue.views.scale import stands
from duologue.views.text import clip, count, number, plain, safe

__all__ = ["draw"]

LONGEST = 12
"""Letters of an assistant's name that heads a column; longer ones are called A and B."""
MORE = {
    "user_turns": "more",
    "tokens": "more",
    "questions": "asks more",
    "calls": "calls more",
    "seconds": "slower",
    "state_regret": "regrets more",
    "state_misused": "misuses more",
    "state_known_questions": "asks more",
    "state_false_claims": "claims more",
}
"""What is said of more where more is not better."""


def draw(comparison: Comparison) -> RenderableType:
    """Every pairing of the comparison, and what to know about it."""
    sides = {side.label: side for side in comparison.sides}
    beside = bool(comparison.state.judge and comparison.judging.judge) and not comparison.judging.of_state
    blocks: list[RenderableType] = [*_judged(comparison)]
    for pairing in comparison.pairings:
        blocks += [Text(), _pairing(pairing, sides, beside)]
    blocks += [*_placed(comparison)]
    notes = [Text.assemble(("Note: ", f"bold {WARN}"), plain(note, WARN)) for note in comparison.notes]
    return Group(*blocks, *([Text()] if notes else []), *notes)


def _judged(comparison: Comparison) -> Iterator[Text]:
    used, state = comparison.judging, comparison.state
    if state.judge:
        yield Text(f"by state: read from the end states of the worlds, no model ({state.rubric[:8]})", style=QUIET)
    if used.judge and not used.of_state:
        told = f"judged by {safe(used.judge)} under the rubric {safe(used.rubric_name)} ({used.rubric[:8]})"
        yield Text(told, style=QUIET)
    elif not state.judge:
        yield Text("Not judged: only what needs no judge is compared.", style=WARN)


def _placed(comparison: Comparison) -> Iterator[RenderableType]:
    """Where each side stands between floor and ceiling."""
    for side in comparison.sides:
        if side.places:
            yield Text()
            yield Text(safe(side.label), style=f"bold {USER}")
            yield facts(stands(side.places))
    if comparison.unscaled:
        yield Text()
        yield plain(f"scale  {comparison.unscaled}", QUIET)


def _pairing(pairing: Pairing, sides: dict[str, Side], beside: bool) -> RenderableType:
    a, b = Text(safe(pairing.a), style=f"bold {USER}"), Text(safe(pairing.b), style="bold magenta")
    profiles = max((each.profiles for each in pairing.differences), default=0)
    heading = Text.assemble(a, ("  against  ", QUIET), b)
    heading.append(f"   {count(pairing.pairs, 'pair')} · {count(profiles, 'profile')}", style=QUIET)
    heads = _heads(pairing)
    legend = [
        _told(sides[name], "" if head == name else name) for head, name in zip(heads, _names(pairing), strict=True)
    ]
    told = facts(zip(heads, legend, strict=True))
    if not pairing.pairs:
        return Group(heading, told, Text(), _nothing_shared(pairing))
    held = [each for each in pairing.differences if each.pairs]
    needed = 104 if any(each.low is not None for each in held) else 80
    tables = _table(held, heads, beside, wide=True), _table(held, heads, beside), _narrow(held, heads, beside)
    shown = Fitting(120, tables[0], Fitting(needed, tables[1], tables[2]))
    return Group(heading, told, Text(), shown, facts(_remarks(pairing, profiles, heads, beside)))


def _names(pairing: Pairing) -> tuple[str, str]:
    return pairing.a, pairing.b


def _heads(pairing: Pairing) -> tuple[str, str]:
    """What the two are called in the table: their names, or A and B where those are too long for it."""
    a, b = (safe(name) for name in _names(pairing))
    return (a, b) if max(cell_len(a), cell_len(b)) <= LONGEST and "@" not in a + b else ("A", "B")


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
    table.add_column("score", no_wrap=True)
    table.add_column(Text(heads[0], style=USER), justify="right", no_wrap=True)
    table.add_column(Text(heads[1], style="magenta"), justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    if wide:
        table.add_column("pairs", justify="right", no_wrap=True)
    table.add_column("wins/ties/losses" if wide else "w/t/l", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in held:
        pairs = [Text(str(each.pairs))] if wide else []
        name, style = Text(clip(label(each.metric, beside), 28)), QUIET if each.metric in EFFORT else ""
        means = _mean(each, each.a), _mean(each, each.b), _difference(each)
        table.add_row(name, *means, *pairs, _tally(each, bar=wide), _finding(each, heads), style=style)
    return Padding(table, (0, 0, 0, 2))


def _narrow(held: Sequence[Difference], heads: tuple[str, str], beside: bool) -> RenderableType:
    """Two lines a metric."""
    lines: list[RenderableType] = []
    for each in held:
        means = Text.assemble(
            _mean(each, each.a), (" − ", QUIET), _mean(each, each.b), (" = ", QUIET), _difference(each)
        )
        tally = Text("w/t/l ", style=QUIET).append_text(_tally(each)).append("  ")
        lines.append(Text.assemble("  ", (f"{clip(label(each.metric, beside), 25):<26}", "bold"), means))
        lines.append(Text.assemble("    ", "" if each.metric in EFFORT else tally, _finding(each, heads)))
    return Group(*lines)


def _tally(each: Difference, bar: bool = False) -> Text:
    if each.metric in EFFORT:
        return Text()
    drawn = tallies(each.wins, each.ties, each.losses).append(" ") if bar else Text()
    return drawn.append(f"{each.wins}/{each.ties}/{each.losses}", style=QUIET)


def _mean(each: Difference, value: float | None) -> Text:
    return Text("–", style=QUIET) if value is None else Text(number(value, each.metric in SHARES))


def _difference(each: Difference) -> Text:
    if each.difference is None:
        return Text("–", style=QUIET)
    share = each.metric in SHARES
    told = Text(_signed(each.difference, share) + (" points" if share else ""))
    told.stylize("" if each.metric in EFFORT else "bold")
    if each.low is not None and each.low == each.high:
        told.append("  no spread", style=QUIET)
    elif each.low is not None and each.high is not None:
        told.append(f"  {_signed(each.low, share)} to {_signed(each.high, share)}", style=QUIET)
    return told


def _signed(value: float, share: bool) -> str:
    """With its sign; a difference of shares is in points of a percent."""
    shown = f"{abs(100 * value):.0f}" if share else number(abs(value))
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{shown}" if float(shown.replace(",", "")) else "0"


def _finding(each: Difference, heads: tuple[str, str]) -> Text:
    weight = "" if each.metric in EFFORT else "bold "
    more = MORE.get(each.metric, "higher")
    if each.finding == "a higher":
        return Text(f"{heads[0]} {more}", style=f"{weight}{USER}")
    if each.finding == "b higher":
        return Text(f"{heads[1]} {more}", style=f"{weight}magenta")
    told = "too few profiles" if each.finding == "too few profiles to tell" else each.finding
    return Text(told, style=WARN if each.finding in ("too few profiles to tell", "not ranked") else QUIET)


def _remarks(
    pairing: Pairing, profiles: int, heads: tuple[str, str], beside: bool
) -> Iterator[tuple[str, RenderableType]]:
    yield "", Text()
    if any(each.pairs and each.metric not in EFFORT for each in pairing.differences):
        told = f"wins/ties/losses: profiles with which {heads[0]} is higher, equal, lower on average"
        yield "w/t/l", Text(told, style=QUIET)
    yield from _pairless(pairing.differences, beside)
    for note in pairing.notes:
        yield "note", plain(note, WARN)
    if profiles < FEWEST:
        told = f"none is shown with {count(profiles, 'profile')}: below {FEWEST} it would be a guess"
    else:
        told = "95 %, from a bootstrap over whole profiles"
    yield "intervals", Text(told, style=WARN if profiles < FEWEST else QUIET)
    if pairing.unpaired:
        yield "no pair", joined([f"{times} {safe(why)}" for why, times in pairing.unpaired.items()])
    yield from _dropped(pairing.differences, beside)


def _pairless(differences: Iterable[Difference], beside: bool) -> Iterator[tuple[str, RenderableType]]:
    """The metrics that no pair has, those with the same reasons together."""
    alike: dict[tuple[tuple[str, int], ...], list[str]] = defaultdict(list)
    for each in differences:
        if not each.pairs:
            held = [dropped.why for dropped in each.dropped if "not run" not in dropped.why]
            alike[tuple(Counter(held).most_common())].append(label(each.metric, beside))
    for place, (reasons, names) in enumerate(alike.items()):
        told = [f"{times} × {clip(why, 110)}" for why, times in reasons[:2]] or ["they apply to none"]
        told += ["and others"] if len(reasons) > 2 else []
        yield "" if place else "no pairs", Text(f"{', '.join(names)} ({'; '.join(told)})", style=QUIET)


def _dropped(differences: Iterable[Difference], beside: bool) -> Iterator[tuple[str, RenderableType]]:
    """The pairs that scores had to leave out, each set of reasons once, and what they could change at worst."""
    alike: dict[tuple[tuple[str, int], ...], list[Difference]] = defaultdict(list)
    for each in differences:
        if each.dropped and each.pairs and each.metric not in EFFORT:
            alike[tuple(Counter(dropped.why for dropped in each.dropped).most_common())].append(each)
    for reasons, held in alike.items():
        names = ", ".join(label(d.metric, beside) for d in held)
        told = Text(f"{count(sum(times for _, times in reasons), 'pair')} from {names}")
        for why, times in reasons[:3]:
            told.append(f"\n{times} × {clip(why, 110)}", style=WARN)
        if len(reasons) > 3:
            told.append(f"\nand {count(len(reasons) - 3, 'more reason')}: --json lists all", style=QUIET)
        worst = [f"{label(d.metric, beside)} {_range(d)}" for d in held if d.worst is not None]
        if worst:
            told.append("\nwhatever they had scored, the difference would lie in: ", style=QUIET).append_text(
                joined(worst)
            )
        yield "left out", told


def _range(each: Difference) -> str:
    assert each.worst is not None
    low, high = (_signed(end, each.metric in SHARES) for end in each.worst)
    return f"{low} to {high}{' points' if each.metric in SHARES else ''}"
