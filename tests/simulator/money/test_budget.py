"""Budgets: when a run stops, what is marked, how it goes on; and runs with a cache."""

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.events import Event
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign
from duologue.listener import Listener
from duologue.record.run import Run, read_dialogues, read_manifest
from duologue.run import resume, run
from duologue.scores import summary
from duologue.tasks.written import BadInput, parse

PRICES = {
    "openai:user": {"input": 1, "output": 10},
    "openai:helper": {"input": 2, "output": 20},
    "openai:judge": {"input": 3, "output": 30},
}


def campaign(server: Any, **changes: Any) -> Campaign:
    url = {"base_url": server.base_url}
    written = {
        "name": "t",
        "user": {"model": "openai:user", **url},
        "judge": {"model": "openai:judge", **url},
        "assistant": [{"name": "a", "model": "openai:helper", "tools": "off", **url}],
        "select": {"profiles": 2, "domains": ["Movies"], "sample": 4},
        "prices": PRICES,
        **changes,
    }
    limits = {"turns": 3, "concurrency": 2, "backoff": 0, **changes.get("limits", {})}
    return parse(Campaign, {**written, "limits": limits}, "test")


def paid(done: Run) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for each in summary(done).assistants:
        for role, amount in each.cost.items():
            before = found.get(role, 0.0)
            found[role] = None if amount is None or before is None else before + amount
    return found


def whole(amounts: dict[str, float | None]) -> float:
    return sum(amount for amount in amounts.values() if amount is not None)


def words(done: Run) -> list[Any]:
    """What was said and judged."""
    held = sorted(read_dialogues(done), key=lambda dialogue: dialogue.cell)
    return [(d.cell, d.script, d.ending, [verdict.scores for verdict in d.verdicts]) for d in held]


class Heard(Listener):
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.happened: list[Event | Verdict] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def event(self, event: Event) -> None:
        self.happened.append(event)

    def verdict(self, verdict: Verdict) -> None:
        self.happened.append(verdict)


