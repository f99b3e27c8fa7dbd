"""The shipped domains, tasks and situations."""

import re
from collections import Counter
from pathlib import Path

import pytest

from duologue.tasks.domain import Domain
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
from duologue.tasks.written import BadInput

DOMAINS = {domain.name: domain for domain in certain(shipped_domains())}
TASKS = tuple(certain(shipped_tasks()))
PREFERENCE_WORDS = ("you like", "you prefer", "you love", "you hate", "you avoid", "your favourite")


def test_four_domains_with_five_types_or_more() -> None:
    assert sorted(DOMAINS) == ["Calendar", "Flights", "Movies", "Restaurants"]
    for domain in DOMAINS.values():
        assert domain.description
        assert len(domain.preferences) >= 5
        assert any(not type.multiple for type in domain.preferences)
        for type in domain.preferences:
            assert type.description, type.name
            assert len(type.values) == len(set(type.values)) >= 4, type.name


def test_type_names_are_unique_over_all_domains() -> None:
    names = Counter(type.name for domain in DOMAINS.values() for type in domain.preferences)
    assert max(names.values()) == 1


def test_at_least_five_tasks_a_domain_and_three_across() -> None:
    single = Counter(task.domains[0] for task in TASKS if len(task.domains) == 1)
    assert set(single) == set(DOMAINS)
    assert min(single.values()) >= 5
    assert sum(len(task.domains) > 1 for task in TASKS) >= 3


def test_every_preference_type_matters_to_some_task() -> None:
    used = {(pair.domain, pair.type) for task in TASKS for pair in task.relevant}
    assert used == {(domain.name, type.name) for domain in DOMAINS.values() for type in domain.preferences}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_task_speaks_to_the_user_and_names_what_matters(task: Task) -> None:
    assert task.id == task.id.lower().strip("-")
    assert " " not in task.id
    assert "you" in re.findall(r"\w+", task.intent.casefold())
    assert not {"i", "my", "me", "user"} & set(re.findall(r"\w+", task.intent.casefold()))
    assert not any(word in task.intent.casefold() for word in PREFERENCE_WORDS)
    assert task.goal.startswith("The assistant ")
    assert task.relevant
    assert {pair.domain for pair in task.relevant} == set(task.domains)
    assert task.slots
    for requirement in task.require:
        assert requirement.record in {"reservation", "flight booking", "check-in", "ticket", "event"}


def test_a_fifth_of_the_tasks_needs_asking() -> None:
    """Such a task says so, and holds what the assistant has to ask for as a slot that the intent keeps back."""
    asking = [task for task in TASKS if task.description.startswith("The profile does not settle")]
    assert len(asking) * 5 >= len(TASKS)
    for task in asking:
        assert any(isinstance(fact, str) and fact not in task.intent for fact in task.slots.values()), task.id


def test_situations_are_balanced_and_name_no_place() -> None:
    situations = shipped_situations()
    assert len(set(map(str, situations))) == len(situations) == 16
    assert set(Counter(s.device for s in situations).values()) == {4}
    assert set(Counter(s.time_of_day for s in situations).values()) == {4}
    days = Counter(s.day for s in situations)
    assert len(days) == 7
    assert max(days.values()) - min(days.values()) <= 1
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
    assert str(broken).startswith(f"{two} [[task]] 1: unknown key 'colour' (known: description, domains,")
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
