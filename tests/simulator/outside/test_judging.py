"""`duologue judge FILE`: from the file to scores, and back to the run with every command that looks at it."""

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from duologue.cli import app
from duologue.outside.told import identity
from duologue.outside.told import told as read_told
from duologue.tasks.faults import Fault

VERDICT = {
    "preferences": {"p1": {"reason": "r", "quote": "Thai", "outcome": "met", "route": "unasked"}},
    "scores": {"success": {"reason": "r", "quote": "Booked", "score": "yes"}, "personalisation": 3},
}
MODEL = f"scripted:{json.dumps(VERDICT)}"
TASK = {"task": "A table for two.", "preferences": {"Restaurants": {"cuisine": "Thai"}}}
RECORDS = (
    {"id": 1, "assistant": "alpha", "profile": "ann", **TASK, "turns": ["A table, please.", "Thai at seven? Booked."]},
    {"id": 2, "assistant": "beta", "profile": "ann", **TASK, "turns": ["A table, please.", "Sushi. Booked."]},
    {"id": 3, "messages": [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "sky", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "sunny"},
        {"role": "assistant", "content": "Sunny, \x1b[31mBooked\x1b[0m \u202e!"},
    ]},
)  # fmt: skip


@dataclass(frozen=True)
class Done:
    """What a command printed, and the code that it ends with."""

    stdout: str
    stderr: str
    returncode: int


