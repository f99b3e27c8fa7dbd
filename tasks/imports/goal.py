"""Goals: what the user of a dialogue wanted of each service in the end, read from the dialogue's states."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from duologue.tasks.imports.schema import DONT_CARE, Intent, Service, bare, padded
from duologue.tasks.imports.seen import Seen
from duologue.tasks.personalens import Note

__all__ = ["Goal", "Value", "Want", "forms", "goal_of", "likely_intents"]

UNSAID = ("", "none", "not mentioned")
"""What stands for a value where nothing was said."""


class Value(NamedTuple):
    """What a slot is to be: every form that will do, the one that the services use first."""

    slot: str
    forms: tuple[str, ...]
    offered: bool = False
    """The system came up with it; the user took what was offered."""


@dataclass(frozen=True)
class Want:
    """What is wanted of one service: its intents in the order met, the values, and what is to be told."""

    service: str
    intents: tuple[str, ...]
    values: tuple[Value, ...] = ()
    asked: tuple[str, ...] = ()


Goal = tuple[Want, ...]


@dataclass
class _Held:
    """What was said of one service so far."""

    intents: dict[str, None] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked: dict[str, None] = field(default_factory=dict)
    told: dict[str, set[str]] = field(default_factory=dict)
    """By slot, what the system came up with, case folded."""
    taken: dict[str, bool] = field(default_factory=dict)
    """By slot, whether the system came up with the value before the user had it."""
    spelt: dict[tuple[str, str], str] = field(default_factory=dict)
    """By slot and case-folded form, how the service itself puts it."""
    done: set[str] = field(default_factory=set)
    """The intents that were called."""


def goal_of(dialogue: Any, services: Mapping[str, Service], seen: Seen, *, infer: bool) -> tuple[Goal, list[Note]]:
    """The goal of a dialogue; empty where it has none, and the notes say why.

    What the services answered goes to `seen`. `infer`: intents follow from the slots where the states name none, and
    each state is whole, so that what it lacks is no longer wanted.
    """
    if not isinstance(dialogue, dict) or not isinstance(dialogue.get("turns"), list):
        return (), [Note("dropped", "dialogues without turns")]
    reading = _Reading(services, seen, whole=infer)
    for turn in dialogue["turns"]:
        reading.read(turn)
    goal = tuple(want for want in reading.wants(infer) if want.intents)
    return goal, list(dict.fromkeys(reading.notes))


def forms(value: Any, where: str) -> tuple[tuple[str, ...], list[Note]]:
    """The forms of a slot's value, none where nothing is asked of it, and a note where that is so."""
    several = [value] if isinstance(value, str | int | float) else value
    if not isinstance(several, list) or not all(isinstance(each, str | int | float) for each in several):
        return (), [Note("dropped", "values that are no text", where)]
    said = [padded(part.strip()) for each in several for part in str(each).split("|")]
    if any(re.sub(r"[\W_]", "", each).casefold() == DONT_CARE for each in said):
        return (), [Note("kept", "values that do not matter to the user (no constraint)", where)]
    return tuple(dict.fromkeys(each for each in said if each.casefold() not in UNSAID)), []


def likely_intents(service: Service, slots: Iterable[str]) -> tuple[str, ...]:
    """The intents that values for `slots` tell of: a search, and where something is to be booked, that too."""
    booking = any(slot.startswith("book") for slot in slots)
    found: list[Intent] = [*service.searches[:1]]
    if booking or not found:
        found += service.transactions[:1]
    return tuple(intent.name for intent in found)


