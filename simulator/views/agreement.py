"""A judge beside people: how far they agree, and what the labels say of each assistant."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from duologue.labelling.accord import Accord, DimensionAccord
from duologue.labelling.estimates import Estimate
from duologue.labelling.ratings import JUDGE, PEOPLE, Pair
from duologue.statistics.agreement import Agreement
from duologue.views.layout import JUDGE as COLOUR
from duologue.views.layout import QUIET, WARN, facts, joined
from duologue.views.text import count, number, plain, safe

__all__ = ["draw"]

NONE = "–"
NAMED = 3
"""Estimates that are named where something holds for many."""


def draw(found: Accord) -> RenderableType:
    """All of it: whose labels, then each question, then the assistants."""
    parts: list[RenderableType] = [_heading(found)]
    for each in found.dimensions:
        parts += [Text(), *_question(each)] if each.labelled else []
    if bare := [each.name.replace("_", " ") for each in found.dimensions if not each.labelled]:
        parts += [Text(), facts([("nobody's answer", plain(f"{', '.join(bare)}: always skipped", WARN))])]
    labelled = [each for each in found.dimensions if each.labelled]
    parts += [Text(), *_estimates(labelled), _remarks(found)]
    return Group(*parts)


def _heading(found: Accord) -> RenderableType:
    used = found.judging
    by = f"{safe(used.judge)} under the rubric {safe(used.rubric_name)} ({used.rubric[:8]})" if used.judge else "nobody"
    people = [_labelled(each.name, each.drawn, each.picked) for each in found.labellers]
    return Group(
        Text.assemble(("agreement  ", "bold"), safe(found.name)),
        facts([("judge", Text(by)), ("people", joined(people))]),
    )


def _labelled(name: str, drawn: int, picked: int) -> Text:
    told = [f"{drawn} drawn"] if drawn else []
    told += [f"{picked} picked by hand"] if picked else []
    return Text.assemble((safe(name), "bold"), f" {' and '.join(told)}")


def _question(found: DimensionAccord) -> Iterator[RenderableType]:
    head = Text(found.name.replace("_", " "), style=f"bold {COLOUR}")
    yield Rule(head.append(f"  {count(found.labelled, 'dialogue')}", style=QUIET), style=QUIET, align="left")
    if found.judge or found.people:
        yield _figures(found)
    yield facts(_about(found))


def _figures(found: DimensionAccord) -> Table:
    """One line a pair of raters, then people as a whole."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("  who", overflow="fold")
    for name in ("agree", "95 %", "equal", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, style=QUIET)
    kind = "kappa" if found.yes_no else "weighted kappa"
    for pair in found.judge:
        table.add_row(Text(f"  judge, {_name(pair.second)}", style=COLOUR), *_of_pair(pair), kind)
    for pair in found.people:
        table.add_row(Text(f"  {_name(pair.first)}, {_name(pair.second)}"), *_of_pair(pair), kind)
    for several, name in _several(found):
        table.add_row(Text(f"  all {several.raters} people"), *_numbers(several), name)
    return table


def _several(found: DimensionAccord) -> Iterator[tuple[Agreement, str]]:
    """How far three people or more agree as a whole. Of two, their own line says it all."""
    if len(found.people) > 1:
        named = ((found.fleiss, "Fleiss' kappa"), (found.alpha, "alpha"))
        yield from ((several, name) for several, name in named if several is not None)


def _of_pair(pair: Pair) -> tuple[str, str, str, str]:
    """The numbers of a pair. Where one of them gave one answer only, kappa is 0 and says nothing."""
    agree, between, equal, items = _numbers(pair.kappa)
    return (NONE, NONE, equal, items) if pair.lone else (agree, between, equal, items)


def _name(rater: str) -> str:
    return "people together" if rater == PEOPLE else safe(rater)


def _said_by(rater: str) -> str:
    return "the judge" if rater == JUDGE else _name(rater)


def _numbers(found: Agreement) -> tuple[str, str, str, str]:
    """Value, interval, share equal and number of dialogues."""
    equal = NONE if found.observed is None else number(found.observed, share=True)
    return _signed(found.value), _between(found.low, found.high), equal, f"{found.items:,}"


