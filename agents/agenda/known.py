"""Known: the facts that the user of a task knows for sure. Pure.

A fact is told, asked for and corrected by the name of its slot, or of its field where it has none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from duologue.agents.agenda.moments import is_day
from duologue.agents.agenda.spans import ends_of
from duologue.agents.agenda.spelling import said
from duologue.agents.agenda.vocabulary import units, words
from duologue.agents.words import readable
from duologue.tasks.aim import Aim
from duologue.tasks.task import Bound, Fact, Task

__all__ = ["Known", "known_facts"]

_HOW_MANY = re.compile(r"\bhow many (\w+)", re.IGNORECASE)
"""What a question for a number counts."""

Form = Literal["entity", "day", "clock", "date", "count", "choice", "text", "truth"]


@dataclass(frozen=True)
class Known:
    """One fact of a task: a slot, or a required value that no slot names."""

    name: str
    value: Fact
    form: Form
    domain: str = ""
    key: str = ""
    """The field or attribute that must hold it, where one must."""
    say: str = ""
    """How it is put, with `{value}`."""
    ask: str = ""
    description: str = ""
    unit: frozenset[str] = frozenset()
    """For a count, the words that it counts."""
    others: tuple[str, ...] = ()
    """For a choice, what else could stand there; for a text, what else does at the start."""
    places: tuple[tuple[str, str], ...] = ()
    """Every (domain, field or attribute) that it fills; `domain` and `key` are the first."""
    says: tuple[str, ...] = ()
    """How it is put in each."""
    withheld: bool = False
    slot: bool = True
    bound: Bound | None = None
    """What is required where it is not the value itself: at most 110."""
    ends: tuple[str, ...] = ()
    """For how long something lasts, and the day on which it begins: the days of the week on which it may end."""


def known_facts(task: Task, aimed: Sequence[Aim]) -> tuple[Known, ...]:
    """Every slot of the task and every plain value that its aims require, each once, slots first."""
    found: dict[str, Known] = {}
    for name, value in task.slots.items():
        tied = [(aim, key) for aim in aimed for key, slot in aim.slots.items() if slot == name]
        found[name] = _joined([_known(name, value, key, aim) for aim, key in tied] or [_known(name, value, name, None)])
        found[name] = replace(found[name], withheld=name in task.withheld)
        if found[name].form == "text":
            found[name] = replace(found[name], others=tuple(_given_beside(task, tied, value)))
    for aim in aimed:
        for key, fact in aim.where.items():
            if key not in aim.slots and not isinstance(fact, Bound) and key not in found:
                found[key] = replace(_known(key, fact, key, aim), withheld=True, slot=False)
    for aim, length, ends in ends_of(task, aimed):
        lasting = aim.slots.get(length, length)
        days = (aim.slots.get(name, name) for name in aim.where)
        for name in (lasting, *(day for day in days if day in found and found[day].form == "day")):
            found[name] = replace(found[name], ends=ends)
    return tuple(found.values())


def _given_beside(task: Task, tied: Sequence[tuple[Aim, str]], value: Fact) -> Iterator[str]:
    """What stands in the place of a fact in the records that there are at the start."""
    places = {(aim.record.name, key) for aim, key in tied}
    for given in task.given:
        for name, held in given.fields.items():
            if (given.record, name) in places and str(held) != str(value):
                yield str(held)


def _known(name: str, value: Fact, key: str, aim: Aim | None) -> Known:
    """A fact as one record holds it, or as none does."""
    domain = aim.domain if aim else None
    own = (*aim.record.fields, *aim.domain.described) if aim else ()
    spec = next((each for each in own if each.name == key), None)
    kind = spec.kind if spec else ""
    options = domain.values(key) if domain and kind in ("choice", "choices") else ()
    form = _form(value, kind, options)
    need = aim.where.get(key) if aim else None
    if kind == "entity" and domain and domain.entity:
        key = domain.entity.name
    return Known(
        name,
        value,
        form,
        domain.name if domain else "",
        key if domain else "",
        say=spec.say if spec else "",
        ask=spec.ask if spec else "",
        description=spec.description if spec else "",
        unit=_counted(name, key, spec) if form == "count" else frozenset(),
        others=options,
        places=((domain.name, key),) if domain else (),
        says=(spec.say,) if spec and spec.say else (),
        bound=need if isinstance(need, Bound) else None,
    )


def _joined(held: Sequence[Known]) -> Known:
    """One fact from how each record holds it."""
    return replace(
        held[0],
        unit=frozenset(word for each in held for word in each.unit),
        places=tuple(dict.fromkeys(place for each in held for place in each.places)),
        says=tuple(dict.fromkeys(say for each in held for say in each.says)),
        say=next((each.say for each in held if each.say), ""),
    )


def _form(value: Fact, kind: str, options: Sequence[str]) -> Form:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "count"
    if kind == "entity":
        return "entity"
    text = str(value)
    if is_day(text):
        return "day"
    if re.fullmatch(r"\d{1,2}:\d\d", text):
        return "clock"
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return "date"
    return "choice" if options else "text"


def _counted(name: str, key: str, spec: object) -> frozenset[str]:
    """The words that a number of it goes with."""
    asked = _HOW_MANY.search(getattr(spec, "ask", ""))
    before, _, after = getattr(spec, "say", "").partition("{value}")
    found = {*said(readable(name)), *said(readable(key)), *said(getattr(spec, "unit", ""))}
    found |= set(said(asked[1] if asked else "")) | (set(said(before)) & words("people")) | set(said(after)[:1])
    found -= words("uncounted")
    found |= {word for group in units() if found & set(group) for word in group}
    return frozenset(found | words("people") if found & words("people") else found)
