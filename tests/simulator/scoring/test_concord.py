"""The judge against the world: what is paired, how far both agree, and what of it the screen shows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.simulator.records import dialogue, preference, run
from tests.simulator.views.screens import drawn

from duologue.agents.verdict import NO_WORLD, PreferenceVerdict, Score, Verdict
from duologue.record.digest import VerdictDigest, judged
from duologue.record.run import Dialogue
from duologue.scores import summary
from duologue.scoring.concord import ENOUGH, Judged, concord
from duologue.views.concord import draw_brief, draw_whole
from duologue.views.summary import draw

Tastes = Mapping[str, tuple[str, str]]
"""By `domain/type` an outcome and a route."""


def verdict(success: bool | None, tastes: Tastes, **fields: Any) -> VerdictDigest:
    preferences = tuple(
        PreferenceVerdict(domain=name.split("/")[0], type=name.split("/")[1], outcome=outcome, route=route)  # type: ignore[arg-type]
        for name, (outcome, route) in tastes.items()
    )
    score = Score(value=success, unscored="" if success is not None else "no answer")
    known = {"cell": "c1", "attempt": 1, "rubric": "r1", "rubric_name": "default", "judge": "scripted:judge"}
    return judged(Verdict(**{**known, "scores": {"success": score}, "preferences": preferences, **fields}))


def pair(
    judge: tuple[bool | None, Tastes], world: tuple[bool | None, Tastes], profile: str = "anna", *domains: str
) -> Judged:
    return Judged(profile, domains or ("Restaurants",), verdict(*judge), verdict(*world))


def test_each_class_is_compared_by_itself() -> None:
    met, unmet = {"Restaurants/cuisine": ("met", "asked")}, {"Restaurants/cuisine": ("unmet", "asked")}
    found = concord(
        [pair((True, met), (True, met)), pair((True, met), (False, unmet)), pair((False, unmet), (False, unmet))]
    )
    assert found and found.dialogues == 3
    for name in ("success", "outcome"):
        like = found.classes[name]  # type: ignore[index]
        assert like.agreement.items == 3
        assert like.agreement.observed == pytest.approx(2 / 3)
        assert like.agreement.value == pytest.approx(0.4)  # chance: 2/3 · 1/3 + 1/3 · 2/3 = 4/9
    assert found.classes["route"].agreement.observed == 1
    assert found.classes["success"].judge == pytest.approx({"yes": 2 / 3, "no": 1 / 3})
    assert found.classes["success"].world == pytest.approx({"yes": 1 / 3, "no": 2 / 3})
    (most,) = found.classes["outcome"].differing
    assert (most.judge, most.world, most.count) == ("met", "unmet", 1)


def test_preferences_are_paired_by_domain_and_type_in_any_order() -> None:
    judge = {"Hotels/price": ("unmet", ""), "Restaurants/price": ("met", "told"), "Restaurants/view": ("met", "told")}
    world = {"Restaurants/price": ("met", "told"), "Hotels/price": ("unmet", "asked")}
    found = concord([pair((True, judge), (True, world))])
    assert found and found.classes["outcome"].agreement.items == 2
    assert found.classes["outcome"].agreement.observed == 1
    assert (found.classes["route"].agreement.items, found.one_sided["route"]) == (1, 1)


def test_what_only_one_speaks_of_is_counted_beside() -> None:
    none = {"Restaurants/cuisine": ("unscored", "")}
    met = {"Restaurants/cuisine": ("met", "told")}
    found = concord([pair((None, none), (True, met)), pair((True, met), (True, met))])
    assert found and [found.classes[name].agreement.items for name in found.classes] == [1, 1, 1]
    assert found.one_sided == {"success": 1, "outcome": 1, "route": 1}


def test_verdicts_that_say_nothing_are_left_out() -> None:
    assert concord([]) is None
    silent = pair((True, {}), (True, {}))._replace(world=verdict(None, {}, unscored=NO_WORLD))
    assert concord([silent]) is None
    unheld = {"Restaurants/cuisine": ("unscored", "")}
    assert concord([pair((None, unheld), (None, unheld))]) is None


def test_kappa_has_an_interval_clustered_by_profile_from_eight_profiles_on() -> None:
    def some(profiles: int) -> list[Judged]:
        return [pair((n % 3 > 0, {}), (n % 2 > 0, {}), f"p{n % profiles}") for n in range(40)]

    few, many = concord(some(7)), concord(some(8))
    assert few and few.classes["success"].agreement.low is None and few.classes["success"].agreement.value is not None
    assert many and (sure := many.classes["success"].agreement).low is not None
    assert sure.low < (sure.value or 0) < (sure.high or 0)
    assert concord(some(8)) == many


def test_domains_are_told_where_there_are_enough_statements() -> None:
    met = ("met", "told")
    long = [
        pair((True, {"Hotels/price": met}), (n % 2 > 0, {"Hotels/price": met}), f"p{n}", "Hotels")
        for n in range(ENOUGH)
    ]
    short = [pair((True, {"Train/zone": met}), (True, {"Train/zone": met}), "q", "Train", "Music")] * (ENOUGH - 1)
    found = concord([*long, *short])
    assert found and list(found.domains) == ["Hotels"]
    assert found.domains["Hotels"]["success"].agreement.observed == 0.5
    assert found.domains["Hotels"]["success"].agreement.low is None
    assert (alone := concord(long)) and not alone.domains
    more = concord([*long, *short, short[0]])
    assert more and list(more.domains) == ["Hotels", "Train", "several"]
    assert list(more.domains["several"]) == ["success"]


def world(held: Dialogue, success: bool, outcome: str) -> Dialogue:
    """`held` with the reading of an end state."""
    known = {"cell": held.started.cell, "attempt": 1, "rubric": "s1", "rubric_name": "state", "judge": "state"}
    read = Verdict(
        **known, scores={"success": Score(value=success)}, preferences=(preference("cuisine", outcome, "asked"),)
    )
    return replace(held, verdicts=(*held.verdicts, read))


def test_a_run_with_both_says_how_far_they_agree() -> None:
    held = [dialogue(f"p{n}", preferences=[preference("cuisine", "met", "asked")]) for n in range(9)]
    both = run(*(world(each, n % 3 > 0, "met" if n % 2 else "unmet") for n, each in enumerate(held)))
    found = summary(both).concord
    assert found and found.dialogues == 9
    assert found.classes["success"].agreement.observed == pytest.approx(6 / 9)
    assert found.classes["outcome"].agreement.observed == pytest.approx(4 / 9)
    assert summary(run(*held)).concord is None
    assert summary(both, judge="state").concord is None
    assert type(summary(both)).model_validate_json(summary(both).model_dump_json()).concord == found


def test_a_judge_that_agrees_by_chance_alone_is_warned_of() -> None:
    """On success the judge always says yes; on outcomes it says at random what the world shows."""
    held = [dialogue(f"p{n}", preferences=[preference("cuisine", "met" if n % 2 else "unmet")]) for n in range(16)]
    both = summary(run(*(world(each, n % 3 > 0, "met" if n // 2 % 2 else "unmet") for n, each in enumerate(held))))
    always, chance = both.careful
    assert always == "on task success the judge always says yes, whatever the world shows"
    assert chance.startswith("on outcomes of preferences the judge agrees with the world no better than chance (kappa")
    shown = drawn(draw(both), 120).splitlines()
    assert f"Careful: {always}" in shown
    assert any("says nothing: judge always yes" in line for line in shown)
    sound = [world(each, True, "met" if n % 2 else "unmet") for n, each in enumerate(held)]
    assert summary(run(*sound)).careful == ()
    assert any("says nothing: both always yes" in line for line in drawn(draw(summary(run(*sound))), 120).splitlines())


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen(width: int) -> None:
    outcomes = ["met", "unmet", "violated", "infeasible", "no_decision"]
    both = [
        pair(
            (n % 3 > 0, {"Restaurants/cuisine": (outcomes[n % 5], "told")}),
            (n % 2 > 0, {"Restaurants/cuisine": (outcomes[n % 3], "asked")}),
            f"p{n}",
            "Restaurants" if n % 2 else "Rental Cars",
        )
        for n in range(80)
    ]
    found = concord(both)
    assert found
    brief, whole = (drawn(view, width).splitlines() for view in (draw_brief(found), draw_whole(found)))
    assert max(map(len, [*brief, *whole])) <= width and not any("…" in line for line in [*brief, *whole])
    assert len(brief) == (4 if width == 120 else 7)
    assert any(line.split()[:3] == ["task", "success", "51"] for line in brief)
    assert sum("× judge" in line for line in brief) == 3
    assert any(line.split()[:2] == ["no", "decision"] for line in whole)
    assert any("Rental Cars: task success" in line for line in whole)
