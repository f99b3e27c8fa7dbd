"""Scores: one row per dialogue, and what a run says of each assistant."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import Field

from duologue.agents.ending import Ending
from duologue.agents.events import AssistantTurn, UserDraft, UserTurn
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.judging import Judging, judged_by, judging, verdicts
from duologue.measures import EFFORT, SCALES, SHARES, measured, ordered, user_turns
from duologue.record import Dialogue, Run
from duologue.statistics import interval
from duologue.tasks.task import Situation
from duologue.tasks.written import Written

__all__ = ["AssistantSummary", "EndingCount", "Mean", "Row", "Summary", "contexts", "rows", "summary"]


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
    usage: dict[str, Usage]
    """Tokens by role, drafts and retries included."""
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
    judging: Judging
    set_aside: int
    """Verdicts of other rubrics or judges, which are never averaged with these."""
    elapsed: float
    """Seconds from the first event to the last, pauses included."""
    assistants: tuple[AssistantSummary, ...]
    notes: tuple[str, ...] = ()


def rows(run: Run, rubric: str = "", used: Judging | None = None) -> list[Row]:
    """One row per dialogue, in the run's order, by the verdicts of `used` or those that `rubric` names.

    Raises BadInput where `rubric` names no verdict of the run.
    """
    by = judging([run], rubric) if used is None else used
    chosen = [next((v for v in reversed(verdicts(d)) if judged_by(v) == by), None) for d in run.dialogues]
    names = {"success"} | {name for verdict in chosen if verdict for name in verdict.scores}
    names |= {"preferences_met"} if any(v.preferences for v in chosen if v) else set()
    names = names if any(chosen) else set(SCALES)
    pairs = zip(run.dialogues, chosen, strict=True)
    return [_row(number, dialogue, verdict, ordered(names)) for number, (dialogue, verdict) in enumerate(pairs, 1)]


def summary(run: Run, rubric: str = "") -> Summary:
    """What the run says of each assistant. Raises BadInput where `rubric` names no verdict of the run."""
    used = judging([run], rubric)
    found = rows(run, used=used)
    by_name: dict[str, list[tuple[Dialogue, Row]]] = defaultdict(list)
    for dialogue, row in zip(run.dialogues, found, strict=True):
        by_name[row.assistant].append((dialogue, row))
    known = contexts(run)
    order = [name for name in known if name in by_name] + [name for name in by_name if name not in known]
    times = [event.time for dialogue in run.dialogues for event in dialogue.events]
    return Summary(
        name=run.manifest.name,
        folder=str(run.folder),
        planned=run.manifest.cells,
        dialogues=len(found),
        profiles=len({row.profile for row in found}),
        tasks=len({row.task for row in found}),
        scored=sum(row.scored for row in found),
        judging=used,
        set_aside=sum(judged_by(verdict) != used for dialogue in run.dialogues for verdict in verdicts(dialogue)),
        elapsed=max(times) - min(times) if times else 0.0,
        assistants=tuple(_assistant(name, known.get(name, ()), by_name[name], used) for name in order),
        notes=(*run.manifest.notes, *run.notes),
    )


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
    name: str, context: tuple[str, ...], held: Sequence[tuple[Dialogue, Row]], used: Judging
) -> AssistantSummary:
    found = [scored for _, scored in held]
    usage, seconds, discarded = _spent(dialogue for dialogue, _ in held)
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
        discarded=discarded,
        usage=usage,
        seconds=seconds,
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


def _spent(dialogues: Iterable[Dialogue]) -> tuple[dict[str, Usage], dict[str, float], int]:
    """Tokens and seconds by role, and how many drafts were discarded."""
    usage: dict[str, Usage] = {}
    seconds: dict[str, float] = defaultdict(float)
    discarded = 0
    for dialogue in dialogues:
        for event in dialogue.events:
            if isinstance(event, UserDraft | UserTurn | AssistantTurn):
                role = "assistant" if isinstance(event, AssistantTurn) else "user"
                _add(usage, role, event.usage)
                seconds[role] += event.seconds
                discarded += isinstance(event, UserDraft)
        for verdict in dialogue.verdicts:
            _add(usage, "judge", verdict.usage)
            seconds["judge"] += verdict.seconds
    return usage, dict(seconds), discarded


def _add(usage: dict[str, Usage], role: str, more: Usage | None) -> None:
    if more is not None:
        usage[role] = usage[role] + more if role in usage else more
