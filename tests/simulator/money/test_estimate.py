"""Estimates: what a campaign may take, against what it does take."""

from pathlib import Path
from typing import Any

import pytest

from duologue.campaign import Campaign
from duologue.money.estimate import estimate
from duologue.run import run
from duologue.scores import summary
from duologue.tasks.written import BadInput, parse

PRICES = {
    "openai:user": {"input": 1, "output": 10},
    "openai:helper": {"input": 2, "output": 20},
    "openai:judge": {"input": 3, "output": 30},
}


def campaign(**changes: Any) -> Campaign:
    written = {
        "user": {"model": "openai:user"},
        "judge": {"model": "openai:judge"},
        "assistant": [
            {"name": "a", "model": "openai:helper"},
            {"name": "b", "model": "openai:helper", "context": ["preferences"], "memory": "embedding:3"},
        ],
        "select": {"profiles": 3, "sample": 6},
        "prices": PRICES,
        "limits": {"turns": 4},
        **changes,
    }
    return parse(Campaign, written, "test")


async def test_what_a_run_takes_lies_between(server: Any, tmp_path: Path) -> None:
    url = {"base_url": server.base_url}
    assistants = [{"name": name, "model": "openai:helper", "tools": "off", **url} for name in ("a", "b")]
    user, judge = {"model": "openai:user", **url}, {"model": "openai:judge", **url}
    held = campaign(user=user, judge=judge, assistant=assistants, trials=2)
    found = await estimate(held)
    assert not server.calls
    done = summary(await run(held, tmp_path / "r"))
    for each in found.roles:
        role, _, name = each.role.partition(" ")
        spent = [a.usage[role] for a in done.assistants if name in ("", a.name)]
        taken = [sum(getattr(used, what) or 0 for used in spent) for what in ("calls", "input", "output")]
        spans = each.calls, each.input, each.output
        # the server's count leaves out schemas, and it says as little as it can
        assert all(span.low * 0.6 <= it <= span.high for span, it in zip(spans, taken, strict=True)), (each, taken)
    costs = [amount for a in done.assistants for amount in a.cost.values() if amount is not None]
    assert found.cost and found.cost.low * 0.6 < sum(costs) < found.cost.high


async def test_calls_are_counted_as_a_run_makes_them() -> None:
    found = await estimate(campaign(trials=3))
    calls = {each.role: (each.calls.low, each.calls.high) for each in found.roles}
    dialogues = 6 * 3
    assert found.dialogues == 2 * dialogues
    user = dialogues, dialogues + 2 * 3 * dialogues  # the opener once for both assistants
    assert calls["user"] == user and calls["judge"] == (2 * dialogues, 2 * dialogues)
    assert calls["assistant a"][0] == dialogues
    assert 4 * dialogues < calls["assistant a"][1] <= 3 * 4 * dialogues


async def test_tokens_grow_with_turns_context_and_room() -> None:
    def high(found: Any, role: str) -> Any:
        return next(each for each in found.roles if each.role == role)

    four = await estimate(campaign())
    eight = await estimate(campaign(limits={"turns": 8}))
    assert high(eight, "user").input.high > 2 * high(four, "user").input.high
    assert high(eight, "user").input.low == high(four, "user").input.low
    assert high(four, "assistant b").input.low > high(four, "assistant a").input.low
    short = await estimate(campaign(user={"model": "openai:user", "max_tokens": 30}))
    assert high(short, "user").output.high == 30 * high(short, "user").calls.high
    assert high(short, "user").output.high < high(four, "user").output.high


async def test_whoever_needs_no_model_is_not_in_it() -> None:
    found = await estimate(campaign(
        user={"agenda": True},
        assistant=[{"reference": "ceiling"}, {"name": "mine", "callable": "nowhere:reply"}],
    ))  # fmt: skip
    assert [each.role for each in found.roles] == ["judge"]
    assert any("mine" in sentence for sentence in found.assumed)
    none = await estimate(campaign(user={"agenda": True}, judge=None, assistant=[{"reference": "ceiling"}]))
    assert none.roles == () and none.cost is not None and none.cost.high == 0


async def test_an_unknown_price_makes_the_sum_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = await estimate(campaign(prices={"openai:user": PRICES["openai:user"]}))
    assert found.cost is None
    assert [each.role for each in found.roles if each.cost is None] == ["assistant a", "assistant b", "judge"]


async def test_embedded_models_cost_nothing_and_are_not_started() -> None:
    found = await estimate(campaign(assistant=[{"name": "l", "model": "local"}], user={"model": "local"}, prices={}))
    costs = {each.role: each.cost for each in found.roles}
    assert costs["user"] is not None and costs["user"].high == 0 and costs["judge"] is None
    assert all(each.input.low > 0 for each in found.roles)


async def test_what_cannot_be_run_is_told() -> None:
    with pytest.raises(BadInput, match="nowhere"):
        await estimate(campaign(data="nowhere"))
    with pytest.raises(BadInput, match="rubric"):
        await estimate(campaign(judge={"model": "openai:judge", "rubric": "nosuch"}))
