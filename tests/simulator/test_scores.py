from dataclasses import replace
from typing import Any

import pytest
from tests.simulator.records import Script, dialogue, preference, run
from tests.simulator.views.screens import drawn

from duologue.agents.events import AssistantTurn, ToolAnswered, ToolCalled, UserDraft, UserTurn
from duologue.agents.usage import Usage
from duologue.agents.verdict import UNHELD, Evidence, Score
from duologue.record.run import Dialogue, Run
from duologue.scores import alarms, headline, rows, summary
from duologue.scoring.judging import heard, judging
from duologue.scoring.measures import EFFORT, INAPPLICABLE, SCALES, within_ends
from duologue.tasks.written import BadInput
from duologue.views.summary import draw

TALK = tuple(name for name in EFFORT if name != "calls")
"""What talking costs; calls are counted where there were tools."""


def test_a_judged_dialogue_in_numbers() -> None:
    taste = [preference("cuisine", "met", "asked"), preference("price", "violated"), preference("noise", "infeasible")]
    (row,) = rows(run(dialogue(preferences=taste, scores={"warmth": 2.0})))
    assert row.metrics == {
        "success": 1.0,
        "personalisation": 3.0,
        "preferences_met": 0.5,
        "user_naturalness": 4.0,
        "user_coherence": 5.0,
        "assistant_naturalness": 4.0,
        "assistant_coherence": 5.0,
        "warmth": 2.0,
        "user_turns": 2.0,
        "questions": 1.0,
        "tokens": 240.0,
        "seconds": 3.0,
    }
    assert list(row.metrics) == [*SCALES, "warmth", *TALK]
    assert (row.number, row.turns, row.routes, row.unscored, row.scored) == (1, 2, {"asked": 1}, {}, True)
    assert row.domains == ("Restaurants",)


@pytest.mark.parametrize("reason", ["error", "refused", "empty", "loop", "content_filter", "context_overflow"])
def test_an_ending_of_the_assistants_is_no_success_and_nothing_else_is_scored(reason: str) -> None:
    (row,) = rows(run(dialogue(reason=reason, role="assistant")))
    assert row.metrics["success"] == 0.0
    assert {name for name, value in row.metrics.items() if value is not None} == {"success"}
    assert row.unscored["personalisation"] == f"{reason.replace('_', ' ')} (assistant)"
    assert not row.scored


@pytest.mark.parametrize(
    ("reason", "role", "owner"),
    [
        ("timeout", "assistant", "infrastructure"),
        ("rate_limit", "user", "infrastructure"),
        ("user_broken", "user", "simulator"),
        ("loop", "user", "simulator"),
    ],
)
def test_endings_of_others_leave_everything_unscored(reason: str, role: str, owner: str) -> None:
    said = summary(run(dialogue(reason=reason, role=role), dialogue("bo")))
    (plain,) = said.assistants
    assert plain.metrics["success"].n == 1
    assert plain.metrics["success"].mean == 1.0
    assert plain.metrics["success"].why == {f"{reason.replace('_', ' ')} ({owner})": 1}
    assert {(e.owner, e.reason): e.count for e in plain.endings} == {(owner, reason): 1, ("user", "satisfied"): 1}


@pytest.mark.parametrize("reason", ["budget", "interrupted", ""])
def test_what_is_not_finished_is_counted_apart(reason: str) -> None:
    said = summary(run(dialogue(reason=reason), dialogue("bo")))
    (plain,) = said.assistants
    assert plain.unfinished == 1
    assert (plain.metrics["success"].n, plain.metrics["success"].unscored) == (1, 0)


def test_the_turn_limit_is_scored_and_marked() -> None:
    (row,) = rows(run(dialogue(reason="turn_limit", role="simulator")))
    assert row.cut_short
    assert row.metrics["personalisation"] == 3.0


def test_unscored_is_never_a_number() -> None:
    held = run(
        dialogue("a", scores={"personalisation": Score(unscored="score 9 is off the scale")}),
        dialogue("b", unscored="not JSON", scores={}),
        dialogue("c", judged=False),
        dialogue("d", scores={"personalisation": 2}),
    )
    personal = summary(held).assistants[0].metrics["personalisation"]
    assert (personal.n, personal.mean, personal.unscored) == (1, 2.0, 3)
    assert personal.why == {"judge: score 9 is off the scale": 1, "judge: not JSON": 1, "not judged": 1}


