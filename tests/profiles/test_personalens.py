import json
import os
from pathlib import Path

import pytest

from duologue.profiles.dataset import Dataset, scenario
from duologue.profiles.personalens import open_personalens
from duologue.profiles.tally import Tallying, lines
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput


def affinity(name, *values, many=True):
    return {
        "name": name,
        "description": f"Taste in {name}.",
        "is_categorical": bool(values),
        "has_multiple_values": many,
        "possible_values": list(values),
    }


SCHEMA = {
    "Books": [affinity("Favourite Books")],
    "Buses": [affinity("Seat Preference", "aisle", "window", many=False)],
    "Events": [affinity("Price Range", "cheap", "dear")],
    "Restaurants": [
        affinity("Dietary Restrictions", "vegan", "keto"),
        affinity("Ambiance Preference", "casual", "lively"),
        affinity("Price Range", "cheap", "dear"),
    ],
}


def task(number, relevant, domains=None):
    entry = {
        "Task Number": number,
        "Task Description": f"What task {number} is about.",
        "User Intent": f"Have {number} of it.",
        "Task Goal": f"There are {number}.",
        "Relevant Affinity Types": relevant,
    }
    return {**entry, "Relevant Domains": domains} if domains else entry


TEMPLATES = {
    "Books": [task(1, ["Favorite Books"])],
    "Buses": [task(1, ["Seat Preference"])],
    "Events": [task(1, ["Price Range"])],
    "Restaurants": [task(1, ["Dietary Restrictions"]), task(2, ["Ambiance Preference", "Seat Preference"])],
    "Multi-Domain": [
        task(1, ["Price Range", "Price Range (Events)"], ["Events", "Restaurants"]),
        task(2, ["Favorite Books"], ["Books", "Restaurants"]),
    ],
}
SITUATION = {
    "Location": "Turin",
    "Device": "Tablet",
    "Time of Day": "Evening",
    "Day of the Week": "Friday",
    "Environment": "Quiet",
}


def copy(id, domain=None, situation=SITUATION, **changes):
    """A user's own copy of the template `id`."""
    folder = domain or "Multi-Domain"
    template = next(t for t in TEMPLATES[folder] if t["Task Number"] == int(id[-1]))
    entry = {"Relevant Domains": [domain], **template, "task_id": id, "situations": situation, **changes}
    return {key: value for key, value in entry.items() if key != "Task Number"}


def person(**changes):
    return {
        "affinities": {
            "Books": {"Favorite Books": ["The Tin Drum"]},
            "Buses": {"Seat Preference": "window"},
            "Events": {"Price Range": "N/A"},
            "Restaurants": {
                "Dietary Restrictions": [],
                "Ambiance Preference": ["Casual", "casual", "candlelit"],
                "Price Range": [],
            },
        },
        "demographics": {
            "user_id": "user2",
            "age": "25-34 years old",
            "gender": "Prefer not to say",
            "ethnicity": "N/A",
            "employment_status": "Student",
            "english_proficiency": "Fluent",
            "reside_country": "Italy",
            "shoe_size": "41",
        },
        "interests": {"Books": 1, "Buses**": 1, "Events": 0, "Restaurants": 1, "Gardening": 1},
        "interactions": {"Books": "Read a lot.", "Buses": "", "Events": "Saw a play.", "Restaurants": "Ate out."},
        **changes,
    }


TASKS = {
    "Task 1": copy("SD-Books-task-1", "Books"),
    "Task 2": copy("SD-Buses-task-1", "Buses", {**SITUATION, "Time of Day": "Late Evening"}),
    "Task 3": copy("SD-Restaurants-task-1", "Restaurants"),
    "Task 4": copy("SD-Restaurants-task-2", "Restaurants"),
    "Task 5": copy("SD-Restaurants-task-2", "Restaurants"),
    "Task 6": {"User Intent": "No more than that."},
    "Task 7": copy("SD-Books-task-1", "Books", **{"task_id": "SD-Books-task-9", "Task Goal": ""}),
}
MANY_TASKS = {
    "Task 1": copy("MD-task-2", **{"Relevant Affinity Types": ["Favourite Books", "Ambiance Preference"]}),
}


