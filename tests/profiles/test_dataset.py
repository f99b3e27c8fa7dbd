"""Datasets: the shipped one, folders, and what is written from them."""

import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from duologue.profiles.dataset import Dataset, open_dataset, scenario, write_dataset
from duologue.tasks.library import shipped_situations
from duologue.tasks.written import BadInput

PROFILE = '[preferences.Restaurants]\ncuisine = ["Thai", {value = "Offal", polarity = "avoids"}]\n'
TASK = 'id = "eat"\ndomains = ["Restaurants"]\nintent = "You are hungry."\ngoal = "A table is booked."\n'
RELEVANT = 'relevant = [["Restaurants", "cuisine"]]\n'


@pytest.fixture(scope="module")
def shipped() -> Dataset:
    return open_dataset("shipped")


def put(folder: Path, **contents: str) -> Path:
    """Files in `folder`: `profiles__ann__toml` stands for profiles/ann.toml."""
    for name, content in contents.items():
        *parts, suffix = name.split("__")
        path = folder.joinpath(*parts).with_suffix(f".{suffix}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def ids(data: Dataset) -> list[tuple[str, str]]:
    return [(key.profile, key.task) for key in data.scenarios()]


# The shipped data


def test_twelve_different_people(shipped: Dataset) -> None:
    people = list(shipped.profiles())
    assert len({person.id for person in people}) == len(people) == 12
    assert len({person.demographics.home_country for person in people}) >= 10
    assert len({person.style.tone for person in people}) == 12
    assert {person.style.verbosity for person in people} == {"terse", "medium", "chatty"}
    assert {person.style.formality for person in people} == {"casual", "neutral", "formal"}
    ages = [int(person.demographics.age) for person in people]
    assert min(ages) < 25
    assert max(ages) > 70
    assert sum(not person.name.isascii() for person in people) >= 3


def test_each_person_has_preferences_in_every_domain_and_a_history(shipped: Dataset) -> None:
    for person in shipped.profiles():
        assert set(person.preferences) == set(shipped.domains), person.id
        held = [p for types in person.preferences.values() for values in types.values() for p in values]
        assert any(p.polarity == "avoids" for p in held), person.id
        assert any(p.since for p in held), person.id
        assert any(p.strength is not None for p in held), person.id
        assert 6 <= len(person.history) <= 10, person.id
        assert all(session.date for session in person.history), person.id
        assert any(session.turns for session in person.history), person.id
        assert any(session.summary for session in person.history), person.id
        kinds = {evidence.kind for session in person.history for evidence in session.evidence}
        assert kinds == {"explicit", "implicit", "update", "distractor"}, person.id
        assert person.interests


def test_history_is_no_answer_key(shipped: Dataset) -> None:
    """At most a quarter of a person's values stand word for word in summaries, and some show nowhere at all."""
    for person in shipped.profiles():
        held = [(d, t, p) for d, ts in person.preferences.items() for t, ps in ts.items() for p in ps]
        told = " ".join(session.summary for session in person.history).casefold()
        assert sum(p.value.casefold() in told for _, _, p in held) <= len(held) / 4, person.id
        shown = {(e.domain, e.type, e.value) for session in person.history for e in session.evidence}
        assert any((d, t, p.value) not in shown for d, t, p in held), person.id


def test_people_do_not_want_the_same(shipped: Dataset) -> None:
    for domain in shipped.domains.values():
        for type in domain.preferences:
            liked = Counter(v for person in shipped.profiles() for v in person.likes(domain.name, type.name))
            assert len(liked) >= 3, type.name
            assert max(liked.values()) <= 8, type.name


def test_scenarios_cross_everybody_with_every_task_and_stay_the_same(shipped: Dataset) -> None:
    keys = list(shipped.scenarios())
    assert len(keys) == 12 * len(list(shipped.tasks()))
    assert keys == list(open_dataset("shipped").scenarios())
    situations = Counter(key.situation.surroundings for key in keys)
    assert len(situations) == len(shipped_situations())
    assert max(situations.values()) < 2 * len(keys) / len(situations)
    first = scenario(shipped, keys[0])
    assert (first.profile.id, first.task.id, first.situation) == (keys[0].profile, keys[0].task, keys[0].situation)
    assert first.task.domains == keys[0].domains


def test_unknown_ids_name_the_nearest(shipped: Dataset) -> None:
    with pytest.raises(BadInput, match="no profile 'rangi-prata', did you mean 'rangi-parata'"):
        shipped.profile("rangi-prata")
    with pytest.raises(BadInput, match="no task 'table-for-for', did you mean 'table-for-four'"):
        shipped.task("table-for-for")


def test_package_may_be_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "duologue.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("duologue/__init__.py", "")
        for package in ("profiles", "tasks"):
            root = Path(str(files(f"duologue.{package}")))
            for path in [*root.rglob("*.py"), *root.rglob("*.toml")]:
                packed.write(path, Path("duologue", package, path.relative_to(root)))
    code = (
        "import duologue; from duologue.profiles.dataset import open_dataset; data = open_dataset('shipped');"
        "print(duologue.__file__, len(list(data.profiles())), len(data.domains), len(list(data.tasks())) > 20)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(archive), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == [str(archive / "duologue" / "__init__.py"), "12", "4", "True"]


# Folders


def test_folder_of_profiles_uses_the_shipped_tasks_that_fit(tmp_path: Path) -> None:
    data = open_dataset("mine", beside=put(tmp_path, mine__profiles__ann__toml=PROFILE).resolve())
    assert [profile.id for profile in data.profiles()] == ["ann"]
    assert data.source == "mine"
    tasks = {task for _, task in ids(data)}
    assert "table-for-four" in tasks
    assert "dinner-and-a-film" not in tasks
    assert "talk-in-tallinn" not in tasks


def test_folder_of_tasks_uses_the_shipped_profiles(tmp_path: Path) -> None:
    data = open_dataset(str(put(tmp_path, tasks__eat__toml=TASK + RELEVANT)))
    assert {task for _, task in ids(data)} == {"eat"}
    assert len(ids(data)) == 12


def test_forms_mix_and_toml_comes_first(tmp_path: Path) -> None:
    put(tmp_path, profiles__ann__toml=PROFILE, tasks__eat__toml=TASK)
    put(tmp_path, profiles__jsonl=lines({"id": "bob"}, {"id": "cid"}))
    put(tmp_path, tasks__jsonl=lines({"id": "rest", "domains": ["Sleep"], "intent": "You rest.", "goal": "Rest."}))
    data = open_dataset(str(tmp_path))
    assert [profile.id for profile in data.profiles()] == ["ann", "bob", "cid"]
    assert [task.id for task in data.tasks()] == ["eat", "rest"]
    assert len(ids(data)) == 6
    assert data.profile("cid").id == "cid"


def test_own_domain_replaces_the_shipped_one_of_that_name(tmp_path: Path) -> None:
    put(tmp_path, domains__eat__toml='name = "Restaurants"\ndescription = "ours"\n')
    put(tmp_path, domains__jsonl=lines({"name": "Tea", "preferences": [{"name": "leaf"}]}))
    domains = open_dataset(str(tmp_path)).domains
    assert set(domains) == {"Calendar", "Flights", "Movies", "Restaurants", "Tea"}
    assert domains["Restaurants"].description == "ours"


def test_scenario_file_decides(tmp_path: Path) -> None:
    put(tmp_path, profiles__jsonl=lines({"id": "ann"}, {"id": "bob"}), tasks__eat__toml=TASK + RELEVANT)
    put(tmp_path, scenarios__jsonl=lines({"profile": "bob", "task": "eat", "situation": {"location": "Pécs"}}))
    (key,) = open_dataset(str(tmp_path)).scenarios()
    assert (key.profile, key.task, key.domains, key.situation.location) == ("bob", "eat", ("Restaurants",), "Pécs")


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ({"profile": "anne", "task": "eat"}, "no profile 'anne', did you mean 'ann'"),
        ({"profile": "ann", "task": "eats"}, "no task 'eats', did you mean 'eat'"),
        ({"profile": "ann", "tsk": "eat"}, "unknown key 'tsk', did you mean 'task'"),
    ],
)
def test_scenario_of_nobody_is_refused_with_its_line(tmp_path: Path, record: object, what: str) -> None:
    put(tmp_path, profiles__jsonl=lines({"id": "ann"}), tasks__eat__toml=TASK, scenarios__jsonl=lines({}, record)[3:])
    with pytest.raises(BadInput, match=what) as fault:
        list(open_dataset(str(tmp_path)).scenarios())
    assert fault.value.where == f"{tmp_path / 'scenarios.jsonl'}:1"


