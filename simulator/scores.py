"""Scores: one row per dialogue, and what a run says of each assistant."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from duologue.agents.ending import Ending
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.judging import Judging, judged_by, judging, verdicts
from duologue.measures import EFFORT, SCALES, SHARES, measured, ordered, user_turns
from duologue.record import Dialogue, Run
from duologue.spending import spent
from duologue.statistics import interval
from duologue.tasks.task import Situation
from duologue.tasks.written import Written

__all__ = [
    "AssistantSummary",
    "EndingCount",
    "Mean",
    "Row",
    "Summary",
    "alarms",
    "contexts",
    "headline",
    "rows",
    "summary",
]


class Row(Written):
    """One dialogue in numbers. Each metric is a number, or None with the reason in `unscored`."""

    number: int
    """Its place in the run, from 1: what `replay RUN 3` means by 3."""
    cell: str
    profile: str
    task: str
    situation: Situation
    domains: tuple[str, ...]
    """Of the preferences that the verdict speaks of."""
    assistant: str
    trial: int
    turns: int
    """How many turns the user has said, also where nothing was scored."""
    ending: Ending | None
    """None where the dialogue is under way, or its run was killed."""
    cut_short: bool
    finished: bool
    metrics: dict[str, float | None]
    unscored: dict[str, str]
    routes: dict[str, int]
    """By which route the preferences that were met came in."""

    @property
    def scored(self) -> bool:
        """Whether a judge scored anything. A failure of the assistant's own counts as no success, but is not scored."""
        judged = (value for name, value in self.metrics.items() if name not in EFFORT)
        return self.ending is not None and self.ending.scored and any(value is not None for value in judged)


class Mean(Written):
    """A metric over the dialogues of one assistant; the interval is clustered by profile."""

    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    profiles: int = 0
    unscored: int = 0
    why: dict[str, int] = Field(default_factory=dict)
    """The reasons why dialogues have no such score, with how often."""


class EndingCount(Written):
    """How many dialogues ended so. Without a reason: still under way, or the run was killed."""

    owner: str
    reason: str
    count: int
    detail: str = ""
    """What was told of it most often."""


class AssistantSummary(Written):
    """What a run says of one assistant."""

    name: str
    context: tuple[str, ...] = ()
    dialogues: int
    profiles: int
    unfinished: int
    """Dialogues that `resume` goes on with. They count in no mean and in no `unscored`."""
    cut_short: int
    endings: tuple[EndingCount, ...]
    metrics: dict[str, Mean]
    routes: dict[str, int]
    discarded: int
    """User drafts that the guard discarded."""
    quotes: int = 0
    """Quotes that the judge rests its judgements on, and of them those that stand in the transcripts."""
    quotes_found: int = 0
    usage: dict[str, Usage]
    """Tokens by role, drafts and retries included; None where no call told any."""
    unreported: dict[str, int] = Field(default_factory=dict)
    """Calls that told no tokens, by role."""
    seconds: dict[str, float]
    """Time spent waiting for each role."""


class Summary(Written):
    """What a run says."""

    name: str
    folder: str
    planned: int
    dialogues: int
    profiles: int
    tasks: int
    scored: int
    """Dialogues of which a judge scored anything. 0 means that the run shows nothing."""
    failed: int = 0
    """Dialogues that ended so that no judge reads them."""
    allowed: float = 0.2
    """Which share of the dialogues may end so."""
    judged: bool = True
    """Whether a judge was meant to score it: the campaign names one, or a verdict was given since."""
    judging: Judging
    set_aside: int
    """Verdicts of other rubrics or judges, which are never averaged with these."""
    others: tuple[Judging, ...] = ()
    """Whose verdicts those are."""
    elapsed: float
    """Seconds from the first event to the last, pauses included."""
    assistants: tuple[AssistantSummary, ...]
    notes: tuple[str, ...] = ()


