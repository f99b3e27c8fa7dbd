"""A judge's calls: how many, what each shows, looks, what is too long, and scores that nothing bears out."""

import json
from typing import Any

import pytest

from duologue.agents.case import case
from duologue.agents.ending import Failure, ending
from duologue.agents.events import AssistantTurn, CellEnded, ToolAnswered, ToolCalled, UserTurn
from duologue.agents.judge import Judge
from duologue.agents.message import ToolCall
from duologue.agents.models.call import Reply, Token, Traits
from duologue.agents.questions import calls_of, pose
from duologue.agents.rubric import Rubric, read_rubric
from duologue.agents.transcript import Action, Transcript, transcript
from duologue.agents.usage import Usage
from duologue.agents.verdict import Evidence, PreferenceVerdict, Score, Verdict
from duologue.tasks.written import BadInput

from .hearing import SCENARIO, SCRIPT, answer, spoken, written
from .test_judge import Sayer

DEFAULT, LENS = read_rubric(), read_rubric("personalens")
EACH = DEFAULT.changed(calls="each")
BOOKED = ToolCall("c1", "book_table", {"day": "Friday"})
ACTED = Transcript(
    SCRIPT.messages,
    (
        Action(1, 1, ToolCall("c0", "search", "not json"), {"found": []}),
        Action(2, 1, BOOKED, {"ok": True, "place": "Lotus"}),
    ),
    state={"booking": [{"day": "Friday", "people": 4}]},
)


async def looked(
    model: Sayer, rubric: Rubric = DEFAULT, script: Transcript = SCRIPT, look: int = 1, cell: str = "c"
) -> Verdict:
    end = ending("satisfied", "user")
    return await Judge(model, rubric).judge(SCENARIO, script, cell=cell, attempt=1, seed=7, ending=end, look=look)


def shown(model: Sayer, call: int) -> str:
    return model.asked[call].messages[-1].text


async def test_each_dimension_has_a_call_of_its_own() -> None:
    model = Sayer([written()])
    verdict = await looked(model, EACH)
    names = [d.name for d in DEFAULT.dimensions]
    assert [request.conversation for request in model.asked] == [
        f"judge/c/1/{name}" for name in ["preferences", *names]
    ]
    assert model.released == [request.conversation for request in model.asked]
    whole = await looked(Sayer([written()]))
    assert verdict.scores == whole.scores
    assert list(verdict.scores) == names
    assert (verdict.preferences, verdict.answer, verdict.warnings) == (whole.preferences, "", ())
    assert (verdict.usage, verdict.seconds) == (Usage(input=700, output=70, calls=7), 3.5)
    for request, name in zip(model.asked[1:], names, strict=True):
        assert request.schema and list(request.schema.schema["properties"]["scores"]["properties"]) == [name]
        assert [d for d in names if f"## {d} " in request.messages[0].text] == [name]


async def test_what_personalens_shows_is_all_that_each_call_shows() -> None:
    model = Sayer([written()])
    verdict = await looked(model, LENS, ACTED)
    assert [score.unscored for score in verdict.scores.values()] == [""] * 6
    assert (verdict.preferences, len(model.asked)) == ((), 6)
    success, personal, *others = (shown(model, call) for call in range(6))
    goal, intent = SCENARIO.task.goal, SCENARIO.task.intent
    assert goal in success and f"wants: {intent}" not in success and "# The user" not in success
    assert goal not in personal
    for part in (f"wants: {intent}", "home city: Leeds", "likes Thai", "likes quiet", "Avoids sushi", "used to go for"):
        assert part in personal
    for text in others:
        assert text.startswith("# The record")
    assert not [text for text in (success, personal, *others) if "book_table" in text or "people" in text]


async def test_one_bad_answer_among_calls_costs_its_own_score_alone() -> None:
    bad = "I cannot."
    verdict = await looked(Sayer([written(), bad, bad, written()]), LENS)
    assert (verdict.unscored, verdict.owner, verdict.answer) == ("", "", bad)
    assert {name for name, score in verdict.scores.items() if score.unscored} == {"personalisation"}
    assert verdict.scores["personalisation"].unscored == "no object"
    assert verdict.scores["assistant_coherence"].value == 5
    assert verdict.usage and verdict.usage.calls == 7


