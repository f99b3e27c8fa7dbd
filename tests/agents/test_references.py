"""The reference assistants: what each may know, how it uses the tools, and that it can be taken up anywhere."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from duologue.agents.agenda.user import AgendaUser
from duologue.agents.references.assistant import KINDS, Kind, ReferenceAssistant
from duologue.agents.references.replies import Reply, replied
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wishes
from duologue.tasks.aim import shortfalls
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains, shipped_tasks
from duologue.tasks.stage import Stage, set_stage
from duologue.tasks.task import Situation, Task
from duologue.tasks.world import World

from .stating import CUISINES, DOMAINS, PROFILE, SUPPERS, THAI, hold, replied_to, task

POPULAR = {
    ("Suppers", "cuisine"): ("Georgian", "Korean"),
    ("Suppers", "room"): ("lively",),
    ("Suppers", "drink"): ("cider",),
}
FACTS = ("A table for two, please.", "On Friday.")
TASTES = ("I like Peruvian food. I like a candlelit room. I dine at six.", "I drink cider.")


def prepared(
    kind: Kind, given: Task | None = None, profile: Profile = PROFILE, popular: Mapping[Any, Sequence[str]] = POPULAR
) -> tuple[ReferenceAssistant, World]:
    scenario = Scenario(profile, given or task())
    stage = set_stage(scenario.task, DOMAINS, wishes(scenario), "here")
    world = World(stage)
    return ReferenceAssistant(kind, scenario, DOMAINS, world.tools, wishes(scenario), popular, seed=3), world


def calls(script: Transcript) -> list[tuple[str, dict[str, Any]]]:
    return [(action.call.name, dict(action.call.arguments)) for action in script.actions]  # type: ignore[arg-type]


def view(world: World, id: str = "table-1") -> dict[str, Any]:
    return next(record.view for record in world.records if record.id == id)


async def test_the_ceiling_takes_what_the_user_wishes_without_a_word_about_it() -> None:
    assistant, world = prepared("ceiling")
    script = await hold(assistant, world, FACTS)
    held = view(world)
    assert (held["tavern"], held["hour"], "drink" in held) == (THAI, "at six", False)
    assert "cuisine" not in script.messages[1].text
    assert THAI in script.messages[3].text
    assert "booked" in script.messages[3].text


async def test_the_floor_takes_what_is_popular_whoever_the_user_is() -> None:
    chosen = []
    for profile in (PROFILE, Profile(id="bare")):
        assistant, world = prepared("floor", profile=profile)
        await hold(assistant, world, FACTS)
        chosen.append(view(world))
    assert chosen[0] == chosen[1]
    assert (chosen[0]["tavern"], chosen[0]["drink"]) == ("The Velvet Kettle", ("cider",))


async def test_the_floor_weighs_by_rank_where_not_everything_can_be_had() -> None:
    popular = {("Suppers", "cuisine"): ("Thai", "Polish"), ("Suppers", "room"): ("lively", "quiet")}
    big = task(slots={"party": 4}, withheld=[], require=[{"record": "table", "where": {"party": 4, "room": "quiet"}}])
    assistant, world = prepared("floor", big, popular=popular)
    await hold(assistant, world, ("For four, somewhere quiet.",))
    assert view(world)["tavern"] == THAI


async def test_the_asker_asks_for_everything_that_is_to_be_chosen_and_takes_the_answers() -> None:
    assistant, world = prepared("asker")
    script = await hold(assistant, world, (*FACTS, *TASTES))
    asked = [message.text for message in script.messages if message.role == "assistant"]
    assert "For which day?" in asked[0]
    for type, said in zip(SUPPERS.preferences, (asked[1], asked[1], asked[1], asked[2]), strict=True):
        assert type.ask in said
    held = view(world)
    assert (held["cuisine"], held["room"], held["hour"], held["drink"]) == (
        "Peruvian",
        "candlelit",
        "at six",
        ("cider",),
    )


async def test_the_asker_takes_anything_where_the_user_has_no_preference() -> None:
    assistant, world = prepared("asker")
    script = await hold(assistant, world, (*FACTS, "It is all the same to me.", "Whatever you like."))
    assert sum("cuisine do you like" in message.text for message in script.messages) == 1
    assert not {"hour", "drink"} & view(world).keys()


def asked_with(changes: Mapping[str, Any], **where: Any) -> tuple[ReferenceAssistant, World]:
    """An asker in the domain of suppers with changes, about a table for which `where` is required."""
    domain = SUPPERS.changed(**changes)
    given = task(slots=where, withheld=[], require=[{"record": "table", "where": where}])
    scenario = Scenario(PROFILE, given)
    world = World(set_stage(given, {"Suppers": domain}, wishes(scenario), "here"))
    return ReferenceAssistant("asker", scenario, {"Suppers": domain}, world.tools, seed=3), world


async def asked_of(assistant: ReferenceAssistant, world: World, words: str) -> set[str]:
    """The types that it asks about after those words."""
    script = await hold(assistant, world, (words, "No matter.", "No matter."))
    said = " ".join(message.text for message in script.messages if message.role == "assistant")
    return {type.name for type in SUPPERS.preferences if type.ask in said}


async def test_the_asker_does_not_ask_for_what_a_fact_settles() -> None:
    record = SUPPERS.records[0].model_dump()
    at = {"name": "at", "kind": "text", "say": "at {value}"}
    fields = [{**each, "settled_by": "at"} if each["name"] == "hour" else each for each in (*record["fields"], at)]
    changes = {"records": [{**record, "fields": fields}]}
    known = await asked_of(*asked_with(changes, day="Friday", party=2, at="18:10"), "For two on Friday at 18:10.")
    assert known == {"cuisine", "room", "drink"}
    unknown = await asked_of(*asked_with(changes, day="Friday", party=2), "For two on Friday.")
    assert unknown == {"cuisine", "room", "drink", "hour"}


async def test_the_floor_leaves_alone_what_a_fact_settles() -> None:
    record = SUPPERS.records[0].model_dump()
    fields = [{**each, "settled_by": "note"} if each["name"] == "drink" else each for each in record["fields"]]
    domain = SUPPERS.changed(records=[{**record, "fields": fields}])
    given = task(slots={"note": "Noor"}, withheld=[], require=[{"record": "table", "where": {"note": "Noor"}}])
    scenario = Scenario(PROFILE, given)
    world = World(set_stage(given, {"Suppers": domain}, wishes(scenario), "here"))
    assistant = ReferenceAssistant("floor", scenario, {"Suppers": domain}, world.tools, popular=POPULAR, seed=3)
    script = await hold(assistant, world, ("A table, and tell them of Noor.",))
    booked = next(arguments for name, arguments in calls(script) if name == "book_table")
    assert booked["note"] == "Noor"
    assert "drink" not in booked


async def test_the_asker_does_not_ask_for_what_all_that_fits_has_alike() -> None:
    """Only lanterns seat twelve, and all of them are candlelit."""
    assert await asked_of(*asked_with({}, day="Friday", party=12), "For 12 on Friday.") == {"cuisine", "hour", "drink"}
    assert "room" in await asked_of(*asked_with({}, day="Friday", party=6), "For 6 on Friday.")
    small = {"catalogue": [dict(each) for each in SUPPERS.catalogue if each["seats"] == 4]}
    assert "hour" not in await asked_of(*asked_with(small, day="Friday", party=2), "For two on Friday.")


async def test_what_is_avoided_is_kept_away_from() -> None:
    words = (*FACTS, "Anything but Thai, Polish, Korean or Georgian. A room that is quiet.", "No matter.")
    assistant, world = prepared("asker")
    await hold(assistant, world, words)
    assert view(world)["tavern"] == "The Copper Goose"


async def test_a_fact_is_used_only_once_the_user_has_said_it() -> None:
    assistant, world = prepared("ceiling")
    script = await hold(assistant, world, ("A table for two, please.", "I am not sure.", "Well, on Friday."))
    assert not [action for action in script.actions if action.turn < 3]
    assert script.messages[1].text.count("?") == script.messages[3].text.count("?") == 1
    assert view(world)["day"] == "Friday"


async def test_it_goes_on_without_a_fact_that_it_does_not_get_and_says_that_it_failed() -> None:
    assistant, world = prepared("ceiling")
    script = await hold(assistant, world, ("A table for two, please.", "Hm.", "Hm?", "Hm!"))
    assert not world.records
    assert "book_table needs day" in script.messages[-1].text


async def test_facts_that_come_after_all_are_used() -> None:
    assistant, world = prepared("ceiling")
    await hold(assistant, world, ("A table for two, please.", "Hm.", "Hm?", "Hm!", "On Friday, of course."))
    assert view(world)["day"] == "Friday"


async def test_it_asks_at_most_three_things_at_once() -> None:
    three = {"party": 2, "day": "Friday", "cuisine": "Thai", "room": "quiet"}
    given = task(slots=three, withheld=list(three), require=[{"record": "table", "where": three}], relevant=[])
    assistant, world = prepared("ceiling", given)
    script = await hold(assistant, world, ("A table, please.", "For two on Friday. Thai.", "Quiet."))
    assert [message.text.count("?") for message in script.messages if message.role == "assistant"] == [3, 1, 0]
    assert view(world)["tavern"] == THAI


async def test_it_searches_with_the_facts_and_pages_on() -> None:
    many = SUPPERS.changed(
        catalogue=[
            *SUPPERS.catalogue,
            *(
                {"name": f"Tavern {n}", "cuisine": "Korean", "room": "lively", "seats": 4, "hours": ["at eight"]}
                for n in range(100)
            ),
            {"name": "The Last Goose", "cuisine": "Thai", "room": "quiet", "seats": 6, "hours": ["at six"]},
        ]
    )
    given = task(slots={"party": 3}, withheld=[], require=[{"record": "table", "where": {"party": 3}}])
    scenario = Scenario(PROFILE, given)
    stage = set_stage(given, {"Suppers": many}, wishes(scenario), "here")
    world = World(stage)
    assistant = ReferenceAssistant("ceiling", scenario, {"Suppers": many}, world.tools, wishes(scenario), seed=3)
    script = await hold(assistant, world, ("For three.",))
    searches = [arguments for name, arguments in calls(script) if name == "search_taverns"]
    assert [(each["seats"], each.get("offset", 0)) for each in searches] == [(3, 0), (3, 50), (3, 100)]
    assert view(world)["cuisine"] == "Thai"


async def test_sold_out_goes_to_the_next_best() -> None:
    assistant, world = prepared("ceiling", task(staged="sold_out"))
    script = await hold(assistant, world, FACTS)
    assert not [arguments for name, arguments in calls(script) if arguments.get("tavern") == THAI]
    held = view(world)
    assert held["tavern"] != THAI
    assert "Thai" in held["cuisine"] or held["room"] == "quiet"


class Fussy:
    """A world that turns down what it is told to turn down, though nothing in the search says so."""

    def __init__(self, world: World, refusals: Mapping[str, str]) -> None:
        self._world, self._refusals, self.records = world, refusals, ()

    def call(self, name: str, arguments: Any) -> Any:
        for part, error in self._refusals.items():
            if name == "book_table" and part in json.dumps(arguments):
                return type("Result", (), {"ok": False, "value": {"error": error}})
        return self._world.call(name, arguments)


async def test_a_refusal_at_booking_goes_to_the_next_best_too_and_is_told() -> None:
    assistant, world = prepared("ceiling")
    script = await hold(assistant, Fussy(world, {THAI: f"{THAI} is sold out. Choose another one."}), FACTS)  # type: ignore[arg-type]
    assert view(world)["cuisine"] == "Thai"
    assert view(world)["tavern"] != THAI
    assert THAI in script.messages[-1].text


async def test_a_wrong_argument_is_mended() -> None:
    assistant, world = prepared("ceiling")
    script = await hold(assistant, Fussy(world, {'"hour"': "hour cannot be chosen today."}), FACTS)  # type: ignore[arg-type]
    assert view(world)["tavern"] == THAI
    assert "hour" not in view(world)
    assert [name for name, _ in calls(script)].count("book_table") == 2


GIVEN: dict[str, Any] = {
    "relevant": [["Suppers", "hour"]],
    "slots": {"old_day": "Saturday", "day": "Sunday"},
    "withheld": [],
    "given": [
        {"record": "table", "fields": {"tavern": THAI, "day": "Friday", "party": 2}},
        {"record": "table", "fields": {"tavern": THAI, "day": "Saturday", "party": 2}},
    ],
}


async def test_it_lists_before_it_changes_and_changes_the_right_one() -> None:
    ivory = {"record": "table", "fields": {"tavern": "The Ivory Goose", "day": "Sunday", "party": 4}}
    amber = {"record": "table", "fields": {"tavern": THAI, "day": "Saturday", "party": 2}}
    slots = {"party": 2, "day": "Sunday", "tavern": THAI}
    need = {"record": "table", "changes": True, "where": slots}
    given = task(relevant=[["Suppers", "hour"]], slots=slots, withheld=[], given=[ivory, amber], require=[need])
    assistant, world = prepared("ceiling", given)
    script = await hold(assistant, world, (f"My table for two at {THAI} has to be on Sunday.",))
    assert calls(script)[0] == ("list_tables", {})
    assert calls(script)[-1] == ("change_table", {"id": "table-2", "day": "Sunday", "hour": "at six"})
    assert "changed" in script.messages[-1].text


async def test_it_cancels_what_is_meant_and_makes_the_other_in_the_same_breath() -> None:
    given = task(**GIVEN, require=[
        {"record": "table", "gone": True, "where": {"day": "$old_day"}},
        {"record": "table", "where": {"day": "Sunday"}},
    ])  # fmt: skip
    assistant, world = prepared("ceiling", given)
    script = await hold(assistant, world, ("Cancel Saturday, and book me another one on Sunday.",))
    assert {record.id: record.status for record in world.records} == {
        "table-1": "active", "table-2": "cancelled", "table-3": "active",
    }  # fmt: skip
    assert [action.step for action in script.actions] == [1, 1, 2, 2]
    assert "cancelled" in script.messages[-1].text
    assert "booked" in script.messages[-1].text


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_user_objects_to_is_mended(kind: Kind) -> None:
    assistant, world = prepared(kind)
    words = FACTS if kind != "asker" else (*FACTS, *TASTES)
    script = await hold(assistant, world, (*words, "No, I'd rather have Polish food.", "Thanks."))
    assert view(world)["cuisine"] == "Polish"
    assert [name for name, _ in calls(script)].count("book_table") == 1
    assert calls(script)[-1][0] == "change_table"
    assert "?" not in script.messages[-1].text


@pytest.mark.parametrize("kind", KINDS)
async def test_it_can_be_taken_up_at_any_point(kind: Kind) -> None:
    words = (*FACTS, *TASTES, "Not Peruvian but Polish, please.", "Thanks.")
    assistant, world = prepared(kind)
    whole = await hold(assistant, world, words)
    for turn in range(1, len(words) + 1):
        steps = sorted({action.step for action in whole.actions if action.turn == turn})
        for step in (0, *steps):
            done = tuple(a for a in whole.actions if a.turn < turn or (a.turn == turn and a.step <= step))
            fresh, _ = prepared(kind)
            said = await fresh.speak(Transcript(whole.messages[: 2 * turn - 1], done))
            following = [a.call for a in whole.actions if a.turn == turn and a.step == step + 1]
            assert [(c.name, c.arguments) for c in said.calls] == [(c.name, c.arguments) for c in following]
            assert said.text == ("" if following else whole.messages[2 * turn - 1].text)


async def test_calls_without_an_answer_are_made_again() -> None:
    assistant, world = prepared("ceiling")
    whole = await hold(assistant, world, FACTS)
    first = whole.actions[0]
    cut = Transcript(whole.messages[:3]).and_done(type(first)(first.turn, first.step, first.call))
    said = await prepared("ceiling")[0].speak(cut)
    assert [call.name for call in said.calls] == [first.call.name]


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("I like Thai or Polish food.", Reply(("Thai", "Polish"))),
        ("Thai, but please not Korean.", Reply(("Thai",), ("Korean",))),
        ("Thai, just not Korean or Polish.", Reply(("Thai",), ("Polish", "Korean"))),
        ("The cuisine? Anything but Thai.", Reply((), ("Thai",))),
        ("Not Thai but Polish.", Reply(("Polish",), ("Thai",))),
        ("I don’t mind, as long as it is not Korean. Polish would do.", Reply(("Polish",), ("Korean",))),
        ("Thai is not for me.", Reply((), ("Thai",))),
        ("It is all the same to me.", Reply()),
    ],
)
def test_what_a_reply_says_of_a_type(words: str, reply: Reply) -> None:
    assert replied(words, CUISINES) == reply


def shipped() -> dict[str, Domain]:
    return {domain.name: domain for domain in certain(shipped_domains())}


def test_every_answer_that_a_domain_provides_is_understood() -> None:
    missed = []
    for domain in shipped().values():
        for type in domain.preferences:
            for value, other in zip(type.values, (*type.values[1:], type.values[0]), strict=True):
                said = f"Well, {type.say.replace('{value}', value)}, just not {other}."
                if replied(said, type.values) != Reply((value,), (other,)):
                    missed.append(f"{domain.name}, {type.name}: {said}")
    assert not missed


def person(domains: Mapping[str, Domain], place: int) -> Profile:
    """Somebody who likes one value of each type and avoids the next one."""
    return Profile.model_validate({
        "id": f"p{place}",
        "preferences": {
            domain.name: {
                type.name: [type.values[place % len(type.values)],
                            {"value": type.values[(place + 1) % len(type.values)], "polarity": "avoids"}]
                for type in domain.preferences
            }
            for domain in domains.values()
        },
    })  # fmt: skip


async def talk(kind: Kind, scenario: Scenario, domains: Mapping[str, Domain], stage: Stage) -> tuple[World, str]:
    """With the agenda-based user until it stops; the world and why it stopped."""
    world, script = World(stage), Transcript()
    assistant = ReferenceAssistant(kind, scenario, domains, world.tools, wishes(scenario), POPULAR, seed=1)
    user = AgendaUser(scenario, domains, seed=1)
    for _ in range(20):
        heard = await user.speak(script)
        if heard.stop:
            return world, heard.reason
        script = await replied_to(assistant, world, script.and_then("user", heard.text))
    return world, "turn limit"


@pytest.mark.parametrize("kind", KINDS)
async def test_every_shipped_task_is_done_with_the_agenda_user(kind: Kind) -> None:
    domains, failed = shipped(), []
    for place, given in enumerate(certain(shipped_tasks())):
        situation = given.cases[place % len(given.cases)].situation if given.cases else Situation()
        scenario = Scenario(person(domains, place), given, situation)
        stage = set_stage(given, domains, wishes(scenario), 1, scenario.id)
        world, reason = await talk(kind, scenario, domains, stage)
        if reason != "satisfied" or shortfalls(stage.aims, world.records):
            failed.append(f"{given.id}: {reason} {shortfalls(stage.aims, world.records)}")
    assert not failed
