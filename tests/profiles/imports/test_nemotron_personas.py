from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.profiles.imports.made_up import brought, counts, write_lines

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput

ROW = {
    "uuid": "u1",
    "culinary_persona": "Cooks lentils.",
    "persona": "Somebody who mends clocks.",
    "skills_and_expertise": "Mends clocks.",
    "skills_and_expertise_list": "['clocks']",
    "hobbies_and_interests_list": "['chess', \"bird's eggs\"]",
    "sex": "Female",
    "age": 41.0,
    "marital_status": "never_married",
    "education_level": "bachelors",
    "bachelors_field": "arts_humanities",
    "occupation": "watch_repairer",
    "city": "Reno",
    "state": "NV",
    "country": "USA",
}


def test_a_row_is_a_person_with_demographics(tmp_path: Path) -> None:
    odd = {**ROW, "uuid": "u2", "bachelors_field": "no_degree", "hobbies_and_interests_list": "[chess"}
    listed = {**ROW, "uuid": "u3", "hobbies_and_interests_list": ["go"], "age": None, "education_level": "NaN"}
    empty = {"uuid": "u4", "persona": " ", "age": 3}
    path = write_lines(tmp_path / "a.jsonl", ROW, odd, listed, empty, [1])
    found, made = brought("nemotron-personas", path, tmp_path / "to")
    assert list(found) == ["nemotron-u1", "nemotron-u2", "nemotron-u3"]
    one = found["nemotron-u1"]
    assert {name: value for name, value in one.demographics.model_dump().items() if value} == {
        "age": "41",
        "gender": "Female",
        "employment": "watch repairer",
        "education": "bachelors, arts humanities",
        "marital_status": "never married",
        "home_country": "USA",
        "home_city": "Reno",
    }
    assert one.interests == ("chess", "bird's eggs")
    assert [each.summary for each in one.history] == ["Somebody who mends clocks.", "Cooks lentils.", "Mends clocks."]
    assert not one.preferences and not one.name
    assert found["nemotron-u2"].demographics.education == "bachelors" and found["nemotron-u2"].interests == ()
    assert found["nemotron-u3"].interests == ("go",) and not found["nemotron-u3"].demographics.age
    assert counts(made, "dropped") == {
        "columns that have no place in a profile": 3,
        "lists of interests that cannot be read": 1,
        "people of whom nothing is said": 1,
        "rows that cannot be read": 1,
    }
    assert counts(made, "repaired")["names in snake_case"] == 7


def test_an_id_that_comes_twice_is_told_apart(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", ROW, {**ROW, "persona": "Another."})
    found, made = brought("nemotron-personas", path, tmp_path / "to")
    assert list(found) == ["nemotron-u1", "nemotron-u1~2"]
    assert made.tally.repaired["ids that somebody else had"].number == 1


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is there and reads it")
def test_parquet_without_what_reads_it_says_how_to_turn_it_into_lines(tmp_path: Path) -> None:
    path = tmp_path / "shard.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"pyarrow, which reads it, is not installed.*to_json\('shard\.jsonl'"):
        import_people("nemotron-personas", path, tmp_path / "to")


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
def test_parquet_is_read_where_pyarrow_is(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "shard.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([ROW, {**ROW, "uuid": "u2", "age": 5.0}]), path)
    assert list(brought("nemotron-personas", path, tmp_path / "to")[0]) == ["nemotron-u1", "nemotron-u2"]
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(BadInput, match="is not valid Parquet"):
        import_people("nemotron-personas", path, tmp_path / "to")
