import pytest
from tests.simulator.views.screens import drawn

from duologue.profiles.profile import Demographics, Profile
from duologue.tasks.task import Task
from duologue.views.people import profile_table, task_table


@pytest.mark.parametrize("width", [60, 80])
def test_a_task_is_one_line_and_its_id_whole(width: int) -> None:
    tasks = [
        Task(id=id, domains=("Restaurants", "Calendar"), intent="You want a table " * 20, goal="It is booked.")
        for id in ("book-a-table-for-the-family", "b")
    ]
    lines = drawn(task_table(tasks), width).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("book-a-table-for-the-family  ") and lines[1].endswith("…")


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    nameless = [Profile(id="user7", demographics=Demographics(home_city="Bergen " * 30)), Profile(id="user8")]
    lines = drawn(profile_table(nameless)).splitlines()
    assert lines[0].split() == ["id", "home", "domains", "preferences", "sessions"]
    assert len(lines) == 3 and lines[1].split()[-3:] == ["0", "0", "0"]
    named = [Profile(id="anna", name="Anna Berg", demographics=Demographics(age="34"))]
    assert drawn(profile_table(named)).splitlines()[0].split()[:3] == ["id", "name", "age"]
