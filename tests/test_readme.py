"""The README: its length, its files and its commands, each run as it stands there."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from duologue.campaign import AssistantSpec
from duologue.cli import app
from tests.commandline import duologue

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCRIPTED = "scripted:Is that all?|Noted, it is done.|Goodbye, then."
"""Stands in for the models, so that the commands can be tried in a second."""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    return [line[2:] for block in blocks("console") for line in block.splitlines()]


def files() -> dict[str, str]:
    """The files that the README shows: blocks whose first line is a comment with a file's name."""
    shown = blocks("python") + blocks("toml")
    return {block.split("\n", 1)[0][2:].partition(":")[0]: block for block in shown if block.startswith("# ")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's files, their models scripted."""
    folder = tmp_path_factory.mktemp("readme")
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace('model = "local"', f'model = "{SCRIPTED}"'), encoding="utf-8")
    return folder


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_the_first_command_sets_up_and_runs() -> None:
    first, *_ = commands()
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install") and first.endswith(
        "duologue run quickstart"
    )


def test_the_check_command_runs_all_checks() -> None:
    assert any(command.endswith(".venv/bin/python -m tests") for command in commands())


def test_every_command_is_told() -> None:
    known = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert known and not [name for name in known if name and not re.search(rf"duologue {name}\b|`{name}`", README)]


def test_its_screen_is_what_the_sample_run_prints() -> None:
    (screen,) = blocks("text")
    shown = duologue(ROOT, "show", "runs/sample", COLUMNS="100").stdout.splitlines()
    told = [line.rstrip() for line in screen.splitlines() if line.strip()]
    assert len(told) > 10 and not set(told) - {line.rstrip() for line in shown}


def test_its_campaign_and_tables_are_toml() -> None:
    assert all(tomllib.loads(block) for block in blocks("toml"))


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("duologue ")])
def test_its_commands_work(place: Path, line: str) -> None:
    words = shlex.split(line)[1:]
    if any("base_url" in word for word in words):
        at = next(n for n, word in enumerate(words) if "base_url" in word)
        words = [word.replace("openai:NAME", SCRIPTED) for word in (*words[: at - 1], *words[at + 1 :])]
    done = duologue(place, *words)
    if words[0] in ("list", "show", "replay", "compare") and not (place / "runs").exists():
        assert "duologue run" in done.stdout + done.stderr
        assert duologue(place, "run", "mine.toml").returncode in (0, 3)
        done = duologue(place, *words)
    expected = (0, 3) if words[0] == "run" else (0,)
    assert done.returncode in expected, done.stderr
    assert "Traceback" not in done.stderr


def test_its_endpoint_is_an_assistant() -> None:
    (block,) = [tomllib.loads(block) for block in blocks("toml") if "endpoint =" in block]
    assert [AssistantSpec.model_validate(each).name for each in block["assistant"]] == ["service"]


def test_its_script_works(place: Path) -> None:
    done = subprocess.run([sys.executable, "campaign.py"], cwd=place, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "unscored" in done.stdout


def test_it_links_to_what_is_there() -> None:
    assert all((ROOT / target).exists() for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README))
