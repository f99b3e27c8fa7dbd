"""The screen of duels: who is preferred to whom, and by what the judge may have been led."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from duologue.agents.usage import Usage
from duologue.duels.report import Duels, Habit, Pairing, Ranked, Result, Share
from duologue.duels.spectator import Spectator
from duologue.money.prices import money
from duologue.statistics.interval import FEWEST
from duologue.statistics.lengths import LengthControlled
from duologue.views.console import console
from duologue.views.layout import GOOD, QUIET, USER, WARN, Fitting, command, facts, joined, tallies, whisker
from duologue.views.text import clip, count, duration, number, plain, safe

__all__ = ["draw", "watching"]

EQUAL = 1e-9
"""Ends of an interval that are nearer than that show no spread, and none is shown."""
MEANINGS = {
    "w/t/l": "pairs in which the one named first was preferred in both orders, neither, the other",
    "flips": "pairs in which each order preferred another: ties; a fair judge chooses the first in 50 %",
}
LONGEST = 14
"""Letters of an assistant's name in a finding; longer ones are called A and B."""


@contextmanager
def watching() -> Iterator[Spectator]:
    """A bar on standard error while pairs are judged, and notes above it."""
    screen = console(stderr=True)
    columns = TextColumn("comparing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield Spectator(
            planned=lambda total: bar.update(task, total=total),
            heard=lambda _: bar.advance(task),
            note=lambda text: screen.print(plain(text, WARN), soft_wrap=True),
        )


def draw(duels: Duels) -> RenderableType:
    """Every pairing, how the judge answered, what it cost, and what to read with care."""
    by = duels.judging
    told = f"compared by {safe(by.judge)} under the rubric {safe(by.rubric_name)} ({by.rubric[:8]})"
    blocks: list[RenderableType] = [Text(f"{told}, each pair in both orders", style=QUIET)]
    for pairing in duels.pairings:
        blocks += [Text(), *_pairing(pairing)]
    for ranked in duels.rankings:
        blocks += [Text(), *_ranked(ranked)]
    blocks += [Text(), Text("the judge", style="bold"), _habits(duels.habits), facts(_remarks(duels))]
    notes = [("Careful: ", each) for each in duels.warnings] + [("Note: ", each) for each in duels.notes]
    lines = [Text.assemble((name, f"bold {WARN}"), plain(each, WARN)) for name, each in notes]
    return Group(*blocks, *([Text()] if lines else []), *lines)


def _pairing(pairing: Pairing) -> Iterator[RenderableType]:
    names = safe(pairing.a), safe(pairing.b)
    heads = names if max(map(cell_len, names)) <= LONGEST else ("A", "B")
    told = f"   {count(pairing.pairs, 'pair')} · {count(pairing.profiles, 'profile')}"
    yield Text.assemble((names[0], f"bold {USER}"), ("  against  ", QUIET), (names[1], "bold magenta"), (told, QUIET))
    if heads != names:
        yield facts([("A", Text(names[0])), ("B", Text(names[1]))])
    held = [result for result in pairing.results if result.pairs]
    if held:
        yield Fitting(110, _table(held, heads), _narrow(held, heads))
    yield facts(_beside(pairing))