def _about(found: DimensionAccord) -> Iterator[tuple[str, RenderableType]]:
    for place, (rater, rates) in enumerate(found.rates.items()):
        shares = [f"{each} {number(share, share=True)}" for each, share in rates.items()]
        yield "" if place else "base rates", Text.assemble(f"{safe(rater)}: ", joined(shares))
    if found.why:
        yield "judge", plain(f"not compared: {found.why}", WARN)
    left = [
        (found.unjudged, "without the judge's score"),
        (found.split, "of which people say yes and no equally often"),
    ]
    if told := [f"{count(times, 'dialogue')} {what}" for times, what in left if times]:
        yield "left out", Text("; ".join(told), style=WARN)
    if found.skipped or found.other:
        skipped = [f"{count(found.skipped, 'answer')} skipped"] if found.skipped else []
        other = [f"{count(found.other, 'label')} of another question of that name"] if found.other else []
        yield "no part", Text("; ".join([*skipped, *other]), style=WARN)
    pairs = (*found.judge, *found.people)
    for rater, answer in dict.fromkeys(each for pair in pairs for each in pair.lone.items()):
        lone = f"{_said_by(rater)} gave one answer only, {answer}: how far they agree cannot be told from chance"
        yield "note", plain(lone, WARN)
    every = [pair.kappa for pair in pairs if not pair.lone] + [several for several, _ in _several(found)]
    for why in dict.fromkeys(each.why for each in every if each.why):
        yield "note", plain(why, QUIET)
    if len(found.rates) - (JUDGE in found.rates) == 1:
        yield "note", Text("one labeller: a second one would show how far people agree among themselves", style=QUIET)


def _estimates(found: Sequence[DimensionAccord]) -> Iterator[RenderableType]:
    """Each assistant's mean over the whole run, with the judge's bias taken out, or why there is none."""
    held = [each for each in found if each.estimates]
    refused = dict.fromkeys(each.refused for each in found if each.refused)
    if not held and not refused:
        return
    yield Rule(Text("means over the whole run", style="bold"), style=QUIET, align="left")
    if held:
        yield _table(held)
    for why in refused:
        yield facts([("refused", plain(why, WARN))])
    for (why, used), whose in _reasons(held).items():
        kind, style = ("note", QUIET) if used else ("refused", WARN)
        lead = f"{_some(whose)}: " if len(whose) < sum(len(each.estimates) for each in held) else ""
        yield facts([(kind, plain(f"{lead}{why}", style))])


def _reasons(held: Sequence[DimensionAccord]) -> dict[tuple[str, bool], list[str]]:
    """What is odd about estimates, whether there is one all the same, and whose they are."""
    found: dict[tuple[str, bool], list[str]] = {}
    for each in held:
        for estimate in each.estimates:
            if why := estimate.found.why:
                whose = found.setdefault((why, estimate.found.mean is not None), [])
                whose.append(f"{each.name.replace('_', ' ')} of {estimate.assistant}")
    return found


def _some(names: Sequence[str]) -> str:
    """The first of `names`, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names) if more < 2 else f"{', '.join(names[:NAMED])} and {more} more"


def _table(held: Sequence[DimensionAccord]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", overflow="fold")
    for name in ("judge", "labels alone", "n", "corrected"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in held:
        table.add_row(Text(each.name.replace("_", " "), style=f"bold {COLOUR}", no_wrap=True))
        for estimate in each.estimates:
            table.add_row(f"  {safe(estimate.assistant)}", *_means(estimate, each.yes_no))
    return table


def _means(estimate: Estimate, share: bool) -> tuple[str | Text, ...]:
    found, alone = estimate.found, estimate.found.classical
    judged = NONE if found.judged is None else number(found.judged, share)
    corrected = _mean(found.mean, found.low, found.high, share)
    size = f"{found.labels:,}/{found.dialogues:,}"
    return judged, _mean(estimate.labels, alone.low, alone.high, share), size, Text(corrected, style="bold")


def _mean(mean: float | None, low: float | None, high: float | None, share: bool) -> str:
    if mean is None:
        return NONE
    if low is None or high is None:
        return number(mean, share)
    ends = f"{100 * low:.0f} to {100 * high:.0f} %" if share else f"{number(low)} to {number(high)}"
    return f"{number(mean, share)} ({ends})"


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}".replace("-", "−")


def _between(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"{_signed(low)} to {_signed(high)}"


def _remarks(found: Accord) -> RenderableType:
    """What there is to know about the figures."""
    drawn = any(each.estimates for each in found.dimensions)
    told = [("agree", "1 is always, 0 as often as chance would; weighted: far apart counts more than near by")]
    told += [("95 %", "from a bootstrap over whole profiles")]
    told += [("corrected", "the judge's mean, moved by how far it is off on the labels (prediction-powered)")] * drawn
    several = len(found.labellers) > 1 and drawn
    told += [("labels", "what several people say of one dialogue is averaged")] * several
    rows = [("", Text()), *((name, Text(text, style=QUIET)) for name, text in told)]
    return facts([*rows, *(("note", plain(note, WARN)) for note in found.notes)])
