import json

import pytest

from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.personalens import (
    Wording,
    domain_name,
    domains_in,
    is_multi_domain,
    read_json,
    read_wording,
    task_of,
    templates_in,
    type_name,
)
from duologue.tasks.personalens_situation import read_situation
from duologue.tasks.written import BadInput


def domain(name, *types):
    return Domain(name=name, preferences=tuple(PreferenceType(name=type) for type in types))


DOMAINS = {
    one.name: one
    for one in (
        domain("Books", "Favourite Books"),
        domain("Media", "Favourite Media", "Preferred Genres"),
        domain("Music", "Favorite Bands", "Preferred Genres"),
        domain("Hotels", "Location Preference"),
        domain("Rental Cars", "Car Type Preference"),
    )
}


def resolved(relevant, domains):
    """The (domain, type, ambiguous) of each preference of a task, and the (fate, kind) of what was noted."""
    template = task_of("T", Wording("", "Do it.", "It is done.", tuple(relevant), tuple(domains)), DOMAINS, "here")
    notes = [(note.fate, note.kind.split(" (")[0]) for note in template.notes if note.fate != "read"]
    return [(r.domain, r.type, r.ambiguous) for r in template.task.relevant], notes


def test_reference_of_one_domain_is_bound_to_it():
    assert resolved(["Location Preference"], ["Music", "Hotels"]) == ([("Hotels", "Location Preference", False)], [])


def test_american_spelling_is_repaired_in_books_and_media():
    found, notes = resolved(["Favorite Books", "Favorite Media"], ["Books", "Media"])
    assert found == [("Books", "Favourite Books", False), ("Media", "Favourite Media", False)]
    assert notes == [("repaired", "preference references spelt otherwise")] * 2


def test_american_spelling_stays_where_the_schema_has_it():
    assert resolved(["Favorite Bands"], ["Music", "Books"]) == ([("Music", "Favorite Bands", False)], [])
    assert type_name("Favorite Bands", DOMAINS["Music"]) == "Favorite Bands"
    assert type_name("Favorite Bands", domain("Music", "Favourite Bands")) is None


def test_domain_in_brackets_binds_to_that_domain():
    found, notes = resolved(["Preferred Genres (Media)"], ["Media", "Music"])
    assert found == [("Media", "Preferred Genres", False)]
    assert notes == [("repaired", "preference references with their domain in brackets")]


def test_domain_in_brackets_that_the_task_lacks_is_dropped():
    found, notes = resolved(["Preferred Genres (Music)"], ["Media", "Hotels"])
    assert found == []
    assert notes == [("dropped", "preference references that no domain has")]


def test_name_of_two_domains_is_bound_to_both_and_marked():
    found, notes = resolved(["Preferred Genres"], ["Media", "Music"])
    assert found == [("Media", "Preferred Genres", True), ("Music", "Preferred Genres", True)]
    assert notes == [("kept", "preference references that several of the task's domains have")]


@pytest.mark.parametrize("order", [1, -1])
def test_certain_reference_wins_over_an_ambiguous_one(order):
    found, _ = resolved(["Preferred Genres", "Preferred Genres (Music)"][::order], ["Media", "Music"])
    assert sorted(found) == [("Media", "Preferred Genres", True), ("Music", "Preferred Genres", False)]


def test_reference_to_a_domain_elsewhere_is_dropped_saying_where_it_belongs():
    wording = Wording("", "Do it.", "It is done.", ("Location Preference",), ("Music",))
    note = task_of("T", wording, DOMAINS, "here").notes[-1]
    assert note.fate == "dropped"
    assert note.what == "'Location Preference' is of Hotels, the task of Music"


def test_reference_that_no_domain_has_names_the_nearest():
    note = task_of("T", Wording("", "Do.", "Done.", ("Car Tipe Preference",), ("Rental Cars",)), DOMAINS, "x").notes[-1]
    assert note.what == "'Car Tipe Preference', did you mean 'Car Type Preference'?"


def test_task_of_unknown_domains_alone_is_refused():
    with pytest.raises(BadInput, match="here: domains"):
        task_of("T", Wording("", "Do it.", "It is done.", (), ("Gardening",)), DOMAINS, "here")


@pytest.mark.parametrize("text", ["Books", "Books**", "**books**", " `Books` ", "BOOKS"])
def test_domain_is_known_in_any_dress(text):
    assert domain_name(text, DOMAINS) == "Books"


def test_unknown_domain_is_none():
    assert domain_name("Cookbooks", DOMAINS) is None


ENTRY = {"Task Description": "d", "User Intent": "i", "Task Goal": "g", "Relevant Affinity Types": ["a"]}


def test_wording_takes_its_domains_from_the_entry_else_from_the_folder():
    assert read_wording(ENTRY, ["Music"], "x") == ("d", "i", "g", ("a",), ("Music",))
    assert read_wording({**ENTRY, "Relevant Domains": ["Books"]}, ["Music"], "x").domains == ("Books",)


@pytest.mark.parametrize(
    "entry",
    [
        [],
        "text",
        {**ENTRY, "Task Goal": None},
        {**ENTRY, "Relevant Affinity Types": "a"},
        {**ENTRY, "Relevant Affinity Types": [1]},
        {key: value for key, value in ENTRY.items() if key != "User Intent"},
    ],
)
def test_incomplete_entry_is_refused_naming_its_place(entry):
    with pytest.raises(BadInput, match=r"tasks\.json, Task 1"):
        read_wording(entry, ["Music"], "tasks.json, Task 1")


