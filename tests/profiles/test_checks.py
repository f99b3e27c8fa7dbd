"""`profiles check` and `tasks check`: the shipped data is clean, and every fault is named with its place."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.profiles.made_up import EATING, write

from duologue.profiles.checks import Finding, check_profiles, check_tasks, examine_tasks
from duologue.profiles.dataset import open_dataset

TODAY = datetime.date(2026, 6, 1)
ANN: dict[str, Any] = {"id": "ann", "preferences": {"Restaurants": {"cuisine": ["Thai"], "price": "under 15"}}}
EAT: dict[str, Any] = {
    "id": "eat",
    "domains": ["Restaurants"],
    "intent": "You want to eat out with somebody.",
    "goal": "A table is booked.",
    "relevant": [["Restaurants", "cuisine"]],
}
Check = Callable[..., list[Finding]]


@pytest.fixture
def profiles_of(tmp_path: Path) -> Check:
    """The findings on profiles that are written as lines beside one task."""

    def check(*records: dict[str, Any]) -> list[Finding]:
        write(tmp_path, "domains", EATING)
        write(tmp_path, "profiles", *records)
        write(tmp_path, "tasks", EAT)
        return check_profiles(open_dataset(str(tmp_path)), TODAY)

    return check


@pytest.fixture
def tasks_of(tmp_path: Path) -> Check:
    """The findings on tasks that are written as lines beside one profile."""

    def check(*records: dict[str, Any]) -> list[Finding]:
        write(tmp_path, "domains", EATING)
        write(tmp_path, "profiles", ANN)
        write(tmp_path, "tasks", *records)
        return check_tasks(open_dataset(str(tmp_path)))

    return check


def with_history(*sessions: dict[str, Any]) -> dict[str, Any]:
    return {**ANN, "history": [{"domain": "Restaurants", "summary": "Ate.", **session} for session in sessions]}


def evidence(value: str, kind: str, type: str = "cuisine") -> list[dict[str, str]]:
    return [{"domain": "Restaurants", "type": type, "value": value, "kind": kind}]


def test_shipped_tasks_are_clean_and_reach_their_bounds() -> None:
    checked = examine_tasks(open_dataset("shipped"))
    assert checked.findings == []
    assert [bounded for bounded in checked.figures.bounds(checked.shipped) if bounded.met is False] == []


def test_sound_data_has_no_findings(profiles_of: Check, tasks_of: Check) -> None:
    assert profiles_of(ANN) == []
    assert tasks_of(EAT) == []


@pytest.mark.parametrize(
    ("preferences", "what"),
    [
        ({"Restaurant": {"cuisine": "Thai"}}, "preferences: no domain 'Restaurant', did you mean 'Restaurants'?"),
        (
            {"Restaurants": {"cusine": "Thai"}},
            "preferences.Restaurants: no preference type 'cusine', did you mean 'cuisine'?",
        ),
        (
            {"Restaurants": {"price": "under 16"}},
            "preferences.Restaurants.price: no value 'under 16', did you mean 'under 15'?",
        ),
        (
            {"Restaurants": {"price": ["under 15", "over 60"]}},
            "preferences.Restaurants.price: more than one value is liked, but the type takes one",
        ),
        (
            {"Restaurants": {"cuisine": ["Thai", {"value": "thai", "polarity": "avoids"}]}},
            "preferences.Restaurants.cuisine: 'thai' is both liked and avoided",
        ),
    ],
)
def test_preference_that_fits_no_domain(profiles_of: Check, preferences: dict[str, Any], what: str) -> None:
    found = [finding for finding in profiles_of({"id": "ann", "preferences": preferences}) if finding.level == "error"]
    assert [finding.what for finding in found] == [what]
    assert found[0].where.endswith("profiles.jsonl:1")


def test_open_types_take_any_value_and_avoiding_does_not_count_as_a_second_one(profiles_of: Check) -> None:
    price = ["under 15", {"value": "over 60", "polarity": "avoids"}]
    assert profiles_of({"id": "ann", "preferences": {"Restaurants": {"cuisine": "Martian", "price": price}}}) == []


@pytest.mark.parametrize(
    ("sessions", "what"),
    [
        ([{"date": "2026-06-02"}], "history 1: 2026-06-02 is in the future"),
        (
            [{"date": "2026-02-01"}, {"date": "2026-01-01"}],
            "history: 2026-01-01 stands after 2026-02-01; write the oldest session first",
        ),
        ([{"domain": "Restarants"}], "history 1: no domain 'Restarants', did you mean 'Restaurants'?"),
        (
            [{"evidence": evidence("Thay", "implicit")}],
            "history 1: evidence of Restaurants.cuisine = 'Thay', which the profile lacks, did you mean 'Thai'?",
        ),
        (
            [{"evidence": evidence("Thai", "explicit", type="cuisines")}],
            "history 1: evidence of Restaurants.cuisines, but the profile has no such preference,"
            " did you mean 'Restaurants.cuisine'?",
        ),
        (
            [{"evidence": evidence("Thai", "distractor")}],
            "history 1: the distractor 'Thai' is a value that the profile likes",
        ),
        (
            [{"evidence": evidence("Thai", "update")}, {"evidence": evidence("Korean", "explicit")}],
            "history 2: evidence of Restaurants.cuisine = 'Korean', which the profile lacks",
        ),
        (
            [{"evidence": evidence("Korean", "update")}, {"evidence": evidence("Thai", "update")}],
            "history 1: evidence of Restaurants.cuisine = 'Korean', which the profile lacks",
        ),
    ],
)
def test_history_that_contradicts_the_profile(profiles_of: Check, sessions: list[dict[str, Any]], what: str) -> None:
    assert [finding.what for finding in profiles_of(with_history(*sessions))] == [what]


def test_what_an_update_supersedes_was_true_in_its_time(profiles_of: Check) -> None:
    sessions = [{"evidence": evidence("Korean", "explicit")}, {"evidence": evidence("Thai", "update")}]
    assert profiles_of(with_history(*sessions, {"date": TODAY.isoformat()})) == []


def test_profile_in_no_scenario_is_noted(profiles_of: Check) -> None:
    (finding,) = profiles_of(ANN, {"id": "bob", "preferences": {"Flights": {"seat": "window"}}})
    assert (finding.level, finding.what) == ("note", "profile 'bob' is in no scenario")


def test_id_written_twice_names_both_places(profiles_of: Check, tasks_of: Check) -> None:
    (finding,) = profiles_of(ANN, ANN)
    assert finding.where.endswith("profiles.jsonl:2")
    assert finding.what.startswith("profile 'ann' was already written in ")
    assert finding.what.endswith("profiles.jsonl:1")
    found = tasks_of(EAT, EAT)
    assert found[0].where.endswith("tasks.jsonl:2")
    assert "task 'eat' was already written in " in found[0].what


@pytest.mark.parametrize(
    ("changes", "level", "what"),
    [
        ({"domains": ["Restaurants", "Flihgts"]}, "error", "task 'eat': no domain 'Flihgts', did you mean 'Flights'?"),
        (
            {"relevant": [["Resturants", "cuisine"]]},
            "error",
            "task 'eat': relevant: no domain 'Resturants', did you mean 'Restaurants'?",
        ),
        (
            {"relevant": [["Restaurants", "cuisin"]]},
            "error",
            "task 'eat': relevant: no preference type 'cuisin' in Restaurants, did you mean 'cuisine'?",
        ),
        (
            {"relevant": [["Flights", "seat"]]},
            "error",
            "task 'eat': relevant: 'Flights' is not among the task's domains",
        ),
        (
            {"relevant": []},
            "note",
            "task 'eat' has no relevant preferences, so there is nothing to personalise",
        ),
        (
            {"intent": "You want thai food."},
            "note",
            "task 'eat' says 'thai', a Restaurants.cuisine of 'ann'",
        ),
        ({"opener": "Some Thai?"}, "note", "task 'eat' says 'thai', a Restaurants.cuisine of 'ann'"),
        ({"slots": {"food": "Thai"}}, "note", "task 'eat' says 'thai', a Restaurants.cuisine of 'ann'"),
    ],
)
def test_fault_in_a_task(tasks_of: Check, changes: dict[str, Any], level: str, what: str) -> None:
    (finding,) = tasks_of({**EAT, **changes})
    assert (finding.level, finding.what) == (level, what)
    assert finding.where.endswith("tasks.jsonl:1")


def test_value_inside_a_word_or_of_no_relevance_is_no_leak(tasks_of: Check) -> None:
    assert tasks_of({**EAT, "intent": "You meet a Thailand expert, and pay under 15 for parking."}) == []


def test_files_that_cannot_be_read_do_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "tasks").mkdir()
    (tmp_path / "domains").mkdir()
    (tmp_path / "profiles" / "ann.toml").write_text("interest = []\n", encoding="utf-8")
    (tmp_path / "profiles" / "bob.toml").write_bytes("name = 'Zoltán'".encode("latin-1"))
    (tmp_path / "profiles" / "cid.toml").write_text("[preferences.Tee]\nleaf = 'green'\n", encoding="utf-8")
    (tmp_path / "domains" / "tea.toml").write_text("name = 'Tea'\npreference = []\n", encoding="utf-8")
    (tmp_path / "tasks" / "a.toml").write_text("id = \n", encoding="utf-8")
    write(tmp_path, "tasks", {**EAT, "domain": "Tea"}, {**EAT, "domains": ["Tea"]})
    write(tmp_path, "scenarios", {"profile": "cid", "taks": "eat"})
    data = open_dataset(str(tmp_path))
    told = [(Path(f.where).name, f.what) for f in check_profiles(data, TODAY)]
    assert told == [
        ("tea.toml", "unknown key 'preference', did you mean 'preferences'?"),
        ("ann.toml", "unknown key 'interest', did you mean 'interests'?"),
        ("bob.toml", "is not UTF-8 text"),
        ("cid.toml", "preferences: no domain 'Tee'"),
    ]
    told = [(Path(f.where).name, f.what.split(":")[0]) for f in check_tasks(data)]
    assert told == [
        ("tea.toml", "unknown key 'preference', did you mean 'preferences'?"),
        ("a.toml", "is not valid TOML"),
        ("tasks.jsonl:1", "unknown key 'domain', did you mean 'domains'?"),
        ("tasks.jsonl:2", "task 'eat'"),
        ("tasks.jsonl:2", "task 'eat'"),
        ("scenarios.jsonl:1", "unknown key 'taks', did you mean 'task'?"),
    ]


def test_every_faulty_scenario_is_named(tmp_path: Path) -> None:
    write(tmp_path, "profiles", ANN)
    write(tmp_path, "tasks", EAT)
    keys = [("ann", "eat"), ("anne", "eat"), ("ann", "eet")]
    write(tmp_path, "scenarios", *({"profile": profile, "task": task} for profile, task in keys))
    assert [(Path(f.where).name, f.what) for f in check_tasks(open_dataset(str(tmp_path)))] == [
        ("scenarios.jsonl:2", "no profile 'anne', did you mean 'ann'?"),
        ("scenarios.jsonl:3", "no task 'eet', did you mean 'eat'?"),
    ]


def test_domain_with_a_type_written_twice(tmp_path: Path) -> None:
    write(tmp_path, "domains", {"name": "Tea", "preferences": [{"name": "leaf"}, {"name": "leaf"}]})
    (finding,) = check_tasks(open_dataset(str(tmp_path)))
    assert finding.what.startswith("preference type 'leaf' was already written")
