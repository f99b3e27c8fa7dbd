"""The screen of a comparison: assistants two by two, and with how many profiles each one wins."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparison import Comparison, Difference, Pairing, Side
from duologue.measures import EFFORT, SHARES, STATE_SCALES, label
from duologue.views.layout import QUIET, USER, WARN, Fitting, facts, joined, tallies
from duologue.views.remarks import parted, profiles_of, remarks, signed
from duologue.views.scale import placed, withheld
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
    if len(comparison.pairings) > 1:
        blocks += [Text(), facts((safe(side.label), _told(side, "")) for side in comparison.sides)]
        blocks += _pairings(comparison.pairings, beside)
    else:
        blocks += [block for pairing in comparison.pairings for block in (Text(), _pairing(pairing, sides, beside))]
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
        same = [f"{label(each.metric, beside)} {_mean(each, each.a)}" for each in held if _is_same(each)]
        yield facts([*([("the same", joined(same))] if same else []), *own])
    if common:
        yield Text()
        yield facts(common)


def _is_same(each: Difference) -> bool:
    """Whether the two have the same score with every profile."""
    return not each.difference and not each.low and not each.high and not each.wins and not each.losses


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
    stated = all(each.metric in {*STATE_SCALES, *EFFORT} for each in held)
    table.add_column("score by state" if stated else "score", no_wrap=True)
    table.add_column(Text(heads[0], style=USER), justify="right", no_wrap=True)
    table.add_column(Text(heads[1], style="magenta"), justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    if wide:
        table.add_column("pairs", justify="right", no_wrap=True)
    table.add_column("wins/ties/losses" if wide else "w/t/l", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in held:
        pairs = [Text(str(each.pairs))] if wide else []
        name, style = label(each.metric, beside), QUIET if each.metric in EFFORT else ""
        named = Text(clip(name.removesuffix(" by state") if stated else name, 28))
        means = _mean(each, each.a), _mean(each, each.b), _difference(each)
        table.add_row(named, *means, *pairs, _tally(each, bar=wide), _finding(each, heads), style=style)
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
    told = Text(signed(each.difference, share) + (" points" if share else ""))
    told.stylize("" if each.metric in EFFORT else "bold")
    if each.low is not None and each.low == each.high:
        told.append("  no spread", style=QUIET)
    elif each.low is not None and each.high is not None:
        told.append(f"  {signed(each.low, share)} to {signed(each.high, share)}", style=QUIET)
    return told


def _finding(each: Difference, heads: tuple[str, str]) -> Text:
    weight = "" if each.metric in EFFORT else "bold "
    more = MORE.get(each.metric, "higher")
    if each.finding == "a higher":
        return Text(f"{heads[0]} {more}", style=f"{weight}{USER}")
    if each.finding == "b higher":
        return Text(f"{heads[1]} {more}", style=f"{weight}magenta")
    told = "too few profiles" if each.finding == "too few profiles to tell" else each.finding
    return Text(told, style=WARN if each.finding in ("too few profiles to tell", "not ranked") else QUIET)
