"""Goals of MultiWOZ: of the states, or of the original goals, with the databases as catalogues."""

from pathlib import Path
from typing import Any

import pytest
from tests.tasks.imports.made_up import HOTELS, TRAINS, lodging, system, trains, user, written

from duologue.profiles.tally import Tally, Tallying
from duologue.tasks.imports.formats import FORMATS
from duologue.tasks.imports.taking import Taken
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Bound
from duologue.tasks.world import World
from duologue.tasks.written import BadInput


def taken(folder: Path, **files: Any) -> tuple[Taken, Tally]:
    written(folder, schema=[lodging(), trains()], **files)
    tallying = Tallying()
    return FORMATS["multiwoz"].take(folder, tallying.count), tallying.tally()


def dialogue(id: str, *turns: Any) -> dict[str, Any]:
    return {"dialogue_id": id, "services": ["hotel"], "turns": list(turns)}


def counts(fate: dict[str, Any]) -> dict[str, int]:
    return {kind.split(" (")[0]: count.number for kind, count in fate.items()}


STAY = {"hotel__area": "north", "hotel__bookday": "monday", "hotel__bookpeople": "2"}


def test_the_states_make_a_task_and_a_name_that_was_offered_is_left_open(tmp_path: Path) -> None:
    turns = (
        user("find_hotel", "hotel", hotel__area="north"),
        system("How about Alder House?", "hotel"),
        user("find_hotel", "hotel", ("hotel-ref",), **STAY, hotel__name=["Alder House", "alder house"]),
    )
    made, tally = taken(tmp_path, train__dialogues_001=[dialogue("PMUL1.json", *turns)], db__hotel_db=HOTELS)
    (task,) = made.tasks
    assert task.id == "multiwoz-train-PMUL1"
    assert task.slots == {"area": "north", "book_day": "Monday", "book_people": 2}
    assert task.require[0].record == "hotel_order"
    assert counts(tally.repaired)["intents that follow from the slots alone"] == 1
    world = World(set_stage(task, made.domains, (), 1))
    assert world.call("book_hotel_at_hotel", {"name_of": "x"}).ok is False
    assert world.call("book_hotel_at_hotel", {"hotel_name": "Alder House", "book_day": "Monday", "book_people": 2}).ok
    assert world.stage.aims[0].met_by(world.records[0])


def test_a_name_of_the_users_own_is_required(tmp_path: Path) -> None:
    turns = (user("book_hotel", "hotel", **STAY, hotel__name=["alder house"]), system("Alder House it is.", "hotel"))
    made, _ = taken(tmp_path, train__dialogues_001=[dialogue("A", *turns)], hotel_db=HOTELS)
    assert made.tasks[0].slots["hotel_name"] == "alder house"
    assert made.tasks[0].require[0].where["hotel_name"] == "$hotel_name"


def test_what_a_later_state_lacks_is_no_longer_wanted(tmp_path: Path) -> None:
    turns = (user("find_hotel", "hotel", hotel__stars="4", **STAY), user("book_hotel", "hotel", **STAY))
    made, tally = taken(tmp_path, train__dialogues_001=[dialogue("A", *turns)])
    assert made.tasks[0].slots == {"area": "north", "book_day": "Monday", "book_people": 2}
    assert counts(tally.repaired)["values that a later state took back"] == 1


def test_a_time_to_leave_at_lets_later_trains_do_and_hours_have_two_digits(tmp_path: Path) -> None:
    ride = {"train__leaveat": "9:10", "train__bookpeople": "1"}
    made, _ = taken(
        tmp_path, train__dialogues_001=[dialogue("T", user("book_train", "train", **ride))], train_db=TRAINS
    )
    assert made.tasks[0].slots["leave_at"] == "09:10"
    assert made.tasks[0].require[0].where["leave_at"] == Bound(any=("09:10", "13:10"))


def test_a_time_to_arrive_by_lets_earlier_trains_do(tmp_path: Path) -> None:
    ride = {"train__departure": "ely", "train__destination": "norwich", "train__arriveby": "11:00"}
    turns = (user("book_train", "train", **ride, train__bookpeople="1"),)
    made, _ = taken(tmp_path, train__dialogues_001=[dialogue("T", *turns)], train_db=TRAINS)
    (task,) = made.tasks
    assert task.require[0].where["arrive_by"] == Bound(any=("11:00", "06:05", "10:05"))
    world = World(set_stage(task, made.domains, (), 1))
    found = world.call("find_train_at_train", {"arrive_by": "11:00"})
    assert [each["name"] for each in found.value["trains"]] == ["TR5", "TR9"]
    late, early = ({"train_id": id, "book_people": 1} for id in ("TR13", "TR9"))
    for fields, met in ((late, False), (early, True)):
        assert world.call("book_train_at_train", fields).ok
        assert world.stage.aims[0].met_by(world.records[-1]) is met


def test_the_original_goal_goes_before_the_states(tmp_path: Path) -> None:
    goal = {
        "hotel": {
            "info": {"area": "south", "parking": "yes", "stars": "dontcare"},
            "fail_info": {"area": "north"},
            "book": {"day": "tuesday", "people": "3", "invalid": False, "pre_invalid": True},
            "fail_book": {"day": "monday"},
            "reqt": ["phone", "internet speed"],
        },
        "police": {"info": {"x": "y"}},
        "train": {},
        "message": ["You …"],
        "topic": {"hotel": False},
    }
    states = [
        dialogue("MUL7.json", user("book_hotel", "hotel", **STAY)),
        dialogue("MUL8.json", user("find_hotel", "hotel", **STAY)),
    ]
    made, tally = taken(
        tmp_path, train__dialogues_001=states, data={"MUL7.json": {"goal": goal, "log": []}}, hotel_db=HOTELS
    )
    first, second = made.tasks
    assert (first.id, second.id) == ("multiwoz-MUL7", "multiwoz-train-MUL8")
    assert first.slots == {"area": "south", "book_day": "Tuesday", "book_people": 3}
    assert first.require and "telephone number of the hotel" in first.intent
    assert counts(tally.repaired)["first attempts that were to fail"] == 2
    assert counts(tally.kept)["values that do not matter to the user"] == 1
    assert counts(tally.dropped) == {
        "parts of a goal whose service the schema does not have": 1,
        "slots that their service does not have": 2,
    }
    assert counts(tally.read)["goals of data.json"] == 1


def test_goals_alone_are_enough_and_none_without_an_intent(tmp_path: Path) -> None:
    goals = {
        "A.json": {"goal": {"hotel": {"info": {"area": "not mentioned"}, "reqt": ["phone"]}}},
        "B.json": {"goal": {}},
    }
    made, tally = taken(tmp_path, data=goals)
    assert [(task.id, dict(task.slots), task.require) for task in made.tasks] == [("multiwoz-A", {}, ())]
    assert counts(tally.dropped)["goals of data.json that ask for nothing"] == 1


def test_a_folder_without_dialogues_or_goals_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds neither dialogues_"):
        taken(tmp_path)