def test_templates_are_read_by_folder_and_damaged_lines_are_left_out(tmp_path):
    for folder in ("Rental Cars", "multi_domain"):
        (tmp_path / folder).mkdir()
    many = {**ENTRY, "Task Number": 7, "Relevant Domains": ["Books", "Hotels"]}
    (tmp_path / "multi_domain" / "task.jsonl").write_text(json.dumps(many) + "\n", encoding="utf-8")
    single = json.dumps({**ENTRY, "Task Number": 2})
    (tmp_path / "Rental Cars" / "task.jsonl").write_text(single + '\n\n{"cut": \n{}\n', encoding="utf-8")
    found, notes = templates_in(tmp_path, DOMAINS)
    assert {id: template.task.domains for id, template in found.items()} == {
        "SD-Rental Cars-task-2": ("Rental Cars",),
        "MD-task-7": ("Books", "Hotels"),
    }
    assert [note.fate for note in notes] == ["dropped", "dropped"]
    assert "task.jsonl:3: is no task" in notes[0].what
    assert "task.jsonl:4: is no task" in notes[1].what


def test_multi_domain_folder_is_known_by_either_spelling():
    assert [is_multi_domain(name) for name in ("Multi-Domain", "multi_domain", "Movies")] == [True, True, False]


def affinity(name, categorical=True, many=True):
    return {
        "name": name,
        "is_categorical": categorical,
        "has_multiple_values": many,
        "possible_values": ["vegan", "keto"],
    }


def test_schema_gives_domains_whose_types_are_open(tmp_path):
    schema = [
        {
            "domain": "Restaurants",
            "description": "Where to eat.",
            "affinities": [affinity("Dietary Restrictions"), affinity("Table", categorical=False, many=False)],
        }
    ]
    restaurants = domains_in(schema, tmp_path)["Restaurants"]
    diet, table = restaurants.preferences
    assert restaurants.description == "Where to eat."
    assert (diet.values, diet.multiple, diet.open) == (("vegan", "keto", "none"), True, True)
    assert (table.values, table.multiple, table.open) == ((), False, True)


@pytest.mark.parametrize("schema", [["Books"], [{"domain": "Books"}], [{"domain": "Books", "affinities": [{}]}]])
def test_schema_of_another_shape_is_refused(tmp_path, schema):
    with pytest.raises(BadInput, match="is no list of domains"):
        domains_in(schema, tmp_path)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b'{"a": ', "is not valid JSON"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b"[" * 100_000, "is not valid JSON"),
        (rb'{"a": "\ud83d"}', "is not valid JSON"),
        (b"[1]", "holds a list where a dict"),
        (None, "no such file"),
    ],
)
def test_unusable_file_is_refused_saying_why(tmp_path, content, fault):
    if content is not None:
        (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(BadInput, match=fault):
        read_json(tmp_path / "x.json", dict)


def test_escaped_character_outside_the_basic_plane_is_read(tmp_path):
    (tmp_path / "x.json").write_bytes(rb'{"a": "\ud83d\ude00"}')
    assert read_json(tmp_path / "x.json", dict) == {"a": "\N{GRINNING FACE}"}


def situation(**values):
    keys = {"place": "Location", "device": "Device", "time": "Time of Day", "day": "Day of the Week"}
    return read_situation({keys.get(name, name): value for name, value in values.items()})


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Evening", "evening"),
        ("[Evening]", "evening"),
        ("Late Afternoon", "afternoon"),
        ("Early Morning", "morning"),
        ("Morning, Afternoon", "morning"),
        ("Saturday Afternoon", "afternoon"),
        ("Lunchtime", "noon"),
        ("Midnight", "night"),
        ("12:30 AM", "night"),
        ("7:30 AM", "morning"),
        ("12:15 PM", "noon"),
        ("5 p.m.", "afternoon"),
        ("18:00", "evening"),
        ("23:10", "night"),
        ("N/A", ""),
        ("After work", "After work"),
    ],
)
def test_time_of_day_becomes_one_of_ours(text, time):
    assert situation(time=text)[0].time_of_day == time


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Saturday", "Saturday"),
        ("[Saturday]", "Saturday"),
        ("Weekday (e.g., Tuesday)", "Tuesday"),
        ("Sunday or Monday", "Sunday"),
        ("Weekend", "weekend"),
        ("Any", ""),
        ("Payday", "Payday"),
    ],
)
def test_day_becomes_one_of_ours(text, day):
    assert situation(day=text)[0].day == day


def test_plain_situation_needs_no_repair():
    found, notes = situation(
        place="Lyon, France", device="Smartphone", time="Evening", day="Friday", Environment="Quiet"
    )
    assert found.model_dump() == {
        "location": "Lyon, France",
        "device": "phone",
        "time_of_day": "evening",
        "day": "Friday",
        "surroundings": "quiet",
    }
    assert notes == ()


def test_each_repair_of_a_situation_is_noted():
    _, notes = situation(place="[Lyon]", device="N/A", time="Late Morning", day="Payday", Weather="Rain")
    assert [(note.fate, note.kind, note.what) for note in notes] == [
        ("repaired", "situation values in brackets or other marks", "'[Lyon]'"),
        ("repaired", "situation values that say nothing", "'N/A'"),
        ("repaired", "times of day in other words", "'Late Morning' is morning"),
        ("kept", "days of the week in words of their own", "'Payday'"),
        ("dropped", "unknown situation keys", "'Weather'"),
    ]


def test_day_hidden_in_the_time_is_found_but_overrules_none():
    assert situation(time="Saturday Afternoon")[0].day == "Saturday"
    assert situation(time="Saturday Afternoon", day="Monday")[0].day == "Monday"


def test_equal_situations_are_one_object():
    assert situation(place="Lyon")[0] is situation(place="Lyon")[0]


def test_missing_situation_is_empty_and_noted():
    found, notes = read_situation(None)
    assert not any(found.model_dump().values())
    assert [note.fate for note in notes] == ["kept"]
