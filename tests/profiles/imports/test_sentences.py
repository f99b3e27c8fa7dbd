import pytest

from duologue.profiles.imports.reading import read_items
from duologue.profiles.imports.sentences import sound, stated
from duologue.tasks.written import BadInput


@pytest.mark.parametrize(
    ("sentence", "polarity", "value"),
    [
        ("i like to remodel homes.", "likes", "to remodel homes"),
        ("I really love rain!", "likes", "rain"),
        ("Enjoys clear soups", "likes", "clear soups"),
        ("The user prefers trains", "likes", "trains"),
        ("i can't stand noise", "avoids", "noise"),
        ("I do not like mud.", "avoids", "mud"),
        ("Doesn't enjoy golf", "avoids", "golf"),
    ],
)
def test_what_is_said_outright_is_a_preference(sentence: str, polarity: str, value: str) -> None:
    assert stated(sentence) == (polarity, value)


@pytest.mark.parametrize(
    "sentence",
    [
        "i have four children.",
        "i would like a dog.",
        "i used to love rain",
        "my favorite color is red",
        "i like tea but not on Mondays",
        "i love rain and hate mud",
        "i like",
        "my wife likes rain",
        "i like " + "long " * 100,
    ],
)
def test_what_says_more_or_less_is_not_taken_apart(sentence: str) -> None:
    assert stated(sentence) is None


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("i dont know", "i don't know"),
        ("I m what i ve been , im sure .", "I'm what i've been, im sure.".replace("im", "i'm")),
        ("she isn t here and it s late", "she isn't here and it's late"),
        ("we re old", "we're old"),
        ("as is my wont, i won t", "as is my wont, i won't"),
        ("i don't know", "i don't know"),
        ("were well ill its", "were well ill its"),
        ("3 . 5 km", "3. 5 km"),
    ],
)
def test_deleted_apostrophes_come_back_where_they_are_sure(text: str, mended: str) -> None:
    notes = []
    assert sound(text, notes) == mended
    assert bool(notes) == (text != mended)


@pytest.mark.parametrize("text", ["my name is [NAME]", "i am {user}", None, 7, " . "])
def test_what_cannot_be_used_is_empty(text: object) -> None:
    assert sound(text, []) == ""


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("[]", []),
        (' [1, 22 , "a]b", {"c": [2]}] ', [1, 22, "a]b", {"c": [2]}]),
        ('{"a": {"x": [1]}, "b": [3], "c": 4, "d": []}', [3]),
        ("[" + ", ".join(str(10**9 + n) for n in range(20000)) + "]", [10**9 + n for n in range(20000)]),
        ('["' + "x" * 200_000 + '"]', ["x" * 200_000]),
    ],
)
def test_lists_are_read_item_by_item(tmp_path, text: str, items: list[object]) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert [value for _, value in read_items(path)] == items


@pytest.mark.parametrize("text", ["[1 2]", "[1,", '{"a" [1]}', "[" * 100_000, "7", '{"a": [1]'])
def test_a_list_that_breaks_off_is_told(tmp_path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="breaks off or is not valid JSON from character"):
        list(read_items(path))
