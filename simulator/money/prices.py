"""Prices: what tokens cost, and what roles have cost by them. What is unknown is None, never zero."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, FiniteFloat, model_validator

from duologue.agents.folders import user_folder
from duologue.agents.models.measures.measure import KINDS
from duologue.agents.usage import Usage
from duologue.tasks.written import BadInput, Written, parse, read_toml

__all__ = [
    "FREE", "Price", "Prices", "Tariff",
    "cost", "costs", "money", "names_of", "own_prices", "price_of", "prices_file", "tariff",
]  # fmt: skip

_MILLION = 1_000_000
_EXAMPLE = "{ input = 0.40, cached = 0.10, output = 1.60 }"


DEAREST = 1e9
"""What a million tokens may cost at most; more is a slip of the pen."""


class Price(Written):
    """What a model's tokens cost, by the million."""

    input: FiniteFloat = Field(ge=0, le=DEAREST)
    output: FiniteFloat = Field(ge=0, le=DEAREST)
    cached: FiniteFloat | None = Field(default=None, ge=0, le=DEAREST)
    """Of input that the provider had in its cache; as other input where it is left out."""


FREE = Price(input=0, output=0)


class Prices(Written):
    """`[prices]`: a line for each model, such as `"openai:gpt-4.1-mini" = { input = 0.40, output = 1.60 }`, by the
    million tokens, and beside them the `currency`."""

    currency: str = Field(default="USD", min_length=1, max_length=8)
    models: dict[str, Price] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or isinstance(value.get("models"), Mapping):
            return value
        lines = {name: line for name, line in value.items() if name != "currency"}
        for name, line in lines.items():
            if not isinstance(line, Mapping | Price):
                raise ValueError(f'what {name!r} costs is written "{name}" = {_EXAMPLE}')
        return {"models": lines, **({"currency": value["currency"]} if "currency" in value else {})}

    def of(self, model: str, base_url: str = "") -> Price | None:
        """The price of a model as it is written (`openai:NAME`) or as it names itself (`NAME`). None where unknown.

        Embedded and scripted models are free, and so are measures.
        """
        kind = model.partition(":")[0]
        if kind in KINDS or (not base_url and kind in ("local", "scripted")):
            return FREE
        names = self._names(model)
        return self.models[names[0]] if len(names) == 1 else None

    def _names(self, model: str) -> list[str]:
        """Under which names a model may stand here: its own, else those that are it but for the provider."""
        if model in self.models:
            return [model]
        return [name for name in self.models if model in name.split(":", 1)[1:]]

    def beside(self, other: "Prices") -> "Prices":
        """These, and those of `other` for models that these leave out; another currency has nothing to say here."""
        if not self.models:
            return other
        if other.currency != self.currency:
            return self
        return Prices(currency=self.currency, models={**other.models, **self.models})

    def only(self, models: Iterable[str]) -> "Prices":
        """Those that `models` are priced by."""
        used = {name for model in models for name in self._names(model)}
        return Prices(currency=self.currency, models={n: price for n, price in self.models.items() if n in used})


def cost(usage: Usage, price: Price | None) -> float | None:
    """What `usage` cost by `price`. None where the price, or how many tokens were paid, is unknown."""
    if price == FREE or usage.stored == usage.calls:
        return 0.0
    paid = usage.paid
    if price is None or paid is None:
        return None
    cached = min(max(paid.cached, 0), paid.input)
    again = price.input if price.cached is None else price.cached
    return ((paid.input - cached) * price.input + cached * again + paid.output * price.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Tariff:
    """What tokens cost in the dialogues of one assistant, None where that is unknown."""

    prices: Prices
    user: Price | None
    assistant: Price | None
    judge: Price | None
    judged_by: tuple[str, ...] = ()
    """How the campaign's own judge may be called."""

    def of_judge(self, name: str) -> Price | None:
        """That of a judge by its name: the campaign's own, or one that judged since."""
        return self.judge if name in self.judged_by else self.prices.of(name)


def tariff(written: Mapping[str, Any], assistant: str) -> Tariff:
    """What tokens cost in the dialogues of `assistant`, by a campaign as `run.json` holds it."""
    prices = Prices.model_validate(written.get("prices", {}))
    speaks: Mapping[str, Any] = next((a for a in written.get("assistant", ()) if a.get("name") == assistant), {})
    judge: Mapping[str, Any] = written.get("judge") or {}
    user, own, judges = (price_of(table, prices) if table else None for table in (written.get("user"), speaks, judge))
    return Tariff(prices, user, own, judges, names_of(str(judge.get("model", ""))))


def names_of(model: str) -> tuple[str, ...]:
    """How a model that is written so may call itself."""
    return (model, model.partition(":")[2]) if model else ()


def price_of(written: Mapping[str, Any], prices: Prices) -> Price | None:
    """What the tokens of a role cost, as it is written. None where that is unknown; whoever needs no model is free."""
    if written.get("model"):
        return prices.of(str(written["model"]), str(written.get("base_url") or ""))
    return None if written.get("callable") or written.get("endpoint") else FREE


def costs(
    usage: Mapping[str, Usage], judges: Mapping[str, Usage], unreported: Mapping[str, int], price: Tariff
) -> dict[str, float | None]:
    """What each role in `usage` cost, the judges by the model of each. None where a price is unknown, or where some of
    its calls (`unreported`) told no tokens."""
    found: dict[str, float | None] = {}
    for role, used in usage.items():
        each = {"user": price.user, "assistant": price.assistant}
        parts = [cost(used, each[role])] if role in each else [cost(u, price.of_judge(n)) for n, u in judges.items()]
        known = [part for part in parts if part is not None]
        told = not unreported.get(role) or sum(known) == 0  # free, or from the cache
        found[role] = sum(known) if told and len(known) == len(parts) else None
    return found


def money(amount: float, currency: str) -> str:
    """`12.30 USD`, `0.0042 USD`."""
    return f"{amount:,.2f} {currency}" if amount >= 1 or amount == 0 else f"{amount:.2g} {currency}"


def prices_file() -> Path:
    """The user's own prices: the file that DUOLOGUE_PRICES names, else `prices.toml` in the user's folder for
    settings as the platform has it."""
    if own := os.environ.get("DUOLOGUE_PRICES"):
        return Path(own).expanduser()
    return user_folder("settings") / "prices.toml"


class _File(Written):
    """A file of prices: the same table as in a campaign."""

    prices: Prices = Prices()


def own_prices() -> Prices:
    """The prices in the user's file; none where there is no such file. Raises BadInput where it cannot be read."""
    path = prices_file()
    if not path.exists():
        if os.environ.get("DUOLOGUE_PRICES"):
            raise BadInput("no such file", path, "DUOLOGUE_PRICES names it; write [prices] in it, or unset it")
        return Prices()
    return parse(_File, read_toml(path), path).prices