def dump(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")


@pytest.fixture
def checkout(tmp_path):
    """Five users with every fault that the real data have, and two sound ones among them."""
    for folder, templates in TEMPLATES.items():
        dump(tmp_path / "data" / "task" / folder / "task.jsonl", "".join(json.dumps(t) + "\n" for t in templates))
    schema = [{"domain": name, "description": "", "affinities": types} for name, types in SCHEMA.items()]
    dump(tmp_path / "res" / "schema.json", schema)
    users = tmp_path / "data" / "profile"
    dump(users / "user2" / "profile.json", person())
    dump(users / "user2" / "tasks.json", TASKS)
    dump(users / "user2" / "tasks_md.json", MANY_TASKS)
    all_on = {"Books": 0, "Buses": 0, "Events": 1, "Restaurants": 1}
    dump(users / "user10" / "profile.json", person(interests=all_on))
    dump(users / "user3" / "profile.json", '{"affinities": {"Books"')
    dump(users / "user4" / "profile.json", {"affinities": {}, "demographics": {}, "interests": {}})
    (users / "user5").mkdir()
    dump(users / "user6" / "profile.json", person(interests={"Books": 1}))
    dump(users / "user6" / "tasks.json", "[]")
    dump(users / "user6" / "tasks_md.json", "{}")
    return tmp_path


def consume(data):
    """The three streams, read to their ends."""
    return list(data.profiles()), list(data.tasks()), list(data.scenarios())


def numbers(counts):
    return {kind.split(" (")[0]: count.number for kind, count in counts.items()}


def test_sound_users_become_profiles_in_the_order_of_their_numbers(checkout):
    data: Dataset = open_personalens(checkout)
    assert [profile.id for profile in data.profiles()] == ["user2", "user6", "user10"]


def test_profile_holds_what_the_user_is_interested_in(checkout):
    profile = open_personalens(checkout).profile("user2")
    assert profile.name == ""
    assert profile.interests == ("Books", "Buses", "Restaurants")
    assert profile.likes("Books", "Favourite Books") == ("The Tin Drum",)
    assert profile.likes("Buses", "Seat Preference") == ("window",)
    assert "Events" not in profile.preferences
    assert [(s.domain, s.summary, s.date) for s in profile.history] == [
        ("Books", "Read a lot.", None),
        ("Restaurants", "Ate out.", None),
    ]


def test_values_take_the_listed_spelling_and_unlisted_ones_stay(checkout):
    data = open_personalens(checkout)
    assert data.profile("user2").likes("Restaurants", "Ambiance Preference") == ("casual", "candlelit")
    assert data.domains["Restaurants"].type("Ambiance Preference").open


def test_empty_preference_is_none_for_diets_and_absent_elsewhere(checkout):
    held = open_personalens(checkout).profile("user2").preferences["Restaurants"]
    assert [p.value for p in held["Dietary Restrictions"]] == ["none"]
    assert "Price Range" not in held
    assert "Price Range" not in open_personalens(checkout).profile("user10").preferences["Events"]


def test_demographics_are_ours_and_hold_no_id(checkout):
    said = open_personalens(checkout).profile("user2").demographics.model_dump(exclude_defaults=True)
    assert said == {
        "age": "25-34 years old",
        "employment": "Student",
        "english_proficiency": "Fluent",
        "home_country": "Italy",
    }


def test_scenarios_are_keyed_by_user_and_task(checkout):
    keys = [key for key in open_personalens(checkout).scenarios() if key.profile == "user2"]
    assert [(key.task, key.domains) for key in keys] == [
        ("SD-Books-task-1", ("Books",)),
        ("SD-Buses-task-1", ("Buses",)),
        ("SD-Restaurants-task-1", ("Restaurants",)),
        ("SD-Restaurants-task-2", ("Restaurants",)),
        ("MD-task-2~user2", ("Books", "Restaurants")),
    ]
    assert keys[1].situation.time_of_day == "evening"
    assert keys[0].situation.location == "Turin"


def test_scenario_can_be_read_from_its_key(checkout):
    data = open_personalens(checkout)
    for key in data.scenarios():
        whole = scenario(data, key)
        assert (whole.profile.id, whole.task.id, whole.task.domains) == (key.profile, key.task, key.domains)


def test_copy_that_differs_from_its_template_is_a_task_of_its_own(checkout):
    data = open_personalens(checkout)
    relevant = {id: [(r.domain, r.type) for r in data.task(id).relevant] for id in ("MD-task-2", "MD-task-2~user2")}
    assert relevant == {
        "MD-task-2": [("Books", "Favourite Books")],
        "MD-task-2~user2": [("Books", "Favourite Books"), ("Restaurants", "Ambiance Preference")],
    }
    assert [task.id for task in data.tasks()][-1] == "MD-task-2~user2"


def test_task_says_what_the_file_says(checkout):
    task = open_personalens(checkout).task("SD-Books-task-1")
    assert (task.description, task.intent, task.goal) == ("What task 1 is about.", "Have 1 of it.", "There are 1.")


def test_task_without_a_template_is_read_from_the_users_own_file(checkout):
    (checkout / "data" / "task" / "Books" / "task.jsonl").unlink()
    data = open_personalens(checkout)
    assert data.task("SD-Books-task-1~user2").intent == "Have 1 of it."
    assert next(data.scenarios()).task == "SD-Books-task-1~user2"
    assert data.tally.kept["tasks without a template"].number == 1


def test_absent_task_files_are_rebuilt_from_templates_and_interests(checkout):
    keys = [key for key in open_personalens(checkout).scenarios() if key.profile == "user10"]
    assert [key.task for key in keys] == [
        "SD-Events-task-1",
        "SD-Restaurants-task-1",
        "SD-Restaurants-task-2",
        "MD-task-1",
    ]
    assert not any(value for key in keys for value in key.situation.model_dump().values())


def test_task_file_with_all_tasks_in_it_is_not_rebuilt_twice(checkout):
    user = checkout / "data" / "profile" / "user2"
    dump(user / "tasks.json", MANY_TASKS)
    (user / "tasks_md.json").unlink()
    keys = [key.task for key in open_personalens(checkout).scenarios() if key.profile == "user2"]
    assert keys == ["MD-task-2~user2"]


def test_tally_counts_every_repair_and_loss(checkout):
    data = open_personalens(checkout)
    consume(data)
    tally = data.tally
    assert numbers(tally.read) == {
        "domains": 4,
        "preference types": 6,
        "task templates": 7,
        "users": 3,
        "single-domain scenarios": 7,
        "multi-domain scenarios": 2,
        "preference references": 13,
        "preference values": 9,
    }
    assert numbers(tally.repaired) == {
        "demographic answers that say nothing": 6,
        "domain names with stray marks": 1,
        "empty dietary restrictions": 2,
        "empty preferences": 3,
        "preference references spelt otherwise": 1,
        "preference references with their domain in brackets": 1,
        "preference types spelt otherwise": 2,
        "preference values given twice": 2,
        "preference values in another case": 2,
        "scenarios rebuilt from the templates, without a situation": 4,
        "times of day in other words": 1,
    }
    assert numbers(tally.kept) == {
        "preference references that several of the task's domains have": 1,
        "preference values outside the listed ones": 2,
        "tasks worded otherwise than their template": 1,
    }
    assert numbers(tally.dropped) == {
        "demographic answers that have no place": 3,
        "interests in unknown domains": 1,
        "past interactions in domains without interest": 6,
        "preference references to a domain that the task does not have": 2,
        "preferences in domains without interest": 6,
        "task files": 1,
        "tasks of a user": 3,
        "users": 3,
    }


def test_losses_name_file_and_reason(checkout):
    data = open_personalens(checkout)
    consume(data)
    users = checkout / "data" / "profile"
    damaged, lacking, absent = data.tally.dropped["users"].examples
    assert damaged.startswith(f"{users / 'user3' / 'profile.json'}: is not valid JSON")
    assert lacking == f"{users / 'user4' / 'profile.json'}: lacks the section 'interactions'"
    assert absent == f"{users / 'user5' / 'profile.json'}: no such file"
    assert data.tally.dropped["task files"].examples == (
        f"{users / 'user6' / 'tasks.json'}: holds a list where a dict was expected",
    )
    repeated, bare, goalless = data.tally.dropped["tasks of a user"].examples
    assert "tasks.json, 'Task 5': repeats the task 'SD-Restaurants-task-2'" in repeated
    assert "tasks.json, 'Task 6': lacks a task_id" in bare
    assert "tasks.json, 'Task 7': goal" in goalless


def test_reading_twice_counts_once(checkout):
    data = open_personalens(checkout)
    consume(data)
    once = data.tally
    consume(data)
    data.profile("user2")
    assert data.tally == once


@pytest.mark.parametrize("order", [("profiles", "scenarios", "tasks"), ("scenarios", "tasks", "profiles")])
def test_order_of_the_streams_does_not_change_the_tally(checkout, order):
    data, other = open_personalens(checkout), open_personalens(checkout)
    consume(data)
    for stream in order:
        list(getattr(other, stream)())
    assert numbers(other.tally.repaired) == numbers(data.tally.repaired)
    assert numbers(other.tally.dropped) == numbers(data.tally.dropped)
    assert numbers(other.tally.read) == numbers(data.tally.read)


def test_scenarios_stream_user_by_user(checkout):
    data = open_personalens(checkout)
    assert next(data.scenarios()).profile == "user2"
    assert data.tally.read["users"].number == 1


def test_without_a_schema_the_profiles_show_the_domains(checkout):
    (checkout / "res" / "schema.json").unlink()
    data = open_personalens(checkout)
    assert set(data.domains) == set(SCHEMA)
    assert data.domains["Restaurants"].type("Ambiance Preference").multiple
    assert not data.domains["Buses"].type("Seat Preference").multiple
    assert len(list(data.scenarios())) == 9
    assert data.profile("user2").likes("Restaurants", "Ambiance Preference") == ("Casual", "casual", "candlelit")


def test_damaged_schema_is_told_and_done_without(checkout):
    dump(checkout / "res" / "schema.json", [{"domain": "Books"}])
    data = open_personalens(checkout)
    assert set(data.domains) == set(SCHEMA)
    assert "is no list of domains" in data.tally.dropped["schemas"].examples[0]


def test_data_folder_itself_will_do(checkout):
    data = open_personalens(checkout / "data")
    assert data.source == f"personalens:{checkout / 'data'}"
    assert consume(data) == consume(open_personalens(checkout))
    assert data.domains["Restaurants"].type("Ambiance Preference").values == ("casual", "lively")


def test_folder_too_deep_is_refused_naming_the_right_one(checkout):
    with pytest.raises(BadInput) as refused:
        open_personalens(checkout / "data" / "profile")
    assert refused.value.then == f"Give {checkout / 'data'}"


def test_folder_of_something_else_is_refused_saying_what_is_expected(tmp_path):
    (tmp_path / "inner").mkdir()
    with pytest.raises(BadInput, match=r"expected data/profile/user\*/profile\.json") as refused:
        open_personalens(tmp_path / "inner")
    assert "github.com/amazon-science/PersonaLens" in refused.value.then


def test_missing_folder_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        open_personalens(tmp_path / "none")


@pytest.mark.parametrize("id", ["user22", "User2"])
def test_unknown_profile_names_the_nearest(checkout, id):
    with pytest.raises(BadInput, match="did you mean 'user2'"):
        open_personalens(checkout).profile(id)


@pytest.mark.parametrize("id", ["SD-Bookz-task-1", "SD-Books-task-1~user2", "SD-Books-task-1~user99"])
def test_unknown_task_names_the_nearest(checkout, id):
    with pytest.raises(BadInput, match="did you mean 'SD-Books-task-1'"):
        open_personalens(checkout).task(id)


def test_damaged_profile_asked_for_by_id_is_refused(checkout):
    with pytest.raises(BadInput, match=r"user3.profile\.json: is not valid JSON"):
        open_personalens(checkout).profile("user3")


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"affinities": []}, "lacks the section 'affinities'"),
        ({"interactions": {"Books": "half \ud83d"}}, "surrogates not allowed"),
    ],
)
def test_profile_that_cannot_be_held_is_dropped_alone(checkout, change, lost):
    dump(checkout / "data" / "profile" / "user2" / "profile.json", person(**change))
    data = open_personalens(checkout)
    assert [profile.id for profile in data.profiles()] == ["user6", "user10"]
    assert {key.profile for key in data.scenarios()} == {"user10"}
    assert lost in data.tally.dropped["users"].examples[0]


