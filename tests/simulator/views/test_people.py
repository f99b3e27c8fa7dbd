import pytest
from tests.simulator.views.screens import drawn

from duologue.profiles.profile import Demographics, Profile
from duologue.tasks.task import Task
from duologue.views.people import profile_table, task_card, task_table


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


def test_a_task_that_is_checked_shows_all_that_it_is_checked_by() -> None:
    task = Task.model_validate(
        {
            "id": "tea",
            "domains": ["Tea"],
            "intent": "You want tea.",
            "goal": "Tea is ordered.",
            "relevant": [["Tea", "leaf"]],
            "irrelevant": [["Tea", "strength"]],
            "slots": {"bags": 20},
            "withheld": ["bags"],
            "requests": ["Tea, please."],
            "given": [{"record": "tea_order", "fields": {"day": "Friday"}}],
            "staged": "sold_out",
            "require": [
                {"record": "tea_order", "changes": True, "where": {"bags": 20, "grams": {"least": 50, "most": 100}}},
                {"record": "reminder", "gone": True, "where": {"day": {"any": ["Monday", "Friday"]}}},
            ],
            "cases": [
                {"situation": {"day": "Monday"}, "wants": [{"domain": "Tea", "type": "leaf", "value": "mate"}]},
                {"situation": {"day": "Friday"}},
            ],
        }
    )
    text = drawn(task_card(task), 110)
    for line in (
        "Tea, please.",
        "told when asked  bags",
        "not to be used   Tea: strength",
        "tea_order with day = Friday",
        "tea_order, changed from the start's where bags = 20, grams at least 50 and at most 100",
        "must be gone     reminder where day one of Monday, Friday",
        "staged           sold out",
        "Monday: Tea: leaf = mate",
        "Friday: as the user likes it",
    ):
        assert line in text
