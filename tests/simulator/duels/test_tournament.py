"""Tournaments over real runs on the loopback server: recorded, resumed, never mixed."""

import asyncio
import json
import os
import re
import shutil
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.commandline import begun, called, ended
from tests.simulator.loopback import campaign
from tests.simulator.records import dialogue
from tests.simulator.records import run as made
from typer.testing import CliRunner

from duologue.campaign import JudgeSpec
from duologue.cli import app
from duologue.duels.holding import hold
from duologue.duels.record import read_duels
from duologue.duels.report import Duels
from duologue.duels.spectator import Spectator
from duologue.duels.tournament import Card, said, tournament, whose
from duologue.record.run import read_run
from duologue.run import run
from duologue.tasks.written import BadInput

SELECT = {"profiles": 4, "domains": ["Movies"], "sample": 4}
POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")


@pytest.fixture(scope="module")
def template(servers: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four scenarios with two assistants, in which nobody failed."""
    folder: Path = tmp_path_factory.mktemp("duels") / "r"

    async def make() -> None:
        async with servers.OpenAIServer() as server:
            await run(campaign(server, ("one", "two"), select=SELECT), folder)

    asyncio.run(make())
    return folder


@pytest.fixture
def card(template: Path, tmp_path: Path) -> Card:
    """The card of a copy of that run, in `tmp_path / "r"`."""
    shutil.copytree(template, tmp_path / "r")
    return tournament([read_run(tmp_path / "r")])


def altered(card: Card, **changes: Any) -> Card:
    """The card of its run under other limits and prices."""
    path = card.folder / "run.json"
    held = json.loads(path.read_text("utf-8"))
    held["campaign"] |= changes
    path.write_text(json.dumps(held), "utf-8")
    return tournament([read_run(card.folder)])


async def talked(server: Any, folder: Path, *names: str, **changes: Any) -> Card:
    """A run of its own, and the card of its duels."""
    await run(campaign(server, names or ("one", "two"), select=SELECT, **changes), folder)
    server.calls.clear()
    return tournament([read_run(folder)])


def model(server: Any, name: str = "umpire") -> JudgeSpec:
    return JudgeSpec(model=name, base_url=server.base_url)


def answering(servers: ModuleType, choose: Any) -> Any:
    """A server's behaviour: `choose` is given both records and says which."""

    def behave(call: Any) -> Any:
        names = re.search(r'Names in "choices": (.*)\.', call.texts[-1])
        if names is None:
            return None
        found = re.findall(r"\n\n(=== RECORD \w+ ===)\n(.*?)\n\1", call.texts[-1], re.DOTALL)
        said = choose(*(text for _, text in found))
        choices = {name: {"reason": "so", "choice": said} for name in names[1].split(", ")}
        return servers.say(json.dumps({"choices": choices}))

    return behave


async def test_every_pair_is_judged_in_both_orders_and_recorded(server: Any, card: Card, tmp_path: Path) -> None:
    """The plausible judge of the server says what stands first in its choices: first."""
    heard: list[Any] = []
    by, stopped = await hold(card, model(server), Spectator(heard=heard.append))
    assert (by.judge, by.rubric, stopped) == ("umpire", card.rubric.fingerprint, "")
    assert len(server.calls) == len(heard) == 8
    assert [path.name for path in (tmp_path / "r").glob("duels-*")] == ["duels-0002.jsonl"]
    duels, notes = read_duels([tmp_path / "r"])
    assert (duels, notes) == (heard, [])
    keys = {(duel.first.cell, duel.second.cell) for duel in duels}
    assert len(keys) == 8 and {(b, a) for a, b in keys} == keys
    found = said(card, by)
    assert (found.answers, found.left, found.failed, found.unread) == (8, 0, 0, {})
    for result in found.pairings[0].results:
        assert (result.pairs, result.ties, result.flips, result.finding) == (4, 4, 4, "too few profiles to tell")
    assert {habit.first.value for habit in found.habits} == {1.0}
    assert found.usage and found.usage.calls == 8 and found.cost is None
    assert Duels.model_validate_json(found.model_dump_json()) == found


async def test_what_stands_is_not_asked_again(server: Any, card: Card, tmp_path: Path) -> None:
    assert whose(card) == (None, False)
    by, _ = await hold(card, model(server))
    assert whose(card) == (by, True)
    assert await hold(card, model(server)) == (by, "")
    assert len(server.calls) == 8
    assert len(list((tmp_path / "r").glob("duels-*"))) == 1
    other, _ = await hold(card, model(server, "arbiter"))
    assert len(server.calls) == 16
    assert (said(card, other).answers, said(card, other).others) == (8, (by,))
    assert whose(card) == (other, True)
    assert whose(card, "umpire") == (by, True)


async def test_rubrics_are_never_mixed(server: Any, card: Card, tmp_path: Path) -> None:
    by, _ = await hold(card, model(server))
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "pairwise"\n[[dimensions]]\nname = "overall"\nscale = "pair"\nquestion = "Which?"\n', "utf-8"
    )
    mine = tournament([read_run(tmp_path / "r")], rubric=str(own))
    assert whose(mine) == (None, False)
    other, _ = await hold(mine, model(server))
    assert len(server.calls) == 16
    assert (other.rubric_name, other.judge) == (by.rubric_name, by.judge) and other.rubric != by.rubric
    assert (said(mine, other).answers, said(mine, other).others) == (8, (by,))
    assert [habit.question for habit in said(mine, other).habits] == ["overall"]


