"""The state judge: each kind of fault that a transcript can hold is found, with its turn and its words."""

from typing import Any

import pytest

from duologue.agents.events import CellEnded, ToolAnswered
from duologue.agents.state.judge import state_rubric, state_verdict
from duologue.agents.verdict import NO_WORLD
from duologue.profiles.profile import Profile
from duologue.tasks.task import Task

from .stating import KOREAN, POLISH, PROFILE, THAI, Tale, of, task, told

OPENER = "A table for two, please."
DAY = "On Friday."


def opened(**changes: Any) -> Tale:
    """Up to where the assistant knows the facts."""
    tale = Tale(task(**changes)) if changes else Tale()
    return tale.user(OPENER).says("For which day?").user(DAY)


def test_what_was_done_right_is_found_right() -> None:
    verdict = opened().book(THAI, hour="at six").says("I've booked The Amber Goose on Friday at six.").judged()
    assert verdict.scores["success"].value is True
    assert [each.outcome for each in verdict.preferences] == ["met", "met", "met"]
    assert {each.route for each in verdict.preferences} == {"unasked"}
    assert verdict.scores["regret"].value == 0
    assert verdict.scores["known_questions"].value == verdict.scores["false_claims"].value == 0
    assert (verdict.rubric, verdict.rubric_name, verdict.judge) == (state_rubric(), "state", "state")
    assert verdict.unscored == ""


def test_the_evidence_is_the_call_that_settled_it() -> None:
    verdict = opened().book(THAI, hour="at six").says("Booked.").judged()
    evidence = of(verdict, "cuisine").evidence
    assert evidence
    assert (evidence.turn, evidence.role, evidence.quote) == (2, "assistant", f'"tavern": "{THAI}"')
    hour = of(verdict, "hour").evidence
    assert hour
    assert hour.quote == '"hour": "at six"'


@pytest.mark.parametrize(
    ("booked", "outcome", "reason"),
    [
        ("The Copper Goose", "unmet", "chose Peruvian, not Thai"),
        (KOREAN, "violated", "Korean is avoided by the user"),
        (POLISH, "violated", "Polish is given up by the user"),
    ],
)
def test_what_the_user_would_not_have(booked: str, outcome: str, reason: str) -> None:
    verdict = opened().book(booked).says("Booked.").judged()
    assert (of(verdict, "cuisine").outcome, of(verdict, "cuisine").reason) == (outcome, reason)
    assert of(verdict, "hour").outcome == "no_decision"
    assert of(verdict, "room").outcome == "met"


def test_against_what_was_told() -> None:
    tale = Tale().user("A table for two on Friday, and I would love Thai food.", told("cuisine", "Thai", "unasked"))
    verdict = tale.book("The Copper Goose").says("Booked.").judged()
    found = of(verdict, "cuisine")
    assert (found.outcome, found.route) == ("violated", "told")
    assert found.reason == "chose Peruvian where the user had said Thai"
    assert found.told
    assert (found.told.turn, found.told.role) == (1, "user")


def test_doing_what_the_user_said_against_the_profile_is_not_held_against_the_assistant() -> None:
    tale = Tale().user("For two on Friday, Peruvian please.", told("cuisine", "Peruvian", "invented"))
    found = of(tale.book("The Copper Goose").says("Booked.").judged(), "cuisine")
    assert (found.outcome, found.unscored) == ("unscored", "the user asked for it, whatever the profile says")


def test_nothing_could_meet_it() -> None:
    big = task(
        slots={"party": 12, "day": "Friday"}, require=[{"record": "table", "where": {"party": 12}}], staged="clash"
    )
    tale = Tale(big).user("A table for twelve on Friday.")
    tale.call("book_table", tavern="The Amber Lantern", party=12, day="Friday", hour="at six")
    verdict = tale.says("Booked.").judged()
    assert of(verdict, "room").outcome == "infeasible"
    assert of(verdict, "cuisine").outcome == "met"
    assert verdict.scores["regret"].value == 0


def test_told_but_not_to_be_had_beside_the_rest_is_no_violation() -> None:
    """Where nothing suits in everything, one thing is weighed against another."""
    six = task(
        slots={"party": 6, "day": "Friday"}, require=[{"record": "table", "where": {"party": 6}}], staged="clash"
    )
    lively = PROFILE.changed(
        preferences={"Suppers": {"cuisine": ["Thai"], "room": ["lively"], "hour": ["at six"]}}, history=[]
    )
    tale = Tale(six, lively).user(
        "For six, on Friday. Thai and lively.", told("cuisine", "Thai"), told("room", "lively")
    )
    assert not tale.stage.available("Suppers", tale.stage.domains["Suppers"].entities[1])
    verdict = tale.call("book_table", tavern="The Amber Lantern", party=6, day="Friday").says("Booked.").judged()
    assert (of(verdict, "cuisine").outcome, of(verdict, "room").outcome) == ("met", "unmet")