async def test_cost_is_told_by_role(server: Any, servers: Any, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    server.behave = lambda call: servers.say(servers.plausible_text(call), usage=usage)
    done = await run(campaign(server), tmp_path / "r")
    calls = {name: sum(call.model == name for call in server.calls) for name in ("user", "helper", "judge")}
    assert calls["judge"] == 4 and calls["user"] >= 8
    assert paid(done) == {
        "user": pytest.approx(calls["user"] * 2e-3),
        "assistant": pytest.approx(calls["helper"] * 4e-3),
        "judge": pytest.approx(calls["judge"] * 6e-3),
    }
    assert summary(done).currency == "USD"


async def test_an_unknown_price_is_unknown(server: Any, tmp_path: Path) -> None:
    prices = {name: price for name, price in PRICES.items() if name != "openai:helper"}
    found = paid(await run(campaign(server, prices=prices), tmp_path / "r"))
    assert found["assistant"] is None and found["user"] and found["judge"]


async def test_a_spent_budget_stops_a_run_and_a_new_one_goes_on(server: Any, tmp_path: Path) -> None:
    full = await run(campaign(server), tmp_path / "full")
    price = whole(paid(full))
    server.calls.clear()
    heard = Heard()
    some = await run(campaign(server, limits={"budget": price / 3}), tmp_path / "r", [heard])
    said = summary(some)
    assert 0 < said.left < 4 or said.stopped
    assert said.stopped in heard.notes and "is spent" in said.stopped
    assert price / 3 <= whole(paid(some)) < price * 0.75
    ended = [d.ending for d in some.dialogues if d.ending and not d.ending.finished]
    assert ended and {(end.reason, end.owner) for end in ended} == {("budget", "limits")}
    before = len(server.calls)
    with pytest.raises(BadInput, match=r"the budget of .* is spent .* duologue resume .* --budget"):
        await resume(tmp_path / "r")
    assert len(server.calls) == before
    done = await resume(tmp_path / "r", budget=price * 2)
    assert summary(done).left == 0 and not done.stopped
    assert words(done) == words(full)
    assert whole(paid(done)) == pytest.approx(price)
    assert read_manifest(tmp_path / "r").campaign["limits"]["budget"] == price * 2


async def test_a_budget_that_the_last_verdict_spends_stops_nothing(server: Any, tmp_path: Path) -> None:
    price = whole(paid(await run(campaign(server), tmp_path / "full")))
    done = await run(campaign(server, limits={"budget": price * 0.9999, "concurrency": 1}), tmp_path / "r")
    assert done.stopped == "" and summary(done).left == 0
    done = await run(campaign(server, limits={"budget": price - 1e-9, "concurrency": 1}, judge=None), tmp_path / "s")
    assert done.stopped == ""


async def test_verdicts_that_the_budget_left_out_are_made_under_a_new_one(server: Any, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"select": {"profiles": 1, "domains": ["Movies"], "sample": 1}}
    found = paid(await run(campaign(server, **changes), tmp_path / "full"))
    price = whole(found)
    some = await run(campaign(server, **changes, limits={"budget": whole({**found, "judge": 0})}), tmp_path / "r")
    assert some.stopped and summary(some).left == 0 and not some.dialogues[0].verdicts
    made = len(server.calls)
    done = await resume(tmp_path / "r", budget=2 * price)
    assert len(server.calls) == made + 1 and len(done.dialogues[0].verdicts) == 1 and not done.stopped


async def test_what_earlier_parts_cost_counts_also_where_it_was_begun_anew(server: Any, tmp_path: Path) -> None:
    found = paid(await run(campaign(server), tmp_path / "full"))
    once = whole({**found, "judge": 0})
    events = (tmp_path / "full" / "events-0001.jsonl").read_text(encoding="utf-8")
    for path in (tmp_path / "full").glob("verdicts-*"):
        path.unlink()
    twice = [json.dumps({**json.loads(line), "attempt": 2}) for line in events.splitlines()]
    (tmp_path / "full" / "events-0002.jsonl").write_text("\n".join(twice) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is spent"):
        await resume(tmp_path / "full", budget=once * 1.9)


async def test_a_budget_needs_prices(server: Any, tmp_path: Path) -> None:
    prices = {name: price for name, price in PRICES.items() if name != "openai:judge"}
    with pytest.raises(BadInput, match=r"needs the price of openai:judge \(judge\).*\[prices\].*\"openai:judge\" = "):
        await run(campaign(server, prices=prices, limits={"budget": 5}), tmp_path / "r")
    assert not server.calls and not (tmp_path / "r").exists()


@pytest.mark.parametrize("amount", [0, -1, float("nan"), float("inf")])
async def test_a_budget_is_more_than_nothing(server: Any, tmp_path: Path, amount: float) -> None:
    with pytest.raises(BadInput):
        campaign(server, limits={"budget": amount})
    await run(campaign(server), tmp_path / "r")
    if amount != float("inf"):
        with pytest.raises(BadInput, match="is no budget"):
            await resume(tmp_path / "r", budget=amount)


async def test_a_run_goes_on_without_a_budget(server: Any, tmp_path: Path) -> None:
    stopped = await run(campaign(server, limits={"budget": 1e-9, "concurrency": 1}), tmp_path / "r")
    assert stopped.stopped
    done = await resume(tmp_path / "r", budget=float("inf"))
    assert not done.stopped
    assert {each.ending.reason for each in done.dialogues if each.ending} == {"satisfied"}


async def test_a_model_that_tells_no_tokens_ends_what_cannot_be_kept(server: Any, servers: Any, tmp_path: Path) -> None:
    server.behave = lambda call: servers.say(servers.plausible_text(call), usage={}) if call.model == "helper" else None
    done = await run(campaign(server, limits={"budget": 100, "concurrency": 1}), tmp_path / "r")
    assert "cannot be kept: the model of the assistant a tells no tokens" in done.stopped
    assert len(server.calls) == 2


async def test_a_count_that_is_missing_once_is_taken_for_the_dearest(server: Any, servers: Any, tmp_path: Path) -> None:
    def behave(call: Any) -> Any:
        usage = {} if call.number == 5 else {"prompt_tokens": 1000, "completion_tokens": 100}
        return servers.say(servers.plausible_text(call), usage=usage)

    server.behave = behave
    done = await run(campaign(server, limits={"budget": 100, "concurrency": 1}), tmp_path / "r")
    assert not done.stopped and summary(done).left == 0


async def test_prices_written_later_serve_a_run_that_is_gone_on_with(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    await run(campaign(server, prices={}), tmp_path / "r")
    with pytest.raises(BadInput, match="needs the price of openai:user"):
        await resume(tmp_path / "r", budget=50)
    lines = [f'"{name}" = {{ input = {each["input"]}, output = {each["output"]} }}' for name, each in PRICES.items()]
    (tmp_path / "duologue").mkdir()
    (tmp_path / "duologue" / "prices.toml").write_text("[prices]\n" + "\n".join(lines), encoding="utf-8")
    done = await resume(tmp_path / "r", budget=50)
    assert None not in paid(done).values()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert paid(await resume(tmp_path / "r")) == paid(done)


def numbered(servers: Any) -> Any:
    """A server that never says the same twice, so that no sample is like another."""

    def behave(call: Any) -> Any:
        text = servers.plausible_text(call)
        if servers.schema_of(call) is None:
            text += f" It is number {call.number}."
        return servers.say(text)

    return behave


async def test_trials_with_a_cache_are_samples_and_come_again_without_a_call(
    server: Any, servers: Any, tmp_path: Path
) -> None:
    server.behave = numbered(servers)
    changes: dict[str, Any] = {"trials": 3, "cache": {"path": str(tmp_path / "c.db")}, "select": {"sample": 1}}
    first = await run(campaign(server, **changes), tmp_path / "one")
    said = {tuple(m.text for m in d.script.messages if m.role == "assistant") for d in read_dialogues(first)}
    assert len(said) == len(first.dialogues) == 3
    made = len(server.calls)
    again = await run(campaign(server, **changes), tmp_path / "two")
    assert len(server.calls) == made
    assert words(again) == words(first)
    found = summary(again).assistants[0]
    assert all(used.stored == used.calls for used in found.usage.values())
    assert found.usage["assistant"].input == summary(first).assistants[0].usage["assistant"].input
    assert paid(again) == {"user": 0, "assistant": 0, "judge": 0}
    other = await run(campaign(server, **changes, seed=7), tmp_path / "three")
    assert len(server.calls) > made and words(other) != words(first)


async def test_a_cache_spends_no_budget(server: Any, tmp_path: Path) -> None:
    cache = {"path": str(tmp_path / "c.db")}
    await run(campaign(server, cache=cache), tmp_path / "one")
    done = await run(campaign(server, cache=cache, limits={"budget": 1e-9}), tmp_path / "two")
    assert not done.stopped and summary(done).left == 0
