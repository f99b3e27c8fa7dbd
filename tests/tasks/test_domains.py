"""The shipped domains, tasks and situations."""

import re
from collections import Counter
from pathlib import Path

import pytest

from duologue.agents.words import mentions
from duologue.tasks.aim import aims
from duologue.tasks.choice import borne
from duologue.tasks.domain import Domain, RecordKind, key
from duologue.tasks.library import (
    certain,
    line_entries,
    shipped_domains,
    shipped_situations,
    shipped_tasks,
    toml_entries,
    toml_files,
)
from duologue.tasks.task import Task
from duologue.tasks.wish import Wish
from duologue.tasks.written import BadInput

DOMAINS = {domain.name: domain for domain in certain(shipped_domains())}
TASKS = tuple(certain(shipped_tasks()))
PREFERENCE_WORDS = ("you like", "you prefer", "you love", "you hate", "you avoid", "your favourite")


NAMES = [
    "Alarm", "Books", "Buses", "Calendar", "Events", "Finance", "Flights", "Games", "Hotels", "Media", "Messaging",
    "Movies", "Music", "Rental Cars", "Restaurants", "Services", "Shopping", "Sports", "Train", "Travel",
]  # fmt: skip


def test_twenty_domains_with_ninety_types_and_more() -> None:
    assert sorted(DOMAINS) == NAMES
    assert sum(len(domain.preferences) for domain in DOMAINS.values()) >= 90
    for domain in DOMAINS.values():
        assert domain.description
        assert len(domain.preferences) >= 4
        for type in domain.preferences:
            assert type.description, type.name
            assert type.ask.endswith("?"), type.name
            assert "{value}" in type.say, type.name
            assert len(type.values) == len(set(type.values)) >= 4, type.name


def test_every_type_is_tied_to_an_attribute_or_a_field() -> None:
    for domain in DOMAINS.values():
        tied = {each.name for each in domain.described}
        assert {key(type.name) for type in domain.preferences} <= tied, domain.name


def test_catalogues_hold_sixty_entities_and_more_with_every_attribute() -> None:
    for domain in (domain for domain in DOMAINS.values() if domain.entity):
        assert domain.entity is not None
        attributes = {attribute.name for attribute in domain.entity.attributes}
        names = [entity.name.casefold() for entity in domain.entities]
        assert len(set(names)) == len(names) >= 60, domain.name
        assert not set(names) & {name.casefold() for name in domain.entity.newcomers}
        assert all(set(entity.values) == attributes for entity in domain.entities), domain.name


def test_no_value_of_a_matter_of_taste_stands_out_in_a_catalogue() -> None:
    """Guessing what is most common there must not pay: no value on more than twice its even share."""
    for domain in (domain for domain in DOMAINS.values() if domain.entity):
        for type in domain.preferences:
            held = [entity.values.get(key(type.name)) for entity in domain.entities]
            counts = Counter(
                each for value in held if value for each in (value if isinstance(value, tuple) else [value])
            )
            if counts:
                assert set(counts) == set(type.values), type.name
                assert max(counts.values()) <= 2 * sum(counts.values()) / len(type.values), type.name


def test_type_names_are_unique_over_all_domains() -> None:
    names = Counter(type.name for domain in DOMAINS.values() for type in domain.preferences)
    assert max(names.values()) == 1


def test_at_least_five_tasks_a_domain_and_thirty_across() -> None:
    single = Counter(task.domains[0] for task in TASKS if len(task.domains) == 1)
    assert set(single) == set(DOMAINS)
    assert min(single.values()) >= 5
    across = [task for task in TASKS if len(task.domains) > 1]
    assert len(across) >= 30
    assert {2, 5} <= {len(task.domains) for task in across} <= {2, 3, 4, 5}
    assert len(TASKS) >= 130


def test_every_preference_type_matters_to_some_task() -> None:
    used = {(pair.domain, pair.type) for task in TASKS for pair in task.relevant}
    assert used == {(domain.name, type.name) for domain in DOMAINS.values() for type in domain.preferences}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_task_speaks_to_the_user_and_can_be_checked(task: Task) -> None:
    assert task.id == task.id.lower().strip("-")
    assert " " not in task.id
    assert {"you", "your"} & set(re.findall(r"\w+", task.intent.casefold()))
    assert not {"i", "my", "me", "user"} & set(re.findall(r"\w+", re.sub(r'"[^"]*"', "", task.intent.casefold())))
    assert not any(word in task.intent.casefold() for word in PREFERENCE_WORDS)
    assert task.goal.startswith("The assistant ")
    assert {pair.domain for pair in task.relevant} <= set(task.domains)
    assert task.relevant
    assert len(task.requests) >= 2
    aimed = aims(task, DOMAINS)
    assert {aim.domain.name for aim in aimed} == set(task.domains)
    for pair in task.relevant:
        assert any(borne(aim, [Wish(pair.domain, pair.type)]) for aim in aimed), f"nothing decides {pair.type}"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_requests_tell_the_slots_that_are_not_withheld_and_no_taste(task: Task) -> None:
    told = set(task.slots) - set(task.withheld)
    for request in task.requests:
        assert set(re.findall(r"\{(\w+)\}", request)) == told, request
        for pair in task.relevant:
            kind = DOMAINS[pair.domain].type(pair.type)
            assert kind is not None
            assert not any(mentions(request, value) for value in kind.values), request


