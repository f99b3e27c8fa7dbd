"""The screen after a run: what it says of each assistant, and what to do next."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duologue.judging import Judging
from duologue.measures import EFFORT, ENDS, SHARES, WORSE, label
from duologue.prices import money
from duologue.scorecard import AssistantSummary, DomainSummary, JudgeCost, Mean, Summary
from duologue.scores import alarms
from duologue.spending import ROLES
from duologue.statistics.interval import FEWEST
from duologue.views.concord import draw_brief
from duologue.views.layout import BAD, GOOD, QUIET, USER, WARN, Fitting, command, facts, joined, whisker
from duologue.views.scale import stands
from duologue.views.text import clip, count, duration, number, plain, safe

__all__ = ["draw"]

ROUTES = ("unasked", "asked", "told", "corrected")


def draw(summary: Summary, notes: Sequence[str] = ()) -> RenderableType:
    """The summary of a run. `notes` are further warnings, shown with the run's own."""
    blocks: list[RenderableType] = [_heading(summary)]
    beside = bool(summary.judging.judge and summary.state.judge) and not summary.judging.of_state
    for each in summary.assistants:
        blocks += [Text(), _assistant(each, beside, summary.currency)]
    if not summary.assistants:
        blocks += [Text(), Text("No dialogue has begun.", style=WARN)]
    if any(each.domains for each in summary.assistants):
        blocks += [Text(), _domains(summary.assistants)]
    if summary.concord:
        blocks += [Text(), draw_brief(summary.concord)]
    if summary.unscaled:
        blocks += [Text(), plain(f"scale  {summary.unscaled}", QUIET)]
    blocks += [Text(), *_warnings(summary, notes), facts(_next(summary), indent=0)]
    return Group(*blocks)


def _heading(summary: Summary) -> RenderableType:
    held = count(summary.dialogues, "dialogue")
    if summary.planned > summary.dialogues:
        held = f"{summary.dialogues:,} of {count(summary.planned, 'dialogue')}"
    parts = [
        held,
        count(len(summary.assistants), "assistant"),
        count(summary.profiles, "profile"),
        count(summary.tasks, "task"),
        duration(summary.elapsed),
    ]
    title = Text.assemble((safe(summary.name), "bold"), "   ", joined(parts))
    told = [title, *(Text(line, style=QUIET) for line in _judged(summary))]
    return Group(*told, _aside(summary)) if summary.set_aside else Group(*told)


def _judged(summary: Summary) -> Iterator[str]:
    """Who judged."""
    used, state = summary.judging, summary.state
    if state.judge:
        yield f"by state: read from the end states of the worlds, no model ({state.rubric[:8]})"
    if used.judge and not used.of_state:
        looks = f", {summary.looks} looks{' each' if used.panel else ''}" if summary.looks > 1 else ""
        yield f"judged by {safe(used.judge)} under the rubric {safe(used.rubric_name)} ({used.rubric[:8]}){looks}"
        if told := _judging(summary):
            yield f"judging took {told}"
    elif not state.judge:
        yield "Not judged."


def _judging(summary: Summary) -> str:
    """What each judge took in tokens, money and seconds; nothing where no judge called a model."""
    held: dict[str, list[JudgeCost]] = defaultdict(list)
    for each in summary.assistants:
        for name, spent in each.judges.items():
            held[name].append(spent)
    return "; ".join(
        f"{safe(name)}: {_spent(of, summary)}" if len(held) > 1 else _spent(of, summary) for name, of in held.items()
    )


def _spent(of: Sequence[JudgeCost], summary: Summary) -> str:
    used = [each.usage for each in of]
    tokens = [each.input + each.output for each in used if each.input is not None and each.output is not None]
    costs = [each.cost for each in of if each.cost is not None]
    cost = "unknown cost" if len(costs) < len(of) else money(sum(costs), summary.currency) if sum(costs) else ""
    parts = [
        f"{sum(tokens):,} tokens" if len(tokens) == len(of) else "unknown tokens",
        cost,
        duration(sum(each.seconds for each in of)),
    ]
    return " · ".join(filter(None, parts))


def _aside(summary: Summary) -> Text:
    """How many verdicts are left aside, and how to see them."""
    told = Text(f"{count(summary.set_aside, 'verdict')} of other rubrics or judges left aside: ", style=WARN)
    commands = [command(f"duologue show {_folder(summary)}{_options(summary, other)}") for other in summary.others]
    return told.append_text(joined(commands[:2], ", or "))


