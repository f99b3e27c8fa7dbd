"""What a campaign may take, before it is run."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.money.estimate import Estimate, RoleEstimate, Span
from duologue.money.prices import money
from duologue.views.layout import QUIET, USER, WARN, facts, joined
from duologue.views.text import clip, count, safe

__all__ = ["draw"]


def draw(found: Estimate) -> RenderableType:
    """The estimate: a line for each role, and what it rests on."""
    parts = [count(found.dialogues, "dialogue"), count(found.scenarios, "scenario"), "nothing was called"]
    heading = Text.assemble((safe(found.name), "bold"), "   ", joined(parts))
    if not found.roles:
        return Group(heading, Text(), Text("No model plays a role: this costs nothing."))
    notes = (Text(safe(sentence), style=QUIET) for sentence in found.assumed)
    return Group(
        heading,
        Text(),
        facts((clip(each.role, 24), _line(each, found.currency)) for each in found.roles),
        Text(),
        *_total(found),
        *notes,
    )


def _line(each: RoleEstimate, currency: str) -> Text:
    """What one role may take."""
    figures = [
        Text(f"{_whole(each.calls)} {'call' if each.calls.high == 1 else 'calls'}"),
        Text(f"{_whole(each.input)} tokens in"),
        Text(f"{_whole(each.output)} out"),
        _cost(each.cost, currency),
    ]
    return Text.assemble((safe(each.model), USER), "  ", joined(figures))


def _total(found: Estimate) -> Iterator[Text]:
    yield Text.assemble(("In all: ", "bold"), _cost(found.cost, found.currency))
    if found.cost is None:
        unpriced = dict.fromkeys(each.model for each in found.roles if each.cost is None)
        lines = ", ".join(f'"{safe(model)}" = {{ input = ..., output = ... }}' for model in unpriced)
        yield Text(f"For the cost write into [prices]: {lines}", style=WARN)
    elif found.budget is not None and found.cost.high > found.budget:
        yield Text(f"The budget of {money(found.budget, found.currency)} may end it early.", style=WARN)


def _cost(cost: Span | None, currency: str) -> Text:
    if cost is None:
        return Text("unknown", style=WARN)
    if cost.high == 0:
        return Text("nothing", style=QUIET)
    low, high = (money(amount, currency) for amount in (cost.low, cost.high))
    return Text(high if low == high else f"{low.removesuffix(f' {currency}')} to {high}")


def _whole(span: Span) -> str:
    low, high = _rounded(span.low), _rounded(span.high)
    return high if low == high else f"{low} to {high}"


def _rounded(amount: float) -> str:
    """`950`, `12,300`, `1.2 million`: three figures are more than is known."""
    if amount >= 1_000_000:
        return f"{amount / 1_000_000:,.1f} million"
    return f"{float(f'{amount:.3g}'):,.0f}"
