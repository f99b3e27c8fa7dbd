"""Groups: how two assistants differ within each group of users or situations."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.comparing.difference import Difference
from duologue.comparing.strata import Stratum
from duologue.scoring.measures import label
from duologue.statistics.interval import FEWEST
from duologue.views.difference import finding, nearly, shown
from duologue.views.layout import QUIET, USER, WARN, facts, joined
from duologue.views.text import clip, count, plain, safe

__all__ = ["draw_strata"]

FEW = 30
"""Below so many profiles a group is called small."""
MOST = 12
"""Groups that are shown of two assistants in one score."""


@dataclass(frozen=True, slots=True)
class Score:
    """One main score of two assistants in all groups."""

    metric: str
    duo: tuple[str, str]
    strata: Sequence[Stratum]

    @property
    def groups(self) -> list[tuple[Stratum, Difference]]:
        """Those that have the score."""
        return [(held, each) for held in self.strata for each in held.differences if each.metric == self.metric]

    @property
    def largest(self) -> int:
        """The profiles of the largest group."""
        return max(each.profiles for _, each in self.groups)

    @property
    def differs(self) -> bool:
        """Whether there is a group of which there is more to say than that no difference is shown."""
        held = [each for _, each in self.groups if each.profiles >= FEWEST]
        return any(each.finding != "no difference shown" or nearly(each) for each in held)


def draw_strata(strata: Sequence[Stratum], by: str, advice: str, beside: bool) -> Iterator[RenderableType]:
    """How each two differ within each group, a table for each main score. Where all groups are too small it is said
    once, with the `advice` what to select."""
    told = by.replace("_", " ")
    yield Text()
    yield Text(f"by {told}", style="bold")
    if not strata:
        yield Text("  No two are told the same of the user.", style=WARN)
        return
    pairs: dict[tuple[str, str], list[Stratum]] = defaultdict(list)
    for stratum in strata:
        pairs[stratum.a, stratum.b].append(stratum)
    scores = [Score(metric, duo, held) for duo, held in pairs.items() for metric in _metrics(held)]
    large = [score for score in scores if score.largest >= FEWEST]
    for metric in dict.fromkeys(score.metric for score in large):
        yield from _tables([score for score in large if score.metric == metric], told, beside)
    if large:
        yield from _remarks(strata, [score for score in scores if score not in large], beside)
    else:
        yield from _nothing(strata, bool(scores), advice)


def _tables(scores: Sequence[Score], told: str, beside: bool) -> Iterator[RenderableType]:
    """One main score: a table each two, and of several in one line those that differ in no group."""
    some = [score for score in scores if score.differs or len(scores) == 1]
    none = [score for score in scores if score not in some]
    name = (f"  {safe(label(scores[0].metric, beside))}  ", "bold")
    for score in some:
        yield Text.assemble(name, (safe(score.duo[0]), USER), (" against ", QUIET), (safe(score.duo[1]), "magenta"))
        yield _groups(score, told)
    if none:
        whose = [Text.assemble((safe(a), USER), (" – ", QUIET), (safe(b), "magenta")) for a, b in (n.duo for n in none)]
        yield Text.assemble(name, ("no difference shown in any group", QUIET))
        if some:
            yield Padding(joined(whose), (0, 0, 0, 4))


def _metrics(strata: Iterable[Stratum]) -> list[str]:
    return list(dict.fromkeys(each.metric for stratum in strata for each in stratum.differences if each.pairs))


def _groups(score: Score, told: str) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column(told, overflow="fold")
    table.add_column("profiles", justify="right", no_wrap=True)
    table.add_column("difference", no_wrap=True)
    table.add_column("p", no_wrap=True)
    table.add_column("", overflow="fold")
    held = [(stratum, each) for stratum, each in score.groups if each.profiles >= FEWEST]
    heads = safe(score.duo[0]), safe(score.duo[1])
    for stratum, each in held[:MOST]:
        name = Text(clip(stratum.group, 28), style=WARN if each.profiles < FEW else "")
        table.add_row(name, f"{each.profiles:,}", *shown(each), finding(each, heads))
    parts: list[RenderableType] = [Padding(table, (0, 0, 0, 4))]
    if left := len(score.groups) - len(held[:MOST]):
        few = f" of fewer than {FEWEST} profiles" if len(held) <= MOST else ""
        parts.append(Text(f"    and {count(left, 'group')}{few}: --json lists all", style=QUIET))
    return Group(*parts)


def _nothing(strata: Sequence[Stratum], scored: bool, advice: str) -> Iterator[RenderableType]:
    """Why nothing can be said of any group, and what to do."""
    groups = dict.fromkeys(stratum.group for stratum in strata)
    sizes = {stratum.group: max((each.profiles for each in stratum.differences), default=0) for stratum in strata}
    group, most = max(sizes.items(), key=lambda item: item[1])
    if not scored:
        yield Text(f"  No pair of any of {count(len(groups), 'group')} has a score.", style=WARN)
        return
    told = f"Nothing can be said: none of {count(len(groups), 'group')} has {FEWEST} profiles"
    most_of = f", the largest ({clip(group, 28)}) has {most}"
    yield Padding(
        Text(told + most_of + (f". For {FEWEST} in it: {advice}" if advice else ""), style=WARN), (0, 0, 0, 2)
    )


def _remarks(strata: Sequence[Stratum], left: Sequence[Score], beside: bool) -> Iterator[RenderableType]:
    """A warning of small groups, whose scores are not shown for that, and how p is meant."""
    notes = []
    if small := dict.fromkeys(stratum.group for stratum in strata if stratum.profiles < FEW):
        told = f"{count(len(small), 'group')} of fewer than {FEW} profiles; below {FEWEST} nothing is said of one"
        notes.append(("small", Text(told, style=WARN)))
    if left:
        names = joined([plain(name) for name in dict.fromkeys(label(score.metric, beside) for score in left)])
        duos = count(len({score.duo for score in left}), "comparison")
        told = f"of {duos} no group has {FEWEST} profiles with "
        notes.append(("not shown", Text(told, style=QUIET).append_text(names)))
    if len(strata) > 1:
        told = "adjusted over all groups and scores of this part (Holm); that two groups differ is not tested"
        notes.append(("p", Text(told, style=QUIET)))
    yield facts(notes)