def _options(summary: Summary, other: Judging) -> str:
    """The options that name the verdicts of `other` and not those that the summary uses."""
    used = summary.judging
    judge = f" --judge {shlex.quote(safe(other.judge))}" if other.judge != used.judge else ""
    if judge and all(each.rubric == other.rubric for each in summary.others if each.judge == other.judge):
        return judge
    same_name = [each for each in (used, *summary.others) if each.rubric_name == other.rubric_name]
    unique = len({each.rubric for each in same_name}) == 1
    return f"{judge} --rubric {shlex.quote(safe(other.rubric_name)) if unique else other.rubric[:8]}"


def _folder(summary: Summary) -> str:
    return shlex.quote(safe(summary.folder))


def _assistant(each: AssistantSummary, beside: bool, currency: str) -> RenderableType:
    """One assistant. `beside` says that a judge's scores and the state's are both there."""
    told = each.insight.told or "nothing"
    heading = Text.assemble((safe(each.name), f"bold {USER}"), (f"   is told of the user: {safe(told)}", QUIET))
    if each.insight.reads_answers:
        heading.append(" (reads the answers)", style=WARN)
    scored = [metric for metric, mean in each.metrics.items() if metric not in EFFORT and (mean.n or mean.unscored)]
    said = facts(_facts(each, beside, currency))
    if not any(each.metrics[metric].n for metric in scored):
        return Group(heading, said)
    narrow = Fitting(0, _table(each, scored, beside, 0), _table(each, scored, beside, 0, short=True))
    table = Fitting(0, _table(each, scored, beside, 24), Fitting(0, _table(each, scored, beside, 12), narrow))
    return Group(heading, table, said)