async def test_preferences_come_out_whatever_the_order(server: Any, servers: ModuleType, tmp_path: Path) -> None:
    server.behave = lambda call: servers.say("I know a film for you.") if call.model == "two" else None
    card = await talked(server, tmp_path / "r")
    server.behave = answering(servers, lambda first, _: "first" if "I know a film" in first else "second")
    by, _ = await hold(card, model(server))
    (pairing,) = said(card, by).pairings
    assert (pairing.a, pairing.b, pairing.pairs, pairing.profiles) == ("one", "two", 4, 4)
    assert [(r.wins, r.ties, r.losses, r.flips) for r in pairing.results] == [(0, 0, 4, 0)] * len(pairing.results)


async def test_three_assistants_of_two_runs_meet_two_by_two(server: Any, tmp_path: Path) -> None:
    await run(campaign(server, ("one", "two"), select=SELECT), tmp_path / "a")
    await run(campaign(server, ("one",), select=SELECT), tmp_path / "b")
    runs = [read_run(tmp_path / name) for name in "ab"]
    card = tournament(runs)
    by, _ = await hold(card, model(server))
    found = said(card, by)
    assert found.sides == ("one @ a", "two", "one @ b")
    assert (found.answers, len(found.pairings), len(found.rankings)) == (24, 3, 3)
    assert not list((tmp_path / "b").glob("duels-*"))
    turned = tournament(list(reversed(runs)))
    assert (whose(turned), said(turned, by).answers) == ((by, True), 24), "in whichever order the runs are named"


async def test_runs_whose_own_judges_differ_can_be_compared_pairwise(server: Any, tmp_path: Path) -> None:
    judge = {"judge": {"model": "grader", "base_url": server.base_url}}
    await run(campaign(server, ("one",), select=SELECT, **judge), tmp_path / "a")
    await run(campaign(server, ("two",), select=SELECT), tmp_path / "b")
    assert len(tournament([read_run(tmp_path / "a"), read_run(tmp_path / "b")]).bouts) == 8


async def test_what_the_endpoint_spoilt_is_asked_again_and_counts_as_nothing(
    server: Any, servers: ModuleType, card: Card
) -> None:
    card = altered(card, limits={"tries": 1})
    server.then(servers.error(500, "down"))
    by, _ = await hold(card, model(server))
    found = said(card, by)
    assert (found.answers, found.failed, found.left) == (8, 1, 1)
    assert found.pairings[0].results[0].pairs == 3
    assert "provider_error" in next(iter(found.unread))
    assert whose(card) == (by, False)
    await hold(card, model(server))
    assert len(server.calls) == 9
    again = said(card, by)
    assert (again.failed, again.left, again.unread, again.pairings[0].results[0].pairs) == (0, 0, {}, 4)