@pytest.mark.parametrize("block", ["vegan", {"Price Range": [3, None, "dear"]}, {"Colour": "red"}])
def test_odd_preferences_cost_only_themselves(checkout, block):
    dump(checkout / "data" / "profile" / "user2" / "profile.json", person(affinities={"Restaurants": block}))
    data = open_personalens(checkout)
    assert data.profile("user2").likes("Restaurants", "Price Range") == (("dear",) if "Price Range" in block else ())
    assert any(kind.startswith(("preference", "values")) for kind in data.tally.dropped)


def test_lines_tell_the_tally_one_kind_a_line():
    tallying = Tallying()
    tallying.add(
        "a", [Note("read", "users"), Note("dropped", "tasks", "x.json: lacks a goal"), Note("kept", "none", "", 0)]
    )
    tallying.add("b", [Note("read", "users", "", 1200), Note("dropped", "tasks", "y.json: is empty")])
    assert lines(tallying.tally()) == [
        "read      users: 1,201",
        "dropped   tasks: 2, such as x.json: lacks a goal; y.json: is empty",
    ]


def test_examples_are_few_different_short_and_printable():
    tallying = Tallying()
    tallying.add("a", [Note("kept", "odd", text) for text in ("a", "a", "\udcff", "c" * 9000, "d")])
    count = tallying.tally().kept["odd"]
    assert count.number == 5
    assert count.examples == ("a", "\\udcff", "c" * 299 + "…")


