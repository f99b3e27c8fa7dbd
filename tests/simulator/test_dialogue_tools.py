"""The loop with tools: what is called is done, recorded and seen by the assistant alone, and can be gone on with."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    Disclosure,
    Event,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.agents.ledger import disclosures
from duologue.agents.message import ToolCall
from duologue.agents.secrets import masked
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by, transcript
from duologue.agents.usage import Usage
from duologue.dialogue import CALLS, STEPS, Talk, converse
from duologue.money.spending import spent
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.record.digest import digest
from duologue.record.run import Dialogue, whole
from duologue.scoring.effort import replies
from duologue.tasks.domain import Domain
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Task
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

DOMAIN = Domain.model_validate({
    "name": "Alarm",
    "preferences": [{"name": "sound", "values": ["bell", "birds", "waves"]}],
    "records": [
        {
            "name": "alarm",
            "tools": {"create": "set_alarm", "change": "change_alarm", "cancel": "cancel_alarm", "list": "list_alarms"},
            "fields": [
                {"name": "hour", "kind": "number", "least": 0, "most": 23, "required": True},
                {"name": "sound"},
            ],
        }
    ],
})  # fmt: skip
TASK = Task.model_validate({
    "id": "wake",
    "domains": ["Alarm"],
    "intent": "You want to be woken.",
    "goal": "An alarm is set.",
    "slots": {"hour": 7},
    "require": [{"record": "alarm", "where": {"hour": 7}}],
})  # fmt: skip
SCENARIO = Scenario(Profile.model_validate({"id": "mia", "preferences": {"Alarm": {"sound": ["birds"]}}}), TASK)
BELL = {"hour": 7, "sound": "bell"}


def world() -> World:
    return World(set_stage(TASK, {"Alarm": DOMAIN}, (), 1))


def called(*calls: tuple[str, Any], text: str = "", **fields: Any) -> Said:
    return Said(text, calls=tuple(ToolCall("", name, arguments) for name, arguments in calls), **fields)


class Lines:
    """Says its lines in order, found by what the transcript holds of it: it can be gone on with anywhere."""

    guarded = False
    rebuildable = True

    def __init__(self, seat: str, *lines: Said | str) -> None:
        self.seat, self.lines, self.heard = seat, lines, list[Transcript]()

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        self.heard.append(script)
        done = sum(message.role == self.seat for message in script.messages)
        if self.seat == "assistant":
            done += len({(action.turn, action.step) for action in script.actions})
        line = self.lines[min(done, len(self.lines) - 1)]
        return Said(line) if isinstance(line, str) else line

    async def close(self) -> None: ...


def user(*lines: Said | str) -> Lines:
    return Lines("user", *lines, Said("Thanks, that is all.", stop=True, reason="satisfied"))


async def hold(
    talker: Lines, assistant: Lines, so_far: Sequence[Event] = (), place: World | None = None, **more: Any
) -> list[Event]:
    talk = Talk("c1", 1, SCENARIO, "plain", 1, talker, assistant, 9, {"Alarm": DOMAIN}, world=place, **more)
    return [event async for event in converse(talk, so_far)]


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events]


def ended(events: Sequence[Event]) -> CellEnded:
    assert isinstance(events[-1], CellEnded)
    return events[-1]


async def test_what_is_called_is_done_answered_and_heard_before_the_words() -> None:
    assistant = Lines("assistant", called(("set_alarm", BELL), text="One moment."), "Set for 7.", "Sleep well.")
    events = await hold(user("Wake me at 7, please."), assistant, place=world())
    assert kinds(events)[1:6] == ["user_turn", "ledger", "tool_call", "tool_result", "assistant_turn"]
    _, _, _, call, answer, turn, *_ = events
    assert isinstance(call, ToolCalled) and isinstance(answer, ToolAnswered) and isinstance(turn, AssistantTurn)
    assert (call.name, call.arguments, call.text, call.role, call.turn) == (
        "set_alarm",
        BELL,
        "One moment.",
        "assistant",
        1,
    )
    assert (answer.ok, answer.result["alarm"]["id"], answer.role) == (True, "alarm-1", "simulator")
    assert ended(events).state == {"alarm": [{"id": "alarm-1", **BELL, "status": "active"}]}
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    seen = as_seen_by("assistant", assistant.heard[1])
    assert [(m.role, m.text[:9], len(m.calls), m.call) for m in seen[1:]] == [
        ("assistant", "One momen", 1, ""),
        ("tool", '{"alarm":', 0, call.call),
    ]
    assert transcript(events).actions == assistant.heard[-1].actions
    assert [m.text for m in as_seen_by("user", transcript(events))][1] == "Set for 7."


async def test_calls_of_one_breath_share_a_step_and_its_cost_stands_with_the_first() -> None:
    spending = {"usage": Usage(input=10, output=5), "seconds": 1.5}
    both = called(("set_alarm", BELL), ("set_alarm", {"hour": 8}), **spending)
    assistant = Lines("assistant", both, called(("list_alarms", {})), Said("Both are set.", **spending), "Bye.")
    events = await hold(user("Wake me at 7 and 8."), assistant, place=world())
    calls = [event for event in events if isinstance(event, ToolCalled)]
    assert [(c.call, c.step, c.usage and c.usage.input, c.seconds) for c in calls] == [
        ("call00001", 1, 10, 1.5),
        ("call00002", 1, None, 0),
        ("call00003", 2, None, 0),
    ]
    whole = Dialogue(events[0], tuple(events))  # type: ignore[arg-type]
    cost = spent([digest(whole)])
    assert (cost.usage["assistant"].input, cost.seconds["assistant"]) == (20, 3.0)
    assert len(list(replies(events))) == 4


async def test_without_a_world_a_call_is_told_that_there_are_no_tools() -> None:
    events = await hold(user("Wake me at 7."), Lines("assistant", called(("set_alarm", BELL)), "I cannot.", "Bye."))
    (answer,) = [event for event in events if isinstance(event, ToolAnswered)]
    assert not answer.ok and "no tools" in answer.result["error"]
    assert ended(events).state is None


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("set_alrm", BELL, "did you mean 'set_alarm'"),
        ("set_alarm", {"hour": 30}, "between 0 and 23"),
        ("set_alarm", '{"hour": 7', "no JSON"),
        ("", '{"tool": ', "no call that can be read"),
        ("set_alarm", {"hour": 7, "x": "\ud800"}, "no argument 'x'"),
    ],
)
async def test_a_bad_call_changes_nothing_and_is_told_why(name: str, arguments: Any, told: str) -> None:
    events = await hold(
        user("Wake me."), Lines("assistant", called((name, arguments)), "Sorry.", "Bye."), place=world()
    )
    (answer,) = [event for event in events if isinstance(event, ToolAnswered)]
    assert not answer.ok and told in answer.result["error"]
    assert ended(events).state == {}
    for event in events:
        assert type(event).model_validate_json(event.model_dump_json()).model_dump() == event.model_dump()


async def test_ids_are_made_up_where_they_are_missing_or_taken() -> None:
    twice = Said("", calls=(ToolCall("t1", "list_alarms", {}), ToolCall("t1", "list_alarms", {})))
    assistant = Lines("assistant", twice, twice, "None.", "Bye.")
    events = await hold(user("Which alarms are set?"), assistant, place=world())
    ids = [event.call for event in events if isinstance(event, ToolCalled)]
    assert len(set(ids)) == 4 and ids[0] == "t1"
    assert [event.call for event in events if isinstance(event, ToolAnswered)] == ids
    assert all(action.result for action in transcript(events).actions)


async def test_calling_for_ever_is_a_loop_of_the_assistant() -> None:
    events = await hold(user("Wake me."), Lines("assistant", called(("list_alarms", {}))), place=world())
    end = ended(events).ending
    assert (end.reason, end.owner, end.role) == ("loop", "assistant", "assistant")
    assert kinds(events).count("tool_call") == STEPS
    assert ended(events).state == {}


async def test_halting_ends_between_steps_and_resume_goes_on_there() -> None:
    lines = (called(("set_alarm", BELL)), called(("list_alarms", {})), "Set.", "Bye.")
    whole = await hold(user("Wake me."), Lines("assistant", *lines), place=world())
    asked = 0

    def halted() -> Any:
        nonlocal asked
        asked += 1
        return "interrupted" if asked == 2 else None

    first = await hold(user("Wake me."), Lines("assistant", *lines), place=world(), halted=halted)
    assert kinds(first) == [*kinds(whole)[:4], "cell_ended"]
    assert ended(first).ending.reason == "interrupted"
    rest = await hold(user("Wake me."), Lines("assistant", *lines), first, world())
    assert kinds(rest) == kinds(whole)[4:]
    assert rest[0].seq == first[-1].seq + 1
    assert ended(rest).state == ended(whole).state


HOUR = Disclosure(what="fact", type="hour", value="7", how="unasked", source="exact")
SAYS = (
    Said("Wake me at 7.", source="agenda", declared=(HOUR,)),
    Said("Rather with birds.", source="agenda"),
)
DOES = (
    called(("list_alarms", {})),
    called(("set_alarm", {"hour": 31})),
    called(("set_alarm", BELL)),
    "Set for 7.",
    called(("change_alarm", {"id": "alarm-1", "sound": "birds"})),
    "With birds now.",
    "Bye.",
)


async def whole_dialogue() -> list[Event]:
    return await hold(user(*SAYS), Lines("assistant", *DOES), place=world())


@pytest.mark.parametrize("kept", range(1, 17))
async def test_going_on_from_any_event_gives_the_same_dialogue(kept: int) -> None:
    whole = await whole_dialogue()
    assert len(whole) == 17
    so_far = [type(event).model_validate_json(event.model_dump_json()) for event in whole[:kept]]
    rest = await hold(user(*SAYS), Lines("assistant", *DOES), so_far, world())
    untimed: Any = {"time"}
    assert [e.model_dump(exclude=untimed) for e in (*so_far, *rest)] == [e.model_dump(exclude=untimed) for e in whole]


@pytest.mark.parametrize("kept", range(1, 12))
async def test_a_step_of_several_calls_is_gone_on_with_from_any_event(kept: int) -> None:
    """A step is one unit: where the record lost a call of it, the assistant is asked for all of it again."""
    lines = (called(("set_alarm", BELL), ("set_alarm", {"hour": 8}), ("list_alarms", {})), "Both are set.", "Bye.")
    events = await hold(user("Wake me."), Lines("assistant", *lines), place=world())
    assert len(events) == 12
    so_far = whole(events[:kept])
    rest = await hold(user("Wake me."), Lines("assistant", *lines), so_far, world())
    together = [*so_far, *rest]
    assert [event.seq for event in together] == list(range(1, len(together) + 1))
    calls = [event.call for event in together if isinstance(event, ToolCalled)]
    assert [event.call for event in together if isinstance(event, ToolAnswered)] == calls
    assert ended(together).ending.reason == "satisfied"
    assert kinds(together) == kinds(events) and ended(together).state == ended(events).state


async def test_an_id_that_the_record_would_mask_is_replaced() -> None:
    calls = tuple(ToolCall(f"sk-abcdefgh{n}", "list_alarms", {}) for n in range(2))
    lines = (Said("", calls=calls), "None.", "Bye.")
    events = await hold(user("Which alarms are set?"), Lines("assistant", *lines), place=world())
    ids = [event.call for event in events if isinstance(event, ToolCalled)]
    assert ids == ["call00001", "call00002"] == [e.call for e in events if isinstance(e, ToolAnswered)]


async def test_answers_that_the_record_masks_are_still_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "set_alarm, change_alarm")
    lines = (called(("nothing", {})), "Sorry.", "Bye.")
    events = await hold(user("Wake me."), Lines("assistant", *lines), place=world())
    kept = [event for event in events if event.kind != "cell_ended"]
    read = [type(event).model_validate(masked(event.model_dump(mode="json"))) for event in kept]
    assert read != kept
    assert ended(await hold(user("Wake me."), Lines("assistant", *lines), read, world())).ending.reason == "satisfied"


async def test_more_calls_than_anybody_needs_end_the_dialogue() -> None:
    for count in (CALLS, CALLS + 1):
        lines = (called(*[("list_alarms", {})] * count), "None.", "Bye.")
        events = await hold(user("Which alarms are set?"), Lines("assistant", *lines), place=world())
        end = ended(events).ending
        if count > CALLS:
            assert (end.reason, end.owner) == ("loop", "assistant") and f"{count} tool calls at once" in end.detail
        assert kinds(events).count("tool_call") == (count if count == CALLS else 0)


async def test_a_loop_of_errors_is_told_from_one_of_answers() -> None:
    told = []
    for name in ("list_alarms", "nothing"):
        events = await hold(user("Wake me."), Lines("assistant", called((name, {}))), place=world())
        told.append(ended(events).ending.detail)
    assert "error" not in told[0]
    assert f"the last {STEPS} answers were errors" in told[1] and "no tool 'nothing'" in told[1]


def test_the_bookkeeping_of_many_calls_takes_no_time() -> None:
    fields: Any = {"cell": "c", "turn": 1, "time": 1}
    events: list[Any] = [UserTurn(seq=1, text="Hi", **fields)]
    for step in range(1, 101):
        ids = [f"c{step}-{n}" for n in range(CALLS)]
        events += [ToolCalled(seq=1, call=id, name="x", arguments={}, step=step, of=CALLS, **fields) for id in ids]
        events += [ToolAnswered(seq=1, call=id, ok=True, result={}, **fields) for id in ids]
    begun = time.process_time()
    script = transcript(events)
    assert script.step == 101 and all(action.answer is not None for action in script.actions)
    assert [action.call.id for action in script.actions] == [e.call for e in events if isinstance(e, ToolCalled)]
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("change", [{"ok": False}, {"result": {"alarm": {"id": "alarm-2"}}}])
async def test_an_answer_that_is_not_given_again_is_refused(change: dict[str, Any]) -> None:
    whole = await whole_dialogue()
    at = next(
        n for n, event in enumerate(whole) if isinstance(event, ToolAnswered) and event.ok and "alarm" in event.result
    )
    tampered = [*whole[:at], whole[at].changed(**change)]
    with pytest.raises(BadInput, match=rf"tool call {whole[at].call} \(set_alarm, turn 1\) of dialogue c1"):  # type: ignore[union-attr]
        await hold(user(*SAYS), Lines("assistant", *DOES), tampered, world())


async def test_the_ledger_of_an_agenda_is_what_it_declares_and_no_more() -> None:
    told = Said("I am Mia, I like birds, at 7.", source="agenda")
    assert disclosures(SCENARIO, Transcript(), told.text, (), {"Alarm": DOMAIN})
    events = await hold(user(told), Lines("assistant", "Good.", "Bye."))
    assert not [event for event in events if isinstance(event, LedgerNoted)]
    events = await hold(user(*SAYS), Lines("assistant", "Good.", "Fine.", "Bye."))
    (noted,) = [event for event in events if isinstance(event, LedgerNoted)]
    assert noted.entries == SAYS[0].declared


async def test_a_turn_of_an_agenda_is_not_guarded() -> None:
    talker = user(Said("Assistant: 1. set an alarm", source="agenda"))
    talker.guarded = True  # type: ignore[misc]
    events = await hold(talker, Lines("assistant", "Good.", "Bye."))
    assert any(isinstance(event, UserTurn) and event.text.startswith("Assistant: 1.") for event in events)
    assert not [event for event in events if isinstance(event, UserDraft)]
