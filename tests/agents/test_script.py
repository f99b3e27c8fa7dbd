"""Scripted speakers: lines in order, calls among an assistant's."""

from duologue.agents.message import ToolCall
from duologue.agents.script import ScriptedSpeaker
from duologue.agents.transcript import Action

from .speaking import talk

CALL = '{"calls": [{"name": "book", "arguments": {"day": "Friday"}}]}'


async def test_an_assistant_says_its_lines_and_has_tools_called() -> None:
    assistant = ScriptedSpeaker([CALL, "Booked.", "Bye."], "assistant")
    said = await assistant.speak(talk("A table."))
    assert (said.text, said.calls) == ("", (ToolCall("", "book", {"day": "Friday"}),))
    script = talk("A table.").and_done(Action(1, 1, said.calls[0], {}))
    said = await assistant.speak(script)
    assert (said.text, said.calls, said.stop) == ("Booked.", (), False)
    assert (await assistant.speak(script.and_then("assistant", "Booked.").and_then("user", "Thanks."))).text == "Bye."


async def test_a_user_says_such_a_line_and_stops_with_the_last() -> None:
    user = ScriptedSpeaker([CALL, "Bye."], "user")
    assert (await user.speak(talk())).text == CALL
    said = await user.speak(talk("Hi", "Hm."))
    assert (said.text, said.stop, said.reason) == ("Bye.", True, "satisfied")
