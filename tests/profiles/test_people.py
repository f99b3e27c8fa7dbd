"""The shipped people: made by the generator, within all bounds, different from one another."""

import datetime
import re
from collections import Counter
from importlib.resources import files

import pytest

from duologue.profiles.checks import ProfileCheck, examine_profiles
from duologue.profiles.dataset import open_dataset
from duologue.profiles.inclination import shipped_inclined
from duologue.profiles.profile import Profile
from duologue.profiles.shipped import COMMAND, COUNT, departure
from duologue.tasks.library import certain


@pytest.fixture(scope="module")
def people() -> list[Profile]:
    return list(open_dataset("shipped").profiles())


@pytest.fixture(scope="module")
def checked() -> ProfileCheck:
    return examine_profiles(open_dataset("shipped"), datetime.date(2026, 7, 1))


def test_they_are_what_the_generator_makes() -> None:
    """Where this fails because a domain has changed, make them anew with the command that it names."""
    assert departure(certain(shipped_inclined())) == "", COMMAND


def test_other_people_would_be_noticed() -> None:
    known = list(certain(shipped_inclined()))
    assert departure(known[1:]).startswith("200 of 200 people") or "the first in line 1" in departure(known[1:])


def test_nothing_is_wrong_and_every_bound_is_kept(checked: ProfileCheck) -> None:
    assert checked.findings == []
    assert [bounded for bounded in checked.figures.bounds() if not bounded.met] == []
    assert checked.figures.profiles == COUNT


def test_they_are_many_sorts_of_people(people: list[Profile]) -> None:
    ages = [int(person.demographics.age) for person in people]
    assert min(ages) < 22 and max(ages) > 80
    assert len({person.demographics.home_country for person in people}) >= 25
    assert sum(not person.name.isascii() for person in people) > 50
    assert Counter(person.demographics.gender for person in people).most_common(1)[0][1] < 0.6 * len(people)


def test_every_domain_has_many_of_them(people: list[Profile]) -> None:
    held = Counter(domain for person in people for domain in person.preferences)
    assert set(held) == set(open_dataset("shipped").domains)
    assert min(held.values()) > 80


def test_hobbies_and_work_give_no_preference_away(people: list[Profile]) -> None:
    for person in people:
        who = person.demographics
        life = " ".join([*person.interests, who.employment, who.education, who.household]).casefold()
        values = [p.value for types in person.preferences.values() for held in types.values() for p in held]
        assert not [value for value in values if re.search(rf"\b{re.escape(value.casefold())}\b", life)], person.id


def test_the_file_is_compact(people: list[Profile]) -> None:
    size = len((files("duologue.profiles") / "people.jsonl").read_bytes())
    assert size < 22_000 * len(people)
