"""What all imports share: where people are written to, what stands beside them, what is checked and what is held."""

import json
import tracemalloc
from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, write_csv, write_json, write_lines, write_text

from duologue.profiles.checks import check_profiles
from duologue.profiles.imports.formats import FORMATS, keys_in
from duologue.profiles.imports.importing import import_people
from duologue.profiles.library import Library
from duologue.profiles.tally import lines
from duologue.tasks.domain import Domain
from duologue.tasks.written import BadInput, read_records

CHAT = [{"role": "system", "content": "A cook."}, {"role": "user", "content": "Hello."}]


def sample(name: str, folder: Path) -> Path:
    """A sound little file of the format `name`."""
    rows = {"user 1 personas": "I row.\nI like tea.", "user 2 personas": "I knit.", "Best Generated Conversation": ""}
    asked = {"persona_id": "1", "preference": "Enjoys tea", "pref_type": "drink", "chat_history_32k_link": "h.json"}
    shown = {"query": "Hm?", "assistant_options": "1. Tea", "user_selection": "1", "assistant_acknowledgment": "Right."}
    if name == "personamem":
        write_json(folder / "h.json", {"chat_history": CHAT})
        return write_csv(folder / "a.csv", asked)
    if name == "prefeval":
        return write_json(folder / "tea.json", [{"preference": "I hate rye", "question": "?", "conversation": shown}])
    if name == "personachat":
        return write_text(folder / "a.txt", "1 your persona: i row.\n2 your persona: i like tea.\n3 a\tb\n")
    if name == "synthetic-persona-chat":
        return write_csv(folder / "a.csv", rows)
    return write_lines(folder / "a.jsonl", {"uuid": "u1", "persona": "A baker."})


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_imported_passes_the_check(tmp_path: Path, name: str) -> None:
    _, made = brought(name, sample(name, tmp_path / "in"), tmp_path / "to")
    found = check_profiles(Library("to", tmp_path / "to"))
    assert made.profiles
    assert [each for each in found if each.level == "error"] == []
    assert lines(made.tally)[0].startswith("read ")
    assert "people: " in lines(made.tally)[0]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_knows_its_own_files(tmp_path: Path, name: str) -> None:
    keys = keys_in(sample(name, tmp_path))
    assert FORMATS[name].fits(keys)
    first = next(known for known, format in FORMATS.items() if format.fits(keys))
    assert first == ("nemotron-personas" if name == "personahub" else name)


def test_a_jsonl_file_is_written_where_it_is_named(tmp_path: Path) -> None:
    made = import_people("personahub", sample("personahub", tmp_path / "in"), tmp_path / "out" / "bakers.jsonl")
    assert (made.file.name, made.domains) == ("bakers.jsonl", tmp_path / "out" / "domains.jsonl")
    assert json.loads(made.file.read_text(encoding="utf-8"))["history"][0]["summary"] == "A baker."


def test_the_domain_is_added_to_those_that_stand_there(tmp_path: Path) -> None:
    to = tmp_path / "to"
    write_lines(to / "domains.jsonl", {"name": "Tea", "preferences": [{"name": "leaf"}]})
    brought("prefeval", sample("prefeval", tmp_path / "a"), to)
    brought("personamem", sample("personamem", tmp_path / "b"), to)
    tea, persona = read_records(to / "domains.jsonl", Domain)
    assert [type.name for type in tea.preferences] == ["leaf"]
    assert [(type.name, type.open) for type in persona.preferences] == [("tea", True), ("drink", True)]


def test_nothing_is_written_over_the_data_nor_half(tmp_path: Path) -> None:
    path = sample("personahub", tmp_path)
    with pytest.raises(BadInput, match="would be written over itself"):
        import_people("personahub", path, path)
    to = tmp_path / "to"
    brought("personahub", path, to)
    before = (to / "profiles.jsonl").read_bytes()
    with pytest.raises(BadInput, match="holds nobody who can be taken"):
        import_people("personahub", write_lines(tmp_path / "b.jsonl", {"persona": " "}), to)
    assert (to / "profiles.jsonl").read_bytes() == before
    assert sorted(each.name for each in to.iterdir()) == ["domains.jsonl", "profiles.jsonl"]
    with pytest.raises(BadInput, match="cannot be written"):
        import_people("personahub", path, path / "inside")


def test_a_crowd_without_tasks_is_not_told_one_by_one(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *({"persona": f"A baker of {n} loaves"} for n in range(1100)))
    brought("personahub", path, tmp_path / "to")
    found = check_profiles(Library("to", tmp_path / "to"))
    assert len(found) == 21
    assert found[-1].what == "1,080 more profiles are in no scenario"


def big_json(path: Path, rows: int) -> Path:
    """As PersonaChat's JSON: an object of lists, on one line, whose items are some kilobytes long."""
    talk = json.dumps([{"history": ["word" * 1000] * 4, "candidates": ["reply" * 400] * 10}])
    with path.open("w", encoding="utf-8") as file:
        file.write('{"train": [')
        for row in range(rows):
            file.write(f'{", " if row else ""}{{"personality": ["i have {row} hens."], "utterances": {talk}}}')
        file.write("]}")
    return path


def big_lines(path: Path, rows: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"uuid": f"u{row}", "persona": f"{row} " + f"{'word' * 250} " * 30}) + "\n"
            for row in range(rows)
        )
    return path


def big_text(path: Path, rows: int) -> Path:
    turn = f"2 {'word' * 1000}\t{'reply' * 1000}\t\t{'candidate|' * 2000}\n"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"1 your persona: i have {row} hens.\n{turn}" for row in range(rows))
    return path


@pytest.mark.parametrize(
    ("name", "make"), [("personachat", big_json), ("personachat", big_text), ("nemotron-personas", big_lines)]
)
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str, make) -> None:
    path = make(tmp_path / "big.jsonl", 400)
    import_people(name, make(tmp_path / "small.jsonl", 3), tmp_path / "warm")
    tracemalloc.start()
    try:
        made = import_people(name, path, tmp_path / "to")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made.profiles == 400
    assert path.stat().st_size > 10e6
    assert peak < 2.5e6
