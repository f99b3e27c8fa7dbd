import pytest
from pydantic import BaseModel

from duologue.agents.models.call import Schema
from duologue.agents.models.structured import Unreadable, read_object, strict

ANSWER = {"reason": "It fits.", "score": 4}
PLAIN = '{"reason": "It fits.", "score": 4}'
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer"}},
    "required": ["reason", "score"],
}


class Score(BaseModel):
    reason: str
    score: int


READABLE = {
    "bare": PLAIN,
    "spaces around": f"\n\n  {PLAIN} \n",
    "in a json fence": f"```json\n{PLAIN}\n```",
    "in a fence without a name": f"```\n{PLAIN}\n```",
    "in an upper-case fence": f"```JSON\n{PLAIN}```",
    "in a fence that never closes": f"```json\n{PLAIN}",
    "after prose": f"Here is my verdict: {PLAIN}",
    "before prose": f"{PLAIN}\nI hope that this helps.",
    "amid prose with braces": f"I weigh {{tone}} and {{fit}} first. {PLAIN} That is {{all}}.",
    "after prose with a quote": f'They said "fine", so: {PLAIN}',
    "after a reasoning block with an example": f'<think>Like {{"reason": "x", "score": 1}}?</think>\n{PLAIN}',
    "after a reasoning block of another name": f'<Thinking effort="high">{{"score": 2}}</Thinking>{PLAIN}',
    "after two reasoning blocks": f'<think>{{"score": 1}}</think><think>{{"score": 2}}</think>{PLAIN}',
    "after reasoning that only closes": f'Maybe {{"score": 1, "reason": "no"}}.\n</think>\n\n{PLAIN}',
    "trailing comma": '{"reason": "It fits.", "score": 4,}',
    "trailing comma on its own line": '{\n"reason": "It fits.",\n"score": 4\n,\n}',
    "said twice": f"{PLAIN}\n{PLAIN}",
    "said twice in another order": f'{PLAIN} and again {{"score": 4, "reason": "It fits."}}',
    "said again and cut": f"{PLAIN}\n{PLAIN[:20]}",
    "in a list": f"[{PLAIN}]",
    "byte order mark": f"\ufeff{PLAIN}",
    "pretty": '{\n  "reason": "It fits.",\n  "score": 4\n}',
    "beside an empty object": f"{{}} {PLAIN}",
    "beside an unrelated object": f'Context: {{"city": "Rome"}}. {PLAIN}',
    "after a template that is no JSON": f'The form is {{"reason": <text>, "score": <1-4>}}. {PLAIN}',
    "doubled braces": f"{{{PLAIN}}}",
    "one key twice, the same": '{"reason": "It fits.", "score": 4, "score": 4}',
}


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE)
def test_reads_the_one_object(text: str) -> None:
    assert read_object(text, SCHEMA) == ANSWER


VALUES = {
    '{"score": "4"}': {"score": "4"},
    '{"score": "4/5"}': {"score": "4/5"},
    '{"score": 3.5}': {"score": 3.5},
    '{"score": null}': {"score": None},
    '{"t": "a } brace, a { brace and \\"quotes\\""}': {"t": 'a } brace, a { brace and "quotes"'},
    '{"t": "a comma ,} stays"}': {"t": "a comma ,} stays"},
    '{"t": "line\nbreak"}': {"t": "line\nbreak"},
    '{"list": [1, 2, ], }': {"list": [1, 2]},
    '{"inner": {"a": {"b": [{"c": 1}]}}}': {"inner": {"a": {"b": [{"c": 1}]}}},
    '{"t": "👩‍🍳 שלום 餐厅"}': {"t": "👩‍🍳 שלום 餐厅"},
    '{"t": "<think>not reasoning</think>"}': {"t": "<think>not reasoning</think>"},
    '{"t": "NaN"}': {"t": "NaN"},
    "{}": {},
}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=range(len(VALUES)))
def test_keeps_values_as_they_are(text: str, value: object) -> None:
    assert read_object(text) == value


UNREADABLE = {
    "": "empty",
    " \n\t": "empty",
    "<think>Only thoughts.</think>": "empty",
    "I would rather not judge this.": "no object",
    "I give it {four} points.": "not valid JSON",
    "{'score': 4}": "not valid JSON",
    '{"score": four}': "not valid JSON",
    '{"score": 4': "cut off",
    '{"reason": "It fi': "cut off",
    "{": "cut off",
    '```json\n{"reason": "x", "list": [1, 2\n```': "cut off",
    PLAIN + ' {"reason": "Other': "cut off",
    '<think>Perhaps {"score": 4}': "cut off inside its reasoning",
    f'{PLAIN} {{"reason": "Or not.", "score": 2}}': "two objects that differ",
    f'{PLAIN} {{"score": 2}}': "two objects that differ",
    '[{"score": 1}, {"score": 2}]': "two objects that differ",
    '{"score": true} {"score": 1}': "two objects that differ",
    '{"score": 4, "score": 2}': "says 'score' twice, differently",
    '{"score": NaN}': "holds NaN, which is no number",
    '{"score": Infinity}': "holds Infinity, which is no number",
    '{"score": -Infinity}': "holds -Infinity, which is no number",
    '{"score": 1e999}': "holds Infinity, which is no number",
    "[" * 5: "no object",
    '{"a":' * 100_000 + "1" + "}" * 100_000: "nested too deep",
}


@pytest.mark.parametrize(("text", "why"), UNREADABLE.items(), ids=range(len(UNREADABLE)))
def test_says_why_a_text_cannot_be_read(text: str, why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_object(text)
    assert caught.value.why.startswith(why)


def test_names_the_keys_that_are_missing() -> None:
    for form in (SCHEMA, Schema("score", SCHEMA)):
        with pytest.raises(Unreadable, match="lacks 'reason'"):
            read_object('{"score": 4}', form)


def test_a_model_checks_the_object_and_leaves_it_as_written() -> None:
    assert read_object('{"reason": "", "score": "4"}', Score) == {"reason": "", "score": "4"}
    with pytest.raises(Unreadable, match="score: Input should be a valid integer"):
        read_object('{"reason": "", "score": "four"}', Score)


def test_long_texts_are_read_in_a_blink() -> None:
    noise = '{ "' * 20_000
    with pytest.raises(Unreadable):
        read_object(noise)
    assert read_object("<think>" + "{" * 50_000 + "</think>" + PLAIN, SCHEMA) == ANSWER
    assert read_object("," * 50_000 + " " * 50_000 + PLAIN, SCHEMA) == ANSWER


def test_strict_requires_every_key_and_allows_no_other() -> None:
    loose = {
        "type": "object",
        "properties": {
            "default": {"type": "string", "default": "x"},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "$defs": {"Item": {"type": "object", "properties": {"a": {"enum": ["default"]}}}},
    }
    shaped = strict(loose)
    assert shaped["required"] == ["default", "items"]
    assert shaped["additionalProperties"] is False
    assert shaped["properties"]["default"] == {"type": "string"}
    assert shaped["$defs"]["Item"]["required"] == ["a"]
    assert shaped["$defs"]["Item"]["properties"] == {"a": {"enum": ["default"]}}
    assert loose["properties"]["default"]["default"] == "x"