def test_a_fifth_of_the_tasks_needs_asking_and_a_tenth_has_a_change_or_conflict() -> None:
    assert sum(bool(task.withheld) for task in TASKS) * 5 >= len(TASKS)
    upset = [task for task in TASKS if task.staged or any(need.changes or need.gone for need in task.require)]
    assert len(upset) * 10 >= len(TASKS)
    assert {task.staged for task in TASKS} == {"", "sold_out", "clash"}


def test_some_situations_call_for_another_act() -> None:
    told_apart = [task for task in TASKS if task.cases]
    assert len(told_apart) >= 8
    for task in told_apart:
        assert len({case.situation for case in task.cases}) == len(task.cases) >= 2
        assert len({case.wants for case in task.cases}) >= 2, task.id


def test_situations_are_balanced_and_name_no_place() -> None:
    situations = shipped_situations()
    assert len(set(map(str, situations))) == len(situations) >= 16
    for kinds in ("device", "time_of_day", "day"):
        counts = Counter(getattr(situation, kinds) for situation in situations)
        assert len(counts) >= 4
        assert max(counts.values()) - min(counts.values()) <= 1, kinds
    assert not any(s.location for s in situations)
    assert all(s.surroundings for s in situations)


def test_domain_gives_its_types_by_name() -> None:
    domain = Domain.model_validate({"name": "Tea", "preferences": [{"name": "leaf", "values": ["green"]}]})
    found = domain.type("leaf")
    assert found is not None
    assert found.values == ("green",)
    assert domain.type("Leaf") is None


def test_file_holds_one_task_or_several_tables(tmp_path: Path) -> None:
    task = 'id = "{}"\ndomains = ["Tea"]\nintent = "Tea."\ngoal = "Tea."\nslots = {{ on = 2026-05-01 }}\n'
    (tmp_path / "one.toml").write_text(task.format("one"), encoding="utf-8")
    (tmp_path / "two.toml").write_text(
        "[[task]]\n" + task.format("a") + "colour = 1\n[[task]]\n" + task.format("b") + "[tsk]\n", encoding="utf-8"
    )
    one, two = toml_files(tmp_path)
    ((where, found),) = toml_entries(one, Task, "task")
    assert where == str(one)
    assert isinstance(found, Task)
    assert found.slots == {"on": "2026-05-01"}
    broken, whole, stray = (record for _, record in toml_entries(two, Task, "task"))
    assert isinstance(broken, BadInput)
    assert str(broken).startswith(f"{two} [[task]] 1: unknown key 'colour' (known: ")
    assert isinstance(whole, Task)
    assert str(stray) == f"{two}: unknown key 'tsk' beside [[task]], did you mean 'task'?"


def test_faulty_line_does_not_hide_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "domains.jsonl"
    path.write_text('{"name": "Tea"}\n{"nam": "Coffee"}\n{"name": "Cocoa"}\n', encoding="utf-8")
    entries = list(line_entries(path, Domain))
    assert [where for where, _ in entries] == [f"{path}:1", f"{path}:2", f"{path}:3"]
    assert [isinstance(record, BadInput) for _, record in entries] == [False, True, False]
    with pytest.raises(BadInput, match="unknown key 'nam', did you mean 'name'"):
        list(certain(entries))


def test_no_folder_holds_no_files(tmp_path: Path) -> None:
    assert toml_files(tmp_path / "nowhere") == []


def test_every_matter_of_taste_is_put_in_words_that_fit_into_a_sentence() -> None:
    """Those who see to it say them too, so that they are no words of the user alone."""
    for domain in DOMAINS.values():
        types = {key(type.name) for type in domain.preferences}
        for each in (each for each in domain.described if each.name in types):
            said = set(each.say.casefold().removesuffix(", please").replace(",", " ").split())
            assert "{value}" in each.say, f"{domain.name}: {each.name}"
            assert not said & {"i", "i'm", "my", "me", "we", "our", "please", "should", "must"}, each.say


def test_a_field_is_settled_by_another_field_of_its_record() -> None:
    def nap(settled_by: str) -> RecordKind:
        fields = [{"name": "at", "kind": "text"}, {"name": "part", "values": ["noon"], "settled_by": settled_by}]
        return RecordKind.model_validate({"name": "nap", "tools": {"create": "nap"}, "fields": fields})

    assert nap("at").fields[1].settled_by == "at"
    for wrong in ("part", "att"):
        with pytest.raises(ValueError, match=f"'part' is settled by '{wrong}', which is no other field"):
            nap(wrong)
