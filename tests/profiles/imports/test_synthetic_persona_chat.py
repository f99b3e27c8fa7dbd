from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, counts, write_csv, write_json, write_text

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput

ROW = {
    "user 1 personas": "I am 32.\nI do not want a job.\nI enjoy tango.",
    "user 2 personas": "I can t swim.\nMy name is [user 2's name].",
    "Best Generated Conversation": "User 1: Hi!\nUser 2: Hi, [user 1's name].\n",
}


def test_both_users_of_a_row_are_people(tmp_path: Path) -> None:
    found, made = brought("synthetic-persona-chat", write_csv(tmp_path / "a.csv", ROW), tmp_path / "to")
    one, two = found.values()
    assert list(found) == ["synthetic-persona-chat-1-user-1", "synthetic-persona-chat-1-user-2"]
    assert [session.summary for session in one.history] == ["I am 32.", "I do not want a job."]
    assert one.likes("Persona", "taste") == ("tango",)
    assert [session.summary for session in two.history] == ["I can't swim."]
    assert counts(made, "repaired") == {"apostrophes that were deleted": 1}
    assert counts(made, "dropped") == {
        "sentences with a slot that nobody filled": 1,
        "turns of dialogues (held with another person, and a history is with an assistant)": 2,
    }


def test_short_rows_and_empty_personas_are_left_out_alone(tmp_path: Path) -> None:
    text = "user 1 personas,user 2 personas,Best Generated Conversation\nI row.\nI knit.,,\n"
    found, made = brought("synthetic-persona-chat", write_text(tmp_path / "a.csv", text), tmp_path / "to")
    assert list(found) == ["synthetic-persona-chat-2-user-1"]
    assert counts(made, "dropped") == {"people of whom nothing is said": 1, "rows that cannot be read": 1}


def test_the_wrong_file_is_told(tmp_path: Path) -> None:
    wrong = write_json(tmp_path / "a.csv", [{"preference": "I hate x", "question": "?"}])
    with pytest.raises(BadInput, match="It looks like prefeval: --from prefeval"):
        import_people("synthetic-persona-chat", wrong, tmp_path / "to")
    other = write_text(tmp_path / "b.csv", "user one,user two\n1,2\n")
    with pytest.raises(BadInput, match=r"it has user one, user two.*Expected Synthetic-Persona-Chat: CSV"):
        import_people("synthetic-persona-chat", other, tmp_path / "to")
    binary = tmp_path / "c.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="is not UTF-8 text"):
        import_people("synthetic-persona-chat", binary, tmp_path / "to")


def test_a_folder_with_several_files_is_told_to_be_named(tmp_path: Path) -> None:
    write_csv(tmp_path / "in" / "a.csv", ROW)
    assert brought("synthetic-persona-chat", tmp_path / "in", tmp_path / "to")[1].profiles == 2
    write_csv(tmp_path / "in" / "b.csv", ROW)
    with pytest.raises(BadInput, match=r"holds 2 such files.*Name one, such as .*a\.csv"):
        import_people("synthetic-persona-chat", tmp_path / "in", tmp_path / "to")
