"""Phrasing: each act of the user in words: facts and tastes as the domains put them, the rest from templates."""

import re
from collections.abc import Callable, Mapping, Sequence

from duologue.agents.agenda.acts import Act, Taste
from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.particulars import known_of, particulars
from duologue.agents.agenda.standing import Standing
from duologue.agents.agenda.way import Way
from duologue.agents.words import in_words, readable, spoken
from duologue.tasks.saying import filled

__all__ = ["capital", "phrased"]


def phrased(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    """One act in words. `standing` is as it stands once the act is done."""
    return _PHRASES.get(act.kind, _plain)(brief, standing, act, way)


def capital(text: str) -> str:
    """`text` as a sentence begins."""
    return text[:1].upper() + text[1:]


def _plain(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say(act.kind)


def _restated(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return act.names[0] if act.names else way.say("press")


def _informed(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    facts = _facts_said(act.facts)
    if act.names:
        return way.say("inform_yes", facts=facts)
    again = all(standing.told[fact.name] > 2 for fact in act.facts)
    if way.style.verbosity == "terse" and not again:
        return f"{capital(facts)}."
    return way.say("inform_again" if again else "inform", facts=facts).replace(", please, please", ", please")


def _mended(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    again = standing.mended[act.facts[0].name] > 1
    name = "mend_more" if act.more else "mend_again" if again else "mend"
    return way.say(name, act.facts[0].name, facts=_facts_said(act.facts), said=_said_instead(act.names[0]))


def _tasted(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    if act.names:
        return way.say(f"taste_{act.names[0]}", tastes=_leaning(brief, act.tastes[0], way))
    return " ".join(way.say("taste", tastes=capital(_taste(brief, taste, way))) for taste in act.tastes)


def _untasted(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say(act.kind, types=_listed([readable(name) for name in act.names], "and"))


def _taken(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    name: str = act.kind
    if act.more:
        name = "go_ahead_more" if act.kind == "go_ahead" else "accept_more"
    return way.say(name, entity=act.names[0] if act.names else "")


def _rejected(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    first, *further = act.tastes
    return way.say(
        "reject", but=". ".join([_against(brief, first, way), *(capital(_rather(brief, t)) for t in further)])
    )


def _insisted(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say("insist", entity=act.names[0], said=act.names[1])


def _undone(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say(f"undo_{act.names[0]}")


def _checked(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say("check", name=_called(brief.facts[act.names[0]]))


def _next(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    facts = {fact.name: fact for fact in act.facts}
    things = [
        " ".join([readable(name), *(_beside(facts[fact]) for thing, fact in act.pairs if thing == name)])
        for name in act.names
    ]
    return way.say("next", things=_things(things))


def _of_itself(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    ways = [(name, way.choose(particulars()[name].says, name)) for name in act.names]
    return " ".join(capital(said.replace("{value}", known_of(brief.scenario.profile, name))) for name, said in ways)


def _unknown(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say("unknown_no" if act.names == ("no",) else "unknown")


def _kept_private(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say("private", things=_listed([particulars()[name].noun for name in act.names], "and"))


def _nudged(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say(act.kind, things=_things([readable(name) for name in act.names]))


def _repeated(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say(act.kind, act.facts[0].name, facts=_facts_said(act.facts))


def _named(brief: Brief, standing: Standing, act: Act, way: Way) -> str:
    return way.say("named", entity=act.names[0])


_PHRASES: Mapping[str, Callable[[Brief, Standing, Act, Way], str]] = {
    "open": _restated,
    "restate": _restated,
    "inform": _informed,
    "mend": _mended,
    "taste": _tasted,
    "no_taste": _untasted,
    "not_mine": _untasted,
    "accept": _taken,
    "choose": _taken,
    "go_ahead": _taken,
    "reject": _rejected,
    "insist": _insisted,
    "undo": _undone,
    "check": _checked,
    "next": _next,
    "named": _named,
    "of_itself": _of_itself,
    "unknown": _unknown,
    "private": _kept_private,
    "nudge": _nudged,
    "retry": _repeated,
    "confirm": _repeated,
}


_NOUNS = {"who": "person", "to": "destination", "from": "place of departure"}
"""What fields are called whose names are no nouns."""


def _called(fact: Known) -> str:
    """How the user speaks of a fact without saying it."""
    name = readable(fact.key or fact.name)
    if fact.form != "count":
        return _NOUNS.get(name, name)
    return "number of people" if "people" in fact.unit else f"number of {name}"


def _facts_said(facts: Sequence[Known]) -> str:
    return ", ".join(_fact_said(fact) for fact in facts)


def _fact_said(fact: Known) -> str:
    value = in_words(fact.value)
    if fact.say:
        return filled(fact.say, value)
    return f"{readable(fact.name)}: {value}" if fact.form == "truth" else f"the {readable(fact.name)} is {value}"


def _beside(fact: Known) -> str:
    """A fact as it stands after the thing that it sets apart: "on Monday", or in brackets where it is a sentence."""
    said = _fact_said(fact)
    return (
        said
        if said.split()[0] in ("on", "at", "from", "to", "with", "for", "in", "by")
        else f"({in_words(fact.value)})"
    )


def _said_instead(said: str) -> str:
    return in_words(int(said)) if said.isdigit() and len(said) < 6 else spoken(said)


def _taste(brief: Brief, taste: Taste, way: Way) -> str:
    """What the person likes and avoids in one respect, after the domain's own sentence for it."""
    shunned = {"not": _listed(taste.avoids, "or")}
    if not taste.likes:
        return way.say("only_not", taste.type, type=readable(taste.type), **shunned)
    says = _says(brief, taste)
    if taste.avoids:
        return way.say("likes_not", taste.type, says=says, **shunned)
    if way.style.verbosity == "terse":
        return says
    text = way.say("likes", taste.type, says="{says}")
    return text.replace("{says}", says if text.startswith("{says}") else _inside(says, taste))


def _leaning(brief: Brief, taste: Taste, way: Way) -> str:
    """What the person likes and avoids as it goes on after a yes or a no."""
    if not taste.likes:
        return f"please not {_listed(taste.avoids, 'or')}"
    shunned = f", but not {_listed(taste.avoids, 'or')}" if taste.avoids else ""
    return f"{_inside(_says(brief, taste), taste)}{shunned}"


def _inside(says: str, taste: Taste) -> str:
    """A domain's sentence as it goes on after other words: with a small letter, but for "I" and names."""
    own = says.startswith(taste.likes) or re.match(r"I\b", says)
    return says if own else says[:1].lower() + says[1:]


def _against(brief: Brief, taste: Taste, way: Way) -> str:
    """Why something is turned down: what is avoided in it, and what would be liked."""
    shunned = {"not": _listed(taste.avoids, "or")}
    if not taste.likes:
        return way.say("never_that", **shunned)
    says = _says(brief, taste)
    return way.say("rather_not", says=says, **shunned) if taste.avoids else way.say("rather", says=says)


def _rather(brief: Brief, taste: Taste) -> str:
    """What would be liked instead of something else that is turned down, and what would not."""
    shunned = _listed(taste.avoids, "or")
    if not taste.likes:
        return f"and please not {shunned}"
    return f"{_says(brief, taste)}, not {shunned}" if shunned else _says(brief, taste)


def _says(brief: Brief, taste: Taste) -> str:
    domain = next((each for each in brief.lexicon.domains if each.name == taste.domain), None)
    type = domain.type(taste.type) if domain else None
    say = (type.say if type else "") or f"for the {readable(taste.type)}, I like {{value}}"
    return filled(say, _listed(taste.likes, "or"))


def _things(names: Sequence[str]) -> str:
    """The names as they go on after "the"."""
    first, *more = names or ("whole thing",)
    return _listed([first, *(f"the {name}" for name in more)], "and")


def _listed(parts: Sequence[str], last: str) -> str:
    """The parts with commas, the last one after `last`."""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else list(parts))