@pytest.mark.parametrize(
    ("outcomes", "share", "why"),
    [
        (["met", "met", "unmet", "violated"], 0.5, None),
        (["met", "infeasible", "no_decision", "unscored"], 1.0, None),
        (["infeasible", "no_decision"], None, "no preference was decided"),
        (["unscored"], None, "judge: gave no outcome"),
    ],
)
def test_the_share_of_preferences_met(outcomes: list[str], share: float | None, why: str | None) -> None:
    (row,) = rows(run(dialogue(preferences=[preference(str(i), o) for i, o in enumerate(outcomes)])))
    assert row.metrics["preferences_met"] == share
    assert row.unscored.get("preferences_met") == why


def test_a_preference_that_the_profile_lacks_is_not_the_judges_fault() -> None:
    lacking = preference("noise", "unscored", unscored=UNHELD)
    unsaid = preference("cuisine", "unscored", unscored="cut")
    assert rows(run(dialogue(preferences=[lacking])))[0].unscored["preferences_met"] == UNHELD
    assert rows(run(dialogue(preferences=[lacking, unsaid])))[0].unscored["preferences_met"] == "judge: cut"
    infeasible = preference("price", "infeasible")
    assert rows(run(dialogue(preferences=[lacking, infeasible])))[0].unscored["preferences_met"] == INAPPLICABLE[0]


def test_verdicts_of_two_rubrics_are_never_averaged_together() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    old = script.verdict("r1", scores={"personalisation": 1})
    new = script.verdict("r2", scores={"personalisation": 4}, time=3000.0)
    twice = Dialogue(script.events[0], tuple(script.events), (old, new))  # type: ignore[arg-type]
    held = run(twice, dialogue("bo", scores={"personalisation": 2}))
    said = summary(held)
    personal = said.assistants[0].metrics["personalisation"]
    assert (said.judging.rubric, said.set_aside) == ("r2", 2)
    assert (personal.n, personal.mean, personal.why) == (1, 4.0, {"not judged": 1})
    assert summary(held, "r1").assistants[0].metrics["personalisation"].mean == 1.5
    assert heard(twice.verdicts, said.judging) == [new]
    assert heard(twice.verdicts, judging([held], "r1")) == [old]


def test_another_judge_is_another_measure() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    both = (script.verdict(judge="strict", time=3000.0), script.verdict(judge="mild", time=2000.0))
    twice = Dialogue(script.events[0], tuple(script.events), both)  # type: ignore[arg-type]
    held = run(twice)
    assert judging([held]).judge == "strict"
    assert judging([held], judge="mild").judge == "mild"
    assert summary(held, judge="mild").others == (judging([held]),)
    assert heard(twice.verdicts, judging([held], judge="mild")) == [both[1]]
    with pytest.raises(BadInput, match="no verdict by 'strickt', did you mean 'strict'"):
        rows(held, judge="strickt")
    with pytest.raises(BadInput, match="no verdict under 'mild'"):
        rows(held, "mild")


@pytest.mark.parametrize(("asked", "found"), [("play", "play"), ("openai:play", "play"), ("old", "x:old"), ("y:", "")])
def test_a_judge_is_known_with_its_provider_or_without(asked: str, found: str) -> None:
    held = run(dialogue(judge="x:old"), dialogue("bo", judge="play"))
    if found:
        assert judging([held], judge=asked).judge == found
        return
    with pytest.raises(BadInput, match="There are: "):
        judging([held], judge=asked)


def test_a_verdict_on_an_earlier_attempt_does_not_count() -> None:
    first, second = Script(attempt=1), Script(attempt=2).say(1, "Hi", "Hello").end()
    held = run(Dialogue(second.events[0], tuple(second.events), (first.verdict(),)))  # type: ignore[arg-type]
    assert rows(held)[0].unscored["success"] == "not judged"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Which one? The first?", 2),
        ("Really?! “Are you sure?” (Or not?)", 3),
        ("See https://example.org/?q=1 for more.", 0),
        ("几个人？什么时候？", 2),
        ("متى؟", 1),
        ("", 0),
    ],
)
def test_questions_asked(text: str, count: int) -> None:
    (row,) = rows(run(dialogue(turns=[("Hi", text)])))
    assert row.metrics["questions"] == count


def test_tokens_are_unknown_where_one_turn_does_not_tell() -> None:
    script = Script().say(1, "Hi", "Hello").say(2, "Bye", "Bye", usage=None).end()
    (row,) = rows(run(Dialogue(script.events[0], tuple(script.events))))  # type: ignore[arg-type]
    assert row.metrics["tokens"] is None
    assert row.unscored["tokens"] == "not reported"


def test_leaving_without_a_word_is_no_turn() -> None:
    script = Script().say(1, "Hi", "Hello").note(UserTurn, 2, role="user", text="", stop=True, reason="satisfied").end()
    (row,) = rows(run(Dialogue(script.events[0], tuple(script.events))))  # type: ignore[arg-type]
    assert row.turns == 1