def test_nothing_read_is_said():
    assert lines(Tallying().tally()) == ["read      nothing"]


@pytest.fixture(scope="module")
def real():
    """The real data of six users, with what its three streams gave."""
    place = os.environ.get("DUOLOGUE_PERSONALENS")
    if not place:
        pytest.skip("DUOLOGUE_PERSONALENS does not name a folder with PersonaLens data")
    data = open_personalens(Path(place))
    return data, *consume(data)


def test_real_slice_has_its_counts(real):
    data, profiles, tasks, keys = real
    assert [profile.id for profile in profiles] == ["user7", "user53", "user66", "user107", "user132", "user874"]
    assert len(tasks) == len({task.id for task in tasks}) == 111
    assert [sum(len(key.domains) == 1 for key in keys), sum(len(key.domains) > 1 for key in keys)] == [394, 92]
    assert len({(key.profile, key.task) for key in keys}) == 486
    assert len(data.domains) == 20
    assert sum(len(domain.preferences) for domain in data.domains.values()) == 90


def test_real_slice_has_its_repairs(real):
    tally = real[0].tally
    assert numbers(tally.read) == {
        "domains": 20,
        "preference types": 90,
        "task templates": 111,
        "users": 6,
        "single-domain scenarios": 394,
        "multi-domain scenarios": 92,
        "preference references": 1494,
        "preference values": 988,
    }
    repaired, dropped = numbers(tally.repaired), numbers(tally.dropped)
    assert repaired == {
        "demographic answers that say nothing": 1,
        "domain names with stray marks": 1,
        "empty dietary restrictions": 2,
        "preference references spelt otherwise": 48,
        "preference references with their domain in brackets": 12,
        "times of day in other words": 1,
    }
    assert dropped == {
        "past interactions in domains without interest": 28,
        "preference references to a domain that the task does not have": 13,
        "preferences in domains without interest": 28,
    }
    assert numbers(tally.kept) == {
        "preference references that several of the task's domains have": 30,
        "preference values outside the listed ones": 5,
    }


