"""The commands: what they print, and with which code they end."""

import json
import os
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.commandline import duologue

CAMPAIGN = """
seed = 1
user = { script = ["I would like a table on Friday.", "For four, please.", "Thanks, that is all."] }
judge = { model = "scripted:judge.toml" }
select = { profiles = 1, domains = ["Restaurants"], sample = 6 }
[[assistant]]
name = "plain"
model = "scripted:Noted, for how many?|Booked for four.|Goodbye."
tools = "off"
[[assistant]]
name = "told"
script = ["Booked at once.", "As I said, booked for four."]
context = "preferences"
"""
SCORES = {"success": "yes", "personalisation": 3, "user_naturalness": 4, "assistant_naturalness": 5}
ANSWER = {"scores": {name: {"reason": "so", "turn": 1, "quote": "Booked", "score": s} for name, s in SCORES.items()}}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a campaign on scripted models."""
    (tmp_path / "mine.toml").write_text(CAMPAIGN, encoding="utf-8")
    (tmp_path / "judge.toml").write_text(f"replies = ['''{json.dumps(ANSWER)}''']", encoding="utf-8")
    return tmp_path


def test_run_prints_the_summary_and_how_to_go_on(place: Path) -> None:
    done = duologue(place, "run", "mine.toml", "--out", "runs/one")
    assert done.returncode == 0, done.stderr
    for text in ("plain", "told", "task success", "duologue replay runs/one 1", "duologue compare runs/one"):
        assert text in done.stdout
    assert "12/12" in done.stderr


def test_json_is_all_that_stands_on_standard_output(place: Path) -> None:
    done = duologue(place, "run", "mine.toml", "--json", "--out", "runs/one")
    said = json.loads(done.stdout)
    assert said["dialogues"] == said["planned"] == 12
    assert said["assistants"][0]["metrics"]["success"]["mean"] == 1
    shown = json.loads(duologue(place, "show", "one", "--json").stdout)
    assert len(shown["dialogues"]) == 12
    one = json.loads(duologue(place, "show", "one", "1", "--json").stdout)
    assert one["events"][0]["kind"] == "cell_started" and one["verdicts"]
    assert json.loads(duologue(place, "list", "--json").stdout)[0]["folder"] == "runs/one"
    assert json.loads(duologue(place, "compare", "one", "--json").stdout)["pairings"]


def test_a_run_is_shown_in_part(place: Path) -> None:
    duologue(place, "run", "mine.toml", "--out", "runs/one")
    whole = duologue(place, "show", "one", COLUMNS="120").stdout
    assert "12 dialogues" in whole and "narrow down" not in whole
    part = duologue(place, "show", "one", "-a", "told", "--where", "success=yes", COLUMNS="120").stdout
    assert "12 dialogues · 2 assistants" in whole
    assert part.splitlines()[-1].startswith("6 of 12 dialogues") and "12 dialogues · 2 assistants" not in part
    given = json.loads(duologue(place, "show", "one", "--ended", "user", "--domain", "Restaurants", "--json").stdout)
    assert len(given["dialogues"]) == given["summary"]["dialogues"] == 12
    assert "did you mean 'told'" in duologue(place, "show", "one", "-a", "tolt").stderr
    (place / "broken.py").write_text("def reply(messages):\n    raise ValueError('boom')\n", encoding="utf-8")
    script = 'script = ["Booked at once.", "As I said, booked for four."]'
    broken = CAMPAIGN.replace(script, 'callable = "broken.py:reply"')
    (place / "mine.toml").write_text(broken, encoding="utf-8")
    duologue(place, "run", "mine.toml", "--out", "runs/two")
    shown = duologue(place, "show", "two", "--failed", COLUMNS="120").stdout
    assert "6 × error (assistant)" in shown and "ValueError: boom" in shown and "duologue replay runs/two 2" in shown
    (lost,) = json.loads(duologue(place, "show", "two", "--failed", "--json").stdout)["failed"]
    assert (lost["owner"], lost["reason"], len(lost["dialogues"])) == ("assistant", "error", 6)


def test_replay_shows_turns_and_the_verdict_with_its_evidence(place: Path) -> None:
    duologue(place, "run", "mine.toml", "--out", "runs/one")
    shown = duologue(place, "replay", "one", "1", COLUMNS="130").stdout
    for text in ("I would like a table on Friday.", "Booked for four.", "satisfied", "personalisation", "so"):
        assert text in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "nosuch.toml"], "nosuch.toml: no such file"),
        (["run", "quikstart"], "did you mean 'quickstart'?"),
        (["run", "mine.toml", "--set", "limits.turn=3"], "unknown key 'limits.turn', did you mean 'turns'?"),
        (["run", "mine.toml", "--set", "user.script=[]"], "user: needs exactly one of model, agenda, script, person"),
        (["run", "mine.toml", "--model", "nosuch:x"], "unknown model provider 'nosuch'"),
        (["run", "mine.toml", "--set", "data=nowhere"], "nowhere"),
        (["run", "mine.toml", "--set", "*=1"], "no KEY=VALUE"),
        (["run", "mine.toml", "--model", "openai:x", "--set", "assistant=[1]"], "no assistant ''"),
        (["run", "mine.toml", "--set", "select.profiles=-1"], "select.profiles"),
        (["run", "mine.toml", "--model", "openai:x", "--base-url", "http://[::1"], "is no address"),
        (["run", "mine.toml", "--set", "limits.concurrency=1e9"], "limits.concurrency"),
        (["run", "x" * 300], "File name too long"),
        (["show", "nosuch"], "no run 'nosuch'"),
        (["replay"], "no run yet"),
        (["resume", "."], "not a run folder"),
        (["judge", "last"], "no run yet"),
        (["compare"], "no run yet"),
        (["profiles", "show", "p1-00"], "did you mean 'p1-"),
        (["tasks", "show", "table-for-fuor"], "did you mean 'table-for-four'?"),
        (["profiles", "import", ".", "--from", "personalens"], "PersonaLens"),
        (["profiles", "import", ".", "--from", "csv"], "unknown format 'csv'"),
        (["chat", "mine.toml", "--profile", "nobody"], "no profile 'nobody'"),
    ],
)
def test_bad_input_is_told_in_a_sentence(place: Path, arguments: list[str], told: str) -> None:
    done = duologue(place, *arguments, COLUMNS="300")
    assert done.returncode == 2
    assert told in done.stderr and done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert not (place / "runs").exists()


@pytest.mark.parametrize("number", ["0", "99", "\u00b2", "9" * 5000, "plain"])
def test_a_dialogue_that_is_not_there_is_told(place: Path, number: str) -> None:
    duologue(place, "run", "mine.toml", "--out", "runs/one")
    done = duologue(place, "show", "one", number)
    assert done.returncode == 2
    assert "no dialogue" in done.stderr and "Traceback" not in done.stderr


def test_what_a_callable_prints_is_not_our_output(place: Path) -> None:
    (place / "loud.py").write_text("def reply(messages):\n    print('NOISE')\n    return 'Noted.'\n", encoding="utf-8")
    script = 'script = ["Booked at once.", "As I said, booked for four."]'
    (place / "mine.toml").write_text(CAMPAIGN.replace(script, 'callable = "loud.py:reply"'), encoding="utf-8")
    done = duologue(place, "run", "mine.toml", "--json")
    assert json.loads(done.stdout)["dialogues"] == 12
    assert "NOISE" in done.stderr


def test_a_broken_run_is_left_out_of_the_list_and_said(place: Path) -> None:
    duologue(place, "run", "mine.toml", "--out", "runs/one")
    (place / "runs" / "two").mkdir()
    (place / "runs" / "two" / "run.json").write_text("[" * 100_000, encoding="utf-8")
    (place / "runs" / "one" / "events-0001-copy.jsonl").write_text("", encoding="utf-8")
    done = duologue(place, "list")
    assert done.returncode == 0, done.stderr
    assert "runs/one" in done.stdout and "left out: " in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_told(place: Path) -> None:
    command = [sys.executable, "-c", "from duologue.cli import main; main()", "tasks", "list", "--json"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=place, timeout=60)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr and b"No space left" in done.stderr


def test_debug_shows_the_traceback(place: Path) -> None:
    assert "Traceback" in duologue(place, "--debug", "run", "nosuch.toml").stderr
    assert "Traceback" in duologue(place, "run", "nosuch.toml", "--debug").stderr


def test_nothing_scored_has_an_exit_code_of_its_own(place: Path) -> None:
    (place / "judge.toml").write_text("replies = ['I will not.']", encoding="utf-8")
    done = duologue(place, "run", "mine.toml")
    assert done.returncode == 3
    assert "No dialogue was scored" in done.stdout


def test_too_many_broken_assistants_have_it_too(place: Path) -> None:
    (place / "broken.py").write_text("def reply(messages):\n    raise ValueError('boom')\n", encoding="utf-8")
    campaign = CAMPAIGN.replace(
        'script = ["Booked at once.", "As I said, booked for four."]', 'callable = "broken.py:reply"'
    )
    (place / "mine.toml").write_text(campaign, encoding="utf-8")
    done = duologue(place, "run", "mine.toml")
    assert done.returncode == 3
    assert "ValueError: boom" in done.stdout + done.stderr


def test_without_a_judge_nothing_is_amiss(place: Path) -> None:
    campaign = CAMPAIGN.replace('judge = { model = "scripted:judge.toml" }\n', "")
    (place / "mine.toml").write_text(campaign, encoding="utf-8")
    done = duologue(place, "run", "mine.toml")
    assert done.returncode == 0, done.stderr
    assert "Not judged" in done.stdout
    again = duologue(place, "judge", "last", "--model", "scripted:judge.toml")
    assert again.returncode == 0, again.stderr
    assert "task success" in again.stdout


@pytest.mark.parametrize("asked", [["--rubric", "default"], ["--base-url", "http://127.0.0.1:9/v1"]])
def test_without_a_judge_it_is_said_what_to_type_to_have_one(place: Path, asked: list[str]) -> None:
    campaign = CAMPAIGN.replace('judge = { model = "scripted:judge.toml" }\n', "")
    (place / "mine.toml").write_text(campaign, encoding="utf-8")
    duologue(place, "run", "mine.toml", "--out", "one")
    done = duologue(place, "judge", "one", *asked)
    then = f"Name one: duologue judge one {' '.join(asked)} --model MODEL"
    assert done.returncode == 2
    assert done.stderr == f"error: one: the campaign has no judge, and no model is named to be one. {then}\n"
    assert duologue(place, "judge", "one", "--rubric", "default", "--model", "scripted:judge.toml").returncode == 0


def test_judge_prints_the_scores_of_the_judge_that_was_asked_for(place: Path) -> None:
    duologue(place, "run", "mine.toml", "--out", "runs/one")
    strict = json.dumps(ANSWER).replace('"yes"', '"no"')
    (place / "strict.toml").write_text(f"replies = ['''{strict}''']", encoding="utf-8")
    other = duologue(place, "judge", "one", "--model", "scripted:strict.toml", "--json")
    assert json.loads(other.stdout)["assistants"][0]["metrics"]["success"]["mean"] == 0
    assert "Nothing was left" not in other.stderr
    again = duologue(place, "judge", "one", "--model", "scripted:judge.toml", "--json")
    assert json.loads(again.stdout)["assistants"][0]["metrics"]["success"]["mean"] == 1
    judge = json.loads(again.stdout)["judging"]["judge"]
    assert f"Nothing was left to judge by {judge} under the rubric default." in again.stderr
    newest = duologue(place, "show", "one", COLUMNS="300").stdout
    assert "12 verdicts of other rubrics or judges left aside: duologue show" in newest
    command = shlex.split(newest.partition("left aside: duologue ")[2].splitlines()[0])
    shown = duologue(place, *command, COLUMNS="300").stdout
    assert f"judged by {json.loads(again.stdout)['judging']['judge']} under" in shown


def test_the_judge_can_be_named_wherever_verdicts_are_used(place: Path) -> None:
    run = duologue(place, "run", "mine.toml", "--out", "runs/one", "--json")
    judge = json.loads(run.stdout)["judging"]["judge"]
    assert "success  yes" in duologue(place, "replay", "one", "1", "--judge", judge).stdout
    compared = duologue(place, "compare", "one", "--judge", judge, "--json")
    assert json.loads(compared.stdout)["judging"]["judge"] == judge
    assert "no verdict by 'nobody'" in duologue(place, "replay", "one", "1", "--judge", "nobody").stderr
    assert "the same run is named twice" in duologue(place, "compare", "one", "last", COLUMNS="200").stderr


def test_check_ends_with_an_error_where_there_is_one(place: Path) -> None:
    person = place / "people" / "profiles" / "mia.toml"
    person.parent.mkdir(parents=True)
    person.write_text('[preferences.Restaurant]\ncuisin = "Thai"\n', encoding="utf-8")
    done = duologue(place, "profiles", "check", "--data", "people", COLUMNS="300")
    assert done.returncode == 2
    assert "did you mean 'Restaurants'" in done.stdout
    assert duologue(place, "profiles", "check").returncode == 0
    assert duologue(place, "tasks", "check").returncode == 0


@pytest.mark.parametrize("command", ["profiles", "tasks"])
def test_the_shipped_data_is_listed_and_shown(place: Path, command: str) -> None:
    held = json.loads(duologue(place, command, "list", "--json").stdout)
    assert held[0]["id"] in duologue(place, command, "list", COLUMNS="200").stdout
    assert held[0]["id"] in duologue(place, command, "show", held[0]["id"]).stdout


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"COLUMNS": "40"},
    ],
)
def test_any_terminal_shows_any_text(place: Path, environment: dict[str, str]) -> None:
    odd = "caf\u00e9 \U0001f469\u200d\U0001f680 \u05e9\u05dc\u05d5\u05dd \u6771\u4eac"
    odd += " \x1b[31mred\x07 e\u0301 [bold]x[/bold]"
    escaped = json.dumps(odd, ensure_ascii=False)
    campaign = CAMPAIGN.replace('"Booked at once."', escaped)
    (place / "mine.toml").write_text(campaign, encoding="utf-8")
    done = duologue(place, "run", "mine.toml", "--out", "runs/one", **environment)
    assert done.returncode == 0, done.stderr
    shown = duologue(place, "replay", "one", "2", **environment)
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout and "\x07" not in shown.stdout
    assert "[bold]x[/bold]" in shown.stdout
    events = json.loads(duologue(place, "show", "one", "2", "--json", **environment).stdout)["events"]
    assert odd in [event["text"] for event in events if event["kind"] == "assistant_turn"]


class Leaky(BaseHTTPRequestHandler):
    """Answers with an error that repeats the key it was given."""

    def do_POST(self) -> None:
        body = json.dumps({"error": {"message": f"bad key {self.headers['Authorization']}", "code": "nope"}}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_no_key_reaches_a_file_or_the_screen(place: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), Leaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    key = "sk-test-" + "k" * 24 + "9"
    url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        sets = ["--set", "assistant.plain.key=MY_KEY", "--set", f"assistant.plain.base_url={url}"]
        model = ["--set", "assistant.plain.model=openai:x"]
        done = duologue(place, "run", "mine.toml", *sets, *model, MY_KEY=key, COLUMNS="300")
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 3
    written = "".join(path.read_text(encoding="utf-8") for path in (place / "runs").rglob("*") if path.is_file())
    assert "bad key" in written
    assert key not in written + done.stdout + done.stderr


def test_doctor_names_what_is_wrong(place: Path) -> None:
    good = duologue(place, "doctor", "mine.toml", COLUMNS="200")
    assert good.returncode == 0, good.stdout
    assert "6 scenarios, 12 dialogues" in good.stdout
    (place / "bot.py").write_text("def reply(messages, context): return 'Noted.'", encoding="utf-8")
    called = CAMPAIGN + '[[assistant]]\nname = "mine"\ncallable = "bot.py:reply"\n'
    (place / "mine.toml").write_text(called, encoding="utf-8")
    assert "bot.py:reply(messages, context); only talks" in duologue(place, "doctor", "mine.toml", COLUMNS="200").stdout
    dead = ["--set", "assistant.plain.base_url=http://127.0.0.1:9/v1"]
    (place / "mine.toml").write_text(
        CAMPAIGN.replace('model = "scripted:Noted', 'base_url = "http://127.0.0.1:9/v1"\nmodel = "Noted'),
        encoding="utf-8",
    )
    bad = duologue(place, "doctor", "mine.toml", COLUMNS="200")
    assert bad.returncode == 2, dead
    assert "127.0.0.1:9" in bad.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_person_in_either_seat_is_heard(place: Path) -> None:
    import pty

    for seat, lines, heard in (
        ("user", "A table, please.\n/stop Thanks, bye.\n", "A table, please."),
        ("assistant", "At Mano?\nBooked.\nBye.\n", "At Mano?"),
    ):
        main, terminal = pty.openpty()
        os.write(main, lines.encode())
        command = [sys.executable, "-c", "from duologue.cli import main; main()", "chat", "mine.toml", "--seat", seat]
        done = subprocess.run(command, cwd=place, stdin=terminal, capture_output=True, timeout=60)
        os.close(main)
        os.close(terminal)
        assert done.returncode == 0, done.stderr
        events = "".join(p.read_text(encoding="utf-8") for p in (place / "runs").glob("chat-*/events-*.jsonl"))
        assert heard in events
