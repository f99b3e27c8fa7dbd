"""Goals of SGD dialogues: what becomes a task, what it requires of the world, and what is told of the rest."""

from pathlib import Path
from typing import Any

import pytest
from tests.tasks.imports.made_up import PLACES, act, diners, dinner, search, system, user, weather, written

from duologue.profiles.tally import Tally, Tallying
from duologue.tasks.imports.formats import FORMATS
from duologue.tasks.imports.taking import Taken
from duologue.tasks.rehearsal import obstacle
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Bound
from duologue.tasks.world import World
from duologue.tasks.written import BadInput


def taken(folder: Path, *dialogues: Any, schema: Any = None, **files: Any) -> tuple[Taken, Tally]:
    """What comes of the dialogues, in a split."""
    services = [diners(), weather()] if schema is None else schema
    written(folder, train__schema=services, train__dialogues_001=list(dialogues), **files)
    tallying = Tallying()
    return FORMATS["sgd"].take(folder, tallying.count), tallying.tally()


def dialogue(*turns: Any, id: str = "1_00001") -> dict[str, Any]:
    return {"dialogue_id": id, "services": ["Diners_1"], "turns": list(turns)}


def counts(fate: dict[str, Any]) -> dict[str, int]:
    return {kind.split(" (")[0]: count.number for kind, count in fate.items()}


def test_a_goal_becomes_a_task_that_the_world_can_show_done(tmp_path: Path) -> None:
    made, tally = taken(tmp_path, dinner())
    (task,) = made.tasks
    assert task.id == "sgd-train-1_00000"
    assert task.domains == ("SGD Diners_1",)
    assert task.slots == {"town": "Aldern", "kitchen": "Thai", "time": "19:30", "seats": 3, "date": "2019-03-08"}
    (need,) = task.require
    assert need.record == "table_order"
    assert need.where == {name: f"${name}" for name in ("town", "kitchen", "time", "seats", "date")}
    assert not task.relevant and not made.domains["SGD Diners_1"].preferences
    assert "book a table at a diner" in task.intent and "telephone number of the diner" in task.goal
    assert tally.kept["values that the user took from an offer (left to be chosen)"].examples == (
        "Diners_1: diner_name",
    )


def test_the_services_do_what_the_goal_needs_and_nothing_else_counts(tmp_path: Path) -> None:
    made, _ = taken(tmp_path, dinner())
    (task,) = made.tasks
    world = World(set_stage(task, made.domains, (), 1))
    found = world.call("find_diner_at_diners_1", {"town": "aldern", "kitchen": "Thai", "garden": False})
    assert [each["name"] for each in found.value["diners"]] == ["Blue Door"]
    booking = {"diner_name": "Blue Door", "seats": 3, "date": "2019-03-08"}
    refused = world.call("book_table_at_diners_1", {**booking, "time": "half past seven"})
    assert not refused.ok and "HH:MM" in refused.value["error"]
    assert world.call("book_table_at_diners_1", {**booking, "time": "19:30"}).ok
    aim = world.stage.aims[0]
    assert aim.met_by(world.records[0])
    world.call("change_book_table_at_diners_1", {"id": world.records[0].id, "diner_name": "Leek & Co"})
    assert not aim.met_by(world.records[0])


def test_what_the_user_named_stays_though_the_system_says_it_too(tmp_path: Path) -> None:
    own = {"town": "Brack", "diner_name": ["Leek"]}
    both = {"town": "Brack", "diner_name": ["Leek", "Leek & Co"], "time": "12:00"}
    made, _ = taken(
        tmp_path,
        dialogue(
            user("BookTable", **own),
            system(**search(PLACES), actions=[act("OFFER", "diner_name", "Leek & Co", "Leek")]),
            user("BookTable", **both),
        ),
    )
    assert made.tasks[0].slots == {"town": "Brack", "diner_name": "Leek & Co", "time": "12:00"}
    assert made.tasks[0].require[0].where["diner_name"] == "$diner_name"


