"""The world: tools derived from a domain, calls that change records, and refusals that an assistant can act on."""

import itertools
import json

import pytest

from duologue.tasks.aim import aims, shortfalls
from duologue.tasks.choice import attainable, best, feasible
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains
from duologue.tasks.stage import set_stage
from duologue.tasks.tool import as_function, tools
from duologue.tasks.wish import worth
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

from .inn import BREAKFASTS, FLOORS, VIEWS, inns, task, wishes

INNS = {"Inns": inns()}
STAY = {"inn": "Inn A", "guests": 2, "night": "Friday"}
GIVEN = [{"record": "stay", "fields": {"inn": "Inn C", "guests": 2, "night": "Friday"}}]


def world(seed: object = 1, **changes: object) -> World:
    return World(set_stage(task(**changes), INNS, wishes(), seed))


def error(held: World, name: str, arguments: object) -> str:
    result = held.call(name, arguments)  # type: ignore[arg-type]
    assert not result.ok
    assert list(result.value) == ["error"]
    return str(result.value["error"])


def test_tools_are_told_as_functions() -> None:
    names = [tool.name for tool in tools(INNS.values())]
    assert names == ["search_inns", "get_inn", "book_stay", "change_stay", "cancel_stay", "list_stays"]
    function = as_function(tools(INNS.values())[2])["function"]
    assert function["parameters"]["required"] == ["inn", "guests", "night"]
    assert function["parameters"]["properties"]["night"]["enum"] == ["Friday", "Saturday"]
    assert function["parameters"]["properties"]["floor"]["enum"] == list(FLOORS)
    assert function["parameters"]["properties"]["guests"] == {"type": "number", "minimum": 1, "maximum": 9}
    json.dumps(function)


def test_searches_narrow_and_page() -> None:
    held = world()
    found = held.call("search_inns", {"town": "Aldern", "view": "SEA", "beds": 3, "limit": 1})
    assert found.ok
    assert len(found.value["inns"]) == 1
    rest = held.call("search_inns", {"town": "Aldern", "view": "sea", "beds": 3, "limit": 50, "offset": 1})
    everything = [*found.value["inns"], *rest.value["inns"]]
    assert found.value["total"] == len(everything)
    assert found.value["more"] is (len(everything) > 1)
    assert all(inn["town"] == "Aldern" and inn["view"] == "sea" and inn["beds"] >= 3 for inn in everything)
    listed = held.call("search_inns", {"nights": "Saturday", "limit": 50}).value["inns"]
    assert listed
    assert all("Saturday" in inn["nights"] for inn in listed)


def test_a_record_is_made_changed_cancelled_and_listed() -> None:
    held = world()
    made = held.call("book_stay", {**STAY, "inn": "inn a", "floor": "Attic", "dog": "yes"})
    assert made.value == {"stay": {"id": "stay-1", **STAY, "floor": "attic", "dog": True, "status": "active"}}
    changed = held.call("change_stay", {"id": "stay-1", "arrival": "18:30"})
    assert changed.value["stay"]["arrival"] == "18:30"
    assert held.records[0].view["town"] == "Aldern"
    assert held.call("cancel_stay", {"id": "Stay 1"}).ok
    assert held.call("list_stays", {}).value["records"][0]["status"] == "cancelled"
    assert held.state() == {"stay": [held.records[0].plain]}
    json.dumps(held.state())


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("book_stays", {}, "There is no tool 'book_stays', did you mean 'book_stay'?"),
        ("book_stay", "{no json", "The arguments are no JSON. Pass one JSON object."),
        ("book_stay", "[1]", "The arguments must be one JSON object."),
        ("book_stay", {"inn": "Inn A"}, "book_stay needs guests, night as well."),
        ("book_stay", {**STAY, "gests": 2}, "book_stay has no argument 'gests', did you mean 'guests'?"),
        ("book_stay", {**STAY, "guests": "two"}, "guests must be a number, not 'two'."),
        ("book_stay", {**STAY, "guests": 12}, "guests must lie between 1 and 9, not 12."),
        ("book_stay", {**STAY, "guests": 3}, "Inn A takes guests up to 2, not 3."),
        ("book_stay", {**STAY, "night": "Sunday"}, "night cannot be 'Sunday'. Possible: Friday, Saturday."),
        ("book_stay", {**STAY, "night": "Saturday"}, "Inn A does not have night Saturday. It has: Friday."),
        ("book_stay", {**STAY, "arrival": "6 pm"}, "arrival '6 pm' does not have the right form: HH:MM."),
        ("book_stay", {**STAY, "dog": "perhaps"}, "dog must be true or false, not 'perhaps'."),
        ("book_stay", {**STAY, "inn": ["Inn A"]}, 'inn must be a text, not ["Inn A"].'),
        ("book_stay", {**STAY, "inn": "Imn A"}, "There is no inn 'Imn A', did you mean 'Inn A'?"),
        ("change_stay", {"id": "stay-9", "guests": 1}, "There is no stay 'stay-9'. There are: none."),
        ("search_inns", {"limit": 0}, "limit must lie between 1 and 50, not 0."),
        ("search_inns", {"limit": float("nan")}, "limit must be a number, not nan."),
        ("search_inns", {"limit": 10**400}, "limit must be a number, not this."),
        ("book_stay", {**STAY, "guests": True}, "guests must be a number, not True."),
    ],
)
def test_a_wrong_call_changes_nothing_and_is_told(name: str, arguments: object, told: str) -> None:
    held = world()
    assert error(held, name, arguments).startswith(told)
    assert held.records == ()