def rows(run: Run, rubric: str = "", judge: str = "", used: Judging | None = None) -> list[Row]:
    """One row per dialogue, in the run's order, by the verdicts of `used` or those that `rubric` and `judge` name.

    Raises BadInput where they name no verdict of the run.
    """
    by = judging([run], rubric, judge) if used is None else used
    chosen = [_verdict(dialogue, by) for dialogue in run.dialogues]
    names = {"success"} | {name for verdict in chosen if verdict for name in verdict.scores}
    names |= {"preferences_met"} if any(v.preferences for v in chosen if v) else set()
    names = names if any(chosen) else set(SCALES)
    pairs = zip(run.dialogues, chosen, strict=True)
    return [_row(number, dialogue, verdict, ordered(names)) for number, (dialogue, verdict) in enumerate(pairs, 1)]


def summary(run: Run, rubric: str = "", judge: str = "") -> Summary:
    """What the run says of each assistant, by the verdicts that `rubric` and `judge` name, or the newest.

    Raises BadInput where they name no verdict of the run.
    """
    used = judging([run], rubric, judge)
    found = rows(run, used=used)
    by_name: dict[str, list[tuple[Dialogue, Row]]] = defaultdict(list)
    for dialogue, row in zip(run.dialogues, found, strict=True):
        by_name[row.assistant].append((dialogue, row))
    known = contexts(run)
    order = [name for name in known if name in by_name] + [name for name in by_name if name not in known]
    times = [event.time for dialogue in run.dialogues for event in dialogue.events]
    aside = [by for dialogue in run.dialogues for v in verdicts(dialogue) if (by := judged_by(v)) != used]
    tables = {str(table.get("name", "")): table for table in run.manifest.campaign.get("assistant", [])}
    return Summary(
        name=run.manifest.name,
        folder=str(run.folder),
        planned=run.manifest.cells,
        dialogues=len(found),
        profiles=len({row.profile for row in found}),
        tasks=len({row.task for row in found}),
        scored=sum(row.scored for row in found),
        failed=sum(row.ending is not None and row.finished and not row.ending.scored for row in found),
        allowed=run.manifest.campaign.get("limits", {}).get("failures", 0.2),
        judged="judge" in run.manifest.campaign or bool(used.judge),
        judging=used,
        set_aside=len(aside),
        others=tuple(dict.fromkeys(aside)),
        elapsed=max(times) - min(times) if times else 0.0,
        assistants=tuple(
            _assistant(name, known.get(name, ()), by_name[name], used, tables.get(name, {})) for name in order
        ),
        notes=(*run.manifest.notes, *run.notes),
    )


def alarms(summary: Summary) -> list[str]:
    """Why a run's scores are not to be relied on, a sentence each: exit code 3 where there is any."""
    told = []
    if summary.judged and summary.dialogues and not summary.scored:
        told.append("No dialogue was scored: this run says nothing about the assistants.")
    if summary.failed > summary.allowed * summary.dialogues:
        told.append(
            f"{summary.failed} of {summary.dialogues} dialogues ended without scores, more than the allowed "
            f"{100 * summary.allowed:g} % (limits.failures)."
        )
    return told


def headline(run: Run, used: Judging) -> dict[str, bool]:
    """The first two dimensions of the rubric that `used` judged under, and of each whether it is yes or no."""
    chosen = [verdict for dialogue in run.dialogues if (verdict := _verdict(dialogue, used))]
    names = next((list(verdict.scores)[:2] for verdict in chosen if verdict.scores), [])
    if not names and any(verdict.preferences for verdict in chosen):
        names = ["preferences_met"]
    given = {name: [v.scores[name].value for v in chosen if name in v.scores] for name in names}
    binary = {name: name == "success" or any(isinstance(v, bool) for v in held) for name, held in given.items()}
    return binary or {"success": True, "personalisation": False}


def _verdict(dialogue: Dialogue, used: Judging) -> Verdict | None:
    return next((verdict for verdict in reversed(verdicts(dialogue)) if judged_by(verdict) == used), None)


