"""A verdict: scores with reasons and evidence, whole or turn by turn."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from duologue.agents.rubric import Rubric, Scale
from duologue.agents.verdict import NOT_APPLICABLE, Evidence, PreferenceVerdict, Score, Verdict
from duologue.scoring.judging import judged_by
from duologue.scoring.measures import SCALES, SHARES, label
from duologue.views.layout import BAD, GOOD, JUDGE, QUIET, WARN, joined
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
    grounded: bool | None = None
    """Whether a quote that stands in the transcript bears it out; None where there is nothing to bear out."""
    looks: Text | None = None
    """What each look said, where there are several."""
    again: bool = False
    """Whether its quote stands nowhere, and others have the same: the remarks tell it once."""

    def __rich__(self) -> Text:
        told = Text.assemble((safe(self.name), "bold"), "  ", self.value)
        if self.again:
            told.append("  without evidence", style=WARN)
        if self.looks is not None:
            told.append("\n").append_text(self.looks)
        if self.reason:
            told.append("\n").append_text(plain(self.reason))
        if self.again:
            return told
        if self.evidence is not None and self.evidence.quote:
            told.append("\n").append_text(_quoted(self.evidence))
        elif self.grounded is False:
            told.append("\n").append("without evidence", style=WARN)
        return told


def findings(verdict: Verdict, looks: Sequence[Verdict] = (), rubric: Rubric | None = None) -> Iterator[Finding]:
    """The judgements of a verdict: scores in the order of its rubric, then preferences. Where it is folded from several
    `looks`, what each of them said stands beside. `rubric` tells the scales, else only usual ones are known.
    """
    of_state, often = judged_by(verdict).of_state, {quote for quote, times in _nowhere(verdict).items() if times > 1}
    for name, score in verdict.scores.items():
        metric = f"state_{name}" if of_state else name
        value = _score(metric, score, _top(metric, rubric))
        if name in verdict.taken:
            value.append("  taken over from an earlier verdict", style=QUIET)
        said = [(each.judge, _brief(each.scores[name])) for each in looks if name in each.scores]
        grounded = None if of_state else score.grounded
        again = _is_among(often, score.evidence)
        yield Finding(label(metric), value, score.reason, score.evidence, grounded, _each(said), again)
    for place in verdict.preferences:
        found = [(each.judge, p) for each in looks for p in each.preferences if (p.domain, p.type) == _key(place)]
        told = _each([(judge, each.outcome.replace("_", " ")) for judge, each in found])
        grounded, again = None if of_state else place.grounded, _is_among(often, place.evidence)
        yield Finding(", ".join(_key(place)), _outcome(place), place.reason, place.evidence, grounded, told, again)


def _nowhere(verdict: Verdict) -> Counter[str]:
    """The quotes that do not stand in the transcript, and how many judgements rest on each."""
    return Counter(each.quote for each in _quotes(verdict) if not each.found)


def _quotes(verdict: Verdict) -> list[Evidence]:
    """All that is quoted."""
    rests = (*(each.evidence for each in verdict.scores.values()), *(each.evidence for each in verdict.preferences))
    return [each for each in rests if each is not None and each.quote]


def _is_among(quotes: Collection[str], evidence: Evidence | None) -> bool:
    return evidence is not None and not evidence.found and evidence.quote in quotes


def _key(preference: PreferenceVerdict) -> tuple[str, str]:
    return preference.domain, preference.type


def _brief(score: Score) -> str:
    """A score in a word."""
    if score.value is None:
        return "unscored"
    return ("yes" if score.value else "no") if isinstance(score.value, bool) else f"{score.value:g}"


def _each(said: Sequence[tuple[str, str]]) -> Text | None:
    """What several looks said, equal answers together, judge by judge; marked where they differ."""
    if len(said) < 2:
        return None
    if len({answer for _, answer in said}) == 1:
        return Text(f"{len(said)} looks agree", style=QUIET)
    judges = dict.fromkeys(judge for judge, _ in said)
    told = []
    for judge in judges:
        counts = Counter(answer for by, answer in said if by == judge)
        answers = ", ".join(f"{answer} ({times} ×)" if times > 1 else answer for answer, times in counts.items())
        told.append(f"{safe(judge)}: {answers}" if len(judges) > 1 else answers)
    given = {answer for _, answer in said} - {"unscored"}
    apart = [float(answer) for answer in given if answer.replace(".", "").replace("-", "").isdigit()]
    text = Text(f"{len(said)} looks: ", style=QUIET).append_text(joined(told))
    if len(given) > 1:
        text.append("; unstable", style=WARN)
        text.append(f", spread {max(apart) - min(apart):g}" if apart else "", style=WARN)
    return text


def by_turn(found: Iterable[Finding]) -> dict[tuple[int, str], list[Finding]]:
    """The findings by the (turn, role) in which their quote stands, those of tools at the assistant's turn; those that
    stand nowhere under (0, "")."""
    places: dict[tuple[int, str], list[Finding]] = defaultdict(list)
    for finding in found:
        evidence = finding.evidence
        known = evidence is not None and evidence.found and evidence.turn is not None
        role = "assistant" if evidence and evidence.role == "tool" else evidence.role if evidence else ""
        places[(evidence.turn or 0, role) if evidence and known else (0, "")].append(finding)
    return places


def heading(verdict: Verdict, looks: Sequence[Verdict] = ()) -> Text:
    """Whose verdict it is, and from how many `looks` it is folded."""
    if judged_by(verdict).of_state:
        by = f"by state: read from the world's end state, no model ({verdict.rubric[:8]})"
        return Text.assemble(("verdict  ", f"bold {JUDGE}"), (by, QUIET))
    by = f"by {safe(verdict.judge)} under the rubric {safe(verdict.rubric_name)} ({verdict.rubric[:8]})"
    by += f", folded from {len(looks)} looks" if len(looks) > 1 else ""
    return Text.assemble(("verdict  ", f"bold {JUDGE}"), (by, QUIET))


def remarks(verdict: Verdict) -> Iterator[RenderableType]:
    """What is wrong with the verdict, if anything."""
    if verdict.unscored:
        yield Text("unscored: ", style=f"bold {WARN}").append_text(plain(verdict.unscored, WARN))
    for warning in _doubts(verdict):
        yield plain(f"! {warning}", WARN)
    for quote, times in _nowhere(verdict).items():
        if times > 1:
            yield plain(f"“{quote}”", f"italic {JUDGE}").append(
                f"  {times} × not in the transcript", style=f"bold {BAD}"
            )
    if verdict.answer:
        yield Text("its answer as it came:", style=QUIET)
        yield plain(verdict.answer, QUIET)


def _doubts(verdict: Verdict) -> Iterator[str]:
    """The verdict's warnings, with all quotes that stand nowhere in one line: beside each of them it is said too."""
    quotes = len(_quotes(verdict))
    if missing := _nowhere(verdict).total():
        yield f"{missing} of {quotes} quotes {'is' if missing == 1 else 'are'} not in the transcript"
    for warning in verdict.warnings:
        name, between, what = warning.partition(": ")
        if what != NOWHERE:
            yield f"{label(name)}{between}{what}" if name in verdict.scores else warning


