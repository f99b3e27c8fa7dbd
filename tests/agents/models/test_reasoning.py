import pytest

from duologue.agents.models.reasoning import separate

CLOSED = [
    ("<think>They greet.</think>Hello.", "Hello.", "They greet."),
    ("<think>\nThey greet.\n</think>\n\nHello.", "Hello.", "They greet."),
    ("<THINK>They greet.</Think>Hello.", "Hello.", "They greet."),
    ('<thinking effort="high" n=2>They greet.</thinking>Hello.', "Hello.", "They greet."),
    ("<reasoning>They greet.</reasoning>Hello.", "Hello.", "They greet."),
    ("<thought>They greet.</thought>Hello.", "Hello.", "They greet."),
    ("[THINK]They greet.[/THINK]Hello.", "Hello.", "They greet."),
    ("◁think▷They greet.◁/think▷Hello.", "Hello.", "They greet."),
    ("<think></think>Hello.", "Hello.", ""),
    ("<think>One.</think><think>Two.</think>Hello.", "Hello.", "One.\n\nTwo."),
    ("Sure.\n<think>Hm.</think>\nIt is Rome.", "Sure.\n\nIt is Rome.", "Hm."),
    ("Sure. <think>Hm.</think> It is Rome.", "Sure.  It is Rome.", "Hm."),
    ("Hello.\n<think>Bye now?</think>", "Hello.", "Bye now?"),
    ("<think>Use the <think> tag.</think>Hello.", "Hello.", "Use the <think> tag."),
    ("<think>a <think>b</think> c</think>Hello.", "Hello.", "a <think>b</think> c"),
    ("They greet, so I do.\n</think>\n\nHello.", "Hello.", "They greet, so I do."),
]


@pytest.mark.parametrize(("text", "said", "thoughts"), CLOSED)
def test_closed_blocks_are_set_apart(text: str, said: str, thoughts: str) -> None:
    assert separate(text) == (said, thoughts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello.",
        "I think <think about it> is a fine name for a shop.",
        "Put it between <think> and </think> tags, please.",
        "Is <b>this</b> a < b > c?",
        "<thinker>Rodin</thinker>",
        "```\n<think>an example</think>\n```",
        "<think>It never closes.",
        "Hello. <think>It never closes.",
        "<think>It closes otherwise.</thinking>",
        "  Hello.  ",
    ],
)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert separate(text) == (text, "")


def test_an_unclosed_block_after_a_closed_one_stays_in_the_text() -> None:
    assert separate("<think>a</think>Hello.\n<think>b") == ("Hello.\n<think>b", "a")
