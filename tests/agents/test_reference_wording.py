"""What the reference assistants say: sentences, as people would write them, in every domain."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from duologue.agents.references.errand import Done
from duologue.agents.references.wording import Wording
from duologue.tasks.aim import Aim
from duologue.tasks.domain import Domain, RecordKind
from duologue.tasks.library import certain, shipped_domains
from duologue.tasks.tool import Verb

from .stating import SUPPERS, THAI

DOMAINS = {domain.name: domain for domain in certain(shipped_domains())}
FORMLIKE = re.compile(
    r"\b1\b(?!:| (?:am|pm))"  # the figure: one person, one ticket
    r"|\bone (?:people|nights|days|weeks|tickets|sessions|bags|bicycles|cases|places|travellers)\b"
    r"|\b[Aa] [aeiou](?!ne\b|ne-|ni|se)|\bthe The\b|\{|\}|\b(?:it|it's) (?:is|has to|should|must)\b|, please|\.\."
)


def reported(domain: Domain, fields: dict[str, Any], verb: Verb = "create", record: str = "") -> str:
    """How a record with those fields is told of, with what its entity has."""
    kind = domain.record(record) or domain.records[0]
    entity = next((e for e in domain.entities if e.name == fields.get(kind.entity_field)), None)
    known = {"name": entity.name, **entity.values} if entity else None
    settled = {name: value for name, value in fields.items() if name in ("party", "day")}
    return Wording("here").report(Done(verb, Aim(domain, kind, settled, {}), fields, known, "r-1"), 1)


@pytest.mark.parametrize(
    ("party", "told"), [(1, "for one person"), (2, "for two people"), (12, "for twelve people"), (20, "for 20 people")]
)
def test_people_are_counted_in_words(party: int, told: str) -> None:
    assert told in reported(SUPPERS, {"tavern": THAI, "day": "Friday", "party": party})


def test_what_a_domain_has_no_words_for_is_told_in_a_sentence_all_the_same() -> None:
    fields = [
        {"name": "tavern", "kind": "entity", "required": True},
        {"name": "guests", "kind": "number"}, {"name": "budget", "kind": "number", "unit": "euros"},
        {"name": "hour"}, {"name": "motto", "kind": "text"}, {"name": "dogs", "kind": "truth"},
        {"name": "party", "kind": "number", "say": "I need this many seats: {value}"},
    ]  # fmt: skip
    domain = SUPPERS.changed(records=[{**SUPPERS.records[0].model_dump(), "fields": fields}])
    held = {"tavern": THAI, "guests": 1, "budget": 30, "hour": "at six", "motto": "Cheers", "dogs": True, "party": 3}
    told = reported(domain, held)
    for part in ("one guest,", "a budget of 30 euros", "Cheers as the motto", "with dogs", "a party of three"):
        assert part in told
    assert "at six for the hour" in told
    assert "Thai for the cuisine and quiet for the room" in told


def records(domain: Domain, kind: RecordKind) -> Iterator[dict[str, Any]]:
    """A record for each place in the lists of values, so that each value stands in one."""
    longest = max(len(domain.values(field.name)) for field in kind.fields)
    for place in range(max(longest, 12 if domain.entity else 0)):
        held: dict[str, Any] = {}
        for field in kind.fields:
            values = domain.values(field.name)
            if field.kind == "entity":
                held[field.name] = domain.entities[place % len(domain.entities)].name
            elif field.kind == "number":
                held[field.name] = 1 + place % 3
            elif field.kind in ("choice", "choices"):
                held[field.name] = values[place % len(values)]
            elif field.kind == "text":
                held[field.name] = "18:30" if "HH:MM" in field.description else "Noor"
        yield held


@pytest.mark.parametrize("name", DOMAINS)
def test_no_shipped_domain_has_it_speak_like_a_form(name: str) -> None:
    domain = DOMAINS[name]
    verbs: tuple[Verb, ...] = ("create", "change", "cancel")
    told = [
        reported(domain, held, verb, kind.name)
        for kind in domain.records
        for held in records(domain, kind)
        for verb in verbs
    ]
    assert not [sentence for sentence in told if FORMLIKE.search(sentence)]
    assert len(told) > 9