def test_what_is_cancelled_stays_cancelled() -> None:
    held = world()
    held.call("book_stay", STAY)
    held.call("cancel_stay", {"id": "stay-1"})
    assert error(held, "change_stay", {"id": "stay-1", "guests": 1}) == "stay-1 is cancelled already."
    assert error(held, "cancel_stay", {"id": "stay-1"}) == "stay-1 is cancelled already."


def test_equal_seeds_make_equal_worlds_and_others_do_not() -> None:
    def seen(seed: int) -> str:
        return json.dumps(world(seed).call("search_inns", {"limit": 50}).value)

    assert seen(1) == seen(1)
    assert len({seen(seed) for seed in range(5)}) == 5


def test_every_wish_can_be_met_in_full_where_nothing_is_staged() -> None:
    for seed, (view, breakfast, floor) in enumerate(itertools.product(VIEWS, BREAKFASTS, FLOORS)):
        wanted = wishes(view, breakfast, floor)
        stage = set_stage(task(), INNS, wanted, seed)
        choice = best(stage, stage.aims[0], wanted)
        assert len(choice.met) == 3
        held = World(stage)
        assert choice.entity is not None
        assert held.call("book_stay", {"inn": choice.entity.name, "guests": 2, "night": "Friday", **choice.fields}).ok
        assert shortfalls(stage.aims, held.records) == ()


def test_the_best_is_sold_out_where_staged_and_the_second_serves() -> None:
    for seed in range(20):
        stage = set_stage(task(staged="sold_out"), INNS, wishes(), seed)
        ((_, lost),) = stage.taken
        held = World(stage)
        assert held.call("get_inn", {"name": lost}).value["available"] is False
        assert "sold out" in error(held, "book_stay", {"inn": lost, "guests": 2, "night": "Friday"})
        assert len(best(stage, stage.aims[0], wishes()).met) == 3


def test_nothing_suits_in_full_where_wishes_clash() -> None:
    for seed in range(20):
        stage = set_stage(task(staged="clash"), INNS, wishes(), seed)
        assert len(best(stage, stage.aims[0], wishes()).met) == 2
        assert attainable(stage, stage.aims[0], wishes()) == {("Inns", w.type) for w in wishes()}


def test_what_no_choice_meets_is_not_attainable() -> None:
    wanted = wishes(breakfast="lobster")
    stage = set_stage(task(staged="clash"), INNS, wanted, 1)
    assert ("Inns", "breakfast") not in attainable(stage, stage.aims[0], wanted)
    assert feasible(stage, stage.aims[0])


def test_what_is_avoided_counts_against() -> None:
    (view, *_) = wishes()
    avoided = type(view)("Inns", "view", likes=("sea",), avoids=("hills",), former=("yard",), weight=0.5)
    assert [worth({"view": v}, [avoided]) for v in VIEWS] == [0.5, -0.5, 0.0, -0.5]
    assert not avoided.met_by(("sea", "hills"))


