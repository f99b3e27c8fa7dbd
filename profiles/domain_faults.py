"""Whether a domain hangs together: its values with one another, its catalogue with its attributes."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from duologue.profiles.finding import Fault
from duologue.profiles.inclination import Inclined
from duologue.tasks.domain import Attribute, Domain, Held
from duologue.tasks.written import nearest

__all__ = ["faults_in_domain", "faults_in_hints", "shared_names"]

FORMS: dict[str, tuple[tuple[type, ...], str]] = {
    "choice": ((str,), "a text"),
    "choices": ((tuple,), "a list"),
    "number": ((int, float), "a number"),
    "text": ((str,), "a text"),
    "truth": ((bool,), "true or false"),
}


def faults_in_domain(domain: Domain) -> Iterator[Fault]:
    """What is wrong with what `domain` lists, one fault at a time."""
    seen: set[str] = set()
    for type in domain.preferences:
        if type.name in seen:
            yield Fault(f"preference type {type.name!r} was already written", "Rename one of them.")
        seen.add(type.name)
    if domain.records:
        yield from _faults_in_values(domain)
    if domain.entity:
        yield from _faults_in_catalogue(domain, {each.name: each for each in domain.entity.attributes})


def faults_in_hints(inclined: Inclined) -> Iterator[Fault]:
    """Hints that cannot be read after "The user ...", that say a value of their type, or that stand twice."""
    told: dict[str, str] = {}
    for name, inclination in inclined.inclinations.items():
        type = inclined.domain.type(name)
        for value, hints in inclination.hints.items():
            for hint in hints:
                place = f"[{name!r}.hints] {value!r}: {hint!r}"
                if not hint[:1].islower() or hint[-1:] in ".!?;:," or hint != hint.strip():
                    yield Fault(f"{place} is no clause to be read after 'The user ...'")
                for said in type.values if type else ():
                    if _says(hint, said):
                        yield Fault(f"{place} says the value {said!r}")
                if hint in told:
                    yield Fault(f"{place} stands under {told[hint]!r} too")
                told[hint] = value


def shared_names(domains: Mapping[str, Domain]) -> Iterator[tuple[str, Fault]]:
    """Tools and kinds of records that two domains call the same, each with the domain that comes second."""
    seen: dict[str, str] = {}
    for domain in domains.values():
        for name in _tool_names(domain):
            if name in seen:
                yield domain.name, Fault(f"{name!r} is already a name in {seen[name]}", "Rename one of them.")
            seen[name] = domain.name


def _tool_names(domain: Domain) -> Iterator[str]:
    if domain.entity:
        yield domain.entity.search or f"search_{domain.entity.plural}"
        yield domain.entity.get or f"get_{domain.entity.name}"
    for kind in domain.records:
        yield kind.name
        yield from filter(None, (kind.tools.create, kind.tools.change, kind.tools.cancel, kind.tools.list))


def _faults_in_values(domain: Domain) -> Iterator[Fault]:
    """Values by which one could not tell a preference in what somebody says."""
    places = [(type.name, value) for type in domain.preferences for value in type.values]
    for (one_type, one), (other_type, other) in combinations(places, 2):
        if one.casefold() == other.casefold():
            yield Fault(f"{one!r} is a value of {one_type!r} and of {other_type!r}")
        elif _says(one, other) or _says(other, one):
            yield Fault(f"{one!r} ({one_type}) and {other!r} ({other_type}): one is part of the other", level="note")


def _faults_in_catalogue(domain: Domain, attributes: Mapping[str, Attribute]) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, row in enumerate(domain.catalogue, 1):
        name = str(row.get("name", ""))
        place = f"catalogue line {number} ({name or 'no name'})"
        if not name or name.casefold() in seen:
            yield Fault(f"{place}: {'its name stands twice' if name else 'has no name'}")
        seen.add(name.casefold())
        for held in row:
            if held != "name" and held not in attributes:
                yield Fault(f"{place}: no attribute {held!r}{nearest(held, attributes)}")
        for attribute in attributes.values():
            if attribute.name not in row:
                yield Fault(f"{place}: lacks {attribute.name!r}")
            elif wrong := _wrong(row[attribute.name], attribute, domain):
                yield Fault(f"{place}: {attribute.name}: {wrong}")


def _wrong(held: Held, attribute: Attribute, domain: Domain) -> str:
    """Why `held` is nothing that `attribute` can hold."""
    form, told = FORMS[attribute.kind]
    if not isinstance(held, form) or (attribute.kind == "number" and isinstance(held, bool)):
        return f"expected {told}, found {held!r}"
    listed = domain.values(attribute.name) if attribute.kind in ("choice", "choices") else ()
    for value in held if isinstance(held, tuple) else (held,):
        if listed and value not in listed:
            return f"no value {value!r}{nearest(str(value), listed)}"
    return ""


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
