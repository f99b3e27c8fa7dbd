"""Prices: what tokens cost in every convention, and where prices come from."""

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.models.answer import count
from duologue.agents.usage import Usage
from duologue.campaign import Campaign
from duologue.money.budget import priced
from duologue.money.prices import FREE, Price, Prices, Tariff, cost, costs, money, price_of, prices_file, tariff
from duologue.tasks.written import BadInput, parse

MINI = Price(input=0.40, cached=0.10, output=1.60)
TABLE = {"openai:gpt-4.1-mini": {"input": 0.40, "cached": 0.10, "output": 1.60}}


@pytest.fixture(autouse=True)
def no_prices_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DUOLOGUE_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def campaign(**changes: Any) -> Campaign:
    written = {
        "user": {"model": "openai:gpt-4.1-mini"},
        "judge": {"model": "openai:gpt-4.1"},
        "assistant": [{"name": "a", "model": "openai:gpt-4.1-mini"}, {"name": "b", "model": "scripted:Hello."}],
        **changes,
    }
    return parse(Campaign, written, "test")


INSIDE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}
OUTSIDE = {"input_tokens": 40, "output_tokens": 20, "cache_read_input_tokens": 60}
ABSENT = {"prompt_tokens": 100, "completion_tokens": 20}


@pytest.mark.parametrize(("told", "millionths"), [(INSIDE, 54), (OUTSIDE, 54), (ABSENT, 72)])
def test_every_convention_costs_what_it_should(told: dict[str, Any], millionths: float) -> None:
    assert cost(count(told), MINI) == pytest.approx(millionths * 1e-6)


def test_cached_tokens_cost_as_others_where_no_price_says_otherwise() -> None:
    assert cost(count(INSIDE), Price(input=0.40, output=1.60)) == pytest.approx(72e-6)


def test_reasoning_is_part_of_what_comes_out() -> None:
    told = {**ABSENT, "completion_tokens_details": {"reasoning_tokens": 15}}
    assert cost(count(told), MINI) == pytest.approx(72e-6)


@pytest.mark.parametrize("used", [Usage(), Usage(input=5), Usage(output=5)])
def test_what_is_unknown_costs_nobody_knows_what(used: Usage) -> None:
    assert cost(used, MINI) is None
    assert cost(Usage(input=1, output=1), None) is None


def test_what_the_cache_answered_costs_nothing() -> None:
    used = count(ABSENT)
    assert cost(used.from_cache(), MINI) == cost(Usage().from_cache(), None) == 0
    assert cost(used + used.from_cache(), MINI) == cost(used, MINI)


def test_one_call_without_a_count_makes_the_role_unknown() -> None:
    used = {"user": count(INSIDE), "assistant": Usage(input=1, output=1), "judge": count(ABSENT)}
    rates = Tariff(Prices(), MINI, None, MINI, ("judge",))
    found = costs(used, {"judge": used["judge"]}, {"judge": 1}, rates)
    assert found == {"user": pytest.approx(54e-6), "assistant": None, "judge": None}


def test_each_judge_costs_by_its_own_model() -> None:
    rates = Tariff(parse(Prices, TABLE, "test"), FREE, FREE, Price(input=1, output=0), ("openai:own", "own"))
    one = Usage(input=1_000_000, output=0)
    for other, told in (("gpt-4.1-mini", 1.4), ("nobody", None), ("local:qwen", 1)):
        assert costs({"judge": one + one}, {"own": one, other: one}, {}, rates) == {"judge": told}


@pytest.mark.parametrize(
    ("model", "base_url", "price"),
    [
        ("openai:gpt-4.1-mini", "", MINI),
        ("openai:gpt-4.1-mini", "http://127.0.0.1/v1", MINI),
        ("gpt-4.1-mini", "", MINI),
        ("gpt-4.1", "", None),
        ("azure_openai:gpt-4.1-mini", "", None),
        ("local", "", FREE),
        ("local:qwen", "http://127.0.0.1/v1", None),
        ("scripted:Hello.", "", FREE),
    ],
)
def test_a_model_is_found_by_its_name(model: str, base_url: str, price: Price | None) -> None:
    assert parse(Prices, TABLE, "test").of(model, base_url) == price


