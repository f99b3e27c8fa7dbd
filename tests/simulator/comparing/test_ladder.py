"""Three or more assistants: who stands where."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.simulator.comparing.worlds import met
from tests.simulator.records import dialogue, run

from duologue.campaign import Campaign
from duologue.comparing.comparison import Comparison, Ladder, compare
from duologue.record.run import Run
from duologue.run import run as perform
from duologue.tasks.written import parse


def ladder(comparison: Comparison, metric: str) -> Ladder:
    return next(each for each in comparison.ladders if each.metric == metric)


def several(contexts: dict[str, tuple[str, ...]] | None = None, **scores: list[int]) -> Run:
    held = [
        dialogue(f"p{i}", assistant=name, scores={"personalisation": given[i % len(given)]})
        for i in range(12)
        for name, given in scores.items()
    ]
    return run(*held, assistants={name: (contexts or {}).get(name, ()) for name in scores})


async def test_the_references_stand_in_their_order_and_success_tells_none_of_it(tmp_path: Path) -> None:
    table = {
        "seed": 1,
        "user": {"agenda": True},
        "select": {"sample": 36},
        "limits": {"concurrency": 8},
        "assistant": [{"reference": name} for name in ("floor", "ceiling", "asker")],
    }
    comparison = compare([await perform(parse(Campaign, table, "test"), tmp_path / "r")])
    found = ladder(comparison, "state_preferences_met")
    assert (found.order, found.profiles) == ("ceiling > asker > floor", 36)
    assert [(rung.best, rung.worst) for rung in found.rungs] == [(1, 1), (2, 2), (3, 3)]
    for upper, lower in pairwise(found.rungs):
        assert upper.won_low is not None and lower.won_high is not None and upper.won_low > lower.won_high
    success = ladder(comparison, "state_success")
    assert success.order == "asker, ceiling, floor" and {(rung.best, rung.worst) for rung in success.rungs} == {(1, 3)}
    assert all(rung.low is not None and rung.low > 0.85 for rung in success.rungs)
    ranked = [each.finding for of in comparison.pairings for each in of.differences if each.metric == found.metric]
    assert ranked == ["b higher", "b higher", "no difference shown"]


def test_places_are_those_that_what_is_shown_leaves_open() -> None:
    comparison = compare([several(good=[4, 3], fair=[2, 2, 3], like=[2, 3, 2], poor=[1])])
    found = ladder(comparison, "personalisation")
    places = {rung.label: (rung.best, rung.worst) for rung in found.rungs}
    assert places == {"good": (1, 1), "fair": (2, 3), "like": (2, 3), "poor": (4, 4)}
    assert found.order == "good > fair, like > poor"
    assert found.rungs[0].mean == 3.5 and found.rungs[-1].won == 0.0


def test_two_need_no_ladder() -> None:
    assert compare([several(a=[4, 3], b=[2])]).ladders == ()


def test_who_reads_the_preferences_stands_on_no_ladder_with_those_that_find_them_out() -> None:
    contexts = {"reader": ("preferences",), "other": ("preferences",), "third": ("preferences", "history")}
    scores = {"reader": [4], "other": [3, 4], "third": [4, 3], "a": [2], "b": [1, 2], "c": [3, 2]}
    comparison = compare([several(contexts, **scores)])
    held = [{rung.label for rung in each.rungs} for each in comparison.ladders if each.metric == "personalisation"]
    assert held == [{"a", "b", "c"}, {"reader", "other", "third"}]
    (whole,) = [each for each in comparison.ladders if each.metric == "success"]
    assert len(whole.rungs) == 6


def test_the_ceiling_stands_on_both_ladders() -> None:
    held = several({"reader": ("preferences",)}, top=[4], reader=[3], other=[3], a=[2], b=[1, 2, 2, 2, 2, 2])
    table = held.manifest.campaign["assistant"]
    tables = [{"name": "top", "reference": "ceiling"}, table[1], {**table[2], "context": ["preferences"]}, *table[3:]]
    written = {**held.manifest.campaign, "assistant": tables}
    held = replace(held, manifest=held.manifest.model_copy(update={"campaign": written}))
    both = [each.order for each in compare([held]).ladders if each.metric == "personalisation"]
    assert both == ["top > a, b", "top > other, reader"]


def test_means_are_over_what_all_have_a_score_of() -> None:
    held = [dialogue(f"p{i}", assistant=name) for i in range(10) for name in ("a", "b", "c") if i < 9 or name != "c"]
    found = ladder(compare([run(*held)]), "personalisation")
    assert (found.n, found.profiles) == (9, 9)


@pytest.mark.parametrize("profiles", [7, 12])
def test_too_little_data_is_no_tie(profiles: int) -> None:
    """`many` meets more, all of it asked for, `few` less, all of it unasked: which one is ahead cannot be told."""
    given = {"many": [(4, 0), (1, 0), (4, 0)], "few": [(2, 2), (3, 3), (2, 2)], "least": [(0, 0)]}
    found = ladder(compare([met(profiles, given)]), "state_preferences_met")
    assert [rung.label for rung in found.rungs] == ["many", "few", "least"]
    assert found.rungs[0].then == 0 and (found.rungs[1].then or 0) > 0.5
    assert found.order == ("many, few, least" if profiles < 8 else "many, few > least")


def test_where_the_means_are_equal_what_was_met_unasked_decides() -> None:
    given = {"asks": [(4, 0)], "knows": [(4, 4), (4, 3)], "least": [(0, 0)]}
    found = ladder(compare([met(12, given)]), "state_preferences_met")
    assert found.order == "knows > asks > least"
    assert [(rung.best, rung.worst) for rung in found.rungs] == [(1, 1), (2, 2), (3, 3)]
    few = ladder(compare([met(5, given)]), "state_preferences_met")
    assert few.order == "knows, asks, least" and few.rungs[0].label == "knows"