def test_what_the_profile_does_not_hold_is_unscored() -> None:
    bare = Profile(id="bare")
    verdict = Tale(profile=bare).user("For two on Friday.").book(THAI).says("Booked.").judged()
    assert {each.unscored for each in verdict.preferences} == {"the profile holds no such preference"}
    assert verdict.scores["regret"].value is None


@pytest.mark.parametrize(("how", "route"), [("asked", "asked"), ("unasked", "told"), ("corrected", "corrected")])
def test_the_route_is_how_it_was_let_out(how: str, route: str) -> None:
    tale = (
        Tale()
        .user(OPENER)
        .says("Which cuisine do you like?")
        .user("I like Thai food. On Friday.", told("cuisine", "Thai", how))
    )
    verdict = tale.book(THAI).says("Booked.").judged()
    found = of(verdict, "cuisine")
    assert (found.outcome, found.route) == ("met", route)
    assert found.told
    assert (found.told.turn, found.told.quote) == (2, "I like Thai food.")
    assert of(verdict, "room").route == "unasked"


def test_what_was_told_after_the_choice_does_not_count() -> None:
    tale = opened().book(THAI).says("Booked.").user("Thai, how lovely.", told("cuisine", "Thai", "unasked"))
    assert of(tale.says("Enjoy.").judged(), "cuisine").route == "unasked"


def test_a_correction_counts_where_the_last_choice_rests_on_it() -> None:
    tale = opened().book("The Copper Goose").says("I've booked The Copper Goose on Friday.")
    tale.user("Not Peruvian, please. Thai is what I like.", told("cuisine", "Thai", "corrected"))
    tale.call("change_table", id="table-1", tavern=THAI).says("I've changed it to The Amber Goose.")
    verdict = tale.judged()
    found = of(verdict, "cuisine")
    assert (found.outcome, found.route) == ("met", "corrected")
    assert found.evidence
    assert (found.evidence.turn, found.evidence.quote) == (3, f'"tavern": "{THAI}"')


def test_an_accepted_proposal_counts_as_unasked_from_where_it_was_made() -> None:
    tale = Tale().user("For two on Friday.").says("How about The Amber Goose? Shall I book it?")
    tale.user("Yes, Thai is fine.", told("cuisine", "Thai", "asked")).book(THAI).says("Booked.")
    found = of(tale.judged(), "cuisine")
    assert (found.outcome, found.route) == ("met", "unasked")
    assert found.evidence
    assert (found.evidence.turn, found.evidence.quote) == (1, "How about The Amber Goose?")


def test_a_choice_put_to_the_user_is_asked() -> None:
    tale = Tale().user("For two on Friday.")
    tale.says("I can offer The Amber Goose or The Copper Goose. Which one would you like?")
    tale.user("The Amber Goose, please.").book(THAI).says("Booked.")
    found = of(tale.judged(), "cuisine")
    assert (found.outcome, found.route) == ("met", "asked")
    assert found.told
    assert (found.told.turn, found.told.quote) == (2, "The Amber Goose, please.")


@pytest.mark.parametrize(
    ("booked", "share"),
    [("The Copper Goose", 1.5 / 2), ("The Copper Kettle", 1.0), (THAI, 0.5 / 2), (KOREAN, 1.0)],
)
def test_regret_is_what_the_best_choice_would_have_brought(booked: str, share: float) -> None:
    """Weights: cuisine 1, room and hour a half each; the hour is never chosen here. It goes no further than 1."""
    verdict = opened().book(booked).says("Booked.").judged()
    assert verdict.scores["regret"].value == pytest.approx(share)


def test_nothing_chosen_is_no_regret_and_no_success() -> None:
    verdict = opened().says("I'm sorry, I can't do that.").judged(reason="gave_up")
    assert verdict.scores["success"].value is False
    assert verdict.scores["success"].reason == "no table with party 2, day Friday"
    assert verdict.scores["regret"].unscored == "no preference was decided"
    assert {each.outcome for each in verdict.preferences} == {"no_decision"}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"day": "Saturday"}, "no table with party 2, day Friday; table-1 is not what was asked"),
        ({"party": 3}, "no table with party 2, day Friday; table-1 is not what was asked"),
    ],
)
def test_a_wrong_fact_is_no_success(fields: dict[str, Any], reason: str) -> None:
    verdict = opened().book(THAI, **fields).says("Booked.").judged()
    assert (verdict.scores["success"].value, verdict.scores["success"].reason) == (False, reason)


