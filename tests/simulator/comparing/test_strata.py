"""Differences group by group."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator.records import dialogue, run

from duologue.campaign import Campaign
from duologue.comparing.comparison import compare
from duologue.record.run import Run, read_run
from duologue.run import run as perform
from duologue.tasks.written import BadInput, parse


def devices(profiles: int) -> Run:
    """On the phone a is better, on the watch the two are alike."""
    held = []
    for i in range(profiles):
        for name in ("a", "b"):
            for device in ("phone", "watch"):
                score = 4 if (name, device) == ("a", "phone") else 2
                scores = {"personalisation": score - (i % 2)}
                held.append(dialogue(f"p{i}", assistant=name, situation={"device": device}, scores=scores))
    return run(*held)


def test_by_a_field_of_the_situation() -> None:
    strata = compare([devices(10)], by="device").strata
    assert [(each.group, each.pairs, each.profiles) for each in strata] == [("phone", 10, 10), ("watch", 10, 10)]
    findings = [[d.finding for d in each.differences if d.metric == "personalisation"] for each in strata]
    assert findings == [["a higher"], ["no difference shown"]]
    assert all(each.metric in ("success", "personalisation") for stratum in strata for each in stratum.differences)


def test_groups_of_few_profiles_say_nothing() -> None:
    strata = compare([devices(5)], by="device").strata
    assert {each.finding for stratum in strata for each in stratum.differences} == {"too few profiles to tell"}


def test_by_context_only_those_that_are_told_alike_are_compared() -> None:
    names = {"a": (), "b": (), "c": ("history",), "d": ("history",)}
    held = run(*(dialogue(f"p{i}", assistant=name) for i in range(8) for name in names), assistants=names)
    strata = compare([held], by="context").strata
    assert [(each.group, each.a, each.b) for each in strata] == [("nothing", "a", "b"), ("history", "c", "d")]


def test_an_unknown_group_is_refused_with_what_there_is() -> None:
    with pytest.raises(BadInput, match="no way to group by 'devise', did you mean 'device'"):
        compare([devices(2)], by="devise")


async def test_by_domain_and_by_who_the_users_are(tmp_path: Path) -> None:
    table = {
        "user": {"agenda": True},
        "select": {"sample": 30, "domains": ["Restaurants", "Alarm"]},
        "assistant": [{"reference": name} for name in ("floor", "ceiling")],
    }
    done = await perform(parse(Campaign, table, "test"), tmp_path / "r")
    domains = compare([done], by="domain").strata
    assert {each.group for each in domains} <= {"Restaurants", "Alarm", "several"} and len(domains) >= 2
    assert sum(each.pairs for each in domains) == compare([done]).pairings[0].pairs
    genders = compare([done], by="gender").strata
    assert {each.group for each in genders} <= {"man", "woman", "non-binary"} and len(genders) >= 2
    assert all(each.group.partition(" to ")[0].endswith("0") for each in compare([done], by="age").strata)
    held = read_run(done.folder)
    first = next(name for name in held.manifest.data if name.startswith("profile "))
    other = held.manifest.model_copy(update={"data": {**held.manifest.data, first: "other"}})
    with pytest.raises(BadInput, match="changed since the run"):
        compare([replace(held, manifest=other)], by="gender")