def test_a_name_that_two_providers_have_is_nobodys() -> None:
    prices = parse(Prices, {**TABLE, "azure_openai:gpt-4.1-mini": {"input": 1, "output": 1}}, "test")
    assert prices.of("gpt-4.1-mini") is None


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"openai:x": {"input": 1, "outputs": 2}}, r"unknown key 'prices.models.openai:x.outputs', did you mean 'outp"),
        ({"openai:x": {"input": -1, "output": 2}}, "greater than or equal to 0"),
        ({"openai:x": {"input": float("inf"), "output": 2}}, "finite"),
        ({"openai:x": {"input": 1}}, "output: field required"),
        ({"openai:x": 3}, "what 'openai:x' costs is written"),
        ({"currency": 5, **TABLE}, "currency"),
    ],
)
def test_a_price_that_is_none_is_told(table: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        campaign(prices=table)


def test_the_campaigns_prices_go_before_the_users(tmp_path: Path) -> None:
    path = tmp_path / "config" / "duologue" / "prices.toml"
    assert prices_file() == path
    path.parent.mkdir(parents=True)
    path.write_text(
        "[prices]\n'openai:gpt-4.1-mini' = { input = 9, output = 9 }\n'openai:gpt-4.1' = { input = 2, output = 8 }\n"
        "'openai:other' = { input = 1, output = 1 }\n",
        encoding="utf-8",
    )
    found = priced(campaign(prices=TABLE)).prices
    assert found.models == {"openai:gpt-4.1-mini": MINI, "openai:gpt-4.1": Price(input=2, output=8)}
    euros = priced(campaign(prices={"currency": "EUR", **TABLE})).prices
    assert (euros.currency, list(euros.models)) == ("EUR", ["openai:gpt-4.1-mini"])


def test_another_file_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("DUOLOGUE_PRICES", str(path))
    with pytest.raises(BadInput, match=r"mine\.toml: no such file"):
        priced(campaign())
    path.write_text("[prices]\ncurrency = 'EUR'\n'openai:gpt-4.1' = { input = 2, output = 8 }\n", encoding="utf-8")
    assert priced(campaign()).prices.currency == "EUR"
    path.write_text("[price]\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml: unknown key 'price', did you mean 'prices'"):
        priced(campaign())


def test_prices_come_back_from_a_record_as_they_were() -> None:
    held = campaign(prices={"currency": "EUR", **TABLE})
    written = json.loads(json.dumps(held.model_dump(mode="json", exclude_defaults=True)))
    assert parse(Campaign, written, "run.json").prices == held.prices
    rates = tariff(written, "a")
    assert (rates.user, rates.assistant, rates.judge, rates.judged_by[1]) == (MINI, MINI, None, "gpt-4.1")
    assert tariff(written, "b").assistant == FREE


def test_whoever_needs_no_model_is_free_and_whoever_is_paid_elsewhere_unknown() -> None:
    for table in ({"script": ["a"]}, {"reference": "floor"}, {"agenda": True}, {"person": True}):
        assert price_of(table, Prices()) == FREE
    assert price_of({"callable": "a:b"}, Prices()) is None
    assert price_of({"endpoint": {"url": "http://127.0.0.1"}}, Prices()) is None


def test_amounts_keep_two_figures() -> None:
    amounts = (0, 0.000_123, 0.0456, 0.5, 12.345, 1234)
    assert [money(amount, "USD") for amount in amounts] == [
        "0.00 USD", "0.00012 USD", "0.046 USD", "0.5 USD", "12.35 USD", "1,234.00 USD",
    ]  # fmt: skip
