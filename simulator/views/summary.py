"""The screen after a run: what it says of each assistant, and what to do next."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.money.prices import money
from duologue.scores import alarms
from duologue.scoring.judging import Judging
from duologue.scoring.measures import EFFORT
from duologue.scoring.scorecard import JudgeCost, Summary
from duologue.statistics.interval import FEWEST
from duologue.views.assistant import draw as draw_assistant
from duologue.views.concord import draw_brief
from duologue.views.layout import QUIET, WARN, command, facts, joined
from duologue.views.scores import draw_domains
from duologue.views.text import count, duration, plain, safe

__all__ = ["draw"]


def draw(summary: Summary, notes: Sequence[str] = ()) -> RenderableType:
    """The summary of a run. `notes` are further warnings, shown with the run's own."""
    blocks: list[RenderableType] = [_heading(summary)]
    beside = bool(summary.judging.judge and summary.state.judge) and not summary.judging.of_state
    for each in summary.assistants:
        blocks += [Text(), draw_assistant(each, beside, summary.currency)]
    if not summary.assistants:
        blocks += [Text(), Text("No dialogue has begun.", style=WARN)]
    if any(each.domains for each in summary.assistants):
        blocks += [Text(), draw_domains(summary.assistants)]
    if summary.concord:
        blocks += [Text(), draw_brief(summary.concord)]
    blocks += _unsure(summary)
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


def _unsure(summary: Summary) -> Iterator[RenderableType]:
    """Why scores have no interval, once for all assistants."""
    scored = [m for each in summary.assistants for name, m in each.metrics.items() if name not in EFFORT and m.n]
    few = [mean for mean in scored if mean.method == "too few profiles"]
    if few:
        with_them = f"with {count(max(mean.profiles for mean in few), 'profile')}: below {FEWEST} it would be a guess"
        some = f"where fewer than {FEWEST} profiles have the score: it would be a guess"
        yield Text()
        yield Text(f"intervals  no 95 % interval {with_them if len(few) == len(scored) else some}", style=QUIET)


def _warnings(summary: Summary, notes: Sequence[str]) -> Iterable[RenderableType]:
    told = [*dict.fromkeys(filter(None, [summary.stopped, *alarms(summary), *summary.kin, *notes, *summary.notes]))]
    for name, note in [("Careful: ", each) for each in summary.careful] + [("Note: ", each) for each in told]:
        yield Text.assemble((name, f"bold {WARN}"), plain(note, WARN))
    if told or summary.careful:
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
