"""Tasks of goals: what is to be true in the world in the end, as far as records can show it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from duologue.tasks.domain import key
from duologue.tasks.imports.domains import CLOCK, DAY, Place
from duologue.tasks.imports.goal import Goal, Value, Want
from duologue.tasks.imports.naming import named
from duologue.tasks.imports.schema import Service
from duologue.tasks.imports.wording import Told, goal_in_words, intent_in_words, request_in_words
from duologue.tasks.personalens import Note
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.task import Bound, Fact, Task
from duologue.tasks.written import parse

__all__ = ["make_task"]

_WHEN = re.compile(r"date|time|day", re.IGNORECASE)


class _Known(NamedTuple):
    """A value that the user knows: under which name, and as what."""

    value: Value
    name: str
    fact: Fact


def make_task(id: str, goal: Goal, places: Mapping[str, Place]) -> tuple[Task, list[Note]]:
    """The task of a goal. Where the world cannot show that it is met, nothing is required of the world."""
    notes: list[Note] = []
    known = {want.service: _known(want, goal, places, notes) for want in goal}
    told: list[Told] = [_told(want, places[want.service], known[want.service]) for want in goal]
    facts = {each.name: each.fact for held in known.values() for each in held.values()}
    require = [need for want in goal for need in _required(want, places[want.service], known[want.service], notes)]
    task = parse(
        Task,
        {
            "id": id,
            "domains": [places[want.service].domain.name for want in goal],
            "intent": intent_in_words(told),
            "goal": goal_in_words(told),
            "slots": facts,
            "requests": [request_in_words(told)],
            "require": require,
        },
        id,
    )
    if why := require and obstacle(task, {place.domain.name: place.domain for place in places.values()}):
        notes.append(Note("kept", "goals that no world of these services can meet (judged by a model)", f"{id}: {why}"))
        return task.changed(require=()), notes
    return task, notes


def _known(want: Want, goal: Goal, places: Mapping[str, Place], notes: list[Note]) -> dict[str, _Known]:
    """By slot, what the user knows from the start: not what was chosen among offers, which is to be chosen again."""
    place = places[want.service]
    found: dict[str, _Known] = {}
    for value in want.values:
        slot = value.slot
        if value.offered and place.domain.entity and (slot == place.service.naming or slot in place.attributes):
            what = "values that the user took from an offer (left to be chosen)"
            notes.append(Note("kept", what, f"{want.service}: {slot}"))
            continue
        found[slot] = _Known(value, _name(want, slot, goal, place.service), _fact(place, value))
    return found


def _name(want: Want, slot: str, goal: Goal, service: Service) -> str:
    """A slot's name in the task: with its service where another one has a slot of that name."""
    shared = any(each.slot == slot for other in goal if other is not want for each in other.values)
    name = named(service, slot)
    prefix = key(f"{want.service.lower()}_")
    return name if not shared or name.startswith(prefix) else f"{prefix}{name}"


def _fact(place: Place, value: Value) -> Fact:
    """The value as the world has it, where one of its forms is known there."""
    service, slot = place.service, value.slot
    if slot == service.naming:
        known = {entity.name.casefold(): entity.name for entity in place.domain.entities}
        return next((known[form.casefold()] for form in value.forms if form.casefold() in known), value.forms[0])
    facts = (service.slots[slot].fact(form) for form in value.forms)
    return next((fact for fact in facts if fact is not None), value.forms[0])


def _told(want: Want, place: Place, known: Mapping[str, _Known]) -> Told:
    return place.service, want.intents, {slot: (each.name, each.fact) for slot, each in known.items()}, want.asked


def _required(want: Want, place: Place, known: Mapping[str, _Known], notes: list[Note]) -> Iterator[dict[str, Any]]:
    """A record for each transaction, with what it can be held to."""
    for intent in want.intents:
        if intent not in place.records:
            continue
        where: dict[str, Any] = {}
        for slot, each in known.items():
            if place.holds(intent, slot):
                if _in_free_words(place, each):
                    what = "days and times in free words (the record is not held to them)"
                    notes.append(Note("kept", what, f"{want.service}: {slot} = {each.fact}"))
                else:
                    where[named(place.service, slot)] = _needed(place, each)
        yield {"record": place.records[intent], "where": where}


def _needed(place: Place, each: _Known) -> Any:
    """What a record must hold: the fact, any of its forms, or whatever keeps to the time that it bounds."""
    how = place.attributes.get(each.value.slot, "same")
    if how in ("at_most", "at_least"):
        held = {str(entity.values[named(place.service, each.value.slot)]) for entity in place.domain.entities}
        clock = str(each.fact)
        keeping = sorted(time for time in held if (time <= clock if how == "at_most" else time >= clock))
        return Bound(any=tuple(dict.fromkeys((clock, *keeping))))
    if not isinstance(each.fact, str):
        return f"${each.name}"
    others = [form for form in each.value.forms if form.casefold() != each.fact.casefold()]
    bare = [form.lstrip("$") for form in (each.fact, *others) if form.startswith("$")]
    if bare or (others and _is_text(place, each.value.slot)):
        return Bound(any=tuple(dict.fromkeys((each.fact, *others, *bare))))
    return f"${each.name}"


def _is_text(place: Place, slot: str) -> bool:
    """Whether anything can stand in a slot; what has a list or a form is spelt in one way only."""
    if slot == place.service.naming and place.domain.entity:
        return False
    return place.service.slots[slot].form == "text" and not _pattern(place, slot)


def _pattern(place: Place, slot: str) -> str:
    fields = (each for kind in place.domain.records for each in kind.fields)
    return next((each.pattern for each in fields if each.name == named(place.service, slot) and each.pattern), "")


def _in_free_words(place: Place, each: _Known) -> bool:
    """Whether a value is a day or a time such as "half past ten", which others would put otherwise."""
    slot = each.value.slot
    if not isinstance(each.fact, str) or slot in place.attributes or place.service.slots[slot].form != "text":
        return False
    if pattern := _pattern(place, slot):
        return not re.fullmatch(pattern, each.fact)
    return bool(_WHEN.search(slot)) and not re.fullmatch(f"{DAY}|{CLOCK}", each.fact)
