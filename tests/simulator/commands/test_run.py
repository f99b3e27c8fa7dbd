"""`duologue run` and `resume` where money counts: estimates, budgets, the cache."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commandline import duologue

SERVER = Path(__file__).parents[2] / "servers" / "openai_server.py"
CAMPAIGN = """
seed = 1
user = { model = "openai:user" }
judge = { model = "openai:judge" }
select = { profiles = 2, domains = ["Movies"], sample = 4 }
limits = { turns = 3, concurrency = 2 }
[[assistant]]
name = "plain"
model = "openai:helper"
tools = "off"
[prices]
currency = "EUR"
"openai:user" = { input = 1, output = 10 }
"openai:helper" = { input = 2, output = 20 }
"openai:judge" = { input = 3, output = 30 }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(CAMPAIGN, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server in a process of its own: the commands are called one after the other."""
    root = str(SERVER.parents[2])
    command = [sys.executable, "-m", "tests.servers.openai_server"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def test_a_dry_run_needs_no_key_and_leaves_nothing(place: Path) -> None:
    done = duologue(place, "run", "mine.toml", "--dry-run", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    for text in (
        "4 dialogues",
        "assistant plain",
        "openai:helper",
        "4 to 12 calls",
        "In all: ",
        " EUR",
        "letters to a",
    ):
        assert text in done.stdout
    said = json.loads(duologue(place, "run", "mine.toml", "--dry-run", "--json").stdout)
    assert said["roles"][1]["calls"] == {"low": 4, "high": 12} and said["cost"]["high"] > said["cost"]["low"] > 0
    assert [path.name for path in place.iterdir()] == ["mine.toml"]


def test_a_dry_run_says_what_lacks_a_price(place: Path) -> None:
    (place / "mine.toml").write_text(CAMPAIGN.replace('"openai:judge" = ', '"openai:other" = '), encoding="utf-8")
    done = duologue(place, "run", "mine.toml", "--dry-run", COLUMNS="200", XDG_CONFIG_HOME=str(place))
    assert done.returncode == 0
    assert "In all: unknown" in done.stdout and '"openai:judge" = { input = ' in done.stdout


def test_a_budget_ends_a_run_and_says_how_to_go_on(place: Path, url: str) -> None:
    whole = duologue(place, "run", "mine.toml", "--base-url", url, "--out", "runs/all", COLUMNS="200")
    assert whole.returncode == 0, whole.stderr
    assert "cost" in whole.stdout and " EUR" in whole.stdout and "in all" in whole.stdout
    said = json.loads(duologue(place, "show", "all", "--json").stdout)["summary"]
    price = sum(said["assistants"][0]["cost"].values())
    some = duologue(
        place, "run", "mine.toml", "--base-url", url, "--out", "runs/one", "--budget", str(price / 3), COLUMNS="200"
    )
    assert some.returncode == 130
    assert "is spent (" in some.stdout and "is spent (" in some.stderr
    assert "duologue resume runs/one --budget " in some.stdout
    again = duologue(place, "resume", "one", COLUMNS="300")
    assert again.returncode == 2
    assert "is spent (" in again.stderr and "duologue resume runs/one --budget" in again.stderr
    assert len(again.stderr.strip().splitlines()) == 1
    done = duologue(place, "resume", "one", "--budget", str(2 * price), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["left"] == 0 and found["budget"] == 2 * price
    assert sum(found["assistants"][0]["cost"].values()) == pytest.approx(price)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--budget", "0"], "limits.budget"),
        (["--budget", "nan"], "limits.budget"),
        (["--budget", "much"], "Invalid value for '--budget'"),
        (["--budget", "1", "--set", "user.model=openai:new"], "a budget needs the price of openai:new (user)"),
        (["--cache", "mine.toml"], "is no cache to use"),
        (["--cache", ""], "an empty name is no place to write to"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_asked(place: Path, arguments: list[str], told: str) -> None:
    done = duologue(
        place, "run", "mine.toml", "--base-url", "http://127.0.0.1:9/v1", *arguments,
        COLUMNS="300", XDG_CONFIG_HOME=str(place),
    )  # fmt: skip
    assert done.returncode == 2
    assert told in done.stderr and "Traceback" not in done.stderr
    assert not (place / "runs").exists()


def test_a_second_run_with_the_cache_is_marked(place: Path, url: str) -> None:
    for name in ("one", "two"):
        done = duologue(
            place, "run", "mine.toml", "--base-url", url, "--cache", "c.db", "--out", f"runs/{name}", COLUMNS="200"
        )
        assert done.returncode == 0, done.stderr
        marked = "user 12 of 12 calls · assistant 12 of 12 calls · judge 4 of 4 calls" in done.stdout
        assert marked == (name == "two"), done.stdout
    assert (place / "c.db").exists()
