"""The scale: where an assistant stands between floor and ceiling, and when that is not said."""

from typing import Any

import pytest
from tests.simulator.records import Script, preference, run
from tests.simulator.views.screens import drawn

from duologue.agents.state.judge import NAME
from duologue.agents.verdict import NO_WORLD, Score
from duologue.comparing.comparison import compare
from duologue.record.run import Dialogue, Run
from duologue.scores import headline, rows, summary
from duologue.scoring.judging import STATE
from duologue.scoring.measures import STATE_SCALES
from duologue.tasks.task import Situation
from duologue.views.comparison import draw as draw_comparison
from duologue.views.scores import draw_domains
from duologue.views.summary import draw

REFERENCES = {"floor": "floor", "ceiling": "ceiling", "plain": ""}


def acted(
    profile: str,
    assistant: str,
    met: int,
    of: int = 4,
    *,
    success: bool = True,
    judged: bool = False,
    world: bool = True,
    held: Any = "",
    reason: Any = "satisfied",
    role: Any = "user",
) -> Dialogue:
    """A dialogue that met so many of the preferences unasked, as its end state has it."""
    script = Script(profile, assistant=assistant).say(1, "A table.", "Booked.").end(reason, role)
    state = {"table": [{"id": "table-1"}]} if world else None
    script.events[-1] = script.events[-1].model_copy(update={"state": state})
    found = [
        preference(str(place), "met" if place < met else "unmet", "unasked", held=held if place < met else "")
        for place in range(of)
    ]
    counts = {name: Score(value=0.0) for name in ("regret", "known_questions", "false_claims")}
    misused = Score(unscored="not applicable: every preference may be applied")
    read = script.verdict("s1", NAME, preferences=tuple(found)).model_copy(
        update={"rubric_name": NAME, "scores": {"success": Score(value=success), **counts, "misused": misused}}
    )
    verdicts = ((read,) if world and reason == "satisfied" else ()) + ((script.verdict(),) if judged else ())
    return Dialogue(script.events[0], tuple(script.events), verdicts)  # type: ignore[arg-type]


def held_run(*dialogues: Dialogue, kinds: dict[str, str] = REFERENCES, domains: Any = None) -> Run:
    found = run(*dialogues)
    tables = [{"name": name, **({"reference": kind} if kind else {})} for name, kind in kinds.items()]
    manifest = found.manifest.changed(campaign={"seed": 0, "assistant": tables}, domains=domains or {})
    return Run(found.folder, manifest, found.dialogues)


def trio(profiles: int, floor: int = 1, ceiling: int = 4, plain: int = 2) -> Run:
    met = {"floor": floor, "ceiling": ceiling, "plain": plain}
    return held_run(*(acted(f"p{i}", name, count) for i in range(profiles) for name, count in met.items()))


def test_the_end_state_stands_under_names_of_its_own_beside_the_judges() -> None:
    (row,) = rows(held_run(acted("anna", "plain", 1, judged=True, held="verbatim")))
    assert (row.metrics["state_success"], row.metrics["success"]) == (1.0, 1.0)
    assert (row.metrics["state_preferences_met"], row.metrics["state_unasked"]) == (0.25, 0.25)
    assert "preferences_met" not in row.metrics and "personalisation" in row.metrics
    assert list(row.metrics)[: len(STATE_SCALES)] == list(STATE_SCALES)
    assert row.state_routes == {"unasked": {"verbatim": 1}} and row.routes == {}
    shown = drawn(draw(summary(held_run(acted("anna", "plain", 1, judged=True)))), 120)
    for name in ("task success by state", "judge: task success", "met unasked by state", "judge: personalisation"):
        assert name in shown


def test_without_a_judge_only_the_end_state_is_shown_and_nothing_is_amiss() -> None:
    said = summary(held_run(acted("anna", "plain", 1)))
    assert (said.judging.judge, said.state.judge, said.scored, said.unheard) == ("", NAME, 1, False)
    assert "personalisation" not in said.assistants[0].metrics
    assert "Not judged" not in drawn(draw(said))
    assert headline(held_run(acted("anna", "plain", 1)), said.judging) == {
        "state_success": True,
        "state_preferences_met": False,
    }


