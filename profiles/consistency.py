"""Whether a profile hangs together: its preferences with the domains, its history with its preferences."""

import datetime
from collections.abc import Iterator, Mapping
from itertools import pairwise

from duologue.profiles.profile import Evidence, Preference, Profile, Session
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.written import nearest

__all__ = ["faults_in_history", "faults_in_preferences", "unresolved"]


def faults_in_preferences(profile: Profile, domains: Mapping[str, Domain]) -> Iterator[str]:
    """What is wrong with the preferences, each in one line that begins with the place in the profile."""
    return (fault for fault, _ in _faults(profile, domains))


def unresolved(profile: Profile, domains: Mapping[str, Domain]) -> Iterator[str]:
    """The preferences that no domain has, by name or by value, told likewise."""
    return (fault for fault, unknown in _faults(profile, domains) if unknown)


def _faults(profile: Profile, domains: Mapping[str, Domain]) -> Iterator[tuple[str, bool]]:
    """What is wrong with the preferences, and whether that is a name or a value which the domains lack."""
    for name, types in profile.preferences.items():
        if name not in domains:
            yield f"preferences: no domain {name!r}{nearest(name, domains)}", True
            continue
        for type_name, held in types.items():
            place = f"preferences.{name}.{type_name}"
            known = domains[name].type(type_name)
            if known is None:
                near = nearest(type_name, _names(domains[name]))
                yield f"preferences.{name}: no preference type {type_name!r}{near}", True
            else:
                yield from ((f"{place}: {fault}", unknown) for fault, unknown in _outside(held, known))
            yield from ((f"{place}: {fault}", False) for fault in _contradictions(held))


def faults_in_history(profile: Profile, domains: Mapping[str, Domain], today: datetime.date) -> Iterator[str]:
    """What is wrong with the history, each in one line that begins with the place in the profile."""
    for number, session in enumerate(profile.history, 1):
        place = f"history {number}"
        if session.domain not in domains:
            yield f"{place}: no domain {session.domain!r}{nearest(session.domain, domains)}"
        if session.date and session.date > today:
            yield f"{place}: {session.date} is in the future"
        later = profile.history[number:]
        for evidence in session.evidence:
            if fault := _unfounded(evidence, profile, later):
                yield f"{place}: {fault}"
    dates = [session.date for session in profile.history if session.date]
    for earlier, next_date in pairwise(dates):
        if next_date < earlier:
            yield f"history: {next_date} stands after {earlier}; write the oldest session first"


def _outside(held: tuple[Preference, ...], known: PreferenceType) -> Iterator[tuple[str, bool]]:
    if not known.multiple and sum(preference.polarity == "likes" for preference in held) > 1:
        yield "more than one value is liked, but the type takes one", False
    if known.open or not known.values:
        return
    for preference in held:
        if preference.value not in known.values:
            yield f"no value {preference.value!r}{nearest(preference.value, known.values)}", True


def _contradictions(held: tuple[Preference, ...]) -> Iterator[str]:
    polarities: dict[str, str] = {}
    for preference in held:
        before = polarities.setdefault(preference.value.casefold(), preference.polarity)
        if before != preference.polarity:
            yield f"{preference.value!r} is both liked and avoided"


def _unfounded(evidence: Evidence, profile: Profile, later: tuple[Session, ...]) -> str:
    """Why the profile does not bear the evidence out. What a later update supersedes was true in its time."""
    types = profile.preferences.get(evidence.domain, {})
    if evidence.type not in types:
        held = [f"{domain}.{type}" for domain, types in profile.preferences.items() for type in types]
        name = f"{evidence.domain}.{evidence.type}"
        return f"evidence of {name}, but the profile has no such preference{nearest(name, held)}"
    values = [preference.value for preference in types[evidence.type]]
    if evidence.kind == "distractor":
        liked = evidence.value in profile.likes(evidence.domain, evidence.type)
        return f"the distractor {evidence.value!r} is a value that the profile likes" if liked else ""
    if evidence.value in values or _superseded(evidence, later):
        return ""
    place = f"{evidence.domain}.{evidence.type}"
    return f"evidence of {place} = {evidence.value!r}, which the profile lacks{nearest(evidence.value, values)}"


def _superseded(evidence: Evidence, later: tuple[Session, ...]) -> bool:
    place = (evidence.domain, evidence.type)
    return evidence.kind != "update" and any(
        (other.domain, other.type) == place and other.kind == "update"
        for session in later
        for other in session.evidence
    )


def _names(domain: Domain) -> list[str]:
    return [type.name for type in domain.preferences]
