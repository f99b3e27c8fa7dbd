"""A verdict: scores with reasons and evidence, whole or turn by turn."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.agents.verdict import NOT_APPLICABLE, Evidence, PreferenceVerdict, Score, Verdict
from duologue.judging import judged_by
from duologue.measures import SCALES, SHARES, label, ordered
from duologue.views.layout import BAD, GOOD, JUDGE, QUIET, WARN
from duologue.views.text import plain, safe

__all__ = ["Finding", "by_turn", "draw", "findings", "heading", "remarks"]

NOWHERE = "the quote is not in the transcript"
OUTCOMES = {"met": GOOD, "unmet": WARN, "violated": BAD}


@dataclass(frozen=True, slots=True)
class Finding:
    """One judgement: what of, what it is, why, and where it rests."""

    name: str
    value: Text
    reason: str
    evidence: Evidence | None

    def __rich__(self) -> Text:
        told = Text.assemble((safe(self.name), "bold"), "  ", self.value)
        if self.reason:
            told.append("\n").append_text(plain(self.reason))
        if self.evidence is not None and self.evidence.quote:
            told.append("\n").append_text(_quoted(self.evidence))
        return told


def findings(verdict: Verdict) -> Iterator[Finding]:
    """The judgements of a verdict: scores in the usual order, then preferences."""
    of_state = judged_by(verdict).of_state
    for name in verdict.scores if of_state else ordered(verdict.scores):
        score = verdict.scores[name]
        metric = f"state_{name}" if of_state else name
        yield Finding(label(metric), _score(metric, score), score.reason, score.evidence)
    for preference in verdict.preferences:
        name = f"{preference.domain}, {preference.type}"
        yield Finding(name, _outcome(preference), preference.reason, preference.evidence)


def by_turn(found: Iterable[Finding]) -> dict[tuple[int, str], list[Finding]]:
    """The findings by the (turn, role) in which their quote stands; those that stand nowhere under (0, "")."""
    places: dict[tuple[int, str], list[Finding]] = defaultdict(list)
    for finding in found:
        evidence = finding.evidence
        known = evidence is not None and evidence.found and evidence.turn is not None
        places[(evidence.turn or 0, evidence.role) if evidence and known else (0, "")].append(finding)
    return places


def heading(verdict: Verdict) -> Text:
    """Whose verdict it is."""
    if judged_by(verdict).of_state:
        by = f"by state: read from the world's end state, no model ({verdict.rubric[:8]})"
        return Text.assemble(("verdict  ", f"bold {JUDGE}"), (by, QUIET))
    by = f"by {safe(verdict.judge)} under the rubric {safe(verdict.rubric_name)} ({verdict.rubric[:8]})"
    return Text.assemble(("verdict  ", f"bold {JUDGE}"), (by, QUIET))


def remarks(verdict: Verdict) -> Iterator[RenderableType]:
    """What is wrong with the verdict, if anything."""
    if verdict.unscored:
        yield Text("unscored: ", style=f"bold {WARN}").append_text(plain(verdict.unscored, WARN))
    for warning in _doubts(verdict):
        yield plain(f"! {warning}", WARN)
    if verdict.answer:
        yield Text("its answer as it came:", style=QUIET)
        yield plain(verdict.answer, QUIET)


def _doubts(verdict: Verdict) -> Iterator[str]:
    """The verdict's warnings, with all quotes that stand nowhere in one line: beside each of them it is said too."""
    quotes = [finding.evidence for finding in findings(verdict) if finding.evidence and finding.evidence.quote]
    if missing := sum(not quote.found for quote in quotes):
        yield f"{missing} of {len(quotes)} quotes {'is' if missing == 1 else 'are'} not in the transcript"
    for warning in verdict.warnings:
        name, between, what = warning.partition(": ")
        if what != NOWHERE:
            yield f"{label(name)}{between}{what}" if name in verdict.scores else warning


def draw(verdict: Verdict) -> RenderableType:
    """The whole verdict."""
    blocks: list[RenderableType] = [heading(verdict), *remarks(verdict)]
    for finding in findings(verdict):
        blocks += [Text(), finding]
    return Group(*blocks)


def _score(name: str, score: Score) -> Text:
    if score.value is None and score.unscored.startswith(NOT_APPLICABLE):
        return Text(safe(score.unscored), style=QUIET)
    if score.value is None:
        return Text(f"unscored: {safe(score.unscored) or 'no score given'}", style=WARN)
    if name == "state_regret":
        return Text(f"{100 * score.value:.0f} %", style="bold")
    if name in SHARES or isinstance(score.value, bool):
        return Text("yes", style=f"bold {GOOD}") if score.value else Text("no", style=f"bold {BAD}")
    told = Text(f"{score.value:g}", style="bold")
    return told.append(f" of {SCALES[name][1]:g}", style=QUIET) if name in SCALES else told


def _outcome(preference: PreferenceVerdict) -> Text:
    if preference.outcome == "unscored":
        return Text(f"unscored: {safe(preference.unscored) or 'no outcome given'}", style=WARN)
    told = Text(preference.outcome.replace("_", " "), style=f"bold {OUTCOMES.get(preference.outcome, QUIET)}")
    known = {"verbatim": "the context held it verbatim", "evidence": "the context held evidence of it"}
    notes = [preference.route, known.get(preference.held, "")]
    return told.append("".join(f", {note}" for note in notes if note), style=QUIET)


def _quoted(evidence: Evidence) -> Text:
    quote = plain(f"“{evidence.quote}”", f"italic {JUDGE}")
    where = f"  {evidence.role} {evidence.turn}".rstrip() if evidence.turn is not None else ""
    if not evidence.found:
        return quote.append("  not in the transcript", style=f"bold {BAD}")
    if evidence.claimed_turn is not None:
        where += f" (it said turn {evidence.claimed_turn})"
    return quote.append(where, style=QUIET)
