"""The tables of scores: an assistant's, and by domain that of all."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.scoring.measures import ENDS, SHARES, WORSE, label
from duologue.scoring.scorecard import AssistantSummary, DomainSummary, Mean
from duologue.views.layout import BAD, GOOD, QUIET, USER, WARN, Fitting, joined, whisker
from duologue.views.text import clip, number, safe

__all__ = ["draw_domains", "draw_scores"]

IN_DOMAINS = ("state_success", "state_preferences_met")


def draw_scores(each: AssistantSummary, metrics: Sequence[str], beside: bool) -> RenderableType:
    """The `metrics` of an assistant in rows. `beside` says that a judge's scores and the state's are both there."""
    narrow = Fitting(0, _table(each, metrics, beside, 0), _table(each, metrics, beside, 0, short=True))
    return Fitting(0, _table(each, metrics, beside, 24), Fitting(0, _table(each, metrics, beside, 12), narrow))


def draw_domains(assistants: Sequence[AssistantSummary]) -> RenderableType:
    """By domain and assistant: task success and preferences met, by state; in a table each where room is short."""
    shown = [each for each in assistants if each.domains]
    legend = Text("task success, and of the preferences decided the share met", style=f"italic {QUIET}")
    wide = Group(_domains(shown, "by state", IN_DOMAINS), Padding(legend, (0, 0, 0, 2)))
    success, preferences = (_domains(shown, label(metric), (metric,)) for metric in IN_DOMAINS)
    return Fitting(0, wide, Group(success, Text(), preferences))


def _domains(shown: Sequence[AssistantSummary], title: str, metrics: Sequence[str]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column(title, no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for each in shown:
        table.add_column(Text(clip(each.name, 16), style=USER), justify="right", no_wrap=True)
    held = {each.name: {of.domain: of for of in each.domains} for each in shown}
    for domain in dict.fromkeys(of.domain for each in shown for of in each.domains):
        cells = [held[each.name].get(domain) for each in shown]
        count = max(of.dialogues for of in cells if of)
        told = (_of_domain(of, metrics) for of in cells)
        table.add_row(Text(safe(domain)), Text(f"{count:,}", style=QUIET), *told)
    return Padding(table, (0, 0, 0, 2))


def _of_domain(of: DomainSummary | None, metrics: Sequence[str]) -> Text:
    means = [of.metrics[name].mean for name in metrics] if of else []
    return joined(["–" if mean is None else number(mean, True) for mean in means] or ["–"])


def _table(
    each: AssistantSummary, metrics: Sequence[str], beside: bool, plot: int, short: bool = False
) -> RenderableType:
    """Metrics in rows; with a `plot` of that many cells; `short` for narrow terminals."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("score", no_wrap=not short, min_width=12 if short else 21)
    table.add_column("mean", justify="right", no_wrap=True)
    if plot:
        table.add_column("", no_wrap=True)
    if not (few := all(each.metrics[metric].method in ("", "too few profiles") for metric in metrics)):
        table.add_column("95 % interval", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("n/s" if short else "not scored", justify="right", no_wrap=True)
    if several := any(each.metrics[metric].looks for metric in metrics):
        table.add_column("unstable", justify="right", no_wrap=True)
        table.add_column("spread", justify="right", no_wrap=True)
    for metric in metrics:
        mean = each.metrics[metric]
        apart = _apart(mean, metric in SHARES) if several else ()
        table.add_row(Text(clip(label(metric, beside), 28)), *_cells(metric, mean, plot, few), *apart)
    return Padding(table, (0, 0, 0, 2))


def _cells(metric: str, mean: Mean, plot: int, few: bool) -> Iterator[Text]:
    share = metric in SHARES
    if mean.mean is None:
        yield Text("–", style=QUIET)
    else:
        ends = ENDS.get(metric) or mean.ends
        end = "" if plot or share or ends is None else f" of {ends[1]:g}"
        yield Text(number(mean.mean, share), style="bold").append(end, style=f"not bold {QUIET}")
    if plot:
        yield _plotted(metric, mean, plot)
    if not few:
        yield _interval(mean, share)
    yield Text(str(mean.n))
    yield Text(str(mean.unscored), style=WARN) if mean.unscored else Text("–", style=QUIET)


def _apart(mean: Mean, share: bool) -> Iterator[Text]:
    """In how many dialogues the looks differ, and how far on average they lie apart."""
    if mean.looks is None:
        yield from (Text(), Text())
        return
    told, unstable = f"{mean.looks.unstable} of {mean.looks.dialogues}", mean.looks.unstable
    yield Text(told, style=WARN if unstable else QUIET)
    yield Text(number(mean.looks.spread, share), style="" if unstable else QUIET)


def _plotted(metric: str, mean: Mean, width: int) -> Text:
    """The mean on its scale; nothing where the scale's ends are not known."""
    ends = ENDS.get(metric) or mean.ends
    if ends is None or mean.mean is None or not ends[0] <= mean.mean <= ends[1]:
        return Text()
    low, high = ("0", "100 %") if metric in SHARES else (f"{ends[0]:g}", f"{ends[1]:g}")
    return Text.assemble(
        (f"{low} ", QUIET),
        whisker(mean.mean, mean.low, mean.high, ends, width, _hue(metric, mean.mean, ends)),
        (f" {high}", QUIET),
    )


def _hue(metric: str, value: float, ends: tuple[float, float]) -> str:
    share = (value - ends[0]) / (ends[1] - ends[0])
    share = 1 - share if metric in WORSE else share
    return GOOD if share >= 2 / 3 else WARN if share >= 1 / 3 else BAD


def _interval(mean: Mean, share: bool) -> Text:
    if mean.low is not None and mean.high is not None:
        return Text(f"{number(mean.low, share)} to {number(mean.high, share)}")
    if not mean.n:
        return Text()
    if mean.method == "no spread":
        return Text("no spread", style=QUIET)
    return Text("–", style=QUIET)
