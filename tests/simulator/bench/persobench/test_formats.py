"""Whether a reply came as asked for, at each level; the published kinds of failure, made by hand."""

from typing import Any

import pytest
from tests.simulator.bench.persobench.files import answer

from duologue.bench.persobench.formats import CAUSES, LEVELS, form_of

WHOLE = '{"response": "Hello there."}'
FINE = ("", "", "")


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        (WHOLE, FINE),
        (f"```json\n{WHOLE}\n```", FINE),
        (f"Sure! {WHOLE} Hope that helps.", ("bad_json", "", "")),
        (f'{WHOLE}\n{{"response": "Another."}}', ("bad_json", "", "")),
        ('{"reasoning": "They like it."\n"response": "Hello there."}', ("bad_json", "bad_json", "")),
        ('{"reasoning": "a {b} c", "response": "Hello there."}', ("", "bad_json", "")),
        ('Well: {"reasoning": "a {b} c", "response": "Hello there."}', ("bad_json", "bad_json", "")),
        ('{"response": "Hello there.",}', ("bad_json", "bad_json", "")),
        ('{"reasoning": "Long thoughts", "response": "Hello th', ("truncated",) * 3),
        ('{"reasoning": "a {b} c", "response": "Hello th', ("truncated",) * 3),
        ('{"response": "A 5" pipe."}', ("bad_json",) * 3),
        ("Hello there.", ("no_json",) * 3),
        ('{"answer": "Hello there."}', ("missing_key",) * 3),
        ('{"response": 5}', ("missing_key",) * 3),
        ('{"response": ["Hello there."]}', ("missing_key",) * 3),
        ('["Hello there."]', ("no_json",) * 3),
        ('{"response": " "}', ("empty",) * 3),
        ("  \n", ("empty",) * 3),
        ("{response: Hello there.}", ("bad_json",) * 3),
    ],
)
def test_levels_and_causes(text: str, causes: tuple[str, ...]) -> None:
    found = [form_of(answer(text), level) for level in LEVELS]
    assert tuple(form.cause for form in found) == causes
    assert {form.reply for form in found if not form.cause} <= {"Hello there."}


@pytest.mark.parametrize(
    "text", ['{"response": "Hello', "Let me think", "", '{"response": "Hi." and {"', '{"a": {"b": 1}']
)
def test_what_the_cap_cut_off_is_truncated(text: str) -> None:
    assert {form_of(answer(text, finish="length"), level).cause for level in LEVELS} == {"truncated"}


def test_a_whole_object_that_the_cap_let_through_counts() -> None:
    assert form_of(answer(f"{WHOLE} And so on and", finish="length"), "first_object").reply == "Hello there."
    assert form_of(answer(f"{WHOLE} And so on and", finish="length"), "strict").cause == "bad_json"


@pytest.mark.parametrize("fault", ["timeout", "content_filter", "provider_error"])
def test_no_answer_is_an_error_of_the_call(fault: Any) -> None:
    assert form_of(answer("", fault=fault), "repair").cause == "api_error"


def test_the_published_share_of_truncated_failures() -> None:
    """In proportion to 1,707 of 1,817 failures without a closing brace."""
    failed = [answer('{"response": "I would')] * 94 + [answer('{"reasoning": "x" "response": "y"}')] * 6
    causes = [form_of(each, "first_object").cause for each in failed]
    assert (causes.count("truncated"), causes.count("bad_json")) == (94, 6)
    assert set(causes) < set(CAUSES)
