"""Where assistants stand between floor and ceiling, in a few lines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.text import Text

from duologue.measures import label
from duologue.scorecard import Place
from duologue.views.layout import QUIET, WARN, joined, whisker
from duologue.views.text import count, number

__all__ = ["stands"]


def stands(places: Sequence[Place]) -> Iterator[tuple[str, Text]]:
    """A fact for each place, and one for each reason why others are withheld."""
    name = "from floor to ceiling"
    withheld: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        if place.value is None:
            withheld[place.why].append(place)
            continue
        yield name, _stands(place)
        name = ""
    for why, held in withheld.items():
        told = Text(f"{', '.join(label(place.metric) for place in held)}: ", style=QUIET)
        yield name, told.append(f"withheld, {why}" if held[0].n else why, style=WARN if held[0].n else QUIET)
        name = ""


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