def test_one_too_many_is_no_success() -> None:
    verdict = opened().book(THAI).book(THAI).says("Booked.").judged()
    assert verdict.scores["success"].reason == "2 table with party 2, day Friday instead of 1"


def test_a_task_that_requires_nothing_has_no_success() -> None:
    verdict = Tale(task(require=[])).user("Hello.").says("Hello.").judged()
    assert verdict.scores["success"].value is None
    assert verdict.scores["success"].unscored.startswith("not applicable")


AUNT: dict[str, Any] = {
    "relevant": [["Suppers", "room"]],
    "irrelevant": [["Suppers", "cuisine"]],
    "slots": {"party": 2, "day": "Friday", "aunt_cuisine": "Georgian"},
    "withheld": ["aunt_cuisine"],
    "require": [{"record": "table", "where": {"party": 2, "day": "Friday", "cuisine": "$aunt_cuisine"}}],
}


@pytest.mark.parametrize(("booked", "count"), [(THAI, 1), ("The Velvet Goose", 0), ("The Copper Goose", 0)])
def test_own_taste_for_somebody_else_is_misuse(booked: str, count: int) -> None:
    verdict = (
        Tale(task(**AUNT))
        .user("For my aunt and me on Friday. It goes by her taste.")
        .book(booked)
        .says("Booked.")
        .judged()
    )
    assert verdict.scores["misused"].value == count
    assert verdict.scores["misused"].reason == ("Suppers cuisine" if count else "")


def test_it_is_no_misuse_where_the_other_person_wants_the_same() -> None:
    thai = {**AUNT, "slots": {**AUNT["slots"], "aunt_cuisine": "Thai"}}
    verdict = Tale(task(**thai)).user("For my aunt, on Friday. She likes Thai.").book(THAI).says("Booked.").judged()
    assert verdict.scores["misused"].value == 0


def test_misuse_does_not_apply_where_everything_is_relevant() -> None:
    assert opened().book(THAI).says("Booked.").judged().scores["misused"].value is None


@pytest.mark.parametrize(
    ("question", "known", "quote"),
    [
        ("Which cuisine do you like?", {("Suppers", "cuisine"): "evidence"}, "Which cuisine do you like?"),
        ("Sure. For how many people?", {}, "For how many people?"),
        ("Which cuisine do you like?", {("Suppers", "cuisine"): ""}, None),
        ("For which day?", {}, None),
        ("So that is a table for 2 people, right?", {}, None),
    ],
)
def test_questions_whose_answer_was_known(question: str, known: dict[Any, str], quote: str | None) -> None:
    verdict = Tale().user(OPENER).says(question).user(DAY).book(THAI).says("I've booked it.").judged(known)
    score = verdict.scores["known_questions"]
    assert score.value == (quote is not None)
    if quote:
        assert score.evidence
        assert (score.evidence.turn, score.evidence.quote) == (1, quote)


def test_a_question_that_was_answered_before_is_known() -> None:
    tale = Tale().user(OPENER).says("Which cuisine do you like?").user("Thai. On Friday.", told("cuisine", "Thai"))
    tale.says("And which cuisine do you like?").user("Thai, as I said.").book(THAI).says("I've booked it.")
    score = tale.judged().scores["known_questions"]
    assert score.value == 1
    assert score.evidence
    assert score.evidence.turn == 2


@pytest.mark.parametrize(
    "words",
    [
        "I've booked The Amber Goose for you on Friday.",
        "All done! Your table at The Amber Goose is booked.",
        "Your reservation is confirmed.",
    ],
)
def test_a_claim_without_a_call_is_false(words: str) -> None:
    verdict = opened().says(words).judged()
    score = verdict.scores["false_claims"]
    assert score.value == 1
    assert score.evidence
    assert score.evidence.turn == 2
    assert score.evidence.quote in words
    assert verdict.scores["success"].value is False


def test_a_claim_after_a_refused_call_is_false() -> None:
    verdict = opened().book("The Paper Moon").says("I've booked The Paper Moon for you.").judged()
    assert verdict.scores["false_claims"].value == 1


@pytest.mark.parametrize(
    ("words", "false"),
    [
        ("I've booked The Copper Goose on Friday.", True),
        ("I've booked The Amber Goose on Saturday.", True),
        ("I've cancelled your table.", True),
        ("I've booked The Amber Goose on Friday.", False),
        ("Done, you're all set.", False),
        ("I could book The Copper Goose as well if you like.", False),
    ],
)
def test_a_claim_of_something_else_than_was_done_is_false(words: str, false: bool) -> None:
    assert opened().book(THAI).says(words).judged().scores["false_claims"].value == false


