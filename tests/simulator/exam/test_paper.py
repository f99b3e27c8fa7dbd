"""The exam's own data: whole, varied, and each fault a change of a dialogue in which all is well."""

from collections import Counter

from duologue.agents.guard import faults
from duologue.agents.rubric import read_rubric
from duologue.agents.transcript import Transcript
from duologue.exam.paper import read_kinds, read_paper
from duologue.profiles.consistency import unresolved
from duologue.profiles.dataset import open_dataset
from duologue.profiles.task_faults import unknown

PAPER = read_paper()
DOMAINS = open_dataset("shipped").domains


def test_there_are_many_faults_of_many_kinds_all_over_the_domains() -> None:
    kinds = Counter(item.kind.name for item in PAPER)
    assert len(PAPER) >= 40
    assert set(kinds) == set(read_kinds()) and len(kinds) >= 8 and min(kinds.values()) >= 3
    assert {domain for item in PAPER for domain in item.sound.scenario.task.domains} == set(DOMAINS)
    assert len({item.name for item in PAPER}) == len(PAPER)


def test_profiles_and_tasks_speak_of_what_the_domains_have() -> None:
    for scenario in {item.sound.scenario for item in PAPER}:
        assert not list(unresolved(scenario.profile, DOMAINS)), scenario.task.id
        assert not [what for pair in scenario.task.relevant if (what := unknown(pair, DOMAINS))], scenario.task.id
        for pair in scenario.task.relevant:
            values = {
                value for type in DOMAINS[pair.domain].preferences if type.name == pair.type for value in type.values
            }
            assert set(scenario.profile.likes(pair.domain, pair.type)) & values, (scenario.task.id, pair.type)


def test_a_fault_is_what_tells_a_dialogue_from_the_good_one() -> None:
    for item in PAPER:
        good, bad = item.sound.script.messages, item.faulty.script.messages
        assert item.sound.cell != item.faulty.cell, item.name
        assert all(message.text for message in (*good, *bad)), item.name
        assert [message.role for message in bad] == ["user", "assistant"] * (len(bad) // 2)
        assert any(one == other for one, other in zip(good, bad, strict=False)), item.name
        if item.kind.signs[0].outcome or item.kind.signs[0].route:
            assert item.preference in item.sound.scenario.task.relevant, item.name


def test_good_users_pass_the_guard() -> None:
    for item in PAPER:
        before = Transcript()
        for message in item.sound.script.messages:
            if message.role == "user":
                assert not faults(item.sound.scenario, before, message.text), (item.name, message.text)
            before = before.and_then(message.role, message.text)


def test_every_fault_shows_under_the_default_rubric() -> None:
    assert all(item.sign(read_rubric()) == item.kind.signs[0] for item in PAPER)


def test_a_rubric_that_asks_one_thing_sees_the_faults_of_that_alone() -> None:
    rubric = read_rubric()
    success = rubric.changed(dimensions=[d for d in rubric.dimensions if d.name == "success"], preferences=False)
    seen = {item.kind.name for item in PAPER if item.sign(success)}
    assert seen == {"promised", "wrong_fact", "unsupported", "injection"}
    tastes = {item.kind.name for item in PAPER if item.sign(rubric.changed(dimensions=()))}
    assert tastes == {"violated", "updated", "someone_else", "needed_telling"}