@pytest.mark.parametrize(
    ("changes", "calls", "short"),
    [
        ({}, [("book_stay", STAY)], ()),
        ({}, [], ("no stay with town Aldern, guests 2, night Friday",)),
        ({}, [("book_stay", {**STAY, "guests": 1})], ("no stay with town Aldern", "stay-1 is not what was asked")),
        ({}, [("book_stay", {**STAY, "inn": "Inn B"})], ("no stay with town Aldern", "stay-1 is not what was asked")),
        ({}, [("book_stay", STAY), ("book_stay", STAY)], ("2 stay with",)),
        ({}, [("book_stay", STAY), ("cancel_stay", {"id": "stay-1"})], ("no stay with",)),
        ({"given": GIVEN}, [("book_stay", STAY)], ("2 stay with",)),
        ({"given": [{**GIVEN[0], "fields": {**GIVEN[0]["fields"], "guests": 1}}]}, [("book_stay", STAY)], ()),  # type: ignore[dict-item]
    ],
)
def test_an_end_falls_short_where_it_does(changes: dict, calls: list, short: tuple) -> None:  # type: ignore[type-arg]
    held = world(**changes)
    for name, arguments in calls:
        assert held.call(name, arguments).ok
    told = shortfalls(held.stage.aims, held.records)
    assert len(told) == len(short)
    assert all(one.startswith(start) for one, start in zip(told, short, strict=True))


MOVED = {"given": GIVEN, "require": [{"record": "stay", "changes": True, "where": {"inn": "Inn C", "guests": 1}}]}
UNDONE = {"given": GIVEN, "require": [{"record": "stay", "gone": True, "where": {"inn": "Inn C"}}]}


@pytest.mark.parametrize(
    ("changes", "calls", "short"),
    [
        (MOVED, [("change_stay", {"id": "stay-1", "guests": 1})], 0),
        (MOVED, [], 1),
        (MOVED, [("book_stay", {"inn": "Inn C", "guests": 1, "night": "Friday"})], 1),
        (MOVED, [("cancel_stay", {"id": "stay-1"})], 2),
        (UNDONE, [("cancel_stay", {"id": "stay-1"})], 0),
        (UNDONE, [], 1),
        (UNDONE, [("change_stay", {"id": "stay-1", "inn": "Inn E"})], 1),
    ],
)
def test_given_records_change_only_as_asked(changes: dict, calls: list, short: int) -> None:  # type: ignore[type-arg]
    held = world(**changes)
    for name, arguments in calls:
        assert held.call(name, arguments).ok
    assert len(shortfalls(held.stage.aims, held.records)) == short


def test_slots_stand_for_values_and_wrong_ones_are_told() -> None:
    wanted = task(slots={"town": "Aldern", "people": 2, "night": "Friday"}, require=[
        {"record": "stay", "where": {"town": "Aldern", "guests": "$people", "beds": {"least": 2}}}
    ])  # fmt: skip
    (aim,) = aims(wanted, INNS)
    assert aim.where["guests"] == 2
    assert aim.slots == {"town": "town", "guests": "people"}
    with pytest.raises(BadInput, match="names no slot, did you mean 'people'"):
        aims(wanted.changed(require=[{"record": "stay", "where": {"guests": "$peeple"}}]), INNS)
    with pytest.raises(BadInput, match="which none of its domains keeps, did you mean 'stay'"):
        aims(wanted.changed(require=[{"record": "stays"}]), INNS)


def test_a_domain_ties_its_parts() -> None:
    plain = inns().model_dump()
    plain["records"][0]["fields"][2]["among"] = "night"
    with pytest.raises(ValueError, match="names 'night', which no entity has, did you mean 'nights'"):
        Domain.model_validate(plain)


def test_no_two_shipped_domains_share_a_tool_or_a_kind_of_record() -> None:
    domains = list(certain(shipped_domains()))
    names = [tool.name for tool in tools(domains)] + [kind.name for domain in domains for kind in domain.records]
    assert len(names) == len(set(names))
