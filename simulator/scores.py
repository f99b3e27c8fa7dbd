"""Scores: one row per dialogue, and what a run says of each assistant."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.money.prices import Prices, Tariff, costs, tariff
from duologue.money.prices import cost as price
from duologue.money.spending import by_judge, spent
from duologue.record.digest import Digest, VerdictDigest
from duologue.record.index import read_head, tell
from duologue.record.run import Run, read_manifest, read_run, run_of
from duologue.rubrics import own_ends
from duologue.scoring.cautions import cautions
from duologue.scoring.concord import SEVERAL, Concord, Judged, concord
from duologue.scoring.heeding import CHECKS, heeding
from duologue.scoring.insight import insights, scale_ends
from duologue.scoring.judging import Judging, by_state, heard, judged_by, judging, others
from duologue.scoring.kinship import kin
from duologue.scoring.measures import SHARES, ordered, within_ends
from duologue.scoring.rows import rows, speaks_alone, verdict_of
from duologue.scoring.scale import SCALED, places, unscaled
from duologue.scoring.scorecard import (
    AssistantSummary,
    DomainSummary,
    EndingCount,
    Expected,
    Insight,
    JudgeCost,
    Looks,
    Mean,
    Row,
    Summary,
)
from duologue.statistics.interval import interval

__all__ = ["alarms", "headline", "noted", "overview", "rows", "summary"]

UNPROVEN = ("unscored", "no_decision")
"""Outcomes that no quote can bear out."""


def summary(run: Run, rubric: str = "", judge: str = "") -> Summary:
    """What the run says of each assistant, by the verdicts that `rubric` and `judge` name, or the newest.

    Raises BadInput where they name no verdict of the run.
    """
    if run.said is not None and not rubric and not judge:
        known = {"folder": str(run.folder), "stopped": run.stopped, "notes": (*run.manifest.notes, *run.notes)}
        return Summary.model_validate(run.said).model_copy(update=known)
    used, state = judging([run], rubric, judge), by_state([run])
    found = rows(run, used=used, state=state)
    times = [time for dialogue in run.dialogues for time in (dialogue.first, dialogue.last)]
    given = Counter(judged_by(verdict) for dialogue in run.dialogues for verdict in dialogue.verdicts)
    aside = {by: times for by, times in given.items() if by != state and not used.covers(by)}
    worlds = any("state_success" in row.metrics for row in found[:1])
    said = Summary(
        name=run.manifest.name,
        folder=str(run.folder),
        planned=run.manifest.cells,
        dialogues=len(found),
        left=max(0, run.manifest.cells - sum(row.finished and run.manifest.plans(row.assistant) for row in found)),
        profiles=len({row.profile for row in found}),
        tasks=len({row.task for row in found}),
        scored=sum(row.scored for row in found),
        unheard=bool(used.judge) and not used.of_state and not any(row.judged for row in found),
        failed=sum(row.ending is not None and row.finished and not row.ending.scored for row in found),
        allowed=run.manifest.campaign.get("limits", {}).get("failures", 0.2),
        currency=Prices.model_validate(run.manifest.campaign.get("prices", {})).currency,
        budget=run.manifest.campaign.get("limits", {}).get("budget"),
        stopped=run.stopped,
        judged="judge" in run.manifest.campaign or bool(used.judge) or worlds,
        judging=used,
        looks=max((by.look for each in run.dialogues for by in heard(each.verdicts, used)), default=1),
        state=state,
        set_aside=sum(aside.values()),
        others=others(run, used, state),
        elapsed=max(times) - min(times) if times else 0.0,
        assistants=tuple(_assistants(run, found, used)),
        unscaled=unscaled(insights(run)) if worlds else "",
        kin=kin([run], used),
        concord=_concord(run, found, used, state),
        notes=(*run.manifest.notes, *run.notes),
    )
    return said.model_copy(update={"careful": cautions(said)})


def _concord(run: Run, found: Sequence[Row], used: Judging, state: Judging) -> Concord | None:
    """How far the judge and the end states agree, where both speak of the same dialogues."""
    if used.of_state or not used.judge or not state.judge:
        return None
    both = ((verdict_of(each, used), verdict_of(each, state)) for each in run.dialogues)
    held = zip(found, both, strict=True)
    return concord(Judged(row.profile, row.domains, judge, world) for row, (judge, world) in held if judge and world)


def overview(folder: Path) -> Summary:
    """The summary of the run in `folder`, from its index where that holds it. Raises BadInput where it is no run."""
    head, manifest = read_head(folder), read_manifest(folder)
    if head is not None and head.said is not None:
        return summary(run_of(folder, manifest, head))
    return noted(read_run(folder))


def noted(run: Run) -> Summary:
    """The summary of a run just read, which is left in its index."""
    said = summary(run)
    if run.said is None:
        tell(run.folder, run.stamp, said.model_dump(mode="json"))
    return said


def alarms(summary: Summary) -> list[str]:
    """Why a run's scores are not to be relied on, a sentence each: exit code 3 where there is any."""
    told = []
    if summary.judged and summary.dialogues and not summary.scored:
        told.append("No dialogue was scored: this run says nothing about the assistants.")
    elif summary.unheard:
        told.append("No dialogue was scored by the judge: only what is read by state says anything.")
    if summary.failed > summary.allowed * summary.dialogues:
        told.append(
            f"{summary.failed} of {summary.dialogues} dialogues ended without scores, more than the allowed "
            f"{100 * summary.allowed:g} % (limits.failures)."
        )
    return told


