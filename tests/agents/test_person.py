"""A person at the keyboard and a script, in either seat."""

import threading

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Seat
from duologue.agents.person import Person
from duologue.agents.script import ScriptedSpeaker
from duologue.agents.transcript import Transcript

from .speaking import talk


def person(seat: Seat, *lines: str | BaseException) -> tuple[Person, list[tuple[str, str]]]:
    typed, shown = iter(lines), []

    def ask(prompt: str) -> str:
        line = next(typed)
        if isinstance(line, BaseException):
            raise line
        return line

    return Person(seat, ask=ask, show=lambda who, text: shown.append((who, text))), shown


@pytest.mark.parametrize("words", ["stop", "STOP the alarm", "quit", "goodbye", "/stopping by", "  spaced "])
async def test_words_are_taken_verbatim_and_stop_nothing(words: str) -> None:
    someone, _ = person("user", words)
    said = await someone.speak(Transcript())
    assert (said.text, said.stop, said.source) == (words, False, "person")


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [("/stop", "", "satisfied"), ("/giveup", "", "gave_up"), ("/stop Thanks, bye", "Thanks, bye", "satisfied")],
)
async def test_commands_stop_from_the_users_seat(line: str, text: str, reason: str) -> None:
    someone, _ = person("user", line)
    said = await someone.speak(Transcript())
    assert (said.text, said.stop, said.reason) == (text, True, reason)
    someone, _ = person("assistant", line, "Booked.")
    said = await someone.speak(talk("Hi"))
    assert (said.text, said.stop) == (line if " " in line else "Booked.", False)


@pytest.mark.parametrize("line", ["", "   ", "/help", "/Stopp"])
async def test_an_empty_line_and_an_unknown_command_are_asked_for_again(line: str) -> None:
    someone, shown = person("user", line, "A table, please.")
    assert (await someone.speak(Transcript())).text == "A table, please."
    assert shown and shown[0][0] == "" and "/giveup" in shown[0][1]


@pytest.mark.parametrize("leaving", ["/quit", EOFError(), KeyboardInterrupt()])
@pytest.mark.parametrize("seat", ["user", "assistant"])
async def test_leaving_breaks_the_dialogue_off(leaving: str | BaseException, seat: Seat) -> None:
    someone, _ = person(seat, leaving)
    with pytest.raises(Failure) as caught:
        await someone.speak(Transcript())
    assert caught.value.reason == "interrupted"


async def test_only_what_is_new_from_the_other_side_is_shown() -> None:
    someone, shown = person("user", "A table.", "Friday.")
    await someone.speak(Transcript())
    await someone.speak(talk("A table.", "When?"))
    assert shown == [("assistant", "When?")]
    someone, shown = person("assistant", "Hm.")
    await someone.speak(talk("A table.", "When?", "Friday."))
    assert shown == [("user", "A table."), ("user", "Friday.")]


async def test_the_keyboard_is_read_off_the_loop_on_a_daemon() -> None:
    threads = []

    def ask(prompt: str) -> str:
        threads.append(threading.current_thread())
        return "x"

    await Person("user", ask=ask, show=lambda who, text: None).speak(Transcript())
    assert threads[0].daemon and threads[0] is not threading.main_thread()


async def test_a_script_says_its_lines_and_the_users_last_one_stops() -> None:
    speaker = ScriptedSpeaker(["One.", "Two."], "user")
    first, second = await speaker.speak(Transcript()), await speaker.speak(talk("One.", "Hm."))
    assert (first.text, first.stop, first.source) == ("One.", False, "script")
    assert (second.text, second.stop, second.reason) == ("Two.", True, "satisfied")


async def test_a_scripted_assistant_never_stops_and_goes_on_with_its_last_line() -> None:
    speaker = ScriptedSpeaker(["One.", "Two."], "assistant")
    said = [
        await speaker.speak(script)
        for script in (talk("a"), talk("a", "One.", "b"), talk("a", "One.", "b", "Two.", "c"))
    ]
    assert [(line.text, line.stop) for line in said] == [("One.", False), ("Two.", False), ("Two.", False)]


async def test_a_script_without_lines_is_an_error() -> None:
    with pytest.raises(Failure, match="no lines"):
        await ScriptedSpeaker([], "user").speak(Transcript())
