"""One assistant on the screen after a run: its scores, and the facts beside them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.money.prices import money
from duologue.money.spending import ROLES
from duologue.scoring.measures import EFFORT, SHARES, WORSE, label
from duologue.scoring.scorecard import AssistantSummary, Mean
from duologue.views.layout import BAD, QUIET, USER, WARN, facts, joined
from duologue.views.scale import draw_places
from duologue.views.scores import draw_scores
from duologue.views.text import clip, count, number, plain, safe

__all__ = ["draw"]

ROUTES = ("unasked", "asked", "told", "corrected")


def draw(each: AssistantSummary, beside: bool, currency: str) -> RenderableType:
    """One assistant. `beside` says that a judge's scores and the state's are both there."""
    told = each.insight.told or "nothing"
    heading = Text.assemble((safe(each.name), f"bold {USER}"), (f"   is told of the user: {safe(told)}", QUIET))
    if each.insight.reads_answers:
        heading.append(" (reads the answers)", style=WARN)
    scored = [metric for metric, mean in each.metrics.items() if metric not in EFFORT and (mean.n or mean.unscored)]
    if not any(each.metrics[metric].n for metric in scored):
        return Group(heading, facts(_facts(each, (), beside, currency)))
    none = [metric for metric in scored if _never(metric, each.metrics[metric])]
    none = none if len(none) > 1 else []
    blocks = [heading, draw_scores(each, [metric for metric in scored if metric not in none], beside)]
    blocks += [draw_places(each.places)] if each.places else []
    return Group(*blocks, facts(_facts(each, none, beside, currency)))


def _never(metric: str, mean: Mean) -> bool:
    """Whether something bad happened in no dialogue, and there is no more to say of it."""
    return metric in WORSE and mean.mean == 0 and mean.low is None


def _facts(
    each: AssistantSummary, none: Sequence[str], beside: bool, currency: str
) -> Iterator[tuple[str, RenderableType]]:
    if none:
        names = ((label(metric).removesuffix(" by state"), each.metrics[metric].n) for metric in none)
        yield "none by state", joined([f"{name} (n {n:,})" for name, n in names])
    yield "endings", _endings(each)
    for end in each.endings:
        if end.detail and end.owner in ("assistant", "simulator", "infrastructure"):
            yield end.reason.replace("_", " "), plain(clip(end.detail, 200), QUIET)
    yield from _unscored(each, beside)
    yield from _expected(each, beside)
    yield from _evidence(each)
    yield from _heeding(each)
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


def _heeding(each: AssistantSummary) -> Iterator[tuple[str, RenderableType]]:
    """How often preferences were heeded, and why they were not where not."""
    if (found := each.heeding) is None or found.accuracy is None:
        return
    told = f"{100 * found.accuracy:.0f} % of {count(found.dialogues, 'dialogue')}"
    if found.low is not None and found.high is not None:
        told += f" (95 % {100 * found.low:.0f} to {100 * found.high:.0f})"
    yield "heeded", joined([told, *(f"{times} {cause}" for cause, times in found.causes.items())])


def _evidence(each: AssistantSummary) -> Iterator[tuple[str, RenderableType]]:
    """How many judgements rest on a quote that stands in the transcript, and how many do not."""
    if not each.quotes:
        return
    invented, judgements = each.quotes - each.quotes_found, each.quotes_found + each.groundless
    told = [f"{each.quotes_found:,} with a quote that is in the transcript"]
    told += [f"{invented:,} with one that is not"] if invented else []
    told += [f"{bare:,} without"] if (bare := each.groundless - invented) else []
    yield "evidence", Text(f"{count(judgements, 'judgement')}: {', '.join(told)}", style=WARN if invented else "")


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
