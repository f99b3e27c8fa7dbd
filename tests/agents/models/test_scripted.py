import asyncio
from pathlib import Path

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.call import CallLimits, Reply, Request
from duologue.agents.models.door import ModelSpec, open_model
from duologue.tasks.written import BadInput


async def say(spec: str, *texts: str, conversation: str = "", role: str = "") -> list[str]:
    model = open_model(ModelSpec(model=f"scripted:{spec}"))
    asked = [Request((Message("user", text),), conversation=conversation, role=role) for text in texts]
    return [(await model.complete(request)).text for request in asked]


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


async def test_inline_replies_come_in_order_and_the_last_repeats() -> None:
    assert await say("One.|Two.", "a", "b", "c") == ["One.", "Two.", "Two."]


async def test_a_table_can_start_again(tmp_path: Path) -> None:
    path = written(tmp_path / "s.toml", 'cycle = true\nreplies = ["One.", "Two."]')
    assert await say(path, "a", "b", "c") == ["One.", "Two.", "One."]


async def test_tables_without_words_of_the_script_are_sent_as_json(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", '{"message": "Grüße 👋", "stop": true}\n\n"Plain."\n{"say": {"a": 1}}\n[1]\n')
    assert await say(path, *"abcd") == ['{"message": "Grüße 👋", "stop": true}', "Plain.", '{"a": 1}', "[1]"]


async def test_rules_answer_first_and_take_no_place(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.toml",
        'replies = ["One.", {when = "(?i)price", say = "It costs {{last}}"}, "Two.", {when = "me", echo = true}]',
    )
    assert await say(path, "a", "Price?", "b", "me too") == ["One.", "It costs Price?", "Two.", "me too"]


async def test_rules_alone_may_have_no_answer(tmp_path: Path) -> None:
    path = written(tmp_path / "s.toml", 'replies = [{when = "a", say = "A."}]')
    with pytest.raises(Failure, match="no reply for the last message"):
        await say(path, "b")


async def test_it_fails_as_it_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "s.toml", 'replies = [{fail = "rate_limit"}, "On again."]')
    model = open_model(ModelSpec(model=f"scripted:{path}"))
    with pytest.raises(Failure) as caught:
        await model.complete(Request())
    assert caught.value.reason == "rate_limit"
    assert (await model.complete(Request())).text == "On again."


async def test_a_delay_beyond_the_limit_is_a_timeout(tmp_path: Path) -> None:
    path = written(tmp_path / "s.toml", 'replies = [{say = "Late.", delay = 60}]')
    model = open_model(ModelSpec(model=f"scripted:{path}", limits=CallLimits(call=0.01)))
    with pytest.raises(Failure) as caught:
        await model.complete(Request())
    assert caught.value.reason == "timeout"


async def test_reasoning_and_the_finish_are_told(tmp_path: Path) -> None:
    path = written(tmp_path / "s.toml", 'replies = [{say = "<think>b</think>Hi", reasoning = "a", finish = "length"}]')
    reply = await open_model(ModelSpec(model=f"scripted:{path}")).complete(Request())
    assert reply == Reply("Hi", "a\n\nb", "length")


async def test_each_conversation_and_role_has_its_own_place() -> None:
    model = open_model(ModelSpec(model="scripted:1|2|3"))

    async def talk(conversation: str, role: str) -> list[str]:
        texts = []
        for _ in range(3):
            texts.append((await model.complete(Request(conversation=conversation, role=role))).text)
            await asyncio.sleep(0)
        return texts

    said = await asyncio.gather(talk("x", "user"), talk("y", "user"), talk("x", "judge"))
    assert said == [["1", "2", "3"]] * 3
    await model.release("x")
    assert await talk("x", "user") == ["1", "2", "3"]
    assert await talk("y", "user") == ["3", "3", "3"]


