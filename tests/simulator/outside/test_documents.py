"""Files of dialogues: lines, arrays and whole objects, and what is broken in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.outside.documents import documents, files_in
from duologue.tasks.written import BadInput

ONE = {"turns": ["Hello", "Hi"]}
TWO = {"turns": ["Bye", "Bye"]}
MESSAGES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


def found(folder: Path, text: str, name: str = "chats.jsonl") -> list[tuple[str, Any]]:
    """The documents of a file, places without the folder, faults as text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [
        (
            where.removeprefix(f"{folder}/"),
            str(value).removeprefix(f"{folder}/") if isinstance(value, BadInput) else value,
        )
        for where, value in documents(path)
    ]


@pytest.mark.parametrize("name", ["chats.jsonl", "chats.ndjson", "chats.json", "chats"])
def test_a_dialogue_a_line_whatever_the_name(tmp_path: Path, name: str) -> None:
    lines = f"\ufeff{json.dumps(ONE)}\n\n{json.dumps(MESSAGES)}\r\n{json.dumps(TWO)}"
    assert found(tmp_path, lines, name) == [(f"{name}:1", ONE), (f"{name}:3", MESSAGES), (f"{name}:4", TWO)]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_dialogues_in_one_document(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps([ONE, MESSAGES, TWO], indent=indent)
    places, values = zip(*found(tmp_path, text, "chats.json"), strict=True)
    assert values == (ONE, MESSAGES, TWO)
    assert places == (("chats.json:1",) * 3 if indent is None else ("chats.json:2", "chats.json:8", "chats.json:18"))


@pytest.mark.parametrize("one", [MESSAGES, ["Hello", "Hi"], ONE, [{"user": "Hello", "assistant": "Hi"}]])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_that_is_one_dialogue(tmp_path: Path, one: Any, indent: int | None) -> None:
    assert found(tmp_path, json.dumps(one, indent=indent), "chat.json") == [("chat.json:1", one)]


def test_an_array_in_a_line_holds_a_dialogue_each(tmp_path: Path) -> None:
    assert found(tmp_path, json.dumps([ONE, MESSAGES])) == [
        ("chats.jsonl:1, item 1", ONE),
        ("chats.jsonl:1, item 2", MESSAGES),
    ]


def test_a_first_item_that_is_faulty_leaves_the_others_apart(tmp_path: Path) -> None:
    text = json.dumps([{"turns": "none"}, ONE])
    assert [value for _, value in found(tmp_path, text, "chats.json")] == [{"turns": "none"}, ONE]


def test_a_broken_line_is_told_and_the_rest_is_taken(tmp_path: Path) -> None:
    told = found(tmp_path, f'{json.dumps(ONE)}\n{{"turns": [\n{json.dumps(TWO)}\nwords\n')
    assert [where for where, _ in told] == ["chats.jsonl:1", "chats.jsonl:2", "chats.jsonl:3", "chats.jsonl:4"]
    assert (told[0][1], told[2][1]) == (ONE, TWO)
    assert told[1][1].startswith("chats.jsonl:2: is not valid JSON")
    assert told[3][1].startswith("chats.jsonl:4: is not valid JSON")


def test_an_array_that_breaks_off_keeps_what_was_whole(tmp_path: Path) -> None:
    text = json.dumps([ONE, TWO], indent=1)
    told = found(tmp_path, text[: text.rindex("Bye") + 2], "chats.json")
    assert told[0][1] == ONE
    assert len(told) == 2 and "is not valid JSON" in told[1][1] and "nothing after it" in told[1][1]
    whole = found(tmp_path, text.rstrip("]\n"), "chats.json")
    assert [value for _, value in whole[:2]] == [ONE, TWO]
    assert "is cut off" in whole[2][1]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (json.dumps(ONE).encode("utf-16"), "is not UTF-8 text"),
        (b'{"turns": ["caf\xe9", "Hi"]}\n', "is not UTF-8 text"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"turns": ' + b"9" * 5000 + b"}", "is not valid JSON"),
    ],
)
@pytest.mark.parametrize("name", ["chats.jsonl", "chats.json"])
def test_what_is_no_text_or_no_json_is_told(tmp_path: Path, data: bytes, why: str, name: str) -> None:
    (tmp_path / name).write_bytes(data)
    told: list[str] = []
    try:
        told += [str(value) for _, value in documents(tmp_path / name)]
    except BadInput as fault:
        told.append(str(fault))
    assert len(told) >= 1 and (why in told[0] or "is not valid JSON" in told[0])


def test_the_files_of_a_folder_in_order_and_no_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/2.json", "a.jsonl", "b/1.JSON", "notes.txt", ".cache/x.json", "b/.y.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    assert [str(path.relative_to(tmp_path)) for path in files_in(tmp_path)] == ["a.jsonl", "b/1.JSON", "b/2.json"]
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="is no run, and holds no dialogues"):
        files_in(empty)