def test_tokens_and_seconds_by_role_with_drafts_and_retries() -> None:
    script = Script().note(
        UserDraft, 1, role="user", text="", faults=("empty",), usage=Usage(input=5, output=1), seconds=1
    )
    script.say(1, "Hi", "Hello").end()
    held = run(Dialogue(script.events[0], tuple(script.events), (script.verdict(seconds=4),)))  # type: ignore[arg-type]
    (plain,) = summary(held).assistants
    assert plain.usage["user"] == Usage(input=55, output=11, calls=2)
    assert plain.usage["assistant"].retries == 1
    assert plain.usage["judge"] == Usage(input=900, output=90)
    assert plain.seconds == {"user": 1.5, "assistant": 1.5, "judge": 4.0}
    assert plain.discarded == 1


def test_intervals_are_clustered_by_profile() -> None:
    few = summary(run(*(dialogue(f"p{i}", trial=t) for i in range(7) for t in (1, 2)))).assistants[0]
    many = summary(run(*(dialogue(f"p{i}") for i in range(20)))).assistants[0]
    assert (few.metrics["success"].n, few.metrics["success"].method) == (14, "too few profiles")
    assert many.metrics["success"].method == "wilson"
    assert many.metrics["success"].low == pytest.approx(0.8389, abs=1e-4)


def test_a_rubric_of_its_own_brings_its_own_metrics() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    verdict = script.verdict().model_copy(update={"scores": {"warmth": Score(value=7)}})
    (row,) = rows(run(Dialogue(script.events[0], tuple(script.events), (verdict,))))  # type: ignore[arg-type]
    assert list(row.metrics) == ["warmth", *TALK]


def test_a_question_that_nobody_asked_has_no_score_not_even_of_a_loop() -> None:
    done = dialogue("anna")
    own = done.verdicts[0].model_copy(update={"rubric_name": "kind", "scores": {"warmth": Score(value=7)}})
    held = run(Dialogue(done.started, done.events, (own,)), dialogue("bo", reason="loop", role="assistant"))
    asked, looped = rows(held)
    assert "success" not in asked.metrics and "success" not in looped.metrics
    (said,) = summary(held).assistants
    assert set(said.metrics) == {"warmth", *TALK}
    assert "task success" not in drawn(draw(summary(held)))
    (usual,) = [row for row in rows(run(done, dialogue("bo", reason="loop", role="assistant"))) if row.profile == "bo"]
    assert usual.metrics["success"] == 0


def test_no_interval_of_a_count_reaches_below_nothing() -> None:
    assert [within_ends("state_known_questions", each) for each in (-0.04, 0.74, None)] == [0, 0.74, None]
    assert [within_ends("personalisation", each) for each in (0.9, 4.2)] == [1, 4]
    assert within_ends("warmth", -2.0) == -2 and within_ends("warmth", -2.0, (1, 5)) == 1
    held = [dialogue(f"p{i}", scores={"personalisation": 4 if i else 1}) for i in range(9)]
    mean = summary(run(*held)).assistants[0].metrics["personalisation"]
    assert mean.high is not None and mean.low is not None and 1 <= mean.low <= mean.high <= 4


def test_what_judging_took_is_that_of_the_rubric_that_is_shown() -> None:
    done = dialogue("anna")
    other = done.verdicts[0].model_copy(
        update={"rubric": "r2", "rubric_name": "kind", "time": 1.0, "usage": Usage(input=100_000, output=0)}
    )
    held = run(Dialogue(done.started, done.events, (*done.verdicts, other)))
    for rubric, tokens in (("default", 990), ("kind", 100_000)):
        said = summary(held, rubric)
        (cost,) = said.assistants[0].judges.values()
        assert (cost.usage.input or 0) + (cost.usage.output or 0) == tokens
        assert f"judging took {tokens:,} tokens" in drawn(draw(said))
        assert said.assistants[0].usage["judge"].input == 100_900


def test_quotes_that_stand_nowhere_are_warned_of() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    for quote, careful in (("never said", True), ("Hello", False)):
        score = {"success": Score(value=True, evidence=Evidence(quote=quote, found=not careful))}
        said = summary(run(Dialogue(script.events[0], tuple(script.events), (script.verdict(scores=score),))))  # type: ignore[arg-type]
        assert any("no quote of the judge stands in a transcript" in each for each in said.careful) is careful
        assert ("Careful: no quote" in drawn(draw(said), 120)) is careful


def test_an_empty_run_says_nothing() -> None:
    said = summary(run())
    assert (said.dialogues, said.scored, said.assistants) == (0, 0, ())


def judged_run(*dialogues: Dialogue, **limits: float) -> Run:
    held = run(*dialogues)
    return replace(
        held, manifest=held.manifest.changed(campaign={**held.manifest.campaign, "judge": {}, "limits": limits})
    )


