"""The written form of a profile."""

import datetime
import tomllib

import pytest
from pydantic import ValidationError

from duologue.profiles.profile import Profile, Session
from duologue.tasks.written import BadInput, parse


def test_all_ways_of_writing_a_preference() -> None:
    profile = Profile.model_validate(
        tomllib.loads("""
        id = "a"
        [preferences.Restaurants]
        price = "under 15"
        cuisine = ["Thai", { value = "Offal", polarity = "avoids", strength = 0.5, since = 2025-02-01 }]
        table = { value = "step-free", sensitive = true }
        """)
    )
    assert profile.likes("Restaurants", "price") == ("under 15",)
    assert profile.likes("Restaurants", "cuisine") == ("Thai",)
    assert profile.avoids("Restaurants", "cuisine") == ("Offal",)
    offal = profile.preferences["Restaurants"]["cuisine"][1]
    assert (offal.strength, offal.since) == (0.5, datetime.date(2025, 2, 1))
    assert profile.preferences["Restaurants"]["table"][0].sensitive


def test_unknown_types_hold_nothing() -> None:
    profile = Profile(id="a")
    assert profile.likes("Restaurants", "cuisine") == ()
    assert profile.avoids("Nowhere", "") == ()


def test_profile_survives_being_written_and_read() -> None:
    profile = Profile.model_validate(
        {
            "id": "hạnh",
            "name": "Nguyễn Thị Hạnh 🧮",
            "demographics": {"age": 58},
            "preferences": {"Flights": {"seat": ["window", {"value": "aisle", "polarity": "avoids"}]}},
            "history": [{"domain": "Flights", "date": "2025-03-01", "turns": [{"role": "user", "text": "Hello."}]}],
        }
    )
    assert profile.demographics.age == "58"
    assert Profile.model_validate_json(profile.model_dump_json(exclude_defaults=True)) == profile


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"id": ""}, "id: "),
        ({"id": "a", "style": {"patience": 0}}, "style.patience: "),
        ({"id": "a", "style": {"verbosity": "loud"}}, "style.verbosity: "),
        ({"id": "a", "demographics": {"age": True}}, "demographics.age: "),
        ({"id": "a", "preferences": {"R": {"c": 3}}}, "preferences.R.c.0: expected a text"),
        ({"id": "a", "preferences": {"R": {"c": ""}}}, "preferences.R.c.0.value: "),
        ({"id": "a", "preferences": {"R": {"c": {"value": "x", "strength": 2}}}}, "preferences.R.c.0.strength: "),
        ({"id": "a", "history": [{"domain": "R", "summary": ""}]}, "history.0: a session needs a summary or turns"),
    ],
)
def test_what_no_profile_can_be_is_refused_at_its_place(data: object, what: str) -> None:
    with pytest.raises(BadInput) as fault:
        parse(Profile, data, "a.toml")
    assert fault.value.what.startswith(what)


def test_profiles_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Profile(id="a").name = "b"  # type: ignore[misc]


def test_session_needs_no_date() -> None:
    assert Session(domain="R", summary="Ate.").date is None
