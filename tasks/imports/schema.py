"""Schemas in the form that SGD and MultiWOZ 2.2 share: services with their slots and intents."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from duologue.tasks.imports.stream import elements
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["DONT_CARE", "Intent", "Service", "Slot", "bare", "padded", "read_services"]

DONT_CARE = "dontcare"
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True)
class Slot:
    """One thing that a service can be told or can tell. `values` is empty where any is possible."""

    name: str
    description: str
    values: tuple[str, ...] = ()

    @property
    def form(self) -> Literal["truth", "number", "choice", "text"]:
        """How its values are written in the world: the schema writes them all as text."""
        if not self.values:
            return "text"
        if set(self.values) == {"True", "False"}:
            return "truth"
        return "number" if all(value.isdecimal() for value in self.values) else "choice"

    def fact(self, form: str) -> str | int | bool | None:
        """What a form of a value is in the world; None where it can be nothing there, or is not listed."""
        found = next((value for value in self.values if value.casefold() == form.casefold()), None)
        if self.form == "truth":
            return None if found is None else found == "True"
        if self.form == "number":
            return int(form) if form.isdecimal() else None
        return found


@dataclass(frozen=True)
class Intent:
    """One thing that can be wanted of a service."""

    name: str
    description: str
    transactional: bool
    required: tuple[str, ...]
    optional: Mapping[str, str]
    """By slot, what holds where nothing is said; `dontcare` where that is nothing."""
    results: tuple[str, ...]

    @property
    def takes(self) -> tuple[str, ...]:
        """The slots that it can be told."""
        return tuple(dict.fromkeys((*self.required, *self.optional)))


@dataclass(frozen=True)
class Service:
    """What a schema says of one service; slots are named without the service."""

    name: str
    description: str
    slots: Mapping[str, Slot]
    intents: Mapping[str, Intent]

    @property
    def searches(self) -> tuple[Intent, ...]:
        return tuple(intent for intent in self.intents.values() if not intent.transactional)

    @property
    def transactions(self) -> tuple[Intent, ...]:
        return tuple(intent for intent in self.intents.values() if intent.transactional)

    @cached_property
    def naming(self) -> str:
        """The slot by which one of what it lists is chosen; empty where nothing is known by a name."""
        needed = [slot for intent in self.transactions for slot in intent.required]
        found = [slot for intent in self.searches for slot in intent.results if slot in needed]
        told = found if any(intent.results for intent in self.intents.values()) else list(self.slots)
        named = [slot for slot in told if not self.slots[slot].values]
        return next((slot for slot in named if re.search(r"(^|_)(name|title)$", slot)), "") or next(
            (slot for slot in named if slot == f"{self.name}id"), ""
        )


def bare(service: str, slot: str) -> str:
    """The name of a slot without its service's: `hotel-area` is `area`."""
    return slot.removeprefix(f"{service}-")


def padded(value: str) -> str:
    """`value`, a clock time with two digits for the hour: `9:30` is `09:30`."""
    return f"0{value}" if re.fullmatch(r"[0-9]:[0-5][0-9]", value) else value


def read_services(paths: list[Path]) -> tuple[dict[str, Service], list[Note]]:
    """The services of some schema files by name. Raises BadInput where one cannot be used."""
    services: dict[str, Service] = {}
    notes: list[Note] = []
    for path in paths:
        for number, entry in elements(path):
            service, found = _service(entry, f"{path}, service {number}")
            notes += found
            if service.name in services and service != services[service.name]:
                what = "services that several schemas tell differently (put together)"
                notes.append(Note("repaired", what, service.name))
                service = _united(services[service.name], service)
            services[service.name] = service
    return services, notes


def _service(entry: Any, where: str) -> tuple[Service, list[Note]]:
    try:
        name = str(entry["service_name"])
        slots, notes = _slots(name, entry["slots"])
        intents = {each["name"]: _intent(name, each) for each in entry["intents"]}
        about = str(entry.get("description") or "")
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"is no service with slots and intents ({error!r})", where) from None
    for intent in intents.values():
        for slot in dict.fromkeys((*intent.takes, *intent.results)):
            if slot not in slots:
                notes.append(Note("repaired", "slots of an intent that its service does not list", f"{name}: {slot}"))
                slots[slot] = Slot(slot, _readable(slot))
    return Service(name, about, slots, intents), notes


def _slots(service: str, entries: Any) -> tuple[dict[str, Slot], list[Note]]:
    slots: dict[str, Slot] = {}
    notes: list[Note] = []
    for entry in entries:
        name = bare(service, entry["name"])
        if name in slots:
            notes.append(Note("dropped", "slots that a service lists twice", f"{service}: {name}"))
            continue
        listed = entry.get("possible_values") if entry.get("is_categorical") else ()
        values = tuple(_cased(str(value)) for value in listed or () if str(value).casefold() != DONT_CARE)
        slots[name] = Slot(name, str(entry.get("description") or _readable(name)), tuple(dict.fromkeys(values)))
    return slots, notes


def _intent(service: str, entry: dict[str, Any]) -> Intent:
    optional = entry.get("optional_slots") or {}
    pairs = optional.items() if isinstance(optional, dict) else [(slot, DONT_CARE) for slot in optional]
    return Intent(
        name=entry["name"],
        description=str(entry.get("description") or _readable(entry["name"])),
        transactional=bool(entry["is_transactional"]),
        required=tuple(_named(service, entry.get("required_slots"))),
        optional={bare(service, slot): str(value) for slot, value in pairs},
        results=tuple(_named(service, entry.get("result_slots"))),
    )


def _named(service: str, slots: Any) -> Iterator[str]:
    return (bare(service, slot) for slot in slots or ())


def _united(one: Service, other: Service) -> Service:
    slots = {**other.slots, **one.slots}
    for name in one.slots.keys() & other.slots.keys():
        values = (
            one.slots[name].values and other.slots[name].values and (*one.slots[name].values, *other.slots[name].values)
        )
        slots[name] = replace(one.slots[name], values=tuple(dict.fromkeys(values)))
    return replace(one, slots=slots, intents={**other.intents, **one.intents})


def _readable(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _cased(value: str) -> str:
    """`value`, a day of the week with a capital."""
    return value.capitalize() if value in _DAYS else value
