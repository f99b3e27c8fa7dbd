"""The disclosure ledger: what the user's words let out, asked or unasked. Pure functions."""

from collections.abc import Iterator, Mapping

from duologue.agents.events import Disclosure
from duologue.agents.transcript import Transcript
from duologue.agents.words import Value, asks_about, asks_at_large, mentions, tokens
from duologue.profiles.profile import Preference
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain

__all__ = ["asked", "declaration", "disclosures"]

Domains = Mapping[str, Domain]


def disclosures(
    scenario: Scenario,
    before: Transcript,
    text: str,
    declared: tuple[Disclosure, ...] = (),
    domains: Domains | None = None,
) -> tuple[Disclosure, ...]:
    """The preference values and slot facts that `text`, said after `before`, lets out, each once.

    Declared ones stand first, judged against the profile; then what matches the profile's values in
    the task's domains and the slots. `asked` is what the assistant's turn just before asked about.
    """
    heard = before.said_by("assistant")
    question = heard[-1] if heard and before.messages[-1].role == "assistant" else ""
    entries = [_judged(scenario, question, entry, domains or {}) for entry in declared]
    known = {(entry.type, _key(entry.value)) for entry in entries} | {("", _key(entry.value)) for entry in entries}
    for entry in _matched(scenario, question, text, domains or {}):
        if (entry.type, _key(entry.value)) not in known and not (
            entry.what == "preference" and ("", _key(entry.value)) in known
        ):
            known.add((entry.type, _key(entry.value)))
            entries.append(entry)
    return tuple(_unique(entries))


def declaration(scenario: Scenario, domain: str, type: str, value: str, wish: str = "likes") -> Disclosure:
    """What a user says it disclosed: a fact where it names a slot, else a preference.

    `wish` is `likes` or `avoids`; against the profile's own polarity it contradicts.
    """
    slots = scenario.task.slots
    if type in slots or (not domain and any(mentions(value, slot, name) for name, slot in slots.items())):
        right = type not in slots or mentions(value, slots[type], type) or mentions(str(slots[type]), value)
        how = "unasked" if right else "contradicts"
        return Disclosure(what="fact", type=type, value=value, how=how, source="declared")  # type: ignore[arg-type]
    held = [p for _, _, p in _held(scenario, domain, type) if _same(p.value, value)]
    against = bool(held) and all(p.polarity != wish for p in held)
    how = "contradicts" if against else "unasked"
    return Disclosure(what="preference", domain=domain, type=type, value=value, how=how, source="declared")  # type: ignore[arg-type]


def asked(question: str, scenario: Scenario, domain: str, type: str, domains: Domains) -> bool:
    """Whether `question` asks about that preference type of the profile, or about preferences at large."""
    kind = domains[domain].type(type) if domain in domains else None
    values = [p.value for _, _, p in _held(scenario, domain, type)] + list(kind.values if kind else ())
    return asks_at_large(question) or asks_about(question, type, values, kind.description if kind else "")


def _judged(scenario: Scenario, question: str, entry: Disclosure, domains: Domains) -> Disclosure:
    if entry.how == "contradicts":
        return entry
    if entry.what == "fact":
        how = "asked" if asks_about(question, entry.type, (entry.value,)) else "unasked"
        return entry.changed(how=how)
    if not any(_same(p.value, entry.value) for _, _, p in _held(scenario, entry.domain, entry.type)):
        return entry.changed(how="invented")
    return entry.changed(how=_how(question, scenario, entry.domain, entry.type, domains))


def _matched(scenario: Scenario, question: str, text: str, domains: Domains) -> Iterator[Disclosure]:
    for name, value in scenario.task.slots.items():
        if mentions(text, value, name):
            how = "asked" if asks_about(question, name, (value,)) else "unasked"
            yield Disclosure(what="fact", type=name, value=str(value), how=how, source="matched")  # type: ignore[arg-type]
    for domain, type, held in _held(scenario):
        if mentions(text, held.value):
            how = _how(question, scenario, domain, type, domains)
            yield Disclosure(what="preference", domain=domain, type=type, value=held.value, how=how, source="matched")  # type: ignore[arg-type]


def _held(scenario: Scenario, domain: str = "", type: str = "") -> Iterator[tuple[str, str, Preference]]:
    """The profile's preferences in the task's domains; only those of `domain` and `type` where given."""
    for name in scenario.task.domains:
        for kind, preferences in scenario.profile.preferences.get(name, {}).items():
            if domain in ("", name) and type in ("", kind):
                yield from ((name, kind, preference) for preference in preferences)


def _how(question: str, scenario: Scenario, domain: str, type: str, domains: Domains) -> str:
    return "asked" if asked(question, scenario, domain, type, domains) else "unasked"


def _same(held: Value, said: Value) -> bool:
    return mentions(str(said), held) or mentions(str(held), said)


def _key(value: str) -> str:
    return " ".join(tokens(value)) or value


def _unique(entries: list[Disclosure]) -> list[Disclosure]:
    return list({(e.what, e.domain, e.type, _key(e.value)): e for e in reversed(entries)}.values())[::-1]
