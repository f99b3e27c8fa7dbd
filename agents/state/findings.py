"""Findings: what became of each preference that matters, and what that is worth, from a world's final records."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from duologue.agents.events import Disclosure
from duologue.agents.state.matter import Matter
from duologue.agents.state.routes import way
from duologue.agents.verdict import UNHELD, Outcome, PreferenceVerdict
from duologue.tasks.aim import Aim, keeps_to
from duologue.tasks.catalogue import several
from duologue.tasks.choice import borne
from duologue.tasks.domain import key
from duologue.tasks.record import Record
from duologue.tasks.wish import Wish, holds, worth

__all__ = ["LIKES_NOTHING", "SAID_OTHERWISE", "UNDECIDED", "found", "misused", "regret"]

Pair = tuple[str, str]
LIKES_NOTHING = "the profile names no liked value"
SAID_OTHERWISE = "the user asked for it, whatever the profile says"
UNDECIDED = "no record decides it"


def found(matter: Matter, domain: str, type: str, held: Literal["", "verbatim", "evidence"]) -> PreferenceVerdict:
    """What became of one relevant preference. `held` is how far the assistant's context held it."""
    verdict = partial(PreferenceVerdict, domain=domain, type=type, held=held)
    wish = next((each for each in matter.wishes if (each.domain, each.type) == (domain, type)), None)
    if wish is None:
        return verdict(unscored=UNHELD)
    deciding = matter.deciding(domain, wish.key)
    if not deciding:
        return verdict(outcome="no_decision", reason=UNDECIDED)
    record = _telling(wish, [record for _, record in deciding])
    outcome, reason = _outcome(matter, wish, record, deciding)
    if outcome == "unscored":
        return verdict(unscored=reason)
    came = way(matter, record, wish.key, type)
    return verdict(outcome=outcome, reason=reason, route=came.route, evidence=came.evidence, told=came.told)


def regret(matter: Matter) -> float | None:
    """What the choices fell short of the best ones, as a share of the weight of all wishes that they decide: 0 to 1.

    None where nothing was chosen, or where nothing was wished for.
    """
    lost = total = 0.0
    for aim in matter.aims:
        about = borne(aim, matter.wishes)
        chosen = matter.chosen(aim) if about else []
        ideal = max((choice.worth for choice in matter.possible(aim)), default=0.0) if chosen else 0.0
        lost += sum(max(0.0, ideal - worth(record.view, about)) for record in chosen)
        total += len(chosen) * sum(wish.weight for wish in about)
    return min(1.0, lost / total) if total else None


def misused(matter: Matter, likes: Mapping[Pair, Sequence[str]]) -> list[Pair]:
    """The pairs of `likes`, irrelevant to the task, in which what was chosen is what the user likes for itself.

    Values that the user told in the dialogue, or that a slot settles, were chosen for this purpose. Somebody who
    chooses without knowing the user hits one by chance too: k of n values liked are hit in k/n of all choices.
    """
    return [pair for pair, values in likes.items() if _is_misused(matter, *pair, values)]


def _telling(wish: Wish, records: Sequence[Record]) -> Record:
    """Of several records the one that tells what became of the wish: the worst."""
    spoilt = (record for record in records if wish.spoilt_by(record.view[wish.key]))
    unmet = (record for record in records if not wish.met_by(record.view[wish.key]))
    return next(spoilt, None) or next(unmet, records[0])


def _outcome(matter: Matter, wish: Wish, record: Record, deciding: Sequence[tuple[Aim, Record]]) -> tuple[Outcome, str]:
    """The outcome and why; where it is unscored, why that is."""
    value = record.view[wish.key]
    if wish.spoilt_by(value):
        gone = any(holds(value, each) for each in wish.former)
        return "violated", f"{_plain(value)} is {'given up' if gone else 'avoided'} by the user"
    if wish.met_by(value):
        return "met", f"{_plain(value)} is liked"
    if not wish.likes:
        return "unscored", LIKES_NOTHING
    pair = (wish.domain, wish.type)
    if not any(pair in choice.met for aim, _ in deciding for choice in matter.possible(aim)):
        return "infeasible", f"nothing that can be had is {_plain(wish.likes)}"
    wanted = _wanted(wish, matter.disclosed(*pair))
    if any(holds(value, each) for each in wanted):
        return "unscored", SAID_OTHERWISE
    if wanted and not all(_is_forced(matter, aim, each, wish) for aim, each in deciding):
        return "violated", f"chose {_plain(value)} where the user had said {_plain(wanted)}"
    return "unmet", f"chose {_plain(value)}, not {_plain(wish.likes)}"


def _wanted(wish: Wish, told: Iterable[tuple[int, Disclosure]]) -> list[str]:
    """What the user said to want, without what it said to avoid."""
    return [entry.value for _, entry in told if not wish.spoilt_by(entry.value)]


def _is_forced(matter: Matter, aim: Aim, record: Record, wish: Wish) -> bool:
    """Whether nothing that can be had meets the wish beside all that the record meets: it was a matter of weighing."""
    kept = {(w.domain, w.type) for w in borne(aim, matter.wishes) if w is wish or w.met_by(record.view.get(w.key))}
    return not any(kept <= choice.met for choice in matter.possible(aim))


def _is_misused(matter: Matter, domain: str, type: str, likes: Sequence[str]) -> bool:
    told = {entry.value for _, entry in matter.disclosed(domain, type)}
    own = [value for value in likes if value not in told]
    return any(
        holds(record.view[key(type)], value) and not _is_settled(aim, key(type), record)
        for aim, record in matter.deciding(domain, key(type))
        for value in own
    )


def _is_settled(aim: Aim, name: str, record: Record) -> bool:
    """Whether the record holds what the task itself requires under `name`."""
    fact = aim.where.get(name)
    return fact is not None and keeps_to(record.view[name], fact)


def _plain(value: Any) -> str:
    return " or ".join(map(str, several(value)))
