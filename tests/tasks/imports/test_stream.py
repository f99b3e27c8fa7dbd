"""Large JSON files read element by element."""

import json
from pathlib import Path

import pytest

from duologue.tasks.imports.stream import elements
from duologue.tasks.written import BadInput


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 20])
@pytest.mark.parametrize("data", [[], {}, [1, 23, "é}", {"a": [1, {"b": None}]}], {"x": 1.5, "y, z": [], "w": "]"}])
def test_the_elements_are_those_of_the_whole(tmp_path: Path, chunk: int, data: object) -> None:
    (tmp_path / "a.json").write_text(f"\ufeff {json.dumps(data, indent=1)}\n", encoding="utf-8")
    found = list(elements(tmp_path / "a.json", chunk))
    whole = list(data.items()) if isinstance(data, dict) else [(str(n), v) for n, v in enumerate(data, 1)]  # type: ignore[call-overload]
    assert found == whole


@pytest.mark.parametrize(
    ("text", "before", "told"),
    [
        ("[1, 2", [1], "expected ,, found its end"),
        ('[{"a": 1}, {"b": ]', [{"a": 1}], "is not valid JSON: Expecting value"),
        ('{"a": 1 "b": 2}', [1], "expected ,"),
        ("", [], "expected [ or {, found its end"),
        ("[1,]", [1], "is not valid JSON"),
        ("[" + "[" * 100_000, [], "is not valid JSON"),
    ],
)
def test_what_comes_before_a_damage_is_read(tmp_path: Path, text: str, before: list[object], told: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    found = []
    with pytest.raises(BadInput) as fault:
        for _, value in elements(tmp_path / "a.json"):
            found.append(value)
    assert found == before or found == [*before, 2]
    assert told in str(fault.value) and len(str(fault.value)) < 300


def test_a_file_that_is_no_text_or_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[\xff\xfe]")
    with pytest.raises(BadInput, match="is not UTF-8 text"):
        list(elements(tmp_path / "a.json"))
    with pytest.raises(BadInput, match="no such file"):
        list(elements(tmp_path / "b.json"))