def _domains(assistants: Sequence[AssistantSummary]) -> RenderableType:
    """By domain and assistant: task success and preferences met, by state."""
    shown = [each for each in assistants if each.domains]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False)
    table.add_column("by state", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for each in shown:
        table.add_column(Text(clip(each.name, 16), style=USER), justify="right", no_wrap=True)
    held = {each.name: {of.domain: of for of in each.domains} for each in shown}
    for domain in dict.fromkeys(of.domain for each in shown for of in each.domains):
        cells = [held[each.name].get(domain) for each in shown]
        count = max(of.dialogues for of in cells if of)
        table.add_row(Text(safe(domain)), Text(f"{count:,}", style=QUIET), *map(_of_domain, cells))
    legend = Text("task success, and of the preferences decided the share met", style=f"italic {QUIET}")
    return Group(Padding(table, (0, 0, 0, 2)), Padding(legend, (0, 0, 0, 2)))


def _of_domain(of: DomainSummary | None) -> Text:
    means = [of.metrics[name].mean for name in ("state_success", "state_preferences_met")] if of else []
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
    if not (few := _few(each) is not None):
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
        yield Text(number(mean.mean, share), style="bold")
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
    ends = ENDS.get(metric)
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


def _few(each: AssistantSummary) -> int | None:
    """With how many profiles no score has an interval, since they are too few; None where one has, or is even."""
    scored = [mean for metric, mean in each.metrics.items() if metric not in EFFORT and mean.n]
    few = all(mean.method == "too few profiles" for mean in scored)
    return max((mean.profiles for mean in scored), default=0) if scored and few else None


def _unsure(each: AssistantSummary) -> Iterator[tuple[str, RenderableType]]:
    """Why scores have no interval, once."""
    if (profiles := _few(each)) is not None:
        told = f"no 95 % interval with {count(profiles, 'profile')}: below {FEWEST} it would be a guess"
        yield "intervals", Text(told, style=QUIET)
    elif any(mean.method == "too few profiles" for metric, mean in each.metrics.items() if metric not in EFFORT):
        yield "intervals", Text(f"none below {FEWEST} profiles", style=QUIET)


def _facts(each: AssistantSummary, beside: bool, currency: str) -> Iterator[tuple[str, RenderableType]]:
    yield "endings", _endings(each)
    for end in each.endings:
        if end.detail and end.owner in ("assistant", "simulator", "infrastructure"):
            yield end.reason.replace("_", " "), plain(clip(end.detail, 200), QUIET)
    yield from _unscored(each, beside)
    yield from _unsure(each)
    yield from stands(each.places)
    yield from _expected(each, beside)
    yield from _evidence(each)
    yield "mean dialogue", _effort(each)
    yield from _met(each, beside)
    if each.usage:
        yield "tokens", joined([f"{role} {_tokens(role, each)}" for role in ROLES if role in each.usage])
    if any(amount != 0 for amount in each.cost.values()):
        yield "cost", _cost(each, currency)
    if any(used.stored for used in each.usage.values()):
        yield "cache", _stored(each)
    if again := [role for role in ROLES if role in each.usage and each.usage[role].retries]:
        yield "retries", joined([f"{role} {each.usage[role].retries:,}" for role in again])
    if each.discarded:
        yield "guard", Text(f"{count(each.discarded, 'draft')} of the user discarded")


def _expected(each: AssistantSummary, beside: bool) -> Iterator[tuple[str, RenderableType]]:
    """The expected scores beside those said, where there are log-probabilities."""
    told = []
    for metric, mean in each.metrics.items():
        if (found := mean.expected) is not None:
            share = metric in SHARES
            said = "–" if found.stated is None else number(found.stated, share)
            mass = "" if found.mass is None else f" (mass {found.mass:.2f})"
            told.append(f"{label(metric, beside)} {number(found.mean, share)} beside stated {said}{mass}")
    if told:
        yield "expected", joined(told)


def _evidence(each: AssistantSummary) -> Iterator[tuple[str, RenderableType]]:
    """How many quotes stand in the transcripts, and how many judgements rest on none that does."""
    if not each.quotes:
        return
    stand = "stands" if each.quotes == 1 else "stand"
    told = f"{each.quotes_found:,} of {count(each.quotes, 'quote')} {stand} in the transcripts"
    bare = f"; {count(each.groundless, 'judgement')} without one" if each.groundless else ""
    yield "evidence", Text(told + bare, style=WARN if each.quotes_found < each.quotes else "")


def _met(each: AssistantSummary, beside: bool) -> Iterator[tuple[str, RenderableType]]:
    """By which route the preferences that were met came in, and what of them the context held."""
    if met := sum(sum(held.values()) for held in each.state_routes.values()):
        known = {held: sum(of.get(held, 0) for of in each.state_routes.values()) for held in ("verbatim", "evidence")}
        told = [f"{sum(each.state_routes.get(route, {}).values())} {route}" for route in ROUTES]
        text = Text(f"{count(met, 'preference')}: ").append_text(joined(told))
        if any(known.values()):
            text.append(_held(known), style=QUIET)
        yield "met by state", text
    if met := sum(each.routes.values()):
        routes = [f"{each.routes.get(route, 0)} {route}" for route in ROUTES]
        routes += [f"{each.routes['unknown']} of unknown route"] if "unknown" in each.routes else []
        name = "judge: met" if beside else "met"
        yield name, Text(f"{count(met, 'preference')}: ").append_text(joined(routes))


def _held(known: dict[str, int]) -> str:
    return f"; the context held {known['verbatim']} verbatim, {known['evidence']} as evidence"


def _tokens(role: str, each: AssistantSummary) -> str:
    use, unknown = each.usage[role], each.unreported.get(role, 0)
    if use.input is None and use.output is None:
        return "unknown"
    told = f"{(use.input or 0) + (use.output or 0):,}"
    return f"{told} ({count(unknown, 'call')} unknown)" if unknown else told


def _cost(each: AssistantSummary, currency: str) -> Text:
    """What each role cost, and all together where that is known."""
    known = [amount for amount in each.cost.values() if amount is not None]
    told = [f"{role} {_amount(each.cost[role], currency)}" for role in ROLES if role in each.cost]
    if len(known) == len(each.cost) > 1:
        told.append(f"in all {money(sum(known), currency)}")
    return joined(told)


def _amount(amount: float | None, currency: str) -> str:
    return "unknown" if amount is None else money(amount, currency)


def _stored(each: AssistantSummary) -> Text:
    """How many calls the cache answered, which makes their seconds those of an earlier day."""
    held = [(role, each.usage[role]) for role in ROLES if role in each.usage and each.usage[role].stored]
    told = joined([f"{role} {used.stored:,} of {count(used.calls, 'call')}" for role, used in held])
    return told.append("; the seconds of these are those of the first time", style=QUIET)


def _effort(each: AssistantSummary) -> Text:
    """What a dialogue costs on average."""
    units = {
        "user_turns": "user turns",
        "questions": "questions",
        "calls": "tool calls",
        "tokens": "tokens",
        "seconds": "s",
    }
    means = {name: each.metrics[name].mean for name in EFFORT if name in each.metrics}
    known = [f"{number(mean)} {units[name]}" for name, mean in means.items() if mean is not None]
    spoke = "assistant" in each.usage
    known += ["tokens unknown"] if known and spoke and "tokens" in means and means["tokens"] is None else []
    return joined(known) if known else Text("–")


def _endings(each: AssistantSummary) -> Text:
    parts = []
    for end in each.endings:
        reason = end.reason.replace("_", " ")
        if end.owner in ("assistant", "simulator", "infrastructure"):
            parts.append(Text(f"{reason} {end.count} ({end.owner})", style=BAD if end.owner == "assistant" else WARN))
        elif end.reason in ("turn_limit", "held_elsewhere") and end.owner == "limits":
            parts.append(Text(f"{reason} {end.count} (cut short)"))
        elif end.reason in ("budget", "interrupted", ""):
            parts.append(Text(f"{reason or 'no ending'} {end.count} (not finished)", style=WARN))
        else:
            parts.append(Text(f"{reason} {end.count}"))
    return joined(parts)


def _unscored(each: AssistantSummary, beside: bool) -> Iterator[tuple[str, RenderableType]]:
    """Why dialogues have no score, each reason once, with the metrics that lack it."""
    talked = each.metrics["state_success"].inapplicable if "state_success" in each.metrics else 0
    if talked and talked < each.dialogues - each.unfinished:
        yield "by state", Text(f"not applicable to {count(talked, 'dialogue')} without a world", style=QUIET)
    elif talked:
        yield "by state", Text("not applicable: it acted on nothing, it only talked", style=QUIET)
    lacking: dict[tuple[str, int], list[str]] = defaultdict(list)
    for metric, mean in each.metrics.items():
        for why, times in mean.why.items() if metric not in EFFORT else ():
            lacking[why, times].append(metric)
    scores = {metric for metric, mean in each.metrics.items() if metric not in EFFORT and (mean.n or mean.unscored)}
    successes = {"success", "state_success"}
    for place, ((why, times), metrics) in enumerate(lacking.items()):
        whose = ", ".join(label(metric, beside) for metric in metrics)
        if len(scores) > 2 and scores - successes <= set(metrics):
            whose = "all scores" if scores & successes <= set(metrics) else "all but task success"
        yield (
            "not scored" if not place else "",
            Text.assemble((f"{times} × ", WARN), clip(why, 90), (f": {whose}", QUIET)),
        )


def _warnings(summary: Summary, notes: Sequence[str]) -> Iterable[RenderableType]:
    told = [*dict.fromkeys(filter(None, [summary.stopped, *alarms(summary), *summary.kin, *notes, *summary.notes]))]
    for note in told:
        yield Text.assemble(("Note: ", f"bold {WARN}"), plain(note, WARN))
    if told:
        yield Text()


def _budget(summary: Summary) -> str:
    """One under which the run can go on: none where what it costs cannot be known."""
    known = [cost for each in summary.assistants for cost in each.cost.values()]
    if summary.stopped and None in known:
        return "inf"
    spent = sum(cost for cost in known if cost is not None)
    return f"{2 * max(summary.budget or 0, spent):.4g}"


def _next(summary: Summary) -> Iterator[tuple[str, RenderableType]]:
    """What to type next."""
    folder = _folder(summary)
    failed = any(end.owner == "infrastructure" for each in summary.assistants for end in each.endings)
    poor = summary.stopped or any(end.reason == "budget" for each in summary.assistants for end in each.endings)
    more = f" --budget {_budget(summary)}" if poor and summary.budget else ""
    if summary.left or summary.stopped:
        yield "go on", command(f"duologue resume {folder}{more}")
    if failed:
        yield "run the failed again", command(f"duologue resume --failed {folder}")
    if summary.dialogues:
        yield "dialogues", command(f"duologue show {folder}")
        yield "replay one", command(f"duologue replay {folder} 1")
        other = "" if len(summary.assistants) > 1 else " runs/ANOTHER"
        yield "compare", command(f"duologue compare {folder}{other}")