def test_the_last_value_counts_and_what_does_not_matter_binds_nothing(tmp_path: Path) -> None:
    made, tally = taken(
        tmp_path,
        dialogue(
            user("FindDiner", town="Brack", kitchen="Welsh"),
            system(**search(PLACES)),
            user("BookTable", town="Aldern", kitchen=["dontcare"], diner_name="Blue Door", time="18:00"),
        ),
    )
    assert made.tasks[0].slots == {"town": "Aldern", "diner_name": "Blue Door", "time": "18:00"}
    assert counts(tally.repaired)["values that changed in the dialogue"] == 2
    assert counts(tally.kept)["values that do not matter to the user"] == 1


def test_equal_goals_are_one_task_and_ids_differ_between_splits(tmp_path: Path) -> None:
    other = dialogue(user("FindDiner", town="Brack"), id="1_00000")
    made, tally = taken(tmp_path, dinner(), dinner("1_00007"), dev__dialogues_001=[other, dinner("1_00009")])
    assert [task.id for task in made.tasks] == ["sgd-dev-1_00000", "sgd-dev-1_00009"]
    assert [task.description for task in made.tasks] == ["One dialogue has this goal.", "3 dialogues have this goal."]
    assert counts(tally.repaired)["goals equal to one before"] == 2
    assert counts(tally.read)["dialogues"] == 4


@pytest.mark.parametrize(
    ("turns", "fate", "kind"),
    [
        ([user("NONE", town="Brack")], "dropped", "dialogues whose goal has no intent"),
        ([user("NONE", town="Brack")], "dropped", "values of a service of which nothing is wanted"),
        ([user("FindDiner", town="Brack", colour="red")], "dropped", "slots that their service does not have"),
        ([user("FindDiner", town="Brack", asked=("rent",))], "dropped", "slots that their service does not have"),
        ([user("SellDiner", town="Brack")], "dropped", "intents that their service does not have"),
        (
            [user("Fly", service="Wings_1"), user("FindDiner", town="Brack")],
            "dropped",
            "frames of a service that the schema does not have",
        ),
        ([user("FindDiner", town=[{"x": 1}])], "dropped", "values that are no text"),
        ([{"speaker": "USER"}, user("FindDiner", town="Brack")], "dropped", "turns without frames"),
        ([user("FindDiner", town="Brack", kitchen="Mars")], "kept", "values that the schema does not list"),
        ([user("BookTable", town="Brack", date="next Friday")], "kept", "days and times in free words"),
    ],
)
def test_what_is_left_out_or_mended_is_counted(tmp_path: Path, turns: list[Any], fate: str, kind: str) -> None:
    _, tally = taken(tmp_path, dialogue(*turns))
    assert counts(getattr(tally, fate))[kind] == 1


