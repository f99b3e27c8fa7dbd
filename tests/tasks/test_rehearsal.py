"""What nobody could do is told before anybody tries, for the shipped tasks and for broken ones of one's own."""

from typing import Any

import pytest

from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains, shipped_tasks
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.stage import set_stage
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

from .inn import inns, task

INNS = {"Inns": inns()}
GIVEN = {"record": "stay", "fields": {"inn": "Inn C", "guests": 2, "night": "Friday"}}


def needs(where: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"require": [{"record": "stay", "where": where, **more}]}


def given(**fields: Any) -> dict[str, Any]:
    return {"given": [{"record": "stay", "fields": {**GIVEN["fields"], **fields}}]}  # type: ignore[dict-item]


def test_every_shipped_task_can_be_done() -> None:
    domains = {domain.name: domain for domain in certain(shipped_domains())}
    assert {each.id: why for each in certain(shipped_tasks()) if (why := obstacle(each, domains))} == {}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ""),
        ({"require": []}, ""),
        (needs({"guests": "two"}), "guests must be a number, not 'two'."),
        (needs({"guests": 50}), "nothing in the catalogue of Inns fits what it requires"),
        (needs({"guests": {"least": 9, "most": 1}}), "nothing keeps to"),
        (needs({"guests": {}}), "asks for nothing"),
        (needs({"town": "Cairn"}), "nothing in the catalogue of Inns fits what it requires"),
        (needs({"storeys": 2}), "no stay with storeys 2"),
        (needs({"inn": "Inn C"}, changes=True), "no given stay is there to be changed"),
        (needs({"inn": "Inn C"}, gone=True), "what it requires is there at the start"),
        ({**needs({"inn": "Inn C"}, gone=True), **given()}, ""),
        ({**needs({"inn": "Inn C", "guests": 1}, changes=True), **given()}, ""),
        ({**needs({"inn": "Inn C"}), **given()}, "what it requires is there at the start"),
        (given(inn="Nowhere Inn"), "given: stay: There is no inn 'Nowhere Inn'"),
        (given(guests="x"), "given: stay: guests must be a number, not 'x'."),
        (given(guests=9), "given: stay: Inn C takes guests up to"),
        (given(storeys=2), "given: stay: book_stay has no argument 'storeys'"),
        ({"given": [{"record": "stays"}]}, "given: its domains keep no 'stays'"),
    ],
)
def test_what_cannot_be_done_is_told(changes: dict[str, Any], told: str) -> None:
    try:
        found = obstacle(task(**changes), INNS)
    except BadInput as fault:
        found = fault.what
    except ValueError as fault:
        found = str(fault)
    assert told in found
    assert bool(told) == bool(found)


def test_a_given_record_takes_its_values_from_slots() -> None:
    world = World(set_stage(task(**given(inn="$house"), slots={"house": "Inn C"}, require=[]), INNS, (), 1))
    assert world.records[0].view["inn"] == "Inn C"
    assert world.records[0].given and not world.records[0].touched


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("records", 0, "fields", 1, "name"), "inn", "two fields are named 'inn'"),
        (("records", 0, "fields", 1, "name"), "id", "a field cannot be named 'id'"),
        (("records", 0, "fields", 1, "kind"), "entity", "only one field can name the entity"),
        (("records", 0, "fields", 1, "least"), 10, "nothing is at least 10 and at most 9"),
        (("records", 0, "fields", 4, "pattern"), "([", "is no regular expression"),
        (("records", 0, "tools", "create"), "book cafe!\x1b", "cannot name a tool"),
        (("entity", "attributes", 2, "name"), "limit", "an attribute cannot be named 'limit'"),
        (("entity",), None, "the domain lists none; add [entity]"),
    ],
)
def test_a_domain_that_cannot_work_is_refused(path: tuple[Any, ...], value: Any, told: str) -> None:
    written = inns().model_dump(mode="json")
    place = written
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    if path == ("entity",):
        for field in written["records"][0]["fields"]:
            field["among"] = field["at_most"] = ""
    with pytest.raises(ValueError, match=told.replace("[", r"\[")):
        Domain.model_validate(written)