async def test_concurrency_changes_nothing(server: Any, servers: ModuleType, card: Card) -> None:
    behave = answering(servers, lambda first, second: "first" if len(first) % 7 > len(second) % 5 else "tie")
    server.behave = lambda call: servers.Room(9, 0.03, behave(call))
    told = []
    for many in (1, 8):
        card = altered(card, limits={"concurrency": many})
        by, _ = await hold(card, model(server, f"umpire{many}"))
        told.append([pairing.results for pairing in said(card, by).pairings])
    assert server.most_at_once > 1
    assert told[0] == told[1]


async def test_a_budget_ends_it_and_a_higher_one_goes_on(server: Any, card: Card) -> None:
    prices = {"umpire": {"input": 1000, "output": 1000}}
    card = altered(card, prices=prices, limits={"concurrency": 1})
    by, stopped = await hold(card, model(server), budget=0.001)
    assert "The budget of 0.001 USD is spent" in stopped
    found = said(card, by, stopped)
    assert (found.answers, found.left) == (1, 7)
    assert found.cost is not None and found.cost > 0.001
    with pytest.raises(BadInput, match=r"the budget of 0.001 USD is spent .* --budget"):
        await hold(card, model(server), budget=0.001)
    assert (await hold(card, model(server), budget=1e9))[1] == ""
    assert said(card, by).left == 0
    with pytest.raises(BadInput, match=r"a budget needs the price of arbiter"):
        await hold(card, model(server, "arbiter"), budget=1)


async def test_the_assistants_own_model_as_judge_is_warned_of(server: Any, card: Card, tmp_path: Path) -> None:
    by, _ = await hold(card, model(server, "two"))
    assert "the judge is two's own model" in said(card, by).warnings[0]
    by, _ = await hold(card, model(server, "third"))
    assert not [told for told in said(card, by).warnings if "own model" in told]