def headline(run: Run, used: Judging) -> dict[str, bool]:
    """The scores to show of each dialogue, and of each whether it is yes or no.

    Task success and preferences met by state where there was a world, and the first two dimensions of the rubric that
    `used` judged under, one of them where the state is shown too.
    """
    chosen = [verdict for dialogue in run.dialogues for verdict in heard(dialogue.verdicts, used)]
    names = next((list(verdict.scores)[:2] for verdict in chosen if verdict.scores), [])
    if not names and any(verdict.preferences for verdict in chosen):
        names = ["preferences_met"]
    given = {name: [v.scores[name].value for v in chosen if name in v.scores] for name in names}
    binary = {name: name == "success" or any(isinstance(v, bool) for v in held) for name, held in given.items()}
    if any(dialogue.had_world for dialogue in run.dialogues):
        return {"state_success": True, "state_preferences_met": False} | (
            {} if used.of_state else dict(list(binary.items())[:1])
        )
    return binary or {"success": True, "personalisation": False}


def _added(counts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in counts:
        for route, held in each.items():
            found[route].update(held)
    return {route: dict(held) for route, held in found.items()}


def _assistants(run: Run, found: Sequence[Row], used: Judging) -> Iterator[AssistantSummary]:
    """Each assistant, in the campaign's order."""
    by_name: dict[str, list[tuple[Digest, Row]]] = defaultdict(list)
    for dialogue, row in zip(run.dialogues, found, strict=True):
        by_name[row.assistant].append((dialogue, row))
    known, own = insights(run), own_ends(run.folder, used.rubric)
    ends = {end: [row for _, row in by_name[name]] for end, name in scale_ends(known).items() if name in by_name}
    tables = {str(table.get("name", "")): table for table in run.manifest.campaign.get("assistant", [])}
    order = [name for name in known if name in by_name] + [name for name in by_name if name not in known]
    for name in order:
        insight, held = known.get(name, Insight()), [row for _, row in by_name[name]]
        said = _assistant(name, insight, by_name[name], used, tables.get(name, {}), tariff(run.manifest.campaign, name))
        said = said.model_copy(update={"metrics": dict(_on_scales(said.metrics, own))})
        acted = any(row.metrics.get("state_success") is not None for row in held)
        scaled = acted and len(ends) == 2 and name not in scale_ends(known).values()
        key = (run.manifest.campaign.get("seed", 0), name)
        yield said.model_copy(update={"places": places(held, ends["floor"], ends["ceiling"], key)}) if scaled else said


def _assistant(
    name: str,
    insight: Insight,
    held: Sequence[tuple[Digest, Row]],
    used: Judging,
    written: Mapping[str, Any],
    prices: Tariff,
) -> AssistantSummary:
    found = [scored for _, scored in held]
    silent = ("user", "assistant") if written.get("elsewhere") else ("assistant",) if speaks_alone(written) else ()
    cost = spent((dialogue for dialogue, _ in held), silent)
    looks = [verdict for dialogue, _ in held for verdict in heard(dialogue.verdicts, used)]
    quotes = [quote for verdict in looks for quote in _quotes(verdict)]
    return AssistantSummary(
        name=name,
        context=insight.context,
        insight=insight,
        dialogues=len(found),
        profiles=len({each.profile for each in found}),
        unfinished=sum(not each.finished for each in found),
        cut_short=sum(each.cut_short for each in found),
        endings=tuple(_endings(found)),
        metrics={metric: _mean(metric, found, (name, used.rubric)) for metric in ordered(found[0].metrics)},
        heeding=heeding(found) if {*CHECKS} <= found[0].metrics.keys() else None,
        routes=dict(sum((Counter(each.routes) for each in found), Counter[str]())),
        state_routes=_added(each.state_routes for each in found),
        domains=tuple(_domains(found)),
        discarded=cost.discarded,
        quotes=sum(quote is not None for quote in quotes),
        quotes_found=sum(quote is True for quote in quotes),
        groundless=sum(quote is not True for quote in quotes),
        usage=cost.usage,
        unreported=cost.unreported,
        cost=costs(cost.usage, cost.judges, cost.unreported, prices),
        seconds=cost.seconds,
        judges={
            name: JudgeCost(usage=tokens, cost=price(tokens, prices.of_judge(name)), seconds=seconds)
            for name, (tokens, seconds) in by_judge(_shown(held, used)).items()
        },
    )


def _shown(held: Sequence[tuple[Digest, Row]], used: Judging) -> Iterator[VerdictDigest]:
    """Every verdict under the rubric and by the judges that are used, those that a later one replaced too."""
    return (verdict for dialogue, _ in held for verdict in dialogue.verdicts if used.covers(judged_by(verdict)))


def _domains(found: Sequence[Row]) -> Iterator[DomainSummary]:
    """What the end states show, domain by domain; nothing where all is of one domain or nothing was acted on."""
    strata: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        strata[row.domains[0] if len(row.domains) == 1 else SEVERAL].append(row)
    if len(strata) < 2 or not any(row.metrics.get("state_success") is not None for row in found):
        return
    for domain in sorted(strata, key=lambda name: (name == SEVERAL, name)):
        held = strata[domain]
        yield DomainSummary(domain=domain, dialogues=len(held), metrics={m: _counted(m, held) for m in SCALED})


def _endings(found: Sequence[Row]) -> Iterator[EndingCount]:
    """How the dialogues ended, the most frequent first."""
    details: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in found:
        end = each.ending
        details[(end.owner, end.reason) if end else ("", "")][end.detail if end else ""] += 1
    for (owner, reason), told in sorted(details.items(), key=lambda item: -item[1].total()):
        yield EndingCount(owner=owner, reason=reason, count=told.total(), detail=told.most_common(1)[0][0])


def _mean(metric: str, found: Sequence[Row], key: tuple[str, ...]) -> Mean:
    """The mean with its interval."""
    said = _counted(metric, found)
    if not said.n:
        return said
    observed = [(row.profile, value) for row in found if row.finished and (value := row.metrics[metric]) is not None]
    around = interval(observed, (*key, metric), share=metric in SHARES)
    return said.model_copy(
        update={
            "low": within_ends(metric, around.low),
            "high": within_ends(metric, around.high),
            "method": around.method,
            "profiles": around.profiles,
            "looks": _looks(metric, found),
            "expected": _expected(metric, found),
        }
    )


def _on_scales(means: Mapping[str, Mean], own: Mapping[str, tuple[float, float]]) -> Iterator[tuple[str, Mean]]:
    """The means, those of the rubric's own questions with the ends of their scales."""
    for metric, mean in means.items():
        ends = own.get(metric)
        around = {"low": within_ends(metric, mean.low, ends), "high": within_ends(metric, mean.high, ends)}
        yield metric, mean.model_copy(update={"ends": ends, **around}) if ends else mean


def _looks(metric: str, found: Sequence[Row]) -> Looks | None:
    """How far the looks lie apart; None where no dialogue was looked at several times."""
    several = [row for row in found if row.finished and metric in row.spreads]
    if not several:
        return None
    spread = math.fsum(row.spreads[metric] for row in several) / len(several)
    return Looks(dialogues=len(several), unstable=sum(metric in row.unstable for row in several), spread=spread)


def _expected(metric: str, found: Sequence[Row]) -> Expected | None:
    """The mean of the expected scores beside that of the scores said; None where there is none."""
    told = [row for row in found if row.finished and metric in row.expected]
    if not told:
        return None
    stated = [value for row in told if (value := row.metrics.get(metric)) is not None]
    masses = [mass for row in told if (mass := row.mass[metric]) is not None]
    return Expected(
        n=len(told),
        mean=math.fsum(row.expected[metric] for row in told) / len(told),
        stated=math.fsum(stated) / len(stated) if stated else None,
        mass=math.fsum(masses) / len(masses) if masses else None,
    )


def _counted(metric: str, found: Sequence[Row]) -> Mean:
    """The mean without an interval, and why dialogues are not in it."""
    finished = [each for each in found if each.finished]
    observed = [value for each in finished if (value := each.metrics.get(metric)) is not None]
    why = Counter(each.unscored[metric] for each in finished if metric in each.unscored)
    inapplicable = sum(why.pop(reason) for reason in list(why) if reason.startswith(NOT_APPLICABLE))
    return Mean(
        n=len(observed),
        mean=math.fsum(observed) / len(observed) if observed else None,
        unscored=why.total(),
        why=dict(why.most_common()),
        inapplicable=inapplicable,
    )


def _quotes(verdict: VerdictDigest) -> list[bool | None]:
    """Of each judgement whether its quote stands in the transcript; None where it has none."""
    scored = [score.quoted for score in verdict.scores.values() if score.value is not None]
    return scored + [each.quoted for each in verdict.preferences if each.outcome not in UNPROVEN]