def test_real_user_with_the_corrupt_key_has_a_known_one_instead(real):
    data, *_ = real
    assert tuple(data.tally.repaired["domain names with stray marks"].examples) == ("'Buses**' is Buses",)
    assert set(data.profile("user874").interests) <= set(data.domains)


def test_every_real_reference_and_interest_exists(real):
    data, profiles, tasks, _ = real
    for task in tasks:
        assert all(data.domains[r.domain].type(r.type) and r.domain in task.domains for r in task.relevant)
    for profile in profiles:
        assert set(profile.preferences) <= set(profile.interests) <= set(data.domains)
        assert len(profile.history) == len(profile.interests)


def test_real_slice_rebuilds_to_the_same_scenarios(real, tmp_path):
    data, _, _, keys = real
    place = Path(os.environ["DUOLOGUE_PERSONALENS"])
    (tmp_path / "task").symlink_to(place / "data" / "task")
    for profile in (place / "data" / "profile").glob("*/profile.json"):
        dump(tmp_path / "profile" / profile.parent.name / "profile.json", profile.read_text(encoding="utf-8"))
    bare = open_personalens(tmp_path)
    assert {(k.profile, k.task, k.domains) for k in bare.scenarios()} == {(k.profile, k.task, k.domains) for k in keys}
    assert {n: d.preferences and {t.name for t in d.preferences} for n, d in bare.domains.items()} == {
        n: {t.name for t in d.preferences} for n, d in data.domains.items()
    }