def test_no_dialogue_without_turns_and_no_damage_hides_the_others(tmp_path: Path) -> None:
    made, tally = taken(tmp_path, {"dialogue_id": "x"}, dinner())
    assert len(made.tasks) == 1
    assert counts(tally.dropped)["dialogues without turns"] == 1
    file = tmp_path / "train" / "dialogues_001.json"
    file.write_text(file.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    written(tmp_path, train__dialogues_000=[dialogue(user("FindDiner", town="Brack"))])
    tallying = Tallying()
    assert len(FORMATS["sgd"].take(tmp_path, tallying.count).tasks) == 1
    assert (
        "dialogues_001.json: is not valid JSON"
        in tallying.tally().dropped["files from the first damage on"].examples[0]
    )


def test_a_goal_that_no_place_meets_is_judged_by_a_model(tmp_path: Path) -> None:
    made, tally = taken(
        tmp_path, dinner(), dialogue(user("BookTable", town="Brack", kitchen="Greek", time="12:00"), id="2")
    )
    assert [bool(task.require) for task in made.tasks] == [True, False]
    assert counts(tally.kept)["goals that no world of these services can meet"] == 1
    assert counts(tally.read)["tasks checked in the world"] == 1


def test_without_results_the_record_holds_all_that_was_asked(tmp_path: Path) -> None:
    made, _ = taken(tmp_path, dialogue(user("BookTable", town="Brack", diner_name="Leek", time="12:00")))
    assert made.domains["SGD Diners_1"].entity is None
    assert made.tasks[0].require[0].where == {"town": "$town", "diner_name": "$diner_name", "time": "$time"}
    assert obstacle(made.tasks[0], made.domains) == ""


def test_a_search_alone_requires_nothing_of_the_world(tmp_path: Path) -> None:
    made, _ = taken(tmp_path, dialogue(user("GetForecast", "Skies_1", ("wind",), town="Brack")))
    assert made.tasks[0].require == ()
    assert made.tasks[0].domains == ("SGD Skies_1",)
    assert not made.domains["SGD Skies_1"].records


def test_slots_of_two_services_keep_apart(tmp_path: Path) -> None:
    made, _ = taken(
        tmp_path, dialogue(user("BookTable", town="Brack", time="12:00"), user("GetForecast", "Skies_1", town="Aldern"))
    )
    (task,) = made.tasks
    assert task.slots == {"diners_1_town": "Brack", "time": "12:00", "skies_1_town": "Aldern"}
    assert task.require[0].where == {"town": "$diners_1_town", "time": "$time"}
    assert "{diners_1_town}" in task.requests[0]


def test_sums_of_money_are_no_names_of_slots(tmp_path: Path) -> None:
    schema = diners()
    schema["slots"].append({"name": "tip", "description": "The tip", "is_categorical": False, "possible_values": []})
    schema["intents"][1]["optional_slots"]["tip"] = "dontcare"
    made, _ = taken(tmp_path, dialogue(user("BookTable", town="Brack", tip="$5")), schema=[schema])
    assert made.tasks[0].slots["tip"] == "$5"
    assert made.tasks[0].require[0].where["tip"] == Bound(any=("$5", "5"))


def test_truths_are_truths(tmp_path: Path) -> None:
    found = {"town": "Aldern", "garden": "False"}
    turns = (user("FindDiner", **found), system(**search(PLACES)), user("BookTable", **found, time="12:00"))
    made, _ = taken(tmp_path, dialogue(*turns))
    assert made.tasks[0].slots["garden"] is False
    assert "whether there is a garden: no" in made.tasks[0].intent
    assert made.tasks[0].require


def test_what_differs_between_searches_is_no_property_of_a_place(tmp_path: Path) -> None:
    rows = [{**row, "phone": f"555-{number}"} for number, row in enumerate(PLACES)]
    made, tally = taken(
        tmp_path, dialogue(user("BookTable", town="Brack"), system(**search(PLACES)), system(**search(rows)))
    )
    entity = made.domains["SGD Diners_1"].entity
    assert entity and [each.name for each in entity.attributes] == ["town", "kitchen", "garden"]
    assert tally.dropped[next(iter(tally.dropped))].examples == ("Diners_1: phone",)


def test_a_name_counts_once_however_it_is_written_and_gaps_stay_gaps(tmp_path: Path) -> None:
    other = {**PLACES[0], "diner_name": "THE LADLE"}
    bare = {name: value for name, value in PLACES[1].items() if name != "phone"}
    rows = [*PLACES[::2], other, bare, *({**PLACES[1], "diner_name": f"Diner {number}"} for number in range(3))]
    made, tally = taken(tmp_path, dialogue(user("BookTable", town="Brack"), system(**search(rows))))
    held = {row["name"]: row["phone"] for row in made.domains["SGD Diners_1"].catalogue}
    assert held["Blue Door"] == "" and "THE LADLE" not in held and len(held) == 6
    assert counts(tally.dropped) == {"search results whose name another one has in other letters": 1}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "holds no schema.json"),
        ({"schema": []}, "holds no dialogues_"),
        ({"schema": [{"service_name": "A"}], "dialogues_001": []}, "schema.json, service 1: is no service"),
        ({"schema": "[{]", "dialogues_001": []}, "schema.json: is not valid JSON"),
        ({"schema": "7", "dialogues_001": []}, "schema.json: is not valid JSON: expected"),
    ],
)
def test_what_is_no_sgd_is_told_in_a_sentence(tmp_path: Path, files: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        FORMATS["sgd"].take(written(tmp_path, **files), lambda _: None)
