"""What a dialogue's end state shows, beside a judge's verdict on it: where the two differ, a line each."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.agents.verdict import PreferenceVerdict, Verdict
from duologue.views.layout import BAD, GOOD, QUIET, WARN
from duologue.views.text import count, safe
from duologue.views.verdict import findings, heading, remarks

__all__ = ["beside"]

COLOURS = {"met": GOOD, "violated": BAD}


def beside(state: Verdict, verdict: Verdict) -> RenderableType:
    """The reading `state` of the end state, as far as a judge's `verdict` does not say the same."""
    scores = findings(state.model_copy(update={"preferences": ()}))
    lines = (Text.assemble((safe(each.name), "bold"), "  ", each.value) for each in scores)
    return Group(heading(state), *remarks(state), *lines, *_preferences(state, verdict))


def _preferences(state: Verdict, verdict: Verdict) -> Iterator[Text]:
    """A line for each preference of which the judge says otherwise, and how many it says the same of."""
    judged = {(each.domain, each.type): each for each in verdict.preferences}
    pairs = [(each, judged.get((each.domain, each.type))) for each in state.preferences]
    apart = [(each, other) for each, other in pairs if other is None or other.outcome != each.outcome]
    yield from (_line(each, other, bool(judged)) for each, other in apart)
    if same := len(pairs) - len(apart):
        yield Text(f"{count(same, 'preference')} as the judge has {'it' if same == 1 else 'them'}", style=QUIET)


def _line(state: PreferenceVerdict, judged: PreferenceVerdict | None, asked: bool) -> Text:
    told = Text.assemble((safe(f"{state.domain}, {state.type}"), "bold"), "  ")
    told.append(f"{_outcome(state)} by state", style=COLOURS.get(state.outcome, QUIET))
    if judged is not None:
        told.append(f", {_outcome(judged)} by the judge", style=WARN)
    return told if judged or not asked else told.append(", nothing by the judge", style=QUIET)


def _outcome(preference: PreferenceVerdict) -> str:
    return preference.outcome.replace("_", " ")
