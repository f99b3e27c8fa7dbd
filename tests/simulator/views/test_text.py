import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from duologue.views.text import clip, count, duration, folded, number, plain, safe

HOSTILE = [
    ("plain\ntext", "plain\ntext"),
    ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
    ("\x1b]0;title\x07", "␛]0;title␇"),
    ("\x9b31m", "\\x9b31m"),
    ("a\x00b\x7fc", "a␀b␡c"),
    ("a\r\nb\rc", "a\nb␍c"),
    ("a\tb", "a    b"),
    ("lone \ud83d end", "lone \\ud83d end"),
    ("\u202eevil\u202c", "\\u202eevil\\u202c"),
    ("\u2066x\u2069\u200f", "\\u2066x\\u2069\\u200f"),
    ("欧阳 שרה 👩‍👩‍👧 e\u0301", "欧阳 שרה 👩‍👩‍👧 e\u0301"),
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_text_from_outside_cannot_command_the_terminal(text: str, shown: str) -> None:
    assert safe(text) == shown
    safe(text).encode("utf-8")


def test_markup_in_data_is_not_markup() -> None:
    screen = Console(file=io.StringIO(), width=40)
    screen.print(plain("[bold]x[/bold] [link=http://a]"))
    assert screen.file.getvalue() == "[bold]x[/bold] [link=http://a]\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("longer than ten", 10, "longer th…"),
        ("two\nlines", 20, "two lines"),
        ("欧阳欧阳欧阳", 7, "欧阳欧…"),
        ("x" * 5_000_000, 5, "xxxx…"),
        ("", 5, ""),
    ],
)
def test_clipped_text_is_one_line_of_that_width(text: str, width: int, shown: str) -> None:
    assert clip(text, width) == shown
    assert cell_len(clip(text, width)) <= width


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("abcdefghijk", ["abcdefgh", "ijk"]),
        ("a\n\nb", ["a", "", "b"]),
        ("欧阳欧阳欧", ["欧阳欧阳", "欧"]),
    ],
)
def test_folding(text: str, lines: list[str]) -> None:
    assert list(folded(text, 8)) == lines


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (count(1, "profile"), "1 profile"),
        (count(2000, "dialogue"), "2,000 dialogues"),
        (number(0.666, share=True), "67 %"),
        (number(3.14159), "3.14"),
        (number(42.25), "42.2"),
        (number(12345.6), "12,346"),
        (duration(7.9), "0:07"),
        (duration(3725), "1:02:05"),
    ],
)
def test_numbers_for_people(shown: str, wanted: str) -> None:
    assert shown == wanted