def test_profiles_are_read_by_id_and_only_that_line_is_parsed(tmp_path: Path) -> None:
    good = [{"id": f"p{n}", "name": "Hạnh 👩🏽‍🔧" * n} for n in range(50)]
    put(tmp_path, profiles__jsonl=lines(*good, {"id": "faulty", "nme": "x"}))
    data = open_dataset(str(tmp_path))
    for record in reversed(good):
        assert data.profile(record["id"]).name == record["name"]
    with pytest.raises(BadInput, match=r"profiles\.jsonl:51: unknown key 'nme', did you mean 'name'"):
        data.profile("faulty")


def test_file_that_changes_under_the_index_is_noticed(tmp_path: Path) -> None:
    data = open_dataset(str(put(tmp_path, profiles__jsonl=lines({"id": "ann"}, {"id": "bob"}))))
    assert data.profile("bob").id == "bob"
    put(tmp_path, profiles__jsonl=lines({"id": "ann"}, {"id": "eve"}))
    with pytest.raises(BadInput, match="was changed while it was read"):
        data.profile("bob")


def test_ids_written_twice_are_refused_before_a_run(tmp_path: Path) -> None:
    data = open_dataset(str(put(tmp_path, profiles__ann__toml=PROFILE, profiles__jsonl=lines({"id": "ann"}))))
    with pytest.raises(BadInput, match="two profiles have the id 'ann'"):
        data.profile("ann")
    data = open_dataset(str(put(tmp_path, tasks__a__toml=TASK, tasks__b__toml=TASK)))
    with pytest.raises(BadInput, match="two tasks have the id 'eat'"):
        data.task("eat")


