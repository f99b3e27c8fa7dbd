"""Written forms: faults name the place, the nearest right key, and the line."""

import json
from pathlib import Path

import pytest

from duologue.profiles.profile import Profile
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, canonical, fingerprint, nearest, parse, read_lines, read_records, read_toml

TASK = {"id": "dine", "domains": ["Restaurants"], "intent": "You are hungry.", "goal": "A table is booked."}


def refusal(form: type, data: object) -> str:
    with pytest.raises(BadInput) as fault:
        parse(form, data, "here.toml")
    assert fault.value.where == "here.toml"
    return fault.value.what


UNLIKE = (
    "unknown key 'xyzzy' (known: cases, description, domains, given, goal, id, intent, irrelevant, opener, "
    "relevant, requests, require, slots, staged, withheld)"
)


@pytest.mark.parametrize(
    ("form", "data", "what"),
    [
        (Task, {**TASK, "slot": {}}, "unknown key 'slot', did you mean 'slots'?"),
        (Task, {**TASK, "xyzzy": 1}, UNLIKE),
        (
            Task,
            {**TASK, "require": [{"record": "table", "wher": {}}]},
            "unknown key 'require.0.wher', did you mean 'where'?",
        ),
        (
            Task,
            {**TASK, "relevant": [["A", "b"], {"domain": "A", "typ": "b"}]},
            "unknown key 'relevant.1.typ', did you mean 'type'?",
        ),
        (
            Profile,
            {"id": "a", "demographics": {"home_citty": "Pécs"}},
            "unknown key 'demographics.home_citty', did you mean 'home_city'?",
        ),
        (
            Profile,
            {"id": "a", "preferences": {"Restaurants": {"cuisine": [{"value": "Thai", "polarty": "likes"}]}}},
            "unknown key 'preferences.Restaurants.cuisine.0.polarty', did you mean 'polarity'?",
        ),
        (
            Profile,
            {"id": "a", "preferences": {"history": {"value": [{"value": "Thai", "strenght": 1}]}}},
            "unknown key 'preferences.history.value.0.strenght', did you mean 'strength'?",
        ),
        (
            Profile,
            {"id": "a", "history": [{"domain": "A", "summary": "s", "evidence": [{"kinds": "explicit"}]}]},
            "unknown key 'history.0.evidence.0.kinds', did you mean 'kind'?",
        ),
    ],
)
def test_unknown_key_is_named_with_the_nearest_at_its_place(form: type, data: object, what: str) -> None:
    assert refusal(form, data) == what


def test_misspelt_key_is_told_before_the_key_that_it_leaves_missing() -> None:
    data = {key: value for key, value in TASK.items() if key != "goal"}
    assert refusal(Task, {**data, "gaol": "x"}) == "unknown key 'gaol', did you mean 'goal'?"
    assert refusal(Task, data) == "goal: field required"


@pytest.mark.parametrize(
    ("form", "data", "what"),
    [
        (Task, [], "expected a table of keys and values"),
        (Task, {**TASK, "relevant": [["Restaurants"]]}, "relevant.0: expected a pair of domain and preference type"),
        (Task, {**TASK, "slots": {"days": ["Friday"]}}, "slots.days: expected a text, a number, true or false"),
        (Profile, {"id": "a", "history": [{"domain": "A"}]}, "history.0: a session needs a summary or turns"),
        (Profile, {"id": "a", "preferences": {"A": "Thai"}}, "preferences.A: expected a table of keys and values"),
    ],
)
def test_wrong_shape_is_told_in_words(form: type, data: object, what: str) -> None:
    assert refusal(form, data) == what


def test_message_says_what_where_and_what_next() -> None:
    assert str(BadInput("no task 'x'", "tasks.jsonl:3", "Run `duologue tasks list`.")) == (
        "tasks.jsonl:3: no task 'x'. Run `duologue tasks list`."
    )
    assert str(BadInput("no task 'x'")) == "no task 'x'"


def test_nearest_ignores_case_and_stays_silent_when_nothing_is_near() -> None:
    assert nearest("restaurant", ["Flights", "Restaurants"]) == ", did you mean 'Restaurants'?"
    assert nearest("rangi", ["samir-haddad", "rangi-parata"]) == ", did you mean 'rangi-parata'?"
    assert nearest("xylophone", ["Flights", "Restaurants"]) == ""
    assert nearest("anything", []) == ""


def test_toml_with_byte_order_mark_and_any_script_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbf" + 'name = "佐藤 陽向 👩🏽‍🔧"'.encode())
    assert read_toml(path) == {"name": "佐藤 陽向 👩🏽‍🔧"}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("name = 'Zoltán'".encode("latin-1"), "is not UTF-8 text"),
        ("name = 'a'".encode("utf-16"), "is not UTF-8 text"),
        (b"name = ", "is not valid TOML"),
        (b"a = " + b"[" * 100_000, "is not valid TOML"),
    ],
)
def test_toml_that_cannot_be_read_is_refused_by_name(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=what) as fault:
        read_toml(path)
    assert fault.value.where == str(path)


def test_missing_file_and_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_toml(tmp_path / "a.toml")
    with pytest.raises(BadInput, match="is a folder"):
        read_toml(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        list(read_records(tmp_path / "a.jsonl", Task))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"id": ', "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b'{"id": "\xff"}', "is not UTF-8 text"),
        (b"17", "expected a table"),
        (json.dumps({**TASK, "intend": "x"}).encode(), "unknown key 'intend', did you mean 'intent'"),
    ],
)
def test_faulty_line_is_refused_with_its_number(tmp_path: Path, line: bytes, what: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(json.dumps(TASK).encode() + b"\r\n\n" + line + b"\n")
    records = read_records(path, Task)
    assert next(records).id == "dine"
    with pytest.raises(BadInput, match=what) as fault:
        next(records)
    assert fault.value.where == f"{path}:3"


def test_lines_carry_byte_offsets_and_split_at_line_feeds_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first = '{"surroundings": "one\u2028line \u0085 still"}\r\n'.encode()
    path.write_bytes(b"\xef\xbb\xbf" + first + b"  \n" + b'{"day": "Friday"}')
    lines = list(read_lines(path))
    assert [line.offset for line in lines] == [0, 3 + len(first) + 3]
    assert lines[0].data() == {"surroundings": "one\u2028line \u0085 still"}
    assert [record.day for record in read_records(path, Situation)] == ["", "Friday"]


def test_changed_copy_is_checked_again() -> None:
    task = Task.model_validate(TASK)
    assert task.changed(intent="You are thirsty.").intent == "You are thirsty."
    with pytest.raises(ValueError, match="intent"):
        task.changed(intent="")
    assert task.intent == "You are hungry."


def test_fingerprint_depends_on_content_and_not_on_key_order() -> None:
    assert canonical({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}'
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(Situation(day="Friday")) == fingerprint(Situation(day="Friday").model_dump())
    assert fingerprint("a", "b") != fingerprint("ab")
    assert fingerprint(Situation()) != fingerprint(Situation(day="Friday"))
