from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, counts, write_json, write_lines, write_text

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput

PLAIN = {"preference": "I avoid boats.", "question": "How do I get to Malta?", "explanation": "Ferries are boats."}
CHOICE = {
    "preference": "I learn best by doing",
    "question": "How do I learn Go?",
    "implicit_query": "?",
    "options": ["Read", "Build"],
    "conversation": {
        "query": "How shall I start?",
        "assistant_options": ["1. Read", "2. Build"],
        "user_selection": "The second.",
        "assistant_acknowledgment": "Good.",
    },
    "aligned_op": 2,
}
PERSONA = {
    "preference": "I dislike crowds",
    "persona": "A retired  beekeeper",
    "question": "Where to?",
    "conversation": {
        "10": {"user": "Later.", "assistant": "Fine."},
        "2": {"user": "First.", "assistant": ""},
        "note": "odd",
    },
}


def test_the_three_forms(tmp_path: Path) -> None:
    write_json(tmp_path / "in" / "explicit" / "travel_ways.json", [PLAIN, {**PLAIN, "preference": " "}, 7])
    write_json(tmp_path / "in" / "implicit" / "learning.json", [CHOICE, PERSONA])
    found, made = brought("prefeval", tmp_path / "in", tmp_path / "to")
    plain, choice, persona = found.values()
    assert next(iter(found)) == "prefeval-explicit-travel_ways-1"
    assert plain.avoids("Persona", "travel ways") == ("boats",) and not plain.history
    assert choice.likes("Persona", "learning") == ("this to be heeded: I learn best by doing",)
    (session,) = choice.history
    assert [(turn.role, turn.text) for turn in session.turns] == [
        ("user", "How shall I start?"),
        ("assistant", "1. Read\n2. Build"),
        ("user", "The second."),
        ("assistant", "Good."),
    ]
    assert [(shown.kind, shown.value) for shown in session.evidence] == [
        ("implicit", "this to be heeded: I learn best by doing")
    ]
    assert persona.history[0].summary == "A retired beekeeper"
    assert [turn.text for turn in persona.history[1].turns] == ["First.", "Later.", "Fine."]
    assert counts(made, "kept") == {"preferences that are no plain like or dislike (held whole)": 1}
    assert counts(made, "dropped") == {
        "questions and options (they are what is asked of an assistant; write them as tasks)": 3,
        "rounds of a talk that are no table": 1,
        "rows that cannot be read": 2,
        "turns without words": 1,
    }


def test_the_choice_task_and_files_of_another_kind_beside_it(tmp_path: Path) -> None:
    item = {**PLAIN, "violation_probability": "0.7", "classification_task_options": ["good", "bad"]}
    write_json(tmp_path / "in" / "mcq.json", [item])
    write_json(tmp_path / "in" / "notes.json", {"a": 1})
    found, made = brought("prefeval", tmp_path / "in", tmp_path / "to")
    assert list(found) == ["prefeval-mcq-1"]
    assert made.tally.dropped["rows that cannot be read"].number == 1


def test_the_wrong_file_is_told(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "a.json", {"persona": "A baker"})
    with pytest.raises(BadInput, match=r"holds no prefeval rows.*It looks like personahub: --from personahub"):
        import_people("prefeval", lines, tmp_path / "to")
    with pytest.raises(BadInput, match="is empty"):
        import_people("prefeval", write_text(tmp_path / "b.json", "[]"), tmp_path / "to")
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match=r"holds no \.json file"):
        import_people("prefeval", tmp_path / "none", tmp_path / "to")
    with pytest.raises(BadInput, match=r"no such file or folder.*Expected PrefEval"):
        import_people("prefeval", tmp_path / "nowhere", tmp_path / "to")