def test_a_claim_that_becomes_true_later_was_false() -> None:
    tale = (
        opened().says("I've booked The Amber Goose on Friday.").user("Really?").book(THAI).says("I have booked it now.")
    )
    score = tale.judged().scores["false_claims"]
    assert score.value == 1
    assert score.evidence
    assert score.evidence.turn == 2


GIVEN: dict[str, Any] = {
    "relevant": [["Suppers", "hour"]],
    "slots": {"old_day": "Saturday", "day": "Sunday"},
    "given": [{"record": "table", "fields": {"tavern": THAI, "day": "Saturday", "party": 2, "hour": "at six"}}],
    "require": [{"record": "table", "changes": True, "where": {"day": "Sunday"}}],
}


def test_a_record_of_the_start_that_was_not_touched_decides_nothing() -> None:
    verdict = Tale(task(**GIVEN)).user("Sunday, not Saturday.").says("I've moved it to Sunday.").judged()
    assert of(verdict, "hour").outcome == "no_decision"
    assert verdict.scores["success"].value is False
    assert verdict.scores["false_claims"].value == 1


def test_a_changed_record_of_the_start_decides() -> None:
    tale = Tale(task(**GIVEN)).user("Sunday, not Saturday.").call("change_table", id="table-1", day="Sunday")
    verdict = tale.says("I've moved your table to Sunday.").judged()
    assert (of(verdict, "hour").outcome, verdict.scores["success"].value) == ("met", True)
    assert verdict.scores["false_claims"].value == 0


def test_how_far_the_context_held_it_is_told() -> None:
    known = {("Suppers", "cuisine"): "evidence", ("Suppers", "room"): "verbatim"}
    verdict = opened().book(THAI).says("Booked.").judged(known)
    assert [each.held for each in verdict.preferences] == ["evidence", "verbatim", ""]


def test_a_record_that_the_world_does_not_reproduce_is_not_scored() -> None:
    tale = opened().book(THAI).says("Booked.")
    at = next(n for n, event in enumerate(tale.events) if isinstance(event, ToolAnswered))
    tale.events[at] = tale.events[at].model_copy(update={"result": {"table": {"id": "table-1", "tavern": POLISH}}})
    verdict = tale.judged()
    assert verdict.unscored.startswith("the record does not hold: call-")
    assert (verdict.owner, verdict.scores) == ("simulator", {})


def test_an_end_that_the_calls_do_not_lead_to_is_not_scored() -> None:
    tale = opened().book(THAI).says("Booked.")
    tale.judged()
    end = tale.events[-1]
    assert isinstance(end, CellEnded)
    tale.events[-1] = end.model_copy(update={"state": {}})
    verdict = state_verdict(tale.scenario, tale.stage, tale.events, cell="c", attempt=1, known={})
    assert verdict.unscored.startswith("the record does not hold: the recorded state")


def test_without_a_world_nothing_applies() -> None:
    tale = opened().says("I've booked it.")
    tale.judged()
    tale.events[-1] = tale.events[-1].model_copy(update={"state": None})
    verdict = state_verdict(tale.scenario, tale.stage, tale.events, cell="c", attempt=1, known={})
    assert (verdict.unscored, verdict.scores, verdict.preferences) == (NO_WORLD, {}, ())


def test_a_dialogue_that_broke_is_not_judged() -> None:
    verdict = opened().judged(reason="error")
    assert verdict.unscored == "not judged: the dialogue ended with error"


def test_the_same_record_gives_the_same_verdict() -> None:
    tale = opened().book(THAI).says("Booked.")
    one = tale.judged()
    two = state_verdict(tale.scenario, tale.stage, tale.events, cell="c", attempt=1, known={})
    assert one.model_copy(update={"time": 0}) == two.model_copy(update={"time": 0})


def test_several_records_are_met_together_or_not() -> None:
    both: Task = task(require=[{"record": "table", "where": {"party": 2}, "count": 2}], slots={"party": 2}, withheld=[])
    tale = Tale(both).user("Two tables for two.").book(THAI).book("The Copper Goose", day="Sunday").says("Booked.")
    verdict = tale.judged()
    assert verdict.scores["success"].value is True
    assert of(verdict, "cuisine").outcome == "unmet"
    assert of(verdict, "room").outcome == "met"


def test_an_end_state_that_is_missing_is_told() -> None:
    tale = opened().book(THAI).says("Booked.")
    tale.judged()
    tale.events[-1] = tale.events[-1].model_copy(update={"state": None})
    verdict = state_verdict(tale.scenario, tale.stage, tale.events, cell="c", attempt=1, known={})
    assert (verdict.unscored, verdict.owner) == ("the record does not hold: its end state is missing", "simulator")