def draw(verdict: Verdict, looks: Sequence[Verdict] = (), rubric: Rubric | None = None) -> RenderableType:
    """The whole verdict, folded from several `looks` where there are such."""
    blocks: list[RenderableType] = [heading(verdict, looks), *remarks(verdict)]
    for finding in findings(verdict, looks, rubric):
        blocks += [Text(), finding]
    return Group(*blocks)


def _top(name: str, rubric: Rubric | None) -> float | None:
    """The upper end of a score's scale; None where it is none of numbers, or is not known."""
    if rubric is None:
        return SCALES[name][1] if name in SCALES and name not in SHARES else None
    scale = next((each.scale for each in rubric.dimensions if each.name == name), None)
    return scale.high if isinstance(scale, Scale) else None


def _score(name: str, score: Score, top: float | None) -> Text:
    """A score as people read it; `top` is the upper end of its scale, where it has one that is known."""
    if score.value is None and score.unscored.startswith(NOT_APPLICABLE):
        return Text(safe(score.unscored), style=QUIET)
    if score.value is None:
        return Text(f"unscored: {safe(score.unscored) or 'no score given'}", style=WARN)
    if name == "state_regret":
        return Text(f"{100 * score.value:.0f} %", style="bold")
    if isinstance(score.value, bool) or (name in SHARES and top is None):
        told = Text("yes", style=f"bold {GOOD}") if score.value else Text("no", style=f"bold {BAD}")
        return told.append_text(_expected(score))
    told = Text(f"{score.value:g}", style="bold")
    told.append(f" of {top:g}" if top is not None else "", style=QUIET)
    return told.append_text(_expected(score))


def _expected(score: Score) -> Text:
    """The expected score, and the mass that it rests on."""
    if score.expected is None:
        return Text()
    mass = "" if score.mass is None else f" (mass {score.mass:.2f}{', too little to rely on' if score.vague else ''})"
    return Text(f", expected {score.expected:.2f}{mass}", style=QUIET)


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