def duologue(folder: Path, *arguments: str, **environment: str) -> Done:
    """Call the command in this process, in `folder`."""
    given: Mapping[str, str] = {"COLUMNS": "100", **environment}
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, list(arguments), env=given)
    if isinstance(done.exception, Fault):
        return Done(done.stdout, str(done.exception), done.exception.code)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.stdout, done.stderr, done.exit_code)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of dialogues, one of them broken, which was judged."""
    folder = tmp_path_factory.mktemp("outside")
    lines = [json.dumps(record) for record in RECORDS]
    (folder / "chats.jsonl").write_text("\n".join([*lines, '{"turns": [']), encoding="utf-8")
    done = duologue(folder, "judge", "chats.jsonl", "--model", MODEL, "--to", "held", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return folder


def shown(folder: Path, *arguments: str) -> Any:
    done = duologue(folder, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_was_taken_and_what_was_not_is_told(place: Path) -> None:
    said = (place / "said.txt").read_text(encoding="utf-8")
    assert "Brought in 3 dialogues as held." in said
    assert "left out: chats.jsonl:4: is not valid JSON" in said
    assert all(len(line) <= 80 for line in said.splitlines() if "left out" not in line)


def test_scores_stand_by_assistant_and_what_is_unknown_is_said(place: Path) -> None:
    found = shown(place, "show", "held")
    by_name = {each["name"]: each for each in found["summary"]["assistants"]}
    assert list(by_name) == ["alpha", "beta", "chats"]
    assert by_name["alpha"]["metrics"]["personalisation"]["mean"] == 3
    lone = by_name["chats"]["metrics"]
    assert (lone["success"]["mean"], lone["personalisation"]["n"]) == (1, 0)
    assert "no relevant preference" in lone["personalisation"]["why"]
    assert (lone["tokens"]["n"], lone["seconds"]["n"]) == (0, 0)
    assert by_name["alpha"]["insight"]["told"] == "not known"
    assert {row["ending"]["reason"] for row in found["dialogues"]} == {"held_elsewhere"}


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_dialogue_is_replayed_with_its_verdict_and_its_calls(place: Path, columns: str) -> None:
    done = duologue(place, "replay", "held", "3", COLUMNS=columns)
    assert done.returncode == 0, done.stderr
    assert "Weather?" in done.stdout and "sky" in done.stdout and "held elsewhere" in done.stdout
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= int(columns)


def test_the_list_and_the_comparison_know_it(place: Path) -> None:
    assert [run["dialogues"] for run in shown(place, "list", ".")] == [3]
    compared = duologue(place, "compare", "held", COLUMNS="80")
    assert compared.returncode == 0, compared.stderr
    assert "alpha" in compared.stdout and "beta" in compared.stdout


def test_the_same_file_again_is_known_and_nothing_is_judged_twice(place: Path) -> None:
    again = duologue(place, "judge", "chats.jsonl", "--to", "held")
    assert again.returncode == 0, again.stderr
    assert "chats.jsonl was brought in before, as held." in again.stderr
    assert "Nothing was left to judge" in again.stderr


def test_another_judge_and_resume_work_on_the_run(place: Path) -> None:
    other = json.dumps({"scores": {"success": "no"}, "preferences": {"p1": "unmet"}})
    second = duologue(place, "judge", "held", "--model", f"scripted:{other}")
    assert second.returncode == 0, second.stderr
    verdicts = shown(place, "show", "held", "1")["verdicts"]
    assert [verdict["scores"]["success"]["value"] for verdict in verdicts] == [True, False]
    resumed = duologue(place, "resume", "held")
    assert resumed.returncode == 0, resumed.stderr
    assert len(shown(place, "show", "held", "1")["verdicts"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chats.jsonl",), "no model is named to judge these dialogues. Name one: duologue judge chats.jsonl --model"),
        (("none.jsonl", "--model", "scripted:x"), "none.jsonl: no such file"),
        (("empty", "--model", "scripted:x"), "is no run, and holds no dialogues"),
        (("held", "--to", "elsewhere"), "--to and --data are for dialogues held elsewhere"),
        (("chats.jsonl", "--model", "scripted:x", "--to", ""), "an empty name is no place to write to"),
        (("chats.jsonl", "--model", "scripted:x", "--data", "nowhere"), "no such folder"),
        (("chats.jsonl", "--model", "scripted:x", "--rubric", "mine"), "no rubric 'mine'"),
    ],
)
def test_what_cannot_work_is_one_sentence_and_makes_nothing(place: Path, arguments: tuple[str, ...], said: str) -> None:
    (place / "empty").mkdir(exist_ok=True)
    before = sorted(path.name for path in place.iterdir())
    done = duologue(place, "judge", *arguments)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert len(done.stderr.strip().splitlines()) <= 2
    after = sorted(path.name for path in place.iterdir() if path.name != "runs" or any(path.iterdir()))
    assert after == before


def test_by_default_the_run_stands_under_runs_by_the_files_name(place: Path) -> None:
    (place / "more").mkdir()
    (place / "more" / "one.json").write_text(json.dumps(["Hello", "Hi, Booked"]), encoding="utf-8")
    done = duologue(place, "judge", "more", "--model", MODEL)
    assert done.returncode == 0, done.stderr
    (folder,) = (place / "runs").iterdir()
    assert folder.name.startswith("more-")
    assert shown(place, "show", "more-" + folder.name.removeprefix("more-"))["summary"]["dialogues"] == 1


def test_what_is_not_read_comes_with_what_would_be(tmp_path: Path) -> None:
    record = {"turns": ["Hello", "Hi, Booked"], "agent": "alpha"}
    (tmp_path / "chats.jsonl").write_text(json.dumps(record), encoding="utf-8")
    done = duologue(tmp_path, "judge", "chats.jsonl", "--model", MODEL, "--to", "held")
    assert "Not read, since nothing is known of them: agent." in done.stderr
    told = " ".join(done.stderr.split())
    assert "the assistant's name under assistant, assistant_name, assistant_model or model;" in told
    for key in re.findall(r"\w+", told.partition("the assistant's name under ")[2].partition(";")[0]):
        if key != "or":
            table = {"turns": ["Hello", "Hi"], key: "alpha"}
            assert read_told(table, "here", "x").unread == () and identity(table)[1] == "alpha"


def test_tokens_and_cost_are_those_of_the_judge_alone(place: Path) -> None:
    (alpha, *_) = shown(place, "show", "held")["summary"]["assistants"]
    assert [*alpha["usage"]] == ["judge"] == [*alpha["cost"]]
    said = duologue(place, "show", "held", COLUMNS="100").stdout
    assert "user unknown" not in said and "assistant unknown" not in said
