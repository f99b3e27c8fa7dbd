"""Datasets: the shipped one, folders, and what is written from them."""

import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from importlib.resources import files
from itertools import islice
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


@pytest.fixture
def few(tmp_path: Path, shipped: Dataset) -> Dataset:
    """Five of the shipped people, with all shipped tasks."""
    held = islice(shipped.profiles(), 5)
    return open_dataset(
        str(put(tmp_path / "few", profiles__jsonl=lines(*(person.model_dump(mode="json") for person in held))))
    )


# The shipped data


def test_scenarios_cross_everybody_with_every_task_that_fits_and_stay_the_same(shipped: Dataset) -> None:
    keys = list(shipped.scenarios())
    held = {person.id: set(person.preferences) for person in shipped.profiles()}
    tasks = {task.id: {pair.domain for pair in task.relevant} for task in shipped.tasks()}
    fitting = [(person, task) for person in held for task in tasks if tasks[task] <= held[person]]
    assert [(key.profile, key.task) for key in keys] == fitting
    assert {key.task for key in keys} == set(tasks)
    assert keys == list(open_dataset("shipped").scenarios())
    first = scenario(shipped, keys[0])
    assert (first.profile.id, first.task.id, first.situation) == (keys[0].profile, keys[0].task, keys[0].situation)
    assert first.task.domains == keys[0].domains


def test_situations_are_dealt_out_evenly(shipped: Dataset) -> None:
    """Each as often as the others, over all scenarios and over those of one person or one task."""
    cases = {task.id for task in shipped.tasks() if task.cases}
    keys = [key for key in shipped.scenarios() if key.task not in cases]
    for part in ("time_of_day", "day", "device", "surroundings"):
        met = Counter(getattr(key.situation, part) for key in keys)
        assert max(met.values()) < 1.25 * min(met.values()), part
        assert set(met) == {getattr(situation, part) for situation in shipped_situations()}
    of_one = Counter(key.situation.time_of_day for key in keys if key.profile == keys[0].profile)
    assert max(of_one.values()) < 2 * min(of_one.values())


def test_a_task_that_tells_situations_apart_takes_place_in_one_of_them(shipped: Dataset) -> None:
    cases = {task.id: {case.situation for case in task.cases} for task in shipped.tasks() if task.cases}
    assert cases
    for id, situations in cases.items():
        met = Counter(key.situation for key in shipped.scenarios() if key.task == id)
        assert set(met) == situations
        assert min(met.values()) > 0.6 * max(met.values()), id


def test_situations_cover_the_week() -> None:
    """Every time of day on every day, each device as often as the others, no surroundings twice."""
    situations = shipped_situations()
    assert len({(situation.time_of_day, situation.day) for situation in situations}) == len(situations) == 28
    assert set(Counter(situation.device for situation in situations).values()) == {7}
    assert len({situation.surroundings for situation in situations}) == 28
    assert not any(situation.location for situation in situations)


def test_people_added_behind_leave_the_others_in_their_situations(tmp_path: Path) -> None:
    held = {"preferences": {"Restaurants": {"cuisine": ["Thai"]}}}
    put(tmp_path, profiles__jsonl=lines(*({"id": f"p{n}", **held} for n in range(5))), tasks__eat__toml=TASK + RELEVANT)
    before = list(open_dataset(str(tmp_path)).scenarios())
    put(tmp_path, profiles__jsonl=lines(*({"id": f"p{n}", **held} for n in range(9))))
    assert list(open_dataset(str(tmp_path)).scenarios())[:5] == before


def test_unknown_ids_name_the_nearest(shipped: Dataset) -> None:
    with pytest.raises(BadInput, match="no profile 'p1-0200x', did you mean 'p1-0200'"):
        shipped.profile("p1-0200x")
    with pytest.raises(BadInput, match="no task 'table-for-for', did you mean 'table-for-four'"):
        shipped.task("table-for-for")


def test_package_may_be_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "duologue.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("duologue/__init__.py", "")
        for package in ("profiles", "tasks"):
            root = Path(str(files(f"duologue.{package}")))
            for path in [path for suffix in ("py", "toml", "jsonl") for path in root.rglob(f"*.{suffix}")]:
                packed.write(path, Path("duologue", package, path.relative_to(root)))
    code = (
        "import duologue; from duologue.profiles.dataset import open_dataset; data = open_dataset('shipped');"
        "print(duologue.__file__, len(list(data.profiles())), data.profile('p1-0007').id, len(data.domains))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(archive), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == [str(archive / "duologue" / "__init__.py"), "200", "p1-0007", "20"]


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
    fitting = [person.id for person in data.profiles() if "Restaurants" in person.preferences]
    assert [person for person, _ in ids(data)] == fitting
    assert len(fitting) > 50


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
    assert set(domains) == {*open_dataset("shipped").domains, "Tea"}
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
    assert data.profile("ann").id == "ann"
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


def test_written_data_reads_back_the_same(tmp_path: Path, few: Dataset) -> None:
    counts = write_dataset(few, tmp_path / "new")
    keys = list(few.scenarios())
    tasks = list(few.tasks())
    assert counts == {"profiles": 5, "tasks": len(tasks), "domains": 20, "scenarios": len(keys)}
    again = open_dataset(str(tmp_path / "new"))
    assert list(again.profiles()) == list(few.profiles())
    assert list(again.tasks()) == list(few.tasks())
    assert again.domains == few.domains
    assert list(again.scenarios()) == keys
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "domains.jsonl",
        "profiles.jsonl",
        "scenarios.jsonl",
        "tasks.jsonl",
    ]


def test_one_part_alone_and_then_the_other(tmp_path: Path, few: Dataset) -> None:
    assert write_dataset(few, tmp_path / "new", parts=("profiles",)) == {"profiles": 5, "domains": 20}
    assert not (tmp_path / "new" / "tasks.jsonl").exists()
    counts = write_dataset(few, tmp_path / "new", parts=("tasks",))
    assert set(counts) == {"tasks", "domains", "scenarios"}
    assert len(ids(open_dataset(str(tmp_path / "new")))) == counts["scenarios"]


def test_dataset_may_be_written_over_itself(tmp_path: Path, few: Dataset) -> None:
    place = tmp_path / "new"
    write_dataset(few, place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    write_dataset(open_dataset(str(place)), place)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_folder_that_cannot_be_made_is_told(tmp_path: Path, few: Dataset) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be written"):
        write_dataset(few, tmp_path / "file" / "below")
