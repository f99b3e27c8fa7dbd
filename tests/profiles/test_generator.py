"""Generated people: the same for the same seed, sound, even, and not given away by their history."""

import datetime
import errno
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.profiles.made_up import domains

from duologue.profiles.consistency import faults_in_history, faults_in_preferences
from duologue.profiles.figures import Figures, Figuring
from duologue.profiles.generator import generate, line, write_people
from duologue.profiles.history import DAYS, FIRST
from duologue.profiles.inclination import Inclined, shipped_inclined
from duologue.profiles.profile import Preference, Profile, Session
from duologue.profiles.wishes import former
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain
from duologue.tasks.written import BadInput

END = FIRST + datetime.timedelta(days=DAYS)


@pytest.fixture(scope="module")
def shipped() -> list[Inclined]:
    return list(certain(shipped_inclined()))


@pytest.fixture(scope="module")
def known(shipped: list[Inclined]) -> dict[str, Domain]:
    return {each.domain.name: each.domain for each in shipped}


@pytest.fixture(scope="module")
def people(shipped: list[Inclined]) -> list[Profile]:
    return [Profile.model_validate_json(line(person)) for person in generate(150, 7, shipped)]


@pytest.fixture(scope="module")
def figures(people: list[Profile], known: dict[str, Domain]) -> Figures:
    figuring = Figuring(known)
    for person in people:
        figuring.add(person)
    return figuring.figures()


def held(person: Profile) -> Iterator[tuple[str, str, tuple[Preference, ...]]]:
    return ((domain, type, each) for domain, types in person.preferences.items() for type, each in types.items())


def sentences(session: Session) -> list[str]:
    return [part.strip(" .") for part in session.summary.split(". ")]


# The same again


def test_the_same_seed_makes_the_same_bytes_and_another_one_other_people(shipped: list[Inclined]) -> None:
    first = [line(person) for person in generate(5, 1, shipped)]
    assert [line(person) for person in generate(5, 1, shipped)] == first
    assert not set(first) & {line(person) for person in generate(5, 2, shipped)}


def test_a_person_is_the_same_however_many_there_are(shipped: list[Inclined]) -> None:
    assert list(generate(9, 1, shipped))[:3] == list(generate(3, 1, shipped))


def test_another_domain_leaves_tastes_in_the_others_as_they_are(tmp_path: Path) -> None:
    tea, bread = domains(tmp_path)
    for both, one in zip(generate(20, 3, [bread, tea]), generate(20, 3, [tea]), strict=True):
        kept = {
            type: [{k: v for k, v in p.items() if k != "since"} for p in held]
            for type, held in both["preferences"]["Tea"].items()
        }
        alone = {
            type: [{k: v for k, v in p.items() if k != "since"} for p in held]
            for type, held in one["preferences"]["Tea"].items()
        }
        assert kept == alone
        assert list(one["preferences"]) == ["Tea"]


# Sound


def test_nobody_contradicts_the_domains_or_themselves(people: list[Profile], known: dict[str, Domain]) -> None:
    for person in people:
        assert [*faults_in_preferences(person, known), *faults_in_history(person, known, END)] == [], person.id


def test_ids_and_lives_are_different(people: list[Profile]) -> None:
    assert [person.id for person in people[:2]] == ["p7-0001", "p7-0002"]
    assert len({person.name for person in people}) > 140
    assert len({person.demographics.birth_country for person in people}) >= 20
    for part in ("verbosity", "formality"):
        assert len(Counter(getattr(person.style, part) for person in people)) == 3
    assert {person.style.patience for person in people} == {2, 3, 4, 5, 6}


def test_lives_hang_together(people: list[Profile]) -> None:
    for person in people:
        who, age = person.demographics, int(person.demographics.age)
        assert who.employment.startswith("retired") == (age >= 67), person.id
        assert not who.employment.startswith("student") or age < 27, person.id
        assert who.marital_status != "widowed" or age >= 27, person.id
        assert "partner" not in who.household or who.marital_status in (
            "unmarried", "engaged", "married", "registered partners",
        ), person.id  # fmt: skip
        assert who.languages.endswith("English") or "English" in who.languages, person.id


def test_preferences_have_a_strength_and_some_are_avoided_or_sensitive(people: list[Profile], figures: Figures) -> None:
    strengths = {preference.strength for person in people for _, _, each in held(person) for preference in each}
    assert strengths == {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}
    assert 0.05 < figures.avoided < 0.35
    assert 0.01 < figures.sensitive < 0.25
    assert 0.06 < figures.changed_types < 0.10


def test_what_traits_rule_out_nobody_likes(tmp_path: Path) -> None:
    """A tight budget rules one leaf out: a third of all people, and those who have one like it no less for that."""
    liked = Counter(p["value"] for each in generate(900, 1, domains(tmp_path)[:1])
                    for p in each["preferences"]["Tea"]["leaf"] if "polarity" not in p)  # fmt: skip
    assert liked["pu-erh"] == pytest.approx(liked.total() / 6, rel=0.25)


# Even


def test_no_value_is_much_more_popular_than_the_others(figures: Figures) -> None:
    uneven = [(each.domain, each.type, each.evenness) for each in figures.types if (each.evenness or 0) < 0.85]
    modal = [(each.domain, each.type) for each in figures.types if each.values >= 4 and each.modal_share > 0.5]
    assert (uneven, modal) == ([], [])
    assert not [each for each in figures.types if each.unheld]


