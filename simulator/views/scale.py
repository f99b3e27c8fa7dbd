"""Where assistants stand between floor and ceiling, in a few lines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.scoring.measures import label
from duologue.scoring.scorecard import Place
from duologue.views.layout import BAD, GOOD, QUIET, WARN, Fitting, facts, joined, whisker
from duologue.views.text import count, number

__all__ = ["draw_places", "placed", "withheld"]

UNBROKEN = "\u00a0"
"""A space at which no line breaks."""


def draw_places(places: Sequence[Place]) -> RenderableType:
    """The places of one assistant in rows, and below them each reason why others are withheld."""
    told = [place for place in places if place.value is not None]
    lines = facts(("", line) for line in placed(told))
    table = Fitting(0, _table(told, True), Fitting(0, _table(told, False), lines))
    below = [("" if place else "floor to ceiling", line) for place, line in enumerate(withheld(places))]
    return Group(*([table] if told else []), facts(below))


def placed(places: Sequence[Place]) -> Iterator[Text]:
    """Each place that can be told."""
    return (_stands(place) for place in places if place.value is not None)


def withheld(places: Sequence[Place]) -> Iterator[Text]:
    """Each reason why others cannot, with the scores that it holds for."""
    reasons: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        if place.value is None:
            reasons[place.why].append(place)
    for why, held in reasons.items():
        told = Text(f"{', '.join(label(place.metric) for place in held)}: ", style=QUIET)
        yield told.append(f"withheld, {why}" if held[0].n else why, style=WARN if held[0].n else QUIET)


def _table(places: Sequence[Place], plot: bool) -> RenderableType:
    """Places in rows; without a `plot` for narrow terminals."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("from floor to ceiling", no_wrap=True)
    table.add_column("place", justify="right", no_wrap=True)
    if plot:
        table.add_column("", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    for name in ("floor", "ceiling", "n", "profiles")[: 4 if plot else 3]:
        table.add_column(name, justify="right", no_wrap=True)
    for place in places:
        ends = (number(place.floor or 0, True), number(place.ceiling or 0, True))
        counts = (f"{place.n:,}", f"{place.profiles:,}") if plot else (f"{place.n:,}",)
        quiet = (Text(told, style=QUIET) for told in (*ends, *counts))
        value = Text(_signed(place.value or 0), style="bold")
        bar = (_plotted(place),) if plot else ()
        table.add_row(Text(label(place.metric)), value, *bar, Text(_around(place) or "–"), *quiet)
    return Padding(table, (0, 0, 0, 2))


def _stands(place: Place) -> Text:
    assert place.value is not None and place.floor is not None and place.ceiling is not None
    told = Text.assemble(f"{label(place.metric)} ", (_signed(place.value), "bold"), " ", _plotted(place), " ")
    parts = [f"95 % {around}"] if (around := _around(place)) else []
    parts += [f"floor {number(place.floor, True)}", f"ceiling {number(place.ceiling, True)}"]
    parts += [f"n {place.n:,}", count(place.profiles, "profile")]
    return told.append_text(joined([Text(part.replace(" ", UNBROKEN), style=QUIET) for part in parts]))


def _plotted(place: Place) -> Text:
    """The place between the ends; beyond one of them an arrow at that edge."""
    value = place.value or 0
    drawn = whisker(min(1.0, max(0.0, value)), None, None, (0, 1), 12)
    if 0 <= value <= 1:
        return drawn
    return Text("◂", style=f"bold {BAD}") + drawn[1:] if value < 0 else drawn[:-1] + Text("▸", style=f"bold {GOOD}")


def _around(place: Place) -> str:
    if place.low is None or place.high is None:
        return ""
    return f"{_signed(place.low)} to {_signed(place.high)}"


def _signed(value: float) -> str:
    return number(value).replace("-", "−")
