"""The budget: what a run has cost so far, counted while it goes on, and the end of it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.agents.ending import Reason
from duologue.agents.events import AssistantTurn, Event, ToolCalled, UserDraft, UserTurn
from duologue.agents.models.door import ModelSpec
from duologue.agents.usage import Usage
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign
from duologue.listener import Listener
from duologue.money.prices import Price, Prices, cost, money, names_of, own_prices, price_of, prices_file
from duologue.record.stored import record_files
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    from duologue.campaign import Cell

__all__ = ["Purse", "judges", "priced", "purse"]

_MARKS = b'"usage":{', b'"usage": {', b'"cell_started"'


def priced(campaign: Campaign) -> Campaign:
    """`campaign` with the prices of its models: its own, and for others those of the user's file. Raises BadInput."""
    specs = [campaign.user, *(spec for _, spec in judges(campaign)), *campaign.assistant]
    prices = campaign.prices.beside(own_prices().only(spec.model for spec in specs if spec.model))
    return campaign.model_copy(update={"prices": prices})


def judges(campaign: Campaign) -> list[tuple[str, ModelSpec]]:
    """The roles `judge`, `judge 2` and so on, and who plays them."""
    members = campaign.judge.members if campaign.judge else ()
    return [(f"judge {number}" if number > 1 else "judge", spec) for number, spec in enumerate(members, 1)]


def purse(campaign: Campaign, halt: Callable[[Reason, str], None], folder: Path | None = None) -> "list[Purse]":
    """Who watches the budget of `campaign`, if it has one; `folder` holds what the run has cost before.

    Raises BadInput where a model has no price, or where the budget is spent.
    """
    budget = campaign.limits.budget
    if budget is None:
        return []
    known = {role: price_of(table, campaign.prices) for role, table in _tables(campaign)}
    _check_known(campaign, known)
    for role, spec in judges(campaign):  # as their verdicts name them
        known |= dict.fromkeys(names_of(spec.model), known[role])
    watcher = Purse(budget, campaign.prices, known, halt)
    for who, used in _before(folder) if folder else ():
        watcher.pay(who, used)
    if folder:
        watcher.check_left(folder)
    return [watcher]


class Purse(Listener):
    """Counts what a run costs as it happens, drafts and retries included, and halts it where the budget is reached.

    A call that told no tokens counts as much as the dearest one of its role so far; where there was none, the budget
    cannot be kept and the run halts.
    """

    def __init__(
        self, budget: float, prices: Prices, tariff: Mapping[str, Price | None], halt: Callable[[Reason, str], None]
    ) -> None:
        self.spent = 0.0
        self.told = ""
        """Why the run was halted, if it was."""
        self._budget, self._prices, self._tariff, self._halt = budget, prices, tariff, halt
        self._dearest: dict[str, float] = {}
        self._assistants: dict[str, str] = {}

    def planned(self, cells: "Sequence[Cell]", judged: Mapping[str, int]) -> None:
        self._assistants = {cell.id: cell.assistant for cell in cells}

    def event(self, event: Event) -> None:
        if isinstance(event, UserDraft | UserTurn | AssistantTurn | ToolCalled) and event.usage is not None:
            user = isinstance(event, UserDraft | UserTurn)
            self.watch("user" if user else f"assistant {self._assistants.get(event.cell, '')}", event.usage)

    def verdict(self, verdict: Verdict) -> None:
        if verdict.usage is not None:
            self.watch(verdict.judge if verdict.judge in self._tariff else "judge", verdict.usage)

    def pay(self, who: str, used: Usage) -> bool:
        """Count a call. False where what it cost cannot be known."""
        price = self._tariff[who] if who in self._tariff else self._prices.of(who)
        if price is None:  # whoever is paid elsewhere: callables, endpoints
            return True
        amount = self._dearest.get(who) if (known := cost(used, price)) is None else known
        if amount is not None:
            self.spent += amount
            self._dearest[who] = max(amount, self._dearest.get(who, 0.0))
        return amount is not None

    def check_left(self, folder: Path) -> None:
        """Raises BadInput where what was counted before it began to watch has spent the budget."""
        if self.spent < self._budget or self.told:
            return
        budget, spent = (money(amount, self._prices.currency) for amount in (self._budget, self.spent))
        raise BadInput(
            f"the budget of {budget} is spent ({spent} so far)",
            folder,
            f"Give a higher one: duologue resume {folder} --budget {2 * max(self._budget, self.spent):.4g}",
        )

    def watch(self, who: str, used: Usage) -> None:
        """Count a call, and halt where the budget is reached or can no longer be kept."""
        counted, budget = self.pay(who, used), money(self._budget, self._prices.currency)
        if self.told:
            return
        if not counted:
            self.told = f"The budget of {budget} cannot be kept: the model of the {who} tells no tokens."
        elif self.spent >= self._budget:
            spent = money(self.spent, self._prices.currency)
            self.told = f"The budget of {budget} is spent ({spent}): nothing new begins, what is under way ends."
        if self.told:
            self._halt("budget", self.told)


def _tables(campaign: Campaign) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "user", campaign.user.model_dump()
    for role, judge in judges(campaign):
        yield role, judge.model_dump()
    for spec in campaign.assistant:
        yield f"assistant {spec.name}", spec.model_dump()


def _check_known(campaign: Campaign, known: Mapping[str, Price | None]) -> None:
    """Raises BadInput for the first model without a price."""
    for role, table in _tables(campaign):
        if table.get("model") and known[role] is None:
            raise BadInput(
                f"a budget needs the price of {table['model']} ({role})",
                campaign.name,
                f"Write it into [prices], in the campaign or in {prices_file()}: "
                f'"{table["model"]}" = {{ input = 0.40, output = 1.60 }}',
            )


def _before(folder: Path) -> Iterator[tuple[str, Usage]]:
    """Who called a model in the run so far (judges by their names), and the tokens: of every attempt, and of what was
    begun anew."""
    assistants: dict[str, str] = {}
    for path in record_files(folder, "events"):
        for line in _lines(path):
            if line.get("kind") == "cell_started":
                assistants[line["cell"]] = line["assistant"]
            if line.get("usage"):
                who = "user" if line["role"] == "user" else f"assistant {assistants.get(line['cell'], '')}"
                yield who, Usage.model_validate(line["usage"])
    for path in record_files(folder, "verdicts"):
        for line in _lines(path):
            if line.get("usage"):
                yield line["judge"], Usage.model_validate(line["usage"])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that may say what something cost. A torn one says nothing."""
    with path.open("rb") as file:
        for line in file:
            if not any(mark in line for mark in _MARKS):
                continue
            try:
                yield json.loads(line)
            except ValueError:
                continue
