"""What most people like, the person at hand not counted."""

import pytest

from duologue.profiles.popularity import Popularity
from duologue.profiles.profile import Profile


def person(id: str, **cuisine: str) -> Profile:
    held = [{"value": value, "polarity": polarity} for value, polarity in cuisine.items()]
    return Profile.model_validate({"id": id, "preferences": {"Restaurants": {"cuisine": held}}})


PAIR = ("Restaurants", "cuisine")
ANN = person("ann", Thai="likes", Polish="likes")
BOB = person("bob", Thai="likes", Korean="avoids")
CID = person("cid", Korean="likes", Thai="avoids")
DAN = person("dan", Korean="likes", Italian="likes")


def test_most_popular_first_and_ties_by_value() -> None:
    popular = Popularity(iter([ANN, BOB, CID, DAN]))
    assert popular.without(BOB)[PAIR] == ("Korean", "Italian", "Polish", "Thai")
    assert popular.without(CID)[PAIR] == ("Thai", "Italian", "Korean", "Polish")


def test_what_only_the_person_likes_is_not_popular() -> None:
    others = Popularity([ANN, BOB, CID, DAN]).without(ANN)
    assert others[PAIR] == ("Korean", "Italian", "Thai")
    assert others[PAIR] is others[PAIR]


def test_pairs_are_those_that_anybody_holds() -> None:
    eve = Profile.model_validate({"id": "eve", "preferences": {"Flights": {"seat": "window"}}})
    others = Popularity([ANN, eve]).without(eve)
    assert set(others) == {PAIR, ("Flights", "seat")}
    assert len(others) == 2
    assert others["Flights", "seat"] == ()
    with pytest.raises(KeyError):
        others["Flights", "meal"]