def test_sources_that_are_no_data_say_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    for source, what in [("nowhere", "no such folder"), ("file", "is a file"), ("empty", "holds no profiles")]:
        with pytest.raises(BadInput, match=what) as fault:
            open_dataset(source, beside=tmp_path)
        assert fault.value.where == str(tmp_path / source)
        assert "`shipped`" in fault.value.then


def test_opening_reads_nothing_yet(tmp_path: Path) -> None:
    data = open_dataset(str(put(tmp_path, profiles__ann__toml="not toml", tasks__eat__toml=TASK)))
    assert data.task("eat").id == "eat"
    with pytest.raises(BadInput, match="not valid TOML"):
        list(data.profiles())


# Writing


def test_written_data_reads_back_the_same(tmp_path: Path, shipped: Dataset) -> None:
    counts = write_dataset(shipped, tmp_path)
    keys = list(shipped.scenarios())
    assert counts == {"profiles": 12, "tasks": 28, "domains": 4, "scenarios": len(keys)}
    again = open_dataset(str(tmp_path))
    assert list(again.profiles()) == list(shipped.profiles())
    assert list(again.tasks()) == list(shipped.tasks())
    assert again.domains == shipped.domains
    assert list(again.scenarios()) == keys
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "domains.jsonl",
        "profiles.jsonl",
        "scenarios.jsonl",
        "tasks.jsonl",
    ]


def test_one_part_alone_and_then_the_other(tmp_path: Path, shipped: Dataset) -> None:
    assert write_dataset(shipped, tmp_path / "new", parts=("profiles",)) == {"profiles": 12, "domains": 4}
    assert not (tmp_path / "new" / "tasks.jsonl").exists()
    counts = write_dataset(shipped, tmp_path / "new", parts=("tasks",))
    assert set(counts) == {"tasks", "domains", "scenarios"}
    assert len(ids(open_dataset(str(tmp_path / "new")))) == counts["scenarios"]


def test_dataset_may_be_written_over_itself(tmp_path: Path, shipped: Dataset) -> None:
    write_dataset(shipped, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_dataset(open_dataset(str(tmp_path)), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_folder_that_cannot_be_made_is_told(tmp_path: Path, shipped: Dataset) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be written"):
        write_dataset(shipped, tmp_path / "file" / "below")