def test_where_nothing_was_acted_on_it_is_not_applicable_and_never_false() -> None:
    said = summary(held_run(acted("anna", "plain", 1), acted("anna", "talks", 0, world=False, judged=True)))
    row = rows(held_run(acted("a", "plain", 1), acted("a", "t", 0, world=False)))[1]
    assert row.metrics["state_success"] is None and row.unscored["state_success"] == NO_WORLD
    talks = said.assistants[1].metrics["state_success"]
    assert (talks.n, talks.unscored, talks.inapplicable) == (0, 0, 1)
    assert "not applicable: it acted on nothing, it only talked" in drawn(draw(said), 120)


def test_what_the_assistant_broke_is_no_success_by_state_either() -> None:
    (row,) = rows(held_run(acted("anna", "plain", 1, reason="error", role="assistant")))
    assert row.metrics["state_success"] == 0.0
    assert {name for name, value in row.metrics.items() if value is not None} == {"state_success"}


def test_an_end_state_that_was_not_read_is_unscored() -> None:
    done = acted("anna", "plain", 1)
    (row,) = rows(held_run(Dialogue(done.started, done.events)))
    assert row.metrics["state_success"] is None
    assert row.unscored["state_success"] == "the end state was not read"


def test_an_assistant_stands_between_floor_and_ceiling() -> None:
    (place,) = [p for p in summary(trio(12)).assistants[2].places if p.metric == "state_preferences_met"]
    assert (place.n, place.profiles, place.floor, place.ceiling, place.mean) == (12, 12, 0.25, 1.0, 0.5)
    assert place.value == pytest.approx(1 / 3)
    assert place.low == pytest.approx(1 / 3) and place.high == pytest.approx(1 / 3)
    assert not summary(trio(12)).assistants[0].places
    assert "preferences met by state   0.33  ····●·······  0.33 to 0.33    25 %    100 %  12        12" in _shown(
        trio(12), 120
    )
    assert "preferences met by state   0.33  0.33 to 0.33    25 %    100 %  12" in _shown(trio(12), 80)
    side = compare([trio(12)], ["plain", "floor"]).sides[0]
    assert side.label == "plain" and place in side.places
    assert "preferences met by state 0.33" in drawn(draw_comparison(compare([trio(12)])), 120)


def _shown(held: Run, width: int) -> str:
    return drawn(draw(summary(held)), width)


@pytest.mark.parametrize(("met", "told", "bar"), [(0, "−0.33", "◂···········"), (5, "1.33", "···········▸")])
def test_a_place_beyond_an_end_is_marked_at_that_edge(met: int, told: str, bar: str) -> None:
    held = [
        acted(f"p{i}", name, count, 8) for i in range(9) for name, count in zip(REFERENCES, (1, 4, met), strict=True)
    ]
    (line,) = [
        row for row in _shown(held_run(*held), 120).splitlines() if "preferences met by state" in row and bar in row
    ]
    assert line.split()[4:6] == [told, bar]


def test_what_never_happened_is_told_in_one_line() -> None:
    shown = _shown(held_run(acted("anna", "plain", 1)), 80)
    assert "  none by state  regret (n 1) · known questions (n 1) · false claims (n 1)" in shown.splitlines()
    assert "false claims by state" not in shown
    done = acted("anna", "plain", 1)
    once = done.verdicts[0].model_copy(update={"scores": {**done.verdicts[0].scores, "regret": Score(value=1.0)}})
    regretted = _shown(held_run(Dialogue(done.started, done.events, (once,))), 80)
    assert "  none by state  known questions (n 1) · false claims (n 1)" in regretted.splitlines()
    assert any(line.split()[:5] == ["regret", "by", "state", "100", "%"] for line in regretted.splitlines())


def test_the_interval_of_a_count_begins_at_nothing() -> None:
    held = []
    for place, count in enumerate([0, 0, 0, 0, 0, 0, 1, 2]):  # mean 0.375, and Student's t reaches below 0
        done = acted(f"p{place}", "plain", 1)
        scores = {**done.verdicts[0].scores, "known_questions": Score(value=float(count))}
        held.append(Dialogue(done.started, done.events, (done.verdicts[0].model_copy(update={"scores": scores}),)))
    mean = summary(held_run(*held)).assistants[0].metrics["state_known_questions"]
    assert (mean.mean, mean.low, mean.method) == (0.375, 0.0, "t")
    assert mean.high == pytest.approx(0.997, abs=1e-3)


