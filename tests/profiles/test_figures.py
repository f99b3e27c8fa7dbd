"""Figures: counted by hand on a few people, and kept to their bounds where many are there."""

from typing import Any

import pytest
from tests.profiles.made_up import EATING

from duologue.profiles.figures import Figures, Figuring
from duologue.profiles.profile import Profile
from duologue.tasks.domain import Domain

CLOSED = {**EATING, "preferences": [{**type, "open": False} for type in EATING["preferences"]]}


def figures(*people: dict[str, Any], domain: dict[str, Any] = CLOSED, contradictions: int = 0) -> Figures:
    figuring = Figuring({"Restaurants": Domain.model_validate(domain)})
    for number, person in enumerate(people):
        figuring.add(Profile.model_validate({"id": f"p{number}", **person}))
    return figuring.figures(contradictions)


def likes(*values: str, **rest: Any) -> dict[str, Any]:
    return {"preferences": {"Restaurants": {"cuisine": list(values)}}, **rest}


def session(summary: str, kind: str = "", value: str = "Thai") -> dict[str, Any]:
    shown = [{"type": "cuisine", "value": value, "kind": kind}] if kind else []
    return {"domain": "Restaurants", "summary": summary, "evidence": shown}


def test_evenness_is_one_where_all_values_are_liked_alike_and_falls_with_the_others() -> None:
    (even,) = figures(likes("Thai"), likes("Korean"), likes("Polish")).types
    assert even.evenness == pytest.approx(1)
    assert (even.modal_share, even.unheld) == (pytest.approx(1 / 3), ())
    (half,) = figures(likes("Thai"), likes("Korean")).types
    assert half.evenness == pytest.approx(0.6309, abs=1e-4)
    assert half.unheld == ("Polish",)
    (one,) = figures(likes("Thai"), likes("Thai")).types
    assert (one.evenness, one.modal, one.modal_share) == (0, "Thai", 1)


def test_modal_share_counts_people_not_values_and_only_those_who_like_something() -> None:
    avoiding = {"value": "Thai", "polarity": "avoids"}
    people = [likes("Thai", "Korean"), likes("Thai", "Polish"), likes(avoiding)]  # type: ignore[arg-type]
    (type,) = figures(*people).types
    assert (type.modal, type.modal_share, type.holders) == ("Thai", 1, 3)


def test_open_types_have_no_evenness() -> None:
    (type,) = figures(likes("Martian"), domain=EATING).types
    assert type.evenness is None


def test_leakage_counts_values_that_stand_as_words_of_their_own() -> None:
    found = figures(
        likes("Thai", "Polish", history=[session("Wanted thai food in Thailand, on a polished floor.")]),
        likes("Korean", "Thai", history=[session("Ate.")]),
    )
    assert found.leaked == 1 / 4
    turns = [{"role": "user", "text": "Korean, please."}]
    assert figures(likes("Korean", history=[{"domain": "Restaurants", "turns": turns}])).leaked == 1


def test_what_is_missing_is_named() -> None:
    with_price = {"preferences": {"Restaurants": {"cuisine": ["Thai", "Korean", "Polish"], "price": "under 15"}}}
    found = figures({**with_price, "history": [session("Ate.", "implicit")]})
    assert found.lacking == (
        "no evidence of Restaurants: price",
        "nobody likes '15 to 30' (Restaurants: price)",
        "nobody likes 'over 60' (Restaurants: price)",
    )
    assert [each.shown for each in found.types] == [1, 0]


def test_marks_and_sessions_are_counted() -> None:
    held = [
        {"value": "Thai", "since": "2026-01-01", "sensitive": True},
        {"value": "Korean", "polarity": "avoids"},
    ]
    person = {"preferences": {"Restaurants": {"cuisine": held}}}
    found = figures({**person, "history": [session("Ate.", "update"), session("Ate again.")]}, likes("Thai"))
    assert (found.profiles, found.preferences) == (2, 3)
    assert (found.changed_types, found.sensitive, found.avoided) == (1 / 2, 1 / 3, 1 / 3)
    assert found.sessions == (0, 1.0, 2)
    assert found.evidence == {"update": 1}


@pytest.mark.parametrize(
    ("people", "broken"),
    [
        ([likes("Thai"), likes("Korean"), likes("Polish")] * 34, set()),
        ([likes("Thai")] * 98 + [likes("Korean"), likes("Polish")], {"least evenness"}),
        ([likes("Thai"), likes("Korean")] * 50, {"least evenness", "missing"}),
        (
            [likes(value, history=[session(f"Ate {value}.")]) for value in ("Thai", "Korean", "Polish")] * 34,
            {"leakage"},
        ),
        ([likes("Thai")] * 99, set()),
    ],
)
def test_bounds_hold_where_many_people_are_there(people: list[dict[str, Any]], broken: set[str]) -> None:
    found = figures(*people)
    assert {bounded.name for bounded in found.bounds() if bounded.met is False} == broken
    assert found.met() == (not broken)
    assert all(bounded.met is None for bounded in found.bounds()) == (len(people) < 100)


def test_modal_share_and_contradictions_have_bounds() -> None:
    four = {
        "name": "Restaurants",
        "preferences": [{"name": "cuisine", "values": ["Thai", "Korean", "Polish", "Greek"]}],
    }
    people = [likes("Thai", other) for other in ("Korean", "Polish", "Greek")] * 34
    broken = {b.name for b in figures(*people, domain=four, contradictions=1).bounds() if b.met is False}
    assert broken == {"greatest modal share", "contradictions"}