async def test_dialogues_that_no_judge_reads_are_left_out_and_told_of(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    server.behave = lambda call: servers.error(400, "no") if call.model == "two" and 1 < call.number < 12 else None
    card = await talked(server, tmp_path / "r", limits={"tries": 1, "concurrency": 1})
    server.behave = None
    barred = [match.barred for match in card.meetings[0].matches if match.barred]
    assert barred and all(why.startswith("two: provider_error (infrastructure)") for why in barred)
    by, _ = await hold(card, model(server))
    (pairing,) = said(card, by).pairings
    assert sum(pairing.barred.values()) == len(barred)
    assert len(server.calls) == 2 * (4 - len(barred))
    assert pairing.results[0].missing == pairing.barred


def test_what_cannot_be_compared_is_refused() -> None:
    two = [dialogue("anna", assistant="a"), dialogue("anna", assistant="b")]
    with pytest.raises(BadInput, match="takes two assistants"):
        tournament([made(two[0])])
    with pytest.raises(BadInput, match=r"rubric default: it grades single dialogues .* --rubric pairwise"):
        tournament([made(*two)], rubric="default")
    with pytest.raises(BadInput, match="no rubric 'pairwis', did you mean 'pairwise'"):
        tournament([made(*two)], rubric="pairwis")
    with pytest.raises(BadInput, match="the runs are no pairs, they differ in user"):
        tournament([made(two[0], name="x"), made(two[1], name="y", user="u2")])
    with pytest.raises(BadInput, match=r"no two dialogues to lay side by side: not run by a, not run by b"):
        tournament([made(two[0], dialogue("bo", assistant="b"))])
    with pytest.raises(BadInput, match=r"no two dialogues to lay side by side: b: timeout \(infrastructure\)"):
        tournament([made(two[0], dialogue("anna", assistant="b", reason="timeout", role="assistant"))])


async def test_a_damaged_line_is_named_and_a_torn_one_is_dropped(server: Any, card: Card, tmp_path: Path) -> None:
    by, _ = await hold(card, model(server))
    (file,) = (tmp_path / "r").glob("duels-*")
    whole = file.read_text("utf-8")
    file.write_text(whole[:-40], "utf-8")
    found = said(card, by)
    assert (found.answers, found.left) == (7, 1)
    assert f"{file}:8: the last line is torn and was dropped" in found.notes
    file.write_text(whole.replace('"v":1', '"v":7', 1), "utf-8")
    with pytest.raises(BadInput, match=rf"{file.name}:1.*damaged line"):
        said(card, by)


async def test_a_run_in_use_is_left_alone(server: Any, card: Card, tmp_path: Path) -> None:
    from duologue.record.store import Lock

    with Lock(tmp_path / "r"), pytest.raises(BadInput, match="the run is in use"):
        await hold(card, model(server))
    assert server.calls == []


async def lines_of(folder: Path, least: int) -> int:
    """How many answers stand, once there are at `least` so many."""
    while True:
        held = [line for path in folder.glob("duels-*") for line in path.read_bytes().splitlines()]
        if len(held) >= least:
            return len(held)
        await asyncio.sleep(0.02)


@POSIX
async def test_killed_it_loses_only_the_calls_in_flight(
    server: Any, servers: ModuleType, card: Card, tmp_path: Path
) -> None:
    altered(card, limits={"concurrency": 2})
    server.behave = lambda call: servers.Room(9, 0.15)
    command = "compare", "r", "--pairwise", "--model", "umpire", "--base-url", server.base_url
    process = await begun(tmp_path, *command)
    await asyncio.wait_for(lines_of(tmp_path / "r", 2), 30)
    process.kill()
    await ended(process)
    stood = await lines_of(tmp_path / "r", 0)
    assert 2 <= stood < 8
    server.calls.clear()
    done = await called(tmp_path, *command, "--json")
    assert done.returncode == 0, done.stderr
    assert len(server.calls) == 8 - stood
    told = json.loads(done.stdout)
    assert (told["answers"], told["left"]) == (8, 0)
    assert len(read_duels([tmp_path / "r"])[0]) == 8


@POSIX
async def test_interrupted_it_ends_after_the_calls_in_flight(
    server: Any, servers: ModuleType, card: Card, tmp_path: Path
) -> None:
    altered(card, limits={"concurrency": 2})
    server.behave = lambda call: servers.Room(9, 0.15)
    process = await begun(tmp_path, "compare", "r", "--pairwise", "--model", "umpire", "--base-url", server.base_url)
    await asyncio.wait_for(lines_of(tmp_path / "r", 2), 30)
    process.send_signal(signal.SIGINT)
    done = await ended(process)
    assert done.returncode == 130, done.stderr
    assert "Stopping after the calls in flight" in done.stderr
    assert len(server.calls) == await lines_of(tmp_path / "r", 2) < 8
    assert "to be asked for" in done.stdout


async def test_the_command_asks_the_campaigns_judge_once_and_then_nobody(server: Any, tmp_path: Path) -> None:
    judge = {"judge": {"model": "grader", "base_url": server.base_url}}
    await talked(server, tmp_path / "r", **judge)
    first = await called(tmp_path, "compare", "r", "--pairwise")
    assert first.returncode == 0, first.stderr
    assert (len(server.calls), {call.model for call in server.calls}) == (8, {"grader"})
    assert "compared by grader under the rubric pairwise" in first.stdout
    await server.stop()
    for more in ([], ["--judge", "grader"]):
        again = CliRunner().invoke(app, ["compare", str(tmp_path / "r"), "--pairwise", *more])
        assert (again.exit_code, again.stdout) == (0, first.stdout)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--pairwise"], "the campaign has no judge, and no model is named to be one. Name one: duologue compare"),
        (["--pairwise", "--judge", "x"], "nothing was compared by 'x'"),
        (["--model", "x"], "Add --pairwise"),
        (["--pairwise", "--by", "domain"], "Drop --by"),
        (["--pairwise", "-a", "one"], "comparing takes two assistants"),
        (["--pairwise", "--rubric", "default"], "it grades single dialogues"),
        (["--pairwise", "--model", "nowhere"], "names no provider"),
    ],
)
def test_what_the_command_refuses(card: Card, options: list[str], told: str) -> None:
    done = CliRunner().invoke(app, ["compare", str(card.folder), *options])
    assert isinstance(done.exception, BadInput)
    assert told in str(done.exception)
    assert done.output == ""