def contexts(run: Run) -> dict[str, tuple[str, ...]]:
    """What each assistant of the campaign is told about the user, by its name. Empty means nothing."""
    found: dict[str, tuple[str, ...]] = {}
    for table in run.manifest.campaign.get("assistant", []):
        given: Any = table.get("context") or ()
        kinds = given.replace("+", ",").split(",") if isinstance(given, str) else given
        found[str(table.get("name", ""))] = tuple(k for kind in kinds if (k := str(kind).strip()) not in ("", "none"))
    return found


def _row(number: int, dialogue: Dialogue, verdict: Verdict | None, names: Sequence[str]) -> Row:
    started, end = dialogue.started, dialogue.ending
    found = measured(dialogue, verdict, names)
    preferences = verdict.preferences if verdict else ()
    met = [preference for preference in preferences if preference.outcome == "met"]
    return Row(
        number=number,
        cell=started.cell,
        profile=started.profile,
        task=started.task,
        situation=started.situation,
        domains=tuple(dict.fromkeys(preference.domain for preference in preferences)),
        assistant=started.assistant,
        trial=started.trial,
        turns=user_turns(dialogue),
        ending=end,
        cut_short=end is not None and end.cut_short,
        finished=end is not None and end.finished,
        metrics={name: value for name, (value, _) in found.items()},
        unscored={name: why for name, (value, why) in found.items() if value is None},
        routes=Counter(preference.route or "unknown" for preference in met) if end and end.scored else {},
    )


def _assistant(
    name: str,
    context: tuple[str, ...],
    held: Sequence[tuple[Dialogue, Row]],
    used: Judging,
    written: Mapping[str, Any],
) -> AssistantSummary:
    found = [scored for _, scored in held]
    silent = ("assistant",) if written.get("script") or written.get("person") else ()
    cost = spent((dialogue for dialogue, _ in held), silent)
    quotes = [quote for dialogue, _ in held for quote in _quotes(_verdict(dialogue, used))]
    return AssistantSummary(
        name=name,
        context=context,
        dialogues=len(found),
        profiles=len({each.profile for each in found}),
        unfinished=sum(not each.finished for each in found),
        cut_short=sum(each.cut_short for each in found),
        endings=tuple(_endings(found)),
        metrics={metric: _mean(metric, found, (name, used.rubric)) for metric in ordered(found[0].metrics)},
        routes=dict(sum((Counter(each.routes) for each in found), Counter[str]())),
        discarded=cost.discarded,
        quotes=len(quotes),
        quotes_found=sum(quotes),
        usage=cost.usage,
        unreported=cost.unreported,
        seconds=cost.seconds,
    )


def _endings(found: Sequence[Row]) -> Iterator[EndingCount]:
    """How the dialogues ended, the most frequent first."""
    details: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in found:
        end = each.ending
        details[(end.owner, end.reason) if end else ("", "")][end.detail if end else ""] += 1
    for (owner, reason), told in sorted(details.items(), key=lambda item: -item[1].total()):
        yield EndingCount(owner=owner, reason=reason, count=told.total(), detail=told.most_common(1)[0][0])


def _mean(metric: str, found: Sequence[Row], key: tuple[str, ...]) -> Mean:
    finished = [each for each in found if each.finished]
    observed = [(each.profile, value) for each in finished if (value := each.metrics.get(metric)) is not None]
    why = Counter(each.unscored[metric] for each in finished if metric in each.unscored)
    if not observed:
        return Mean(n=0, unscored=why.total(), why=dict(why.most_common()))
    around = interval(observed, (*key, metric), share=metric in SHARES)
    return Mean(
        n=len(observed),
        mean=sum(value for _, value in observed) / len(observed),
        low=around.low,
        high=around.high,
        method=around.method,
        profiles=around.profiles,
        unscored=why.total(),
        why=dict(why.most_common()),
    )


def _quotes(verdict: Verdict | None) -> list[bool]:
    """Of each quote that a verdict rests on, whether it stands in the transcript."""
    if verdict is None:
        return []
    evidence = [score.evidence for score in verdict.scores.values()] + [each.evidence for each in verdict.preferences]
    return [each.found for each in evidence if each is not None and each.quote]
