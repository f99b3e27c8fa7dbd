"""The screen of the exam: what a judge found, kind of fault by kind of fault."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.exam.marks import Mark, Marks, Share, Tally
from duologue.scoring.judging import BETWEEN
from duologue.views.layout import BAD, GOOD, QUIET, WARN, Fitting, facts, joined
from duologue.views.text import clip, count, duration, number, plain, safe

__all__ = ["draw"]


def draw(marks: Marks) -> RenderableType:
    """The marks of a judge's exam."""
    asked = [tally for tally in marks.kinds if tally.not_asked < tally.faults]
    blocks: list[RenderableType] = [_heading(marks), Text()]
    if asked:
        blocks += [Fitting(0, _table(marks.overall, asked, True), _table(marks.overall, asked, False)), Text()]
    blocks.append(facts(_facts(marks), indent=0))
    for place, each in enumerate(marks.careful):
        blocks += [*([] if place else [Text()]), Text.assemble(("Careful: ", f"bold {WARN}"), (each, WARN))]
    return Group(*blocks)


def _heading(marks: Marks) -> RenderableType:
    parts = [
        count(marks.overall.faults - marks.overall.not_asked, "planted fault"),
        count(marks.dialogues, "dialogue"),
        f"{duration(marks.seconds)} of answers",
    ]
    looks = f", {marks.looks} looks{' each' if BETWEEN in marks.judge else ''}" if marks.looks > 1 else ""
    told = f"judged by {safe(marks.judge)} under the rubric {safe(marks.rubric_name)} ({marks.rubric[:8]}){looks}"
    return Group(Text.assemble(("exam", "bold"), "   ", joined(parts)), Text(told, style=QUIET))


def _table(overall: Tally, asked: Sequence[Tally], wide: bool) -> RenderableType:
    """Kinds of fault in rows; `wide` with the intervals of each."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("planted", no_wrap=True)
    for name in ("found", "false alarms", "told apart"):
        table.add_column(name, no_wrap=True)
    table.add_column("not scored", justify="right", no_wrap=True)
    for tally in asked:
        table.add_row(Text(tally.title), *_cells(tally, wide))
    table.add_row()
    table.add_row(Text(overall.title, style="bold"), *_cells(overall, wide))
    return Padding(table, (0, 0, 0, 2))


def _cells(tally: Tally, wide: bool) -> Iterator[Text]:
    yield _share(tally.found, wide, good=True)
    yield _share(tally.alarms, wide, good=False)
    yield _share(tally.apart, wide, good=True)
    yield Text(str(tally.unscored), style=WARN) if tally.unscored else Text("–", style=QUIET)


def _share(share: Share, wide: bool, good: bool) -> Text:
    """`2 of 3`, in the colour of good or bad news; where `wide`, with the interval."""
    if not share.of:
        return Text("–", style=QUIET)
    told = Text(f"{share.count} of {share.of}", style=_hue(share, good))
    return told.append(f" {_interval(share)}", style=QUIET) if wide else told


def _hue(share: Share, good: bool) -> str:
    part = share.count / share.of if good else 1 - share.count / share.of
    return GOOD if part >= 2 / 3 else WARN if part >= 1 / 3 else BAD


def _interval(share: Share) -> str:
    low, high = (number(end or 0, True) for end in (share.low, share.high))
    return f"({low.removesuffix(' %')} to {high})"


def _facts(marks: Marks) -> Iterator[tuple[str, RenderableType]]:
    overall = marks.overall
    yield "found", _overall(overall.found, "faulty ones in which it sees the fault")
    yield "false alarms", _overall(overall.alarms, "answers on good ones that see it too", good=False)
    yield "told apart", _overall(overall.apart, "pairs: the faulty one comes out worse")
    if overall.likelier:
        yield "by expected score", _overall(overall.likelier, "pairs told apart so")
    if silent := [tally.title for tally in marks.kinds if tally.not_asked]:
        told = f"the rubric {safe(marks.rubric_name)} has no question for it: {'; '.join(silent)}"
        yield "not asked", Text(told, style=QUIET)
    for place, (why, times) in enumerate(_lacking(marks.items)):
        yield ("" if place else "not scored"), Text.assemble((f"{times} × ", WARN), plain(clip(why, 90)))
    if marks.usage and marks.usage.input is not None and marks.usage.output is not None:
        yield "tokens", Text(f"{marks.usage.input:,} in, {marks.usage.output:,} out")
    yield "one by one", Text("--json tells what was asked of each, and what the judge said", style=QUIET)


def _overall(share: Share, of_what: str, good: bool = True) -> Text:
    """A share in percent with its interval, and what it is a share of."""
    if not share.of:
        return Text("–", style=QUIET)
    part = Text(number(share.count / share.of, True), style=f"bold {_hue(share, good)}")
    return part.append(f" {_interval(share)}, {share.count} of {share.of} {of_what}", style=f"not bold {QUIET}")


def _lacking(items: Sequence[Mark]) -> list[tuple[str, int]]:
    """Why marks are missing, the most frequent first."""
    why = [mark.why for mark in items if mark.asked and mark.why]
    return sorted(((each, why.count(each)) for each in dict.fromkeys(why)), key=lambda pair: -pair[1])
