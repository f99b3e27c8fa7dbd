"""A brief: what the user of one scenario comes with: aims, facts and tastes. Pure, made once for a dialogue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from duologue.agents.agenda.known import Known, known_facts
from duologue.agents.agenda.lexicon import Lexicon, Subject, build, subject, with_subjects
from duologue.agents.words import in_words, mentions
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wish, wishes
from duologue.tasks.aim import Aim, aims
from duologue.tasks.domain import Domain, key
from duologue.tasks.task import Task
from duologue.tasks.wish import Wish

__all__ = ["Brief", "brief"]

Pair = tuple[str, str]
Correction = Literal["silent", "object"]


@dataclass(frozen=True, eq=False)
class Brief:
    """What the user wants and knows, and the words in which it may be spoken of. Equal to itself alone."""

    scenario: Scenario
    aims: tuple[Aim, ...]
    facts: Mapping[str, Known]
    lexicon: Lexicon
    correction: Correction = "silent"

    @cached_property
    def wishes(self) -> Mapping[Pair, Wish]:
        """By (domain, type), what the user would have in what matters to the task."""
        return {(each.domain, each.type): each for each in wishes(self.scenario)}

    @cached_property
    def irrelevant(self) -> frozenset[Pair]:
        return frozenset((each.domain, each.type) for each in self.scenario.task.irrelevant)

    def wish(self, domain: str, type: str) -> Wish | None:
        """What the user would have in one respect; None where there is nothing to say."""
        if (domain, type) in self.irrelevant:
            return None
        held = self.wishes.get((domain, type))
        relevant = any((r.domain, r.type) == (domain, type) for r in self.scenario.task.relevant)
        return held if held is not None or relevant else wish(self.scenario.profile, domain, type)

    def facts_under(self, domain: str, key: str) -> tuple[Known, ...]:
        """The facts that a field or attribute must hold."""
        return tuple(fact for fact in self.facts.values() if (domain, key) in fact.places)

    def facts_of(self, aim: Aim) -> Iterator[Known]:
        """The facts that a record must hold to meet `aim`."""
        for name in aim.where:
            held = self.facts.get(aim.slots.get(name, name))
            if held is not None:
                yield held

    def request(self, number: int) -> str:
        """A request of the task with the facts in place of its `{slots}`, as a sentence; empty where it has none."""
        requests = self.scenario.task.requests
        return self.filled(requests[number % len(requests)]) if requests else ""

    def filled(self, template: str) -> str:
        """`template` with the facts in place of its `{slots}`, small numbers in words, as a sentence."""
        for name, fact in self.facts.items():
            template = template.replace(f"{{{name}}}", in_words(fact.value))
        return template[:1].upper() + template[1:]

    @lru_cache(maxsize=256)  # noqa: B019 - few are kept, and briefs with them
    def facts_in(self, text: str) -> tuple[Known, ...]:
        """The facts that some words of the user hold. Kept for a while: it begins with the same words each time."""
        return tuple(fact for fact in self.facts.values() if fact.slot and mentions(text, fact.value, fact.name))

    def required_beside(self, fact: Known) -> frozenset[str]:
        """The values of the other facts that the aims require, case folded."""
        return self._required_beside[fact.name]

    def values_beside(self, fact: Known) -> frozenset[str]:
        """The values of all other facts, those that no aim requires too, case folded."""
        return frozenset(value for name, value in self._folded.items() if name != fact.name)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return {name: str(fact.value).casefold() for name, fact in self.facts.items()}

    @cached_property
    def required(self) -> Mapping[str, Known]:
        """The facts that the aims require, by name."""
        return {fact.name: fact for aim in self.aims for fact in self.facts_of(aim)}

    @cached_property
    def _required_beside(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(self._folded[each] for each in self.required if each != name) for name in self.facts}


def brief(scenario: Scenario, domains: Mapping[str, Domain], correction: Correction) -> Brief:
    """The brief of `scenario`. Raises BadInput where its task requires what `domains` do not keep."""
    held = tuple(domains[name] for name in scenario.task.domains if name in domains)
    return _brief(scenario, held, correction)


@lru_cache(maxsize=64)
def _brief(scenario: Scenario, domains: tuple[Domain, ...], correction: Correction) -> Brief:
    """Kept for a while: several assistants meet the same user, and a judge reads what came of it."""
    aimed, facts, lexicon = _task(scenario.task, domains)
    return Brief(scenario, aimed, facts, lexicon, correction)


@lru_cache(maxsize=1024)
def _task(task: Task, domains: tuple[Domain, ...]) -> tuple[tuple[Aim, ...], Mapping[str, Known], Lexicon]:
    aimed = aims(task, {domain.name: domain for domain in domains})
    facts = {fact.name: fact for fact in known_facts(task, aimed)}
    lexicon = with_subjects(build(domains), [each for fact in facts.values() for each in _subjects(fact, domains)])
    return aimed, facts, lexicon


def _subjects(fact: Known, domains: Sequence[Domain]) -> Iterator[Subject]:
    """A fact as what is asked about: once for each record that it is for, or by its name alone."""
    timed = fact.form in ("day", "clock", "date")
    for name, own in fact.places or (("", fact.name),):
        owner = next((each for each in domains if each.name == name), None)
        spec = next((each for each in owner.described if each.name == own), None) if owner else None
        told = f"{spec.ask}. {spec.description}" if spec else ""
        made = subject("fact", name, fact.name, told, spec, key(own))
        if timed:
            made = replace(made, sorts=made.sorts | {"time"})
        yield replace(made, unsaid=fact.withheld and fact.slot)