def test_alarms_say_why_a_run_proves_nothing() -> None:
    broken = [dialogue(f"p{i}", reason="error", role="assistant") for i in range(2)]
    fine = [dialogue(f"q{i}") for i in range(6)]
    assert alarms(summary(run(dialogue(judged=False)))) == []
    assert alarms(summary(judged_run(dialogue(judged=False)))) == [
        "No dialogue was scored: this run says nothing about the assistants."
    ]
    assert alarms(summary(judged_run(*broken, *fine))) == [
        "2 of 8 dialogues ended without scores, more than the allowed 20 % (limits.failures)."
    ]
    assert alarms(summary(judged_run(*broken, *fine, failures=0.25))) == []


def test_quotes_are_counted_that_stand_and_that_do_not() -> None:
    stands, invented = Evidence(turn=1, quote="Thai.", found=True), Evidence(quote="never said")
    given = {"success": Score(value=True, evidence=stands), "personalisation": Score(value=3, evidence=invented)}
    held = run(dialogue(scores=given, preferences=[preference("cuisine", "met", evidence=invented)]))
    (plain,) = summary(held).assistants
    assert (plain.quotes, plain.quotes_found) == (3, 1)


def test_the_first_two_dimensions_of_a_rubric_head_its_table() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    own = {"warmth": Score(value=7), "polite": Score(value=True), "brief": Score(value=1)}
    verdict = script.verdict().model_copy(update={"scores": own})
    held = run(Dialogue(script.events[0], tuple(script.events), (verdict,)))  # type: ignore[arg-type]
    assert headline(held, judging([held])) == {"warmth": False, "polite": True}
    assert headline(run(), judging([run()])) == {"success": True, "personalisation": False}


def test_tokens_that_no_call_told_are_unknown() -> None:
    script = Script().say(1, "Hi", "Hello", usage=None).say(2, "Bye", "Bye", usage=Usage(retries=1)).end()
    held = run(Dialogue(script.events[0], tuple(script.events)))  # type: ignore[arg-type]
    (plain,) = summary(held).assistants
    assert list(plain.usage) == ["user", "assistant"]
    assert (plain.usage["assistant"].input, plain.unreported) == (None, {"assistant": 2})


def test_nothing_scored_is_seen() -> None:
    said = summary(run(dialogue(judged=False), dialogue("bo", reason="error", role="assistant")))
    assert said.scored == 0


def test_contexts_come_from_the_campaign_in_its_order() -> None:
    held = run(
        dialogue(assistant="b"), dialogue(assistant="a"), assistants={"a": ("history", "preferences"), "b": ("none",)}
    )
    assert [(each.name, each.context) for each in summary(held).assistants] == [
        ("a", ("history", "preferences")),
        ("b", ()),
    ]


def test_the_assistants_turns_only_count_for_its_effort() -> None:
    script = Script().say(1, "Hi? Anyone?", "Hello").note(AssistantTurn, 1, role="assistant", text="Yes?").end()
    (row,) = rows(run(Dialogue(script.events[0], tuple(script.events))))  # type: ignore[arg-type]
    assert row.metrics["questions"] == 1


def test_a_judges_file_is_known_without_its_folder() -> None:
    held = run(dialogue(judge="scripted:/some/where/strict.toml"), dialogue("bo", judge="x", time=9000.0))
    for name in ("strict.toml", "scripted:strict.toml", "/some/where/strict.toml"):
        assert judging([held], judge=name).judge == "scripted:/some/where/strict.toml"


def test_an_end_state_that_is_missing_is_counted_with_the_reason() -> None:
    def acted(profile: str, state: dict[str, Any] | None, *, calls: bool) -> Dialogue:
        script = Script(profile).note(UserTurn, 1, role="user", text="A table.", stop=True)
        if calls:
            script.note(ToolCalled, 1, role="assistant", call="c", name="book", arguments={})
            script.note(ToolAnswered, 1, call="c", ok=True, result={})
        script.note(AssistantTurn, 1, role="assistant", text="Done.").end()
        script.events[-1] = script.events[-1].model_copy(update={"state": state})
        verdict = script.verdict("s", "state", scores={"success": True})
        return Dialogue(script.events[0], tuple(script.events), (verdict.model_copy(update={"rubric_name": "state"}),))  # type: ignore[arg-type]

    held = run(
        acted("a", {"table": []}, calls=True), acted("b", None, calls=True),
        replace(acted("c", None, calls=False), verdicts=()),
    )  # fmt: skip
    (plain,) = summary(held).assistants
    found = plain.metrics["state_success"]
    assert (found.n, found.unscored, found.inapplicable) == (1, 2, 0)
    assert found.why == {"the record does not hold: its end state is missing": 2}
