from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, counts, write_json, write_lines

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput


def test_a_line_is_a_person(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "persona.jsonl",
        {"persona": "A baker  who rows"}, {"persona": ""}, "{broken", {"persona": 7}, {"persona": "A clerk, \ud800"},
    )  # fmt: skip
    found, made = brought("personahub", path, tmp_path / "to")
    assert list(found) == ["personahub-1"]
    assert [session.summary for session in found["personahub-1"].history] == ["A baker who rows"]
    assert not found["personahub-1"].preferences
    assert counts(made, "dropped") == {"people of whom nothing is said": 2, "rows that cannot be read": 2}
    assert "half a character" in made.tally.dropped["rows that cannot be read"].examples[1]


def test_a_synthetic_set_gives_its_personas_alone(tmp_path: Path) -> None:
    row = {"input persona": "A chemist", "synthesized text": "If [x] = 2 ...", "description": "math"}
    found, made = brought("personahub", write_json(tmp_path / "math.jsonl", [row, row]), tmp_path / "to")
    assert [each.history[0].summary for each in found.values()] == ["A chemist"]
    assert counts(made, "dropped") == {
        "columns that say nothing of the person": 2,
        "people who were read before, word for word": 1,
    }


def test_the_wrong_file_is_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *({"text": n} for n in range(30)))
    with pytest.raises(BadInput, match=r"holds no personahub rows \(it has text\)\. Expected PersonaHub"):
        import_people("personahub", path, tmp_path / "to")
