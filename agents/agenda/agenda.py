"""The agenda: what the user does next, from its brief, what it has heard, and where things stand. No words yet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from duologue.agents.agenda.accepting import responses
from duologue.agents.agenda.acts import Act, Turn
from duologue.agents.agenda.answering import answers
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.checking import checked
from duologue.agents.agenda.heard import Heard, Report
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.objecting import mended, objections
from duologue.agents.agenda.standing import Standing, is_new

__all__ = ["decided"]


def decided(brief: Brief, standing: Standing, heard: Heard) -> Turn:
    """The user's next turn after what it has heard. Notes in `standing` what the assistant has settled and how patient
    the user still is; what the turn itself says is noted by `standing.after`."""
    if heard.empty:
        return _or_leave(brief, standing, [Act("hear_again")], progress=False)
    heard = _as_answer(standing, heard)
    before = len(standing.done)
    acts = _on_reports(brief, standing, heard)
    gained = len(standing.done) > before
    if not acts and heard.reports and len(standing.done) == len(brief.aims):
        return Turn((Act("close"),), "satisfied")
    acts += mended(brief, standing, heard, acts)
    acts += answers(brief, heard)
    acts += responses(brief, standing, heard, acts)
    progress = gained or any(is_new(standing, act) for act in acts)
    return _or_leave(brief, standing, acts or list(_otherwise(brief, standing, heard, gained)), progress)


def _as_answer(standing: Standing, heard: Heard) -> Heard:
    """What was heard; where a report was asked about just before, plain words such as "on Sunday" are the report."""
    asked_about = {"check", "vague"} & set(standing.kinds)
    if not asked_about or heard.reports or heard.asked or heard.go_ahead or heard.choose or heard.refuses:
        return heard
    whole = Report("done", 0, len(heard.clauses), heard.clauses[0].quote)
    return replace(heard, reports=(whole,))


def _on_reports(brief: Brief, standing: Standing, heard: Heard) -> list[Act]:
    """What there is to say against what is told as done; nothing where it agrees. Vague reports get one question."""
    found, stray = checked(brief, heard, sorted(standing.done), standing.chosen)
    acts = [act for each in found for act in objections(brief, standing, each)]
    vague = tuple(name for act in acts if act.kind == "vague" for name in act.names)
    if stray and not found and brief.aims:
        vague = ("stray",)
    rest = [act for act in acts if act.kind != "vague"]
    return [*rest, Act("vague", names=vague)] if vague else rest


def _or_leave(brief: Brief, standing: Standing, acts: Sequence[Act], progress: bool) -> Turn:
    """The turn with these acts, unless the reply that they answer was one too many that did not help."""
    standing.unhelpful += not progress
    if standing.unhelpful > brief.scenario.profile.style.patience:
        return Turn((Act("give_up"),), "gave_up")
    return Turn(tuple(acts))


def _otherwise(brief: Brief, standing: Standing, heard: Heard, gained: bool) -> Iterator[Act]:
    """What to say to a reply that neither asks, offers nor reports anything to go on with."""
    left = [n for n in range(len(brief.aims)) if n not in standing.done]
    if gained:
        yield _left(brief, standing, left)
    elif heard.puzzling or heard.choose:
        asks_name = any(" name" in f" {question.lower()}" for question in heard.puzzling)
        named = brief.scenario.profile.name
        yield Act("named", names=(named,)) if asks_name and named else Act("leave_open")
    elif heard.refuses:
        yield Act("press")
    elif heard.unavailable or heard.lacking:
        yield Act("another")
    elif heard.waits and not heard.anything_else:
        yield Act("wait")
    elif heard.anything_else and standing.done:
        yield _left(brief, standing, left)
    else:
        yield _restated(brief, standing)


def _left(brief: Brief, standing: Standing, left: Sequence[int]) -> Act:
    """Naming what is still to be done; of two things of a kind the one that is left by what sets it apart and the
    assistant may know."""
    things = tuple(dict.fromkeys(brief.aims[n].record.name for n in left))
    facts: dict[str, Known] = {}
    pairs: list[tuple[str, str]] = []
    for name in things:
        kind = [n for n, aim in enumerate(brief.aims) if aim.record.name == name]
        own = [n for n in kind if n in left]
        if len(kind) < 2 or len(own) > 1:
            continue
        known = {fact.name for n in kind if n not in own for fact in brief.facts_of(brief.aims[n])}
        apart = [f for f in brief.facts_of(brief.aims[own[0]]) if f.name not in known and f.slot]
        for fact in [f for f in apart if not f.withheld or standing.told[f.name]][:2]:
            facts[fact.name] = fact
            pairs.append((name, fact.name))
    return Act("next", tuple(facts.values()), how="unasked", names=things, pairs=tuple(pairs))


def _restated(brief: Brief, standing: Standing) -> Act:
    """The request again, in another of its wordings."""
    text = brief.request(standing.openings + len(brief.scenario.profile.id))
    return Act("restate", brief.facts_in(text), how="unasked", names=(text,) if text else ())