class _Reading:
    """Reads a dialogue turn by turn."""

    def __init__(self, services: Mapping[str, Service], seen: Seen, *, whole: bool) -> None:
        self._services, self._seen, self._whole = services, seen, whole
        self._held: dict[str, _Held] = {}
        self._heard: list[str] = []
        self.notes: list[Note] = []

    def read(self, turn: Any) -> None:
        frames = turn.get("frames") if isinstance(turn, dict) else None
        if not isinstance(frames, list):
            self.notes.append(Note("dropped", "turns without frames"))
            return
        for frame in frames:
            name = frame.get("service") if isinstance(frame, dict) else None
            service = self._services.get(name) if isinstance(name, str) else None
            if service is None:
                self.notes.append(Note("dropped", "frames of a service that the schema does not have", repr(name)))
                continue
            held = self._held.setdefault(service.name, _Held())
            self._learn(service, held, frame)
            if turn.get("speaker") == "USER":
                self._user(service, held, frame.get("state"))
            else:
                self._system(service, held, frame)
        if turn.get("speaker") != "USER":
            self._heard.append(str(turn.get("utterance") or "").casefold())

    def _learn(self, service: Service, held: _Held, frame: Mapping[str, Any]) -> None:
        """How the service itself puts what was said."""
        for act in _objects(frame.get("actions")):
            slot = bare(service.name, str(act.get("slot")))
            for form, spelt in zip(act.get("values") or (), act.get("canonical_values") or (), strict=False):
                held.spelt[slot, str(form).casefold()] = padded(str(spelt))

    def _user(self, service: Service, held: _Held, state: Any) -> None:
        if not isinstance(state, dict):
            return
        intent = state.get("active_intent")
        if isinstance(intent, str) and intent in service.intents:
            held.intents.setdefault(intent)
        elif intent and intent != "NONE":
            self.notes.append(Note("dropped", "intents that their service does not have", f"{service.name}: {intent}"))
        table = state.get("slot_values")
        values = {bare(service.name, slot): value for slot, value in (table if isinstance(table, dict) else {}).items()}
        for slot, value in values.items():
            self._value(service, held, slot, value)
        for slot in [slot for slot in held.values if self._whole and slot not in values]:
            del held.values[slot]
            self.notes.append(Note("repaired", "values that a later state took back", f"{service.name}: {slot}"))
        for slot in state.get("requested_slots") or ():
            if (name := bare(service.name, str(slot))) in service.slots:
                held.asked.setdefault(name)
            else:
                self._unknown(service, name)

    def _value(self, service: Service, held: _Held, slot: str, value: Any) -> None:
        if slot not in service.slots:
            self._unknown(service, slot)
            return
        found, note = forms(value, f"{service.name}: {slot}")
        before = held.values.get(slot, ())
        self.notes += note
        if before and not _shared(before, found):
            what = f"{service.name}: {slot} was {before[0]!r}, is {found[0] if found else 'open'!r}"
            self.notes.append(Note("repaired", "values that changed in the dialogue (the last counts)", what))
        if not before or not _shared(before, found):
            held.taken[slot] = self._came_up(held, slot, found, by_name=slot == service.naming)
            if not held.taken[slot] and any(self._told(other, found) for other in self._held.values()):
                what = "values that another service came up with (the user knows them from the start)"
                self.notes.append(Note("kept", what, f"{service.name}: {slot}"))
        held.values[slot] = found

    def _came_up(self, held: _Held, slot: str, found: tuple[str, ...], *, by_name: bool) -> bool:
        """Whether the system came up with one of the forms: as an offer, or a name in its words."""
        folded = {each.casefold() for each in found}
        if folded & held.told.get(slot, set()):
            return True
        return by_name and any(form in said for form in folded for said in self._heard)

    def _told(self, held: _Held, found: tuple[str, ...]) -> bool:
        """Whether the system came up with one of the forms as a name or an address, for whatever slot."""
        folded = {each.casefold() for each in found if len(each) > 4}
        return any(folded & told for told in held.told.values())

    def _unknown(self, service: Service, slot: str) -> None:
        self.notes.append(Note("dropped", "slots that their service does not have", f"{service.name}: {slot}"))

    def _system(self, service: Service, held: _Held, frame: Mapping[str, Any]) -> None:
        for act in _objects(frame.get("actions")):
            if act.get("act") in ("OFFER", "INFORM"):
                several = (*(act.get("values") or ()), *(act.get("canonical_values") or ()))
                told = held.told.setdefault(bare(service.name, str(act.get("slot"))), set())
                told.update(str(each).casefold() for each in several)
        called = frame.get("service_call")
        if not isinstance(called, dict) or (intent := service.intents.get(str(called.get("method")))) is None:
            return
        parameters = called.get("parameters")
        for slot, value in (parameters if isinstance(parameters, dict) else {}).items():
            for form in held.values.get(slot, ()):
                held.spelt.setdefault((slot, form.casefold()), padded(str(value)))
        if intent.transactional and intent.name in held.done:
            what = "transactions that were called again (the last counts)"
            self.notes.append(Note("repaired", what, f"{service.name}: {intent.name}"))
        held.done.add(intent.name)
        if not intent.transactional:
            self._seen.add(service, _objects(frame.get("service_results")))

    def wants(self, infer: bool) -> Iterator[Want]:
        """What is wanted of each service in the end."""
        for name, held in self._held.items():
            service = self._services[name]
            values = tuple(_value(held, slot, found) for slot, found in held.values.items() if found)
            intents = tuple(held.intents)
            asked = tuple(slot for slot in held.asked if slot not in {each.slot for each in values})
            if infer and (values or asked):
                likely = likely_intents(service, (each.slot for each in values))
                for intent in likely:
                    if intent not in intents and (not intents or service.intents[intent].transactional):
                        self.notes.append(
                            Note("repaired", "intents that follow from the slots alone", f"{name}: {intent}")
                        )
                        intents = (*intents, intent)
            if values and not intents:
                self.notes.append(Note("dropped", "values of a service of which nothing is wanted", name))
            yield Want(name, intents, values, asked)


def _value(held: _Held, slot: str, found: tuple[str, ...]) -> Value:
    spelt = [held.spelt[slot, form.casefold()] for form in found if (slot, form.casefold()) in held.spelt]
    return Value(slot, tuple(dict.fromkeys((*spelt, *found))), held.taken.get(slot, False))


def _shared(one: Iterable[str], other: Iterable[str]) -> bool:
    return bool({each.casefold() for each in one} & {each.casefold() for each in other})


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