def test_its_interval_draws_all_three_together() -> None:
    """What varies alike in all three does not blur the place: each profile's own share is one half."""
    counts = [(0, 2, 1), (1, 3, 2), (2, 4, 3)] * 4
    held = [
        acted(f"p{i}", name, met) for i, each in enumerate(counts) for name, met in zip(REFERENCES, each, strict=True)
    ]
    (place,) = [p for p in summary(held_run(*held)).assistants[2].places if p.metric == "state_preferences_met"]
    assert (place.value, place.low, place.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("held", "why"),
    [
        (trio(12, floor=3, ceiling=3), "ceiling and floor are less than 10 points apart"),
        (trio(7), "below 8 profiles it would be a guess"),
        (
            held_run(acted("a", "floor", 1), acted("b", "ceiling", 4), acted("c", "plain", 2)),
            "no scenario on which all three were read by state",
        ),
    ],
)
def test_a_place_that_would_say_nothing_is_withheld(held: Run, why: str) -> None:
    (place,) = [p for p in summary(held).assistants[2].places if p.metric == "state_preferences_met"]
    assert (place.value, place.why) == (None, why)
    assert why.split()[0] in drawn(draw(summary(held)), 120)


def test_a_run_without_an_end_of_the_scale_says_what_to_add() -> None:
    kinds = {"ceiling": "ceiling", "plain": ""}
    said = summary(held_run(acted("a", "ceiling", 4), acted("a", "plain", 1), kinds=kinds))
    assert said.unscaled.startswith("no floor in this run: add [[assistant]] reference")
    assert said.unscaled in " ".join(drawn(draw(said), 200).split())
    assert compare([held_run(acted("a", "ceiling", 4), acted("a", "plain", 1), kinds=kinds)]).unscaled == said.unscaled
    assert summary(trio(8)).unscaled == ""


def test_only_what_was_met_unasked_counts_as_unasked() -> None:
    done = acted("anna", "plain", 2)
    routes = ("asked", "unasked", "", "")
    asked = [each.changed(route=route) for each, route in zip(done.verdicts[0].preferences, routes, strict=True)]
    verdict = done.verdicts[0].model_copy(update={"preferences": tuple(asked)})
    (row,) = rows(held_run(Dialogue(done.started, done.events, (verdict,))))
    assert (row.metrics["state_preferences_met"], row.metrics["state_unasked"]) == (0.5, 0.25)


def test_a_pair_of_which_one_side_only_talked_has_nothing_to_compare_by_state() -> None:
    talked = acted("a", "plain", 0, world=False, judged=True)
    held = held_run(acted("a", "floor", 1, judged=True), talked, kinds={"floor": "floor", "plain": ""})
    (pairing,) = compare([held]).pairings
    assert not any(each.metric.startswith("state_") for each in pairing.differences)
    assert any("plain acted on nothing" in note for note in pairing.notes)


def test_what_reads_end_states_is_known_by_its_name() -> None:
    assert STATE == NAME


def test_domains_are_told_apart_where_there_are_several() -> None:
    domains = {"book-table": ("Restaurants",), "set-alarm": ("Alarm",), "both": ("Alarm", "Restaurants")}
    held = []
    for task in domains:
        done = acted("anna", "floor", 1)
        started = done.started.changed(task=task, situation=Situation())
        held.append(Dialogue(started, (started, *done.events[1:]), done.verdicts))
    said = summary(held_run(*held, domains=domains))
    assert [(each.domain, each.dialogues) for each in said.assistants[0].domains] == [
        ("Alarm", 1),
        ("Restaurants", 1),
        ("several", 1),
    ]
    assert "Restaurants  1  100 % · 25 %" in drawn(draw(said), 120)
    narrow = drawn(draw_domains(said.assistants), 40).splitlines()
    for title, share in (("task success by state", "100 %"), ("preferences met by state", "25 %")):
        begin = next(place for place, line in enumerate(narrow) if title in line)
        assert narrow[begin + 2].split() == ["Restaurants", "1", *share.split()]
    assert not summary(held_run(*held[:1], domains=domains)).assistants[0].domains