async def test_a_call_that_the_infrastructure_fails_spoils_the_verdict_so_that_all_is_asked_again() -> None:
    model = Sayer([written(), Failure("timeout", "today"), written()])
    verdict = await looked(model, LENS)
    assert (verdict.unscored, verdict.owner, len(model.asked)) == ("timeout: today", "infrastructure", 2)
    assert {score.value for score in verdict.scores.values()} == {None}
    assert verdict.usage == Usage(input=100, output=10)


async def test_where_every_call_fails_nothing_is_scored() -> None:
    verdict = await looked(Sayer(["I cannot."]), LENS)
    assert (verdict.unscored, verdict.owner) == ("no object", "judge")


async def test_a_first_look_is_as_ever_and_further_ones_differ_in_seed_and_temperature() -> None:
    model = Sayer([written()])
    verdicts = [await looked(model, look=look) for look in (1, 2, 3, 2)]
    assert [verdict.look for verdict in verdicts] == [1, 2, 3, 2]
    asked = [(r.temperature, r.seed, r.conversation) for r in model.asked]
    assert asked[0] == (0, 7, "judge/c/1")
    assert asked[1] == asked[3]
    assert [temperature for temperature, _, _ in asked[1:]] == [0.7] * 3
    assert len({seed for _, seed, _ in asked}) == len({name for _, _, name in asked}) == 3
    assert all(0 <= (seed or 0) < 2**31 for _, seed, _ in asked)
    assert {r.messages for r in model.asked} == {model.asked[0].messages}


async def test_what_is_surely_too_long_is_not_asked() -> None:
    model = Sayer([written()], traits=Traits(context=4096))
    verdict = await looked(model, script=spoken("A table.", "word " * 6000))
    assert (model.asked, verdict.owner, verdict.usage) == ([], "judge", None)
    assert verdict.unscored.startswith("too long for the judge: ")
    assert "tokens, and its context holds 4,096; name a larger judge" in verdict.unscored
    assert {score.unscored for score in verdict.scores.values()} == {verdict.unscored}
    fitting = Sayer([written()], traits=Traits(context=40960))
    assert (await looked(fitting, script=spoken("A table.", "word " * 6000))).unscored == ""


async def test_an_answer_that_found_no_room_is_too_long_and_not_asked_for_again() -> None:
    full = Reply(written()[:50], finish="length", usage=Usage(input=4000, output=95))
    model = Sayer([full, written()], traits=Traits(context=4096))
    verdict = await looked(model)
    assert len(model.asked) == 1
    assert verdict.unscored == (
        "too long for the judge: of the 4,096 tokens of its context the question takes 4,000, which leaves too few"
    )
    roomy = Sayer([full, written()], traits=Traits(context=8192))
    assert (await looked(roomy)).unscored == ""


async def test_of_several_calls_only_the_one_that_is_too_long_is_lost() -> None:
    long = SCENARIO.profile.changed(history=[{"domain": "Restaurants", "summary": "word " * 6000}])
    model = Sayer([written()], traits=Traits(context=4096))
    end = ending("satisfied", "user")
    scenario = type(SCENARIO)(long, SCENARIO.task, SCENARIO.situation)
    verdict = await Judge(model, LENS).judge(scenario, SCRIPT, cell="c", attempt=1, seed=7, ending=end)
    assert verdict.unscored == ""
    assert verdict.scores["personalisation"].unscored.startswith("too long for the judge")
    assert [name for name, score in verdict.scores.items() if score.value is None] == ["personalisation"]


def test_a_rubric_of_pairs_is_refused_with_what_to_type() -> None:
    with pytest.raises(BadInput, match="compares two dialogues and grades none") as told:
        Judge(Sayer([]), read_rubric("pairwise"))
    assert "duologue compare RUN --pairwise" in str(told.value)


@pytest.mark.parametrize("small", [False, True])
def test_tool_calls_and_end_state_are_shown_only_where_they_are_asked_for(small: bool) -> None:
    inputs = ["task", "profile", "preferences", "actions", "state"]
    with_both = pose(DEFAULT.changed(inputs=inputs), SCENARIO)
    guide, text = (message.text for message in case(with_both, SCENARIO, ACTED, small=small))
    between = {False: "\n| ", True: " "}[small]
    assert f"[1] tool call:{between}search not json" in text
    assert f'[2] tool call:{between}book_table {{"day": "Friday"}}' in text
    assert f'[2] tool answer:{between}{{"ok": true, "place": "Lotus"}}' in text
    assert text.index("[2] user") < text.index("[2] tool call") < text.index("[2] assistant")
    assert '| booking: {"day": "Friday", "people": 4}' in text
    plain_guide, plain = (message.text for message in case(pose(DEFAULT, SCENARIO), SCENARIO, ACTED, small=small))
    assert "tool" not in plain and "booking: {" not in plain
    assert guide != plain_guide
    talk = case(with_both, SCENARIO, SCRIPT, small=small)[-1].text
    assert "There were no services to act on" in talk


