"""Where assistants stand between floor and ceiling, in a few lines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.text import Text

from duologue.measures import label
from duologue.scorecard import Place
from duologue.views.layout import QUIET, WARN, joined, whisker
from duologue.views.text import count, number

__all__ = ["placed", "stands", "withheld"]


def stands(places: Sequence[Place]) -> Iterator[tuple[str, Text]]:
    """A fact for each place, and one for each reason why others are withheld."""
    name = "from floor to ceiling"
    for told in (*placed(places), *withheld(places)):
        yield name, told
        name = ""


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


def _stands(place: Place) -> Text:
    assert place.value is not None and place.floor is not None and place.ceiling is not None
    shown = min(1.0, max(0.0, place.value))
    told = Text.assemble(
        f"{label(place.metric)} ", (number(place.value), "bold"), " ", whisker(shown, None, None, (0, 1), 12), " "
    )
    parts = (
        [f"95 % {number(place.low)} to {number(place.high)}"]
        if place.low is not None and place.high is not None
        else []
    )
    parts += [f"floor {number(place.floor, True)}", f"ceiling {number(place.ceiling, True)}"]
    parts += [f"n {place.n:,}", count(place.profiles, "profile")]
    return told.append_text(joined([Text(part, style=QUIET) for part in parts]))