def test_tastes_follow_neither_gender_nor_faith(tmp_path: Path) -> None:
    people = list(generate(1500, 4, domains(tmp_path)[:1]))
    for who in ("gender", "religion"):
        groups = Counter(person["demographics"].get(who) for person in people)
        for group, size in groups.items():
            if size < 150:
                continue
            strong = sum(
                person["preferences"]["Tea"]["strength"][0]["value"] == "tarry"
                for person in people
                if person["demographics"].get(who) == group
            )
            assert abs(strong / size - 0.25) < 4 * (0.25 * 0.75 / size) ** 0.5, (who, group)


# The history


def test_history_is_dated_and_as_long_as_it_should_be(people: list[Profile], figures: Figures) -> None:
    least, mean, most = figures.sessions
    assert 20 <= least < 30 < mean < 50 < most <= 60
    for person in people:
        dates = [session.date for session in person.history]
        assert all(date and FIRST <= date < END for date in dates)
        assert all(earlier <= later for earlier, later in pairwise(dates))  # type: ignore[operator]
    assert sum(any(session.turns for session in person.history) for person in people) > 0.8 * len(people)


def test_no_sentence_stands_twice_and_none_is_left_unfilled(people: list[Profile]) -> None:
    for person in people:
        told = [sentence for session in person.history for sentence in sentences(session)]
        twice = [sentence for sentence, count in Counter(told).items() if count > 1]
        assert not twice, person.id
        for sentence in told:
            assert not set("{}") & set(sentence), sentence
            assert sentence[0] == "“" or sentence[0].isupper(), sentence


def test_kinds_of_evidence_are_mixed(figures: Figures) -> None:
    total = sum(figures.evidence.values())
    shares = {kind: count / total for kind, count in figures.evidence.items()}
    assert set(shares) == {"implicit", "explicit", "update", "distractor"}
    assert shares["implicit"] > 0.5
    assert min(shares.values()) > 0.03
    assert shares["explicit"] < 0.15


def test_history_gives_little_away_word_for_word(figures: Figures) -> None:
    assert 0.02 < figures.leaked <= 0.25


def test_half_of_the_types_are_shown_in_full_and_some_not_at_all(people: list[Profile]) -> None:
    full = types = 0
    for person in people:
        shown = {(e.domain, e.type, e.value) for session in person.history for e in session.evidence}
        whole = [all((domain, type, p.value) in shown for p in each) for domain, type, each in held(person)]
        full, types = full + sum(whole), types + len(whole)
        assert not all(whole), person.id
    assert 0.5 < full / types < 0.75


def test_what_changed_shows_before_and_is_replaced_by_an_update(people: list[Profile]) -> None:
    seen = 0
    for person in people:
        for domain, type, each in held(person):
            since = next((preference.since for preference in each if preference.since), None)
            assert bool(since) == bool(former(person, domain, type)), (person.id, domain, type)
            if since:
                seen += 1
                kinds = {
                    (e.kind, session.date, e.value)
                    for session in person.history
                    for e in session.evidence
                    if (e.domain, e.type) == (domain, type)
                    and (e.kind == "update" or e.value in former(person, domain, type))
                }
                assert ("update", since, each[0].value) in kinds
                assert all(date <= since for _, date, _ in kinds if date)
    assert seen > 300


def test_distractors_are_nothing_that_the_person_likes(people: list[Profile]) -> None:
    strange = [
        (person, e)
        for person in people
        for session in person.history
        for e in session.evidence
        if e.kind == "distractor"
    ]
    assert len(strange) > 300
    assert not [e for person, e in strange if e.value in person.likes(e.domain, e.type)]


def test_two_small_domains_are_enough_for_a_history(tmp_path: Path) -> None:
    known = domains(tmp_path)
    for person in map(Profile.model_validate, generate(30, 1, known)):
        assert 20 <= len(person.history) <= 60
        told = [sentence for session in person.history for sentence in sentences(session)]
        assert max(Counter(told).values()) == 1, person.id
        assert not list(faults_in_history(person, {each.domain.name: each.domain for each in known}, END))


# Writing


def test_people_are_written_one_a_line_and_never_over_others(tmp_path: Path, shipped: list[Inclined]) -> None:
    path = tmp_path / "new" / "profiles.jsonl"
    size = write_people(path, generate(3, 1, shipped))
    assert path.stat().st_size == size
    assert path.read_text(encoding="utf-8") == "".join(map(line, generate(3, 1, shipped)))
    with pytest.raises(BadInput, match=r"is there already\. Give a new name") as fault:
        write_people(path, [])
    assert fault.value.where == str(path)
    assert path.stat().st_size == size
    assert [each.name for each in path.parent.iterdir()] == ["profiles.jsonl"]


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be written"):
        write_people(tmp_path / "file" / "profiles.jsonl", [])


def test_of_what_could_not_be_written_whole_nothing_is_left(tmp_path: Path, shipped: list[Inclined]) -> None:
    def filling() -> Iterator[Mapping[str, Any]]:
        yield from generate(2, 1, shipped)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(BadInput, match=r"cannot be written \(No space left"):
        write_people(tmp_path / "profiles.jsonl", filling())
    assert list(tmp_path.iterdir()) == []
