from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, counts, write_json, write_text

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput

BOTH = """1 your persona: i like to carve spoons .
2 your persona: i have two brothers.
3 partner's persona: i hate the cold.
4 hi , how are you ?\tfine , and you ?\t\tno.|never.|fine , and you ?
5 cold .\tput a coat on .\t\tyes.|put a coat on .
1 your persona: i dont eat meat , i m a cook.
2 your persona: my name is [NAME].
3 hello\thello back\t\thello back
"""


def summaries(profile):
    return [session.summary for session in profile.history]


def test_the_numbered_text_gives_speakers_and_partners(tmp_path: Path) -> None:
    found, made = brought("personachat", write_text(tmp_path / "train_both.txt", BOTH), tmp_path / "to")
    assert list(found) == ["personachat-1", "personachat-1-partner", "personachat-2"]
    assert found["personachat-1"].likes("Persona", "taste") == ("to carve spoons",)
    assert summaries(found["personachat-1"]) == ["i have two brothers."]
    assert found["personachat-1-partner"].avoids("Persona", "taste") == ("the cold",)
    assert summaries(found["personachat-2"]) == ["i don't eat meat, i'm a cook."]
    assert counts(made, "repaired") == {"apostrophes that were deleted": 1, "blanks before full stops and commas": 2}
    assert counts(made, "dropped") == {
        "sentences with a slot that nobody filled": 1,
        "turns of dialogues (held with another person, and a history is with an assistant)": 6,
    }
    assert counts(made, "read", ["dialogues", "people"]) == {"dialogues": 2, "people": 3}


def test_numbers_that_go_on_and_lines_without_one_are_counted(tmp_path: Path) -> None:
    text = "1 your persona: i sing.\n2 a\tb\n3 your persona: i dance.\nstray words\n4 a\tb\n1 only\ttalk\n"
    found, made = brought("personachat", write_text(tmp_path / "odd.txt", text), tmp_path / "to")
    assert [summaries(each) for each in found.values()] == [["i sing."], ["i dance."]]
    assert counts(made, "repaired") == {"dialogues whose numbering goes on from the one before": 1}
    assert counts(made, "dropped", ["rows that cannot be read", "dialogues without a persona"]) == {
        "rows that cannot be read": 1,
        "dialogues without a persona": 1,
    }
    assert "odd.txt:4: begins without a number" in made.tally.dropped["rows that cannot be read"].examples[0]


def test_the_same_persona_in_many_dialogues_is_one_person(tmp_path: Path) -> None:
    text = "1 your persona: i sing.\n2 a\tb\n1 your persona: i sing.\n2 c\td\n"
    found, made = brought("personachat", write_text(tmp_path / "twice.txt", text), tmp_path / "to")
    assert len(found) == 1
    assert made.tally.dropped["people who were read before, word for word"].number == 1


def test_the_json_of_train_and_valid(tmp_path: Path) -> None:
    talk = [
        {"history": ["hi"], "candidates": ["wrong", "hello"]},
        {"history": ["hi", "hello", "bye"], "candidates": ["wrong", "bye then"]},
    ]
    data = {
        "train": [{"personality": ["i love rain ."], "utterances": talk}, {"personality": [7, ""], "utterances": []}],
        "valid": [{"personality": ["i love rain but i hate mud."], "utterances": talk}, {"utterances": talk}],
    }
    found, made = brought("personachat", write_json(tmp_path / "self.json", data), tmp_path / "to")
    assert list(found) == ["personachat-train-1", "personachat-valid-1"]
    assert found["personachat-train-1"].likes("Persona", "taste") == ("rain",)
    assert summaries(found["personachat-valid-1"]) == ["i love rain but i hate mud."]
    assert counts(made, "dropped") == {
        "people of whom nothing is said": 1,
        "rows that cannot be read": 1,
        "sentences that are no text": 1,
        "turns of dialogues (held with another person, and a history is with an assistant)": 8,
    }


def test_the_logs_have_two_profiles(tmp_path: Path) -> None:
    log = {"dialog": [{"id": 0, "text": "hi"}], "user_profile": ["i row."], "bot_profile": "i knit.\ni bake."}
    found, _ = brought("personachat", write_json(tmp_path / "log.json", [log]), tmp_path / "to")
    assert [summaries(each) for each in found.values()] == [["i row."], ["i knit.", "i bake."]]
    assert list(found) == ["personachat-1", "personachat-1-partner"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"train": [{"personality": ["i row."], "utterances": []}, {"pers',
            "breaks off or is not valid JSON from character 59 on",
        ),
        ("uuid,persona\n1,x\n", r"holds no personachat rows.*looks like nemotron-personas"),
        ('{"persona": "A baker"}\n', r"holds no personachat rows.*looks like personahub"),
        ("1 hello\tthere\n", r"holds nobody who can be taken \(left out: 1 dialogues without a persona; 2 turns"),
        ("", "holds no personachat rows"),
    ],
)
def test_the_wrong_file_is_told_and_nothing_written(tmp_path: Path, text: str, told: str) -> None:
    path = write_text(tmp_path / "wrong.txt", text)
    with pytest.raises(BadInput, match=told) as fault:
        import_people("personachat", path, tmp_path / "to")
    assert "\n" not in str(fault.value)
    assert not list((tmp_path / "to").iterdir())
