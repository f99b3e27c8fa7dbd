"""A difference in a few words: how large, how sure, and what may be said of it."""

from rich.text import Text

from duologue.comparing.difference import LEVEL, Difference
from duologue.comparing.pairs import EQUAL
from duologue.scoring.measures import EFFORT, SHARES
from duologue.views.layout import QUIET, USER, WARN
from duologue.views.text import number

__all__ = ["finding", "nearly", "probability", "shown", "signed"]

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


def shown(each: Difference) -> tuple[Text, Text]:
    """The difference with its interval, and its p."""
    return _difference(each), _p(each)


def finding(each: Difference, heads: tuple[str, str]) -> Text:
    """What may be said of it. `heads` are what the two are called."""
    weight = "" if each.metric in EFFORT else "bold "
    more = MORE.get(each.metric, "higher")
    if each.finding == "a higher":
        return Text(f"{heads[0]} {more}", style=f"{weight}{USER}")
    if each.finding == "b higher":
        return Text(f"{heads[1]} {more}", style=f"{weight}magenta")
    if each.finding == "no difference shown":
        return Text(nearly(each) or each.finding, style=QUIET)
    told = "too few profiles" if each.finding == "too few profiles to tell" else each.finding
    return Text(told, style=QUIET if each.finding == "no pairs" else WARN)


def nearly(each: Difference) -> str:
    """Why no difference is shown where a look at the interval, or at p, alone would have it otherwise; else empty."""
    if each.low is None or each.high is None or each.p is None or each.adjusted is None:
        return ""
    if each.low > EQUAL or each.high < -EQUAL:
        return f"not shown (p alone {probability(each.p)})"
    return "not shown (interval holds 0)" if each.adjusted <= LEVEL else ""


def signed(value: float, share: bool) -> str:
    """With its sign; a difference of shares is in points of a percent."""
    told = f"{abs(100 * value):.0f}" if share else number(abs(value))
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{told}" if float(told.replace(",", "")) else "0"


def probability(p: float) -> str:
    """`0.032`, `<0.001`."""
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


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


def _p(each: Difference) -> Text:
    p = each.adjusted if each.adjusted is not None or each.finding == "not ranked" else each.p
    return Text("–" if p is None else probability(p), style="" if p is not None and p <= LEVEL else QUIET)
