"""How many dialogues an effect takes that somebody names."""

import random
from dataclasses import replace

import pytest
from tests.simulator.records import dialogue, run

from duologue.comparing.planning import Plan, plan
from duologue.record.run import Run
from duologue.tasks.written import BadInput


def pilot(profiles: int = 20, tasks: int = 1, trials: int = 1, shift: int = 0, seed: int = 1) -> Run:
    """Two assistants whose points differ at random, b's `shift` higher."""
    chance, held = random.Random(seed), []
    for i in range(profiles):
        for task in range(tasks):
            for trial in range(1, trials + 1):
                for name, more in (("a", 0), ("b", shift)):
                    scores = {"personalisation": chance.randint(1, 3) + more}
                    held.append(dialogue(f"p{i}", f"task{task}", name, trial, scores=scores))
    return run(*held)


def sizes(found: Plan) -> list[tuple[int, int, int | None, int | None]]:
    return [(each.tasks, each.trials, each.profiles, each.dialogues) for each in found.designs]


def test_what_the_pilot_observed_plays_no_part() -> None:
    equal, far = plan(pilot(), 0.5, "personalisation"), plan(pilot(shift=1), 0.5, "personalisation")
    assert sizes(equal) == sizes(far) and equal.designs[0].profiles


def test_half_the_effect_takes_four_times_the_profiles() -> None:
    (large,), (small,) = plan(pilot(), 0.5, "personalisation").designs, plan(pilot(), 0.25, "personalisation").designs
    assert large.profiles and small.profiles and 3.6 < small.profiles / large.profiles < 4.2
    assert large.cautious and large.cautious > large.profiles
    (surer,) = plan(pilot(), 0.5, "personalisation", power=0.95).designs
    assert surer.profiles and surer.profiles > large.profiles


def test_a_paired_t_test_as_the_textbook_has_it() -> None:
    """d = 0.5 at 80 % power takes 34 pairs (Cohen 1988)."""
    found = plan(pilot(), 0.5, "personalisation")
    (design,) = plan(pilot(), 0.5 * (found.pilot.profile + found.pilot.task) ** 0.5, "personalisation").designs
    assert (design.profiles, design.dialogues) == (34, 68)


def test_more_tasks_and_trials_take_fewer_profiles_where_the_pilot_can_tell() -> None:
    found = plan(pilot(12, tasks=3, trials=2), 0.3, "personalisation")
    assert [size[:2] for size in sizes(found)] == [(t, r) for r in (1, 3) for t in (1, 2, 4, 8)]
    profiles = [design.profiles or 0 for design in found.designs]
    assert profiles[0] > profiles[1] > profiles[2] >= profiles[3] and profiles[4] < profiles[0]
    assert found.notes == ()
    assert len(plan(pilot(), 0.3, "personalisation").notes) == 2


def test_the_score_may_be_named_as_on_the_screen_and_has_a_default() -> None:
    assert plan(pilot(), 0.5).metric == "personalisation"
    assert plan(pilot(), 0.5, "personalisation").a == "a"
    with pytest.raises(BadInput, match="no score 'wit'"):
        plan(pilot(), 0.5, "wit")


@pytest.mark.parametrize(
    ("held", "effect", "metric", "told"),
    [
        (pilot(7), 0.5, "personalisation", "a pilot of 7 profiles says too little"),
        (pilot(), 0.5, "task success", "all pairs of the pilot have the same difference"),
        (pilot(), 0.0, "", "0 is no difference to look for"),
        (pilot(), 4.0, "personalisation", "4 is no difference that personalisation can have. At most 3"),
        (run(dialogue("p1", assistant="a"), dialogue("p2", assistant="b")), 0.5, "", "no pair of a and b"),
        (run(dialogue(assistant="a")), 0.5, "", "comparing takes two assistants"),
        (run(*(dialogue(assistant=name) for name in "abc")), 0.5, "", "a plan is for two assistants.*-a a -a b"),
    ],
)
def test_what_tells_too_little_is_refused(held: Run, effect: float, metric: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        plan(held, effect, metric)


def test_costs_are_those_of_the_pilot_and_unknown_where_a_price_is() -> None:
    held = pilot()
    tables = [{"name": name, "model": "m"} for name in ("a", "b")]
    written = {"seed": 0, "assistant": tables, "user": {"model": "m"}, "prices": {"m": {"input": 1, "output": 1}}}

    def under(**changes: object) -> Plan:
        manifest = held.manifest.model_copy(update={"campaign": {**written, **changes}})
        return plan(replace(held, manifest=manifest), 0.5, "personalisation")

    (design,) = under().designs
    assert design.dialogues
    assert design.cost == pytest.approx(design.dialogues * (2 * 60 + 2 * 120) / 1e6)  # a scripted judge is free
    assert under(prices={}).designs[0].cost is None
    assert under(user={"agenda": True}, assistant=[{"name": n, "script": ["x"]} for n in "ab"]).designs[0].cost is None


def partly(profiles: int, scored: int) -> Run:
    """A pilot of `profiles`, with whom b fell into a loop but for so many."""
    chance, held = random.Random(1), []
    for i in range(profiles):
        for name in ("a", "b"):
            ends = {} if name == "a" or i < scored else {"reason": "loop", "role": "assistant"}
            held.append(dialogue(f"p{i}", assistant=name, scores={"personalisation": chance.randint(1, 3)}, **ends))
    found = run(*held)
    campaign = {**found.manifest.campaign, "select": {"sample": profiles}}
    return replace(found, manifest=found.manifest.changed(campaign=campaign))


def test_too_few_profiles_are_told_of_all_with_why_and_what_to_select() -> None:
    told = "7 of 16 profiles have personalisation for both .most often b: loop .assistant..: too few.*select.sample=69"
    with pytest.raises(BadInput, match=told):
        plan(partly(16, 7), 0.5, "personalisation")


def test_what_to_select_reckons_with_profiles_that_will_lack_the_score() -> None:
    found = plan(partly(20, 10), 0.5, "personalisation")
    (design,) = found.designs
    assert design.profiles and found.held == 0.5
    assert found.select == f"--set select.profiles={2 * design.profiles} --set select.sample={2 * design.profiles}"
    assert found.notes[0].startswith("10 of 20 profiles of the pilot have the score for both")
    several = plan(pilot(12, tasks=3, trials=2), 0.3, "personalisation")
    best = min(several.designs, key=lambda each: (each.dialogues or 0, each.profiles or 0))
    assert f"select.profiles={best.profiles} --set select.sample={(best.profiles or 0) * best.tasks}" in several.select
    assert several.held == 1 and not several.notes


def test_two_that_are_no_references_are_named_first() -> None:
    held = run(*(dialogue(f"p{i}", assistant=name) for i in range(9) for name in ("floor", "ceiling", "mine", "ours")))
    tables = [{"name": name, "reference": name} for name in ("floor", "ceiling")]
    tables += [{"name": name} for name in ("mine", "ours")]
    held = replace(held, manifest=held.manifest.changed(campaign={"seed": 0, "assistant": tables}))
    with pytest.raises(BadInput, match="-a mine -a ours"):
        plan(held, 0.5)