def test_the_end_state_comes_from_the_record() -> None:
    base: dict[str, Any] = {"cell": "c", "time": 0.0}
    events = [
        UserTurn(seq=1, turn=1, text="A table.", **base),
        ToolCalled(seq=2, turn=1, call="x", name="book", arguments={}, **base),
        ToolAnswered(seq=3, turn=1, call="x", ok=True, result={"ok": 1}, **base),
        AssistantTurn(seq=4, turn=1, text="Done.", **base),
        CellEnded(seq=5, ending=ending("satisfied", "user"), state={"booking": [{"day": "Friday"}]}, **base),
    ]
    script = transcript(events)
    assert script.state == {"booking": [{"day": "Friday"}]}
    assert transcript(events[:-1]).state is None


async def test_quotes_of_what_was_shown_beside_the_words_count() -> None:
    given = answer()
    given["scores"]["success"] |= {"turn": 2, "quote": '"place": "Lotus"'}
    given["scores"]["personalisation"] |= {"turn": 0, "quote": '"people": 4'}
    both = DEFAULT.changed(inputs=["task", "profile", "preferences", "actions", "state"])
    verdict = await looked(Sayer([json.dumps(given)]), both, ACTED)
    found = [verdict.scores[name].evidence for name in ("success", "personalisation")]
    assert [(e.turn, e.role, e.found, e.claimed_turn) for e in found if e] == [
        (2, "tool", True, None), (None, "tool", True, None),
    ]  # fmt: skip
    assert (verdict.warnings, verdict.scores["success"].grounded) == ((), True)
    hidden = await looked(Sayer([json.dumps(given)]), DEFAULT, ACTED)
    assert hidden.scores["success"].grounded is False
    assert "success: the quote is not in the transcript" in hidden.warnings


def test_a_score_that_no_valid_quote_bears_out_is_told_from_others() -> None:
    found, lost = Evidence(turn=1, quote="x", found=True), Evidence(turn=1, quote="x")
    bare = Evidence(turn=1)
    assert [Score(value=3.0, evidence=e).grounded for e in (found, lost, bare, None)] == [True, False, False, False]
    assert Score(value=False, evidence=found).grounded is True
    assert Score(unscored="why", evidence=found).grounded is None
    verdict = PreferenceVerdict(domain="d", type="t", outcome="met", evidence=lost)
    assert verdict.grounded is False
    assert verdict.changed(evidence=found).grounded is True
    assert verdict.changed(outcome="no_decision").grounded is None
    assert verdict.changed(outcome="unscored").grounded is None


async def test_probabilities_in_the_answer_give_expected_scores() -> None:
    text = written(personalisation=3)
    likely = [Token(letter, ((letter, 0.5), ("1", 0.1), ("4", 0.1))) for letter in text]
    model = Sayer([Reply(text, tokens=tuple(likely))])
    verdict = await looked(model)
    score = verdict.scores["personalisation"]
    assert (score.value, score.expected, score.mass) == (3, pytest.approx(2.0 / 0.7), pytest.approx(0.7))
    assert model.asked[0].likely == 5
    small = Sayer([written()], traits=Traits(small=True))
    assert (await looked(small)).scores["personalisation"].expected is None
    assert small.asked[0].likely == 20


def test_preferences_in_sight_are_shown_where_they_are_not_asked_about() -> None:
    unasked = pose(DEFAULT.changed(preferences=False), SCENARIO)
    text = case(unasked, SCENARIO, SCRIPT)[-1].text
    assert "- Restaurants, cuisine: likes Thai" in text and "p1_cuisine" not in text and "quiet" not in text
    hidden = case(pose(DEFAULT.changed(preferences=False, inputs=["task"]), SCENARIO), SCENARIO, SCRIPT)
    assert "Thai (" not in hidden[-1].text and "# The user" not in hidden[-1].text
    (part,) = calls_of(pose(Rubric(name="p"), SCENARIO), Rubric(name="p"), SCENARIO)
    assert [asked.key for asked in part.preferences] == ["p1_cuisine", "p2_diet"]
