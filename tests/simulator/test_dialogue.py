"""The loop: who is heard, what is recorded, and how each dialogue ends."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from duologue.agents.ending import Failure, Reason
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    Disclosure,
    Event,
    LedgerNoted,
    UserDraft,
    UserTurn,
)
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.dialogue import Talk, converse
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Task

SCENARIO = Scenario(
    Profile(id="mia", name="Mia"),
    Task(id="table", domains=("Restaurants",), intent="You want a table.", goal="A table is booked."),
)


class Lines:
    """A speaker that says what it is given: words, a Said, or a Failure to raise."""

    rebuildable = True

    def __init__(self, *lines: str | Said | Exception, guarded: bool = False) -> None:
        self._lines, self.guarded, self.heard = list(lines), guarded, list[Transcript]()

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        self.heard.append(script)
        line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        if isinstance(line, Exception):
            raise line
        return Said(line) if isinstance(line, str) else line

    async def close(self) -> None:
        pass


def done(text: str) -> Said:
    return Said(text, stop=True, reason="satisfied")


async def hold(
    user: Lines, assistant: Lines, turns: int = 10, so_far: Sequence[Event] = (), halted: Reason | None = None
) -> list[Event]:
    talk = Talk("c1", 1, SCENARIO, "plain", 1, user, assistant, turns, halted=lambda: halted)
    return [event async for event in converse(talk, so_far)]


def ended(events: Sequence[Event]) -> tuple[str, str, str]:
    last = events[-1]
    assert isinstance(last, CellEnded)
    assert sum(isinstance(event, CellEnded) for event in events) == 1
    return last.ending.reason, last.ending.owner, last.ending.role


def words(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, UserTurn | AssistantTurn)]


async def test_what_is_said_with_a_stop_is_delivered_and_answered() -> None:
    user, assistant = Lines("A table for two, please.", done("Yes, please go ahead.")), Lines("At 7?", "Booked.")
    events = await hold(user, assistant)
    assert words(events) == ["A table for two, please.", "At 7?", "Yes, please go ahead.", "Booked."]
    assert ended(events) == ("satisfied", "user", "user")
    assert assistant.heard[1].messages[-1].text == "Yes, please go ahead."


async def test_a_stop_without_words_ends_at_once() -> None:
    events = await hold(Lines("Hello, a table?", Said("", stop=True, reason="gave_up")), Lines("No."))
    assert words(events) == ["Hello, a table?", "No.", ""]
    assert ended(events) == ("gave_up", "user", "user")


@pytest.mark.parametrize("text", ["Terminate my subscription please.", "I said 'STOP' the alarm", "TERMINATE", "stop"])
async def test_words_never_stop_a_dialogue(text: str) -> None:
    events = await hold(Lines(text, done("Thanks a lot for that.")), Lines("One moment.", "You are welcome."))
    assert len(words(events)) == 4


async def test_numbers_are_dense_and_turns_are_shared_by_both_sides() -> None:
    events = await hold(Lines("One thing, please.", done("Two things then.")), Lines("Which?", "Done."))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert isinstance(events[0], CellStarted)
    assert [event.turn for event in events if isinstance(event, UserTurn | AssistantTurn)] == [1, 1, 2, 2]
    assert all(a.time <= b.time for a, b in pairwise(events))


async def test_turn_limit_is_cut_short() -> None:
    user = Lines("First I want this.", "Second I ask for that.", "Third I need more.")
    events = await hold(user, Lines("Yes, noted the first.", "Sure, the second as well."), turns=2)
    assert ended(events) == ("turn_limit", "limits", "simulator")
    last = events[-1]
    assert isinstance(last, CellEnded)
    assert last.ending.cut_short and last.ending.scored
    assert len(words(events)) == 4


@pytest.mark.parametrize(
    ("reason", "owner"),
    [("error", "assistant"), ("content_filter", "assistant"), ("context_overflow", "assistant"),
     ("timeout", "infrastructure"), ("rate_limit", "infrastructure"), ("provider_error", "infrastructure")],
)  # fmt: skip
async def test_the_assistants_failure_is_no_turn(reason: Reason, owner: str) -> None:
    events = await hold(Lines("A table, please."), Lines(Failure(reason, "boom at line 3")))
    assert words(events) == ["A table, please."]
    assert ended(events) == (reason, owner, "assistant")


@pytest.mark.parametrize(("reason", "owner"), [("content_filter", "simulator"), ("timeout", "infrastructure")])
async def test_the_users_failure_is_not_the_assistants(reason: Reason, owner: str) -> None:
    events = await hold(Lines(Failure(reason)), Lines("Hello."))
    assert ended(events) == (reason, owner, "user")


async def test_a_fault_of_our_own_is_nobodys_else() -> None:
    events = await hold(Lines(ZeroDivisionError("oops")), Lines("Hello."))
    assert ended(events) == ("internal", "infrastructure", "user")


async def test_three_empty_turns_of_the_assistant_end_it_and_fewer_do_not() -> None:
    user = Lines("I want a table.", "Are you there at all?", "Please say something now.", "Well then, one more try.")
    events = await hold(user, Lines("", "", "Here I am.", "", "", ""))
    assert ended(events) == ("turn_limit", "limits", "simulator") or len(words(events)) > 6
    events = await hold(Lines("I want a table.", "Are you there at all?", "Please say something now."), Lines(""))
    assert ended(events) == ("empty", "assistant", "assistant")
    assert words(events)[1::2] == ["", "", ""]


async def test_thanking_for_ever_is_a_loop() -> None:
    events = await hold(Lines("A table for two, please.", "Thank you!"), Lines("Thank you!"))
    assert ended(events)[0] == "loop"
    assert words(events).count("Thank you!") <= 6


async def test_a_user_who_repeats_the_opener_is_a_loop_of_the_simulator() -> None:
    user = Lines("I want a table for two on Friday.", "I want a table for two on Friday!", guarded=True)
    events = await hold(user, Lines("At seven?", "At eight?"))
    assert ended(events) == ("loop", "simulator", "user")
    assert [type(event) for event in events].count(UserDraft) == 3
    assert len(words(events)) == 2


async def test_a_faulty_draft_is_asked_for_again_and_never_delivered() -> None:
    user = Lines("", "<think>I should ask", "A table for two, please.", guarded=True)
    assistant = Lines("Booked.")
    events = await hold(user, assistant, turns=1)
    drafts = [event for event in events if isinstance(event, UserDraft)]
    assert [draft.faults for draft in drafts] == [("empty",), ("reasoning",)]
    assert words(events) == ["A table for two, please.", "Booked."]


@pytest.mark.parametrize("kept", [1, 2, 3])
async def test_drafts_discarded_before_an_interruption_are_not_asked_for_again(kept: int) -> None:
    lines = ("", "<think>I should ask", "How can I help you today? I am an AI assistant.")
    whole = await hold(Lines(*lines, guarded=True), Lines("Booked."))
    assert ended(whole) == ("user_broken", "simulator", "user")
    user = Lines(*lines[kept:], "Too late.", guarded=True)
    rest = await hold(user, Lines("Booked."), so_far=whole[: 1 + kept])
    untimed = [[event.model_dump(exclude={"time"}) for event in events] for events in (whole[1 + kept :], rest)]
    assert untimed[0] == untimed[1]
    assert [len(script.drafts) for script in user.heard] == list(range(kept, 3))


async def test_an_opener_written_in_the_task_is_said_verbatim() -> None:
    opener = Said("Assistant: 1. ask for a table", source="task")
    events = await hold(Lines(opener, done("Thanks a lot."), guarded=True), Lines("Booked."))
    assert words(events)[0] == "Assistant: 1. ask for a table"


async def test_a_broken_user_is_the_simulators_failure() -> None:
    events = await hold(Lines("", guarded=True), Lines("Hello."))
    assert ended(events) == ("user_broken", "simulator", "user")
    assert words(events) == []


async def test_halting_ends_between_turns() -> None:
    events = await hold(Lines("A table, please."), Lines("Sure."), halted="interrupted")
    assert ended(events) == ("interrupted", "limits", "simulator")


@pytest.mark.parametrize("kept", range(1, 8))
async def test_going_on_from_any_event_gives_the_same_dialogue(kept: int) -> None:
    """Whatever the last event on disk was, the words are those of an undisturbed dialogue."""
    says = ["First, a table please.", "For two of us.", done("That is all, thanks.")]
    answers = ["Sure, for how many?", "Noted: two.", "Goodbye."]
    whole = await hold(Lines(*says), Lines(*answers))
    so_far = whole[:kept]
    heard = sum(isinstance(event, UserTurn) for event in so_far)
    answered = sum(isinstance(event, AssistantTurn) for event in so_far)
    rest = await hold(Lines(*(says[heard:] or ["?"])), Lines(*(answers[answered:] or ["?"])), so_far=so_far)
    together = [*so_far, *rest]
    assert words(together) == words(whole)
    assert [event.seq for event in together] == [event.seq for event in whole]


async def test_what_a_user_declared_is_kept_with_its_turn_wherever_the_record_is_cut() -> None:
    invented = Disclosure(what="preference", type="place", value="church", how="invented", source="declared")
    says, answers = (Said("Near ours, please.", declared=(invented,)), done("Thanks.")), ("Where?", "Bye.")
    whole = await hold(Lines(*says), Lines(*answers))
    (noted,) = (event for event in whole if isinstance(event, LedgerNoted))
    assert noted.entries == (invented,)
    cut = whole.index(noted)
    rest = await hold(Lines(says[1]), Lines(*answers), so_far=whole[:cut])
    assert [event.model_dump(exclude={"time"}) for event in rest] == [
        event.model_dump(exclude={"time"}) for event in whole[cut:]
    ]


async def test_an_interrupted_dialogue_goes_on_behind_its_interruption() -> None:
    first = await hold(Lines("First, a table please."), Lines("Sure."), halted="interrupted")
    rest = await hold(Lines("unused"), Lines("Sure, it is done."), turns=1, so_far=first)
    assert [event.seq for event in rest] == [len(first) + 1, len(first) + 2]
    assert words([*first, *rest]) == ["First, a table please.", "Sure, it is done."]


async def test_lone_surrogates_and_nul_are_kept_in_a_form_that_any_file_takes() -> None:
    events = await hold(Lines(done("caf\u00e9 \ud83d end")), Lines("nul\x00 \udc00 fin"))
    text = [event.model_dump_json() for event in events if isinstance(event, UserTurn | AssistantTurn)]
    assert "\\\\ud83d end" in text[0] and "\\\\udc00 fin" in text[1]
    for line in text:
        line.encode("utf-8")


async def test_what_a_failure_tells_is_kept_in_a_form_that_any_file_takes() -> None:
    events = await hold(Lines("A table, please."), Lines(Failure("error", "bad \ud800 text")))
    assert "bad \\\\ud800 text" in events[-1].model_dump_json()


@pytest.mark.parametrize("turn", ["x" * 200_000, "word " * 200_000, "Shall I? " * 100_000])
async def test_huge_turns_are_delivered_whole_and_looked_at_in_part(turn: str) -> None:
    events = await hold(Lines("A table, please.", turn, done("Thanks."), guarded=True), Lines(turn, turn, "Bye."))
    assert words(events)[1] == turn
    assert ended(events)[0] in ("satisfied", "loop")