async def test_a_resumed_dialogue_goes_on_where_it_stood(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", '"Draft."\n{"message": "One."}\n"Two."\n"Three."')
    own = [Message("assistant", text) for text in ("An opener from the task.", "One.", "Two.")]
    seen = [part for message in own for part in (message, Message("user", "Go on."))]
    model = open_model(ModelSpec(model=f"scripted:{path}"))
    assert (await model.complete(Request(tuple(seen), conversation="x"))).text == "Three."
    assert (await model.complete(Request(tuple(seen[:2]), conversation="y"))).text == "Draft."


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("s.toml", "replies = []", "no replies"),
        ("s.toml", "reply = 1", "no replies"),
        ("s.toml", 'replies = ["a"]\ncycel = true', "did you mean 'cycle'"),
        ("s.toml", 'replies = [{say = "a", wen = "b"}]', "did you mean 'when'"),
        ("s.toml", 'replies = [{when = "b"}]', "says nothing"),
        ("s.toml", 'replies = [{when = "(", say = "a"}]', "no regular expression"),
        ("s.toml", 'replies = [{fail = "oops"}]', "fail"),
        ("s.jsonl", '"a"\n{', "s.jsonl:2"),
        ("s.jsonl", "", "no replies"),
    ],
)
def test_a_faulty_script_is_told(tmp_path: Path, name: str, content: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_model(ModelSpec(model=f"scripted:{written(tmp_path / name, content)}"))
    assert told in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("spec", ["scripted:", "scripted:nowhere.toml", "scripted:nowhere.jsonl"])
def test_a_script_must_be_there(spec: str) -> None:
    with pytest.raises(BadInput, match=r"without replies|no such file"):
        open_model(ModelSpec(model=spec))


BOOK = ToolCall("", "book", {"day": "Friday"})


async def test_a_reply_can_be_calls_with_words_beside_them(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.toml",
        'replies = [{say = "A moment.", calls = [{name = "book", arguments = {day = "Friday"}}, {name = "look"}]}, '
        '{when = "error", calls = [{id = "t9", name = "look", arguments = "{oh"}]}, "Booked."]',
    )
    model = open_model(ModelSpec(model=f"scripted:{path}"))
    replies = [await model.complete(Request((Message("user", text),))) for text in ("Hi", '{"error": "no"}', "ok")]
    assert replies[0] == Reply("A moment.", calls=(BOOK, ToolCall("", "look", {})))
    assert replies[1] == Reply("", calls=(ToolCall("t9", "look", "{oh"),))
    assert replies[2] == Reply("Booked.")


async def test_calls_can_be_written_inline_and_in_lines(tmp_path: Path) -> None:
    line = '{"calls": [{"name": "book", "arguments": {"day": "Friday"}}]}'
    for spec in (f"{line}|Booked.", written(tmp_path / "s.jsonl", f'{line}\n"Booked."')):
        model = open_model(ModelSpec(model=f"scripted:{spec}"))
        assert [await model.complete(Request()) for _ in range(2)] == [Reply("", calls=(BOOK,)), Reply("Booked.")]


@pytest.mark.parametrize("calls", ['[{"nme": "book"}]', "[1]", "[]", "3"])
def test_faulty_calls_are_told(calls: str) -> None:
    with pytest.raises(BadInput, match="scripted:"):
        open_model(ModelSpec(model=f'scripted:{{"calls": {calls}}}'))


async def test_a_turn_that_is_resumed_amid_its_calls_goes_on_behind_them(tmp_path: Path) -> None:
    text = '{"calls": [{"name": "book", "arguments": {"day": "Friday"}}, {"name": "look"}]}\n"Booked."\n"Bye."'
    model = open_model(ModelSpec(model=f"scripted:{written(tmp_path / 's.jsonl', text)}"))
    user, answer = Message("user", "A table."), Message("tool", "{}", call="t1")
    for number, calls in enumerate([(BOOK,), (BOOK, ToolCall("", "look", {}))]):
        seen = (user, Message("assistant", "", calls), answer)
        assert (await model.complete(Request(seen, conversation=f"c{number}"))).text == "Booked."
    other = (user, Message("assistant", "", (ToolCall("", "book", {"day": "Monday"}),)), answer)
    assert (await model.complete(Request(other, conversation="d"))).calls[0] == BOOK