def _table(held: Sequence[Result], heads: tuple[str, str]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    for title in ("question", "wins/ties/losses", f"{heads[0]} wins", "at equal length", ""):
        table.add_column(title, no_wrap=True)
    for each in held:
        tally = tallies(each.wins, each.ties, each.losses).append(f" {_counts(each)}", style=QUIET)
        table.add_row(
            Text(clip(each.question, 20)), tally, _share(each.rate), _level(each.level), _finding(each, heads)
        )
    return Padding(table, (0, 0, 0, 2))


def _narrow(held: Sequence[Result], heads: tuple[str, str]) -> RenderableType:
    """Two lines a question."""
    lines = []
    for each in held:
        counts = Text("w/t/l ", style=QUIET).append_text(Text(f"{_counts(each)}  "))
        name = (f"  {clip(each.question, 18):<20}", "bold")
        lines.append(Text.assemble(name, f"{heads[0]} wins ", _share(each.rate), "   ", _finding(each, heads)))
        lines.append(Text.assemble(" " * 22, counts, ("at equal length ", QUIET), _level(each.level)))
    return Group(*lines)


def _counts(each: Result) -> str:
    return f"{each.wins}/{each.ties}/{each.losses}"


def _finding(each: Result, heads: tuple[str, str]) -> Text:
    if each.finding == "a preferred":
        return Text(f"{heads[0]} preferred", style=f"bold {USER}")
    if each.finding == "b preferred":
        return Text(f"{heads[1]} preferred", style="bold magenta")
    told = "too few profiles" if each.finding == "too few profiles to tell" else each.finding
    return Text(told, style=WARN if told == "too few profiles" else QUIET)


def _level(level: LengthControlled) -> Text:
    if level.rate is None:
        return Text("–", style=QUIET)
    return _share(Share(n=level.duels, value=level.rate, low=level.low, high=level.high))


def _share(share: Share) -> Text:
    if share.value is None:
        return Text("–", style=QUIET)
    told = Text(f"{100 * share.value:.0f} %")
    if share.low is not None and share.high is not None and share.high - share.low > EQUAL:
        told.append(f"  {100 * share.low:.0f} to {100 * share.high:.0f} %", style=QUIET)
    return told


def _beside(pairing: Pairing) -> Iterator[tuple[str, RenderableType]]:
    """What there is to know about one pairing."""
    alone = {why for each in pairing.results if (why := each.level.why) and each.level.rate is None and each.pairs}
    for why in sorted(alone):
        names = ", ".join(each.question for each in pairing.results if each.level.why == why and each.pairs)
        yield "length", Text(f"{names}: no win rate at equal length, {safe(why)}", style=QUIET)
    for note in pairing.notes:
        yield "note", plain(note, WARN)
    if pairing.unpaired:
        yield "no pair", joined([f"{times} {safe(why)}" for why, times in pairing.unpaired.items()])
    yield from _left_out(pairing.results)


def _left_out(results: Sequence[Result]) -> Iterator[tuple[str, RenderableType]]:
    """The pairs that questions had to leave out, each set of reasons once, and what they could change at worst."""
    alike: dict[tuple[tuple[str, int], ...], list[Result]] = {}
    for each in results:
        if each.missing:
            alike.setdefault(tuple(each.missing.items()), []).append(each)
    for reasons, held in alike.items():
        told = Text(f"{count(sum(times for _, times in reasons), 'pair')} from {', '.join(e.question for e in held)}")
        told.append("\n").append_text(_reasons(reasons))
        if worst := [f"{e.question} {_range(e.worst)}" for e in held if e.worst]:
            told.append("\nwhatever they had come to, the win rate would lie in: ", style=QUIET)
            told.append_text(joined(worst))
        yield "left out", told


def _range(ends: tuple[float, float]) -> str:
    return f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


def _ranked(ranked: Ranked) -> Iterator[RenderableType]:
    """Who stands where, with the odds of winning against an average one."""
    yield Text.assemble(
        (f"{safe(ranked.question)}  ", "bold"), (f"strength in log-odds · {ranked.ranking.method}", QUIET)
    )
    if ranked.ranking.why:
        yield Text(f"  not ranked: {safe(ranked.ranking.why)}", style=QUIET)
        return
    held = ranked.ranking.strengths
    reach = max([0.5, *(abs(end) for each in held for end in (each.strength, each.low, each.high) if end is not None)])
    table = Table.grid(padding=(0, 2, 0, 0))
    for each in held:
        between = f"{_signed(each.low)} to {_signed(each.high)}" if None not in (each.low, each.high) else ""
        drawn = whisker(each.strength, each.low, each.high, (-reach, reach), style=GOOD)
        row = Text(f"  {clip(each.name, 30)}"), Text(_signed(each.strength)), Text(between, style=QUIET), drawn
        table.add_row(*row, Text(f"{number(each.wins)} of {each.games} won", style=QUIET))
    yield table


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}".replace("-", "−")


def _habits(habits: Sequence[Habit]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    for title in ("question", "flips", "chose the first", "the longer won"):
        table.add_column(title, no_wrap=True)
    for each in habits:
        flips = Text(f"{each.flips} of {each.pairs}" if each.pairs else "–")
        if each.pairs:
            flips.append(f"  {100 * each.flips / each.pairs:.0f} %", style=QUIET)
        table.add_row(Text(clip(each.question, 20)), flips, _share(each.first), _share(each.longer))
    return Padding(table, (0, 0, 0, 2))


def _remarks(duels: Duels) -> Iterator[tuple[str, RenderableType]]:
    yield "", Text()
    for name, meaning in MEANINGS.items():
        yield name, Text(meaning, style=QUIET)
    if (few := min((pairing.profiles for pairing in duels.pairings), default=0)) < FEWEST:
        shown = f"none is shown with {count(few, 'profile')}: below {FEWEST} it would be a guess"
        yield "intervals", Text(shown, style=WARN)
    yield "answers", joined([f"{duels.answers:,}", *_cost(duels)])
    if duels.unread:
        yield "unread", _reasons(list(duels.unread.items()))
    if duels.stopped:
        yield "stopped", plain(duels.stopped, WARN)
    if duels.left:
        yield "left", Text(f"{count(duels.left, 'answer')} to be asked for", style=WARN)
        sides = " ".join(f"-a {shlex.quote(side)}" for side in duels.sides)
        yield "", command(f"duologue compare {duels.folder} --pairwise {sides} --model MODEL")
    if duels.others:
        names = dict.fromkeys(f"{each.judge} under {each.rubric_name} ({each.rubric[:8]})" for each in duels.others)
        yield "others", Text(f"not counted in: {safe(', '.join(names))}", style=QUIET, overflow="fold")


def _reasons(reasons: Sequence[tuple[str, int]], most: int = 3) -> Text:
    """The reasons with how often, one a line."""
    told = Text("\n".join(f"{times} × {clip(why, 100)}" for why, times in reasons[:most]), style=WARN)
    if len(reasons) > most:
        told.append(f"\nand {count(len(reasons) - most, 'more reason')}: --json lists all", style=QUIET)
    return told


def _cost(duels: Duels) -> Iterator[str]:
    """What judging took: calls, tokens, money, time."""
    used: Usage = duels.usage or Usage(calls=0)
    yield count(used.calls, "call")
    if used.input is not None and used.output is not None:
        yield f"{used.input:,} tokens read, {used.output:,} written"
    yield money(duels.cost, duels.currency) if duels.cost is not None else "cost unknown"
    yield duration(duels.seconds)
