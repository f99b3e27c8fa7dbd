"""Tasks and domains that can be checked in a world: every fault is named."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.profiles.made_up import TEA

from duologue.profiles.domain_faults import faults_in_domain, faults_in_hints, shared_names
from duologue.profiles.inclination import Inclined, inclined
from duologue.profiles.task_faults import faults_in_task
from duologue.profiles.task_figures import task_figures
from duologue.tasks.domain import Domain
from duologue.tasks.task import Task

TABLE: dict[str, Any] = {
    **tomllib.loads(TEA["domain.toml"]),
    "entity": {
        "name": "tea",
        "plural": "teas",
        "attributes": [
            {"name": "leaf"},
            {"name": "grams", "kind": "number"},
            {"name": "shops", "kind": "choices", "values": ["harbour", "station"]},
            {"name": "organic", "kind": "truth"},
        ],
    },
    "records": [
        {
            "name": "tea_order",
            "tools": {"create": "order_tea", "change": "change_tea"},
            "fields": [
                {"name": "tea", "kind": "entity"},
                {"name": "bags", "kind": "number"},
                {"name": "day", "values": ["Monday", "Friday"]},
                {"name": "strength", "settled_by": "minutes"},
                {"name": "minutes", "kind": "number"},
            ],
        },
        {"name": "reminder", "tools": {"create": "remind_tea"}, "fields": [{"name": "time", "kind": "text"}]},
    ],
    "catalogue": [
        {"name": "Grey Heron", "leaf": "assam", "grams": 100, "shops": ["harbour"], "organic": True},
        {"name": "Old Bridge", "leaf": "mate", "grams": 50.5, "shops": [], "organic": False},
    ],
}
WATER: dict[str, Any] = {"name": "Water", "preferences": [{"name": "source"}]}
DOMAINS = {each["name"]: Domain.model_validate(each) for each in (TABLE, WATER)}
ORDER: dict[str, Any] = {
    "id": "tea",
    "domains": ["Tea"],
    "intent": "You want tea.",
    "goal": "Tea is ordered.",
    "relevant": [["Tea", "leaf"], ["Tea", "strength"]],
    "slots": {"bags": 20, "day": "Friday"},
    "withheld": ["day"],
    "require": [{"record": "tea_order", "where": {"bags": 20, "day": "$day", "grams": {"most": 100}}}],
    "given": [{"record": "reminder", "fields": {"time": "07:00"}}],
    "requests": ["I need {bags} bags of tea.", "{bags} bags, please."],
}


def faults(**changes: Any) -> list[str]:
    return [fault.what for fault in faults_in_task(Task.model_validate({**ORDER, **changes}), DOMAINS)]


def test_a_sound_task_has_none() -> None:
    assert faults() == []


def required(record: str = "tea_order", **where: Any) -> list[dict[str, Any]]:
    return [{"record": record, "where": {"bags": 20, "day": "$day", **where}}]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"domains": ["Tea", "Watr"]}, "no domain 'Watr', did you mean 'Water'?"),
        ({"irrelevant": [["Tea", "leav"]]}, "irrelevant: no preference type 'leav' in Tea, did you mean 'leaf'?"),
        ({"irrelevant": [["Tea", "leaf"]]}, "Tea: leaf is both relevant and irrelevant"),
        ({"withheld": ["dey"]}, "withheld: no slot 'dey', did you mean 'day'?"),
        ({"require": required(day="$dy")}, "'$dy' stands for no slot, did you mean 'day'?"),
        ({"given": [{"record": "reminder", "fields": {"time": "$dai"}}]},
         "'$dai' stands for no slot, did you mean 'day'?"),
        ({"requests": ["{bags} of {teabags}"]}, "request 1: no slot 'teabags', did you mean 'bags'?"),
        ({"requests": ["Tea, please."]}, "request 1 leaves out the slot 'bags'"),
        ({"requests": ["{bags} on {day}"]}, "request 1 names the slot 'day', which is withheld"),
        ({"requests": ["{bags} bags on friday"]}, "request 1 says 'Friday', the slot 'day', which is withheld"),
        ({"require": required("tea_ordre")}, "require: its domains keep no 'tea_ordre', did you mean 'tea_order'?"),
        ({"require": required(gram=5)}, "require: tea_order has no 'gram', did you mean 'grams'?"),
        ({"require": required(shops="harbor")},
         "require: tea_order: 'shops' has no value 'harbor', did you mean 'harbour'?"),
        ({"slots": {"bags": 20, "day": "Fryday"}},
         "require: tea_order: 'day' has no value 'Fryday', did you mean 'Friday'?"),
        ({"require": required(strength="weak")},
         "require: settles 'strength', which is left to the user's taste as relevant"),
        ({"require": required(minutes=4)}, "require: 'minutes' settles 'strength', which is relevant"),
        ({"given": [{"record": "tea_order", "fields": {"grams": 5}}]}, "given: tea_order has no 'grams'"),
        ({"given": [{"record": "alarm"}]}, "given: its domains keep no 'alarm'"),
        ({"cases": [{"situation": {"day": "Monday"}}] * 2}, "cases: two of them have the same situation"),
        ({"cases": [{"situation": {}, "wants": [{"domain": "Tea", "type": "leaf", "value": "asam"}]}]},
         "case 1: leaf has no value 'asam', did you mean 'assam'?"),
        ({"relevant": [["Tea", "strength"]],
          "cases": [{"situation": {}, "wants": [{"domain": "Tea", "type": "leaf", "value": "assam"}]}]},
         "case 1: Tea: leaf is not among the relevant preferences"),
        ({"relevant": []}, "has no relevant preferences, so there is nothing to personalise"),
    ],
)  # fmt: skip
def test_fault_in_a_task(changes: dict[str, Any], what: str) -> None:
    assert what in faults(**changes)


def test_withheld_slot_on_which_nothing_depends() -> None:
    assert faults(require=[{"record": "tea_order", "where": {"bags": 20}}]) == [
        "withheld: nothing that is required depends on 'day'"
    ]
    bound = [{"record": "tea_order", "where": {"bags": 20, "grams": {"least": 90}}}]
    slots = {"bags": 20, "weight": 90}
    assert faults(slots=slots, withheld=["weight"], require=bound) == []


def test_relevant_preference_that_no_required_record_shows() -> None:
    only = [{"record": "reminder", "where": {"time": "07:00"}}]
    undecided = ["relevant: no required record decides Tea: leaf", "relevant: no required record decides Tea: strength"]
    assert faults(slots={}, withheld=[], requests=[], require=only) == undecided
    cancelled = [{"record": "tea_order", "where": {"bags": 20, "day": "$day"}, "gone": True}]
    assert faults(require=cancelled) == undecided


def test_staging_needs_something_to_choose_from() -> None:
    bare = Domain.model_validate({**TABLE, "entity": None, "catalogue": [], "records": TABLE["records"][1:]})
    task = Task.model_validate({**ORDER, "staged": "clash", "require": [], "requests": [], "given": []})
    told = [fault.what for fault in faults_in_task(task, {"Tea": bare})]
    assert told == ["staged: 'clash', but its domains have no entities to choose from"]


def test_domains_that_keep_no_records_ask_for_none() -> None:
    task = Task.model_validate({**ORDER, "domains": ["Water"], "relevant": [["Water", "source"]]})
    assert list(faults_in_task(task, DOMAINS)) == []


def broken(**row: Any) -> list[str]:
    rows = [{**TABLE["catalogue"][0], **row}, TABLE["catalogue"][1]]
    kept = [{key: value for key, value in each.items() if value is not None} for each in rows]
    return [fault.what for fault in faults_in_domain(Domain.model_validate({**TABLE, "catalogue": kept}))]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"leaf": "asam"}, "catalogue line 1 (Grey Heron): leaf: no value 'asam', did you mean 'assam'?"),
        ({"leav": "mate"}, "catalogue line 1 (Grey Heron): no attribute 'leav', did you mean 'leaf'?"),
        ({"grams": None}, "catalogue line 1 (Grey Heron): lacks 'grams'"),
        ({"grams": "100"}, "catalogue line 1 (Grey Heron): grams: expected a number, found '100'"),
        ({"grams": True}, "catalogue line 1 (Grey Heron): grams: expected a number, found True"),
        ({"organic": "yes"}, "catalogue line 1 (Grey Heron): organic: expected true or false, found 'yes'"),
        ({"shops": ["quay"]}, "catalogue line 1 (Grey Heron): shops: no value 'quay'"),
        ({"shops": "harbour"}, "catalogue line 1 (Grey Heron): shops: expected a list, found 'harbour'"),
        ({"name": None}, "catalogue line 1 (no name): has no name"),
        ({"name": "old bridge"}, "catalogue line 2 (Old Bridge): its name stands twice"),
    ],
)
def test_fault_in_a_catalogue(row: dict[str, Any], what: str) -> None:
    assert broken() == []
    assert broken(**row) == [what]


def test_values_that_could_be_taken_for_one_another() -> None:
    types = [{"name": "leaf", "values": ["green", "black"]}, {"name": "strength", "values": ["Black", "green enough"]}]
    domain = Domain.model_validate({**TABLE, "preferences": types, "catalogue": []})
    assert [(fault.what, fault.level) for fault in faults_in_domain(domain)] == [
        ("'green' (leaf) and 'green enough' (strength): one is part of the other", "note"),
        ("'black' is a value of 'leaf' and of 'strength'", "error"),
    ]


@pytest.mark.parametrize(
    ("hint", "what"),
    [
        ("Asked for the half-oxidised sort", " is no clause to be read after 'The user ...'"),
        ("asked for the half-oxidised sort.", " is no clause to be read after 'The user ...'"),
        ("asked for oolong", " says the value 'oolong'"),
        ("asked for anything but Mate", " says the value 'mate'"),
        ("asked for the steamed green one", " stands under 'oolong' too"),
    ],
)
def test_hint_that_gives_too_much_away_or_cannot_be_read(tmp_path: Path, hint: str, what: str) -> None:
    for name, text in TEA.items():
        changed = text.replace("asked for the half-oxidised sort", hint)
        (tmp_path / name).write_text(changed, encoding="utf-8")
    ((_, tea),) = inclined(tmp_path)
    assert isinstance(tea, Inclined)
    (fault,) = faults_in_hints(tea)
    assert fault.what.startswith("['leaf'.hints] ") and fault.what.endswith(what)


def test_names_that_two_domains_share() -> None:
    other = Domain.model_validate({**TABLE, "name": "More Tea"})
    told = [(name, fault.what) for name, fault in shared_names({"Tea": DOMAINS["Tea"], "More Tea": other})]
    assert ("More Tea", "'order_tea' is already a name in Tea") in told
    assert ("More Tea", "'search_teas' is already a name in Tea") in told
    assert len(told) == 7
    assert list(shared_names(DOMAINS)) == []


def test_figures_count_each_sort_of_task() -> None:
    plain = {**ORDER, "id": "plain", "withheld": [], "relevant": [["Tea", "leaf"]]}
    moved = [{**ORDER["require"][0], "changes": True}]
    tasks = [
        {**plain, "require": []},
        {**plain, "domains": ["Tea", "Water"], "require": moved},
        {**plain, "withheld": ["day"], "staged": "clash", "irrelevant": [["Tea", "leaf"]]},
    ]
    found = task_figures(map(Task.model_validate, tasks), DOMAINS)
    assert (found.domains, found.types, found.entities, found.fewest_entities) == (2, 3, 2, 2)
    assert (found.tasks, found.crossing, found.withholding, found.changing) == (3, 1, 1, 2)
    assert (found.for_others, found.cases, found.checkable) == (1, 0, 2)
    assert found.unused == ("Tea: strength", "Water: source")
    assert {bounded.met for bounded in found.bounds(bounded=False)} == {None}
    met = {bounded.name: bounded.met for bounded in found.bounds(bounded=True)}
    assert (met["tasks"], met["change or conflict"], met["the situation decides"]) == (False, True, None)
