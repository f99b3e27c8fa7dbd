"""The agenda: what the user does next, from its brief, what it has heard, and where things stand. No words yet."""

from collections.abc import Sequence
from dataclasses import replace

from duologue.agents.agenda.accepting import responses
from duologue.agents.agenda.acts import Act, Turn
from duologue.agents.agenda.answering import answers
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.checking import checked
from duologue.agents.agenda.confirming import confirmed
from duologue.agents.agenda.heard import Heard, Report
from duologue.agents.agenda.objecting import mended, objections
from duologue.agents.agenda.standing import Standing, is_new
from duologue.agents.agenda.urging import blamed, is_yes, urges

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
    if not acts and (heard.reports or gained) and len(standing.done) == len(brief.aims):
        return Turn((Act("close"),), "satisfied")
    acts += _in_reply(brief, standing, heard, acts)
    acts = acts or list(urges(brief, standing, heard, gained=gained))
    progress = gained or any(is_new(standing, act) for act in acts)
    standing.heard.append(heard)
    return _or_leave(brief, standing, acts, progress)


def _in_reply(brief: Brief, standing: Standing, heard: Heard, acts: Sequence[Act]) -> list[Act]:
    """What is said to questions, offers, proposals and passed on errors; `acts` are what the user says first."""
    if not acts and (again := blamed(brief, standing, heard)):
        return [again]
    found = [*acts, *mended(brief, standing, heard, acts)]
    found += answers(brief, heard)
    return [*found, *responses(brief, standing, heard, found)][len(acts) :]


def _as_answer(standing: Standing, heard: Heard) -> Heard:
    """What was heard; where a report was asked about just before, plain words such as "on Sunday" are the report. A yes
    to whether something was done makes a report of what was said before."""
    if "done_yet" in standing.kinds and is_yes(heard):
        before = standing.heard[-1]
        return replace(before, reports=(Report("done", 0, len(before.clauses), before.clauses[0].quote),))
    asked_about = {"check", "vague"} & set(standing.kinds)
    if not asked_about or heard.reports or heard.asked or heard.go_ahead or heard.choose or heard.refuses:
        return heard
    whole = Report("done", 0, len(heard.clauses), heard.clauses[0].quote)
    return replace(heard, reports=(whole,))


def _on_reports(brief: Brief, standing: Standing, heard: Heard) -> list[Act]:
    """What there is to say against what is told as done; nothing where it agrees. Vague reports get one question."""
    confirming, standing.confirming = standing.confirming, ()
    if confirming and not heard.reports:
        return list(confirmed(brief, standing, heard, confirming))
    done = set(standing.done)
    found, stray = checked(brief, heard, sorted(standing.done), standing.chosen)
    acts = [act for each in found for act in objections(brief, standing, heard, each, confirming)]
    vague = tuple(name for act in acts if act.kind == "vague" for name in act.names)
    if stray and not found and brief.aims:
        vague = ("stray",)
    if set(standing.done) - done:
        vague = ()
    rest = sorted((act for act in acts if act.kind != "vague"), key=lambda act: act.kind == "confirm")
    return [*rest, Act("vague", names=vague)] if vague else rest


def _or_leave(brief: Brief, standing: Standing, acts: Sequence[Act], progress: bool) -> Turn:
    """The turn with these acts, unless the reply that they answer was one too many that did not help."""
    standing.unhelpful += not progress
    if standing.unhelpful > brief.scenario.profile.style.patience:
        return Turn((Act("give_up"),), "gave_up")
    return Turn(tuple(acts))
