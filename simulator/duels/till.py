"""The till: what judging duels has cost so far, and the end of it where a budget is reached."""

from collections.abc import Callable

from duologue.agents.ending import Reason
from duologue.agents.usage import Usage
from duologue.money.prices import Price, cost, money

__all__ = ["Till"]


class Till:
    """Counts what the judge costs, and halts where `budget` is reached, or cannot be kept: where calls told no tokens.

    Without a budget nothing is halted.
    """

    def __init__(self, budget: float | None, price: Price | None, currency: str) -> None:
        self.spent = 0.0
        self.told = ""
        """Why it was halted, if it was."""
        self._budget, self._price, self._currency = budget, price, currency

    @property
    def empty(self) -> bool:
        """Whether the budget is spent."""
        return self._budget is not None and self.spent >= self._budget

    def pay(self, used: Usage | None) -> bool:
        """Count a call. False where what it cost cannot be known."""
        amount = cost(used, self._price) if used else 0.0
        self.spent += amount or 0.0
        return amount is not None

    def watch(self, used: Usage | None, halt: Callable[[Reason, str], None]) -> None:
        """Count a call that was just made, and halt where that was the last one."""
        known = self.pay(used)
        if self._budget is None or self.told or (known and not self.empty):
            return
        budget = money(self._budget, self._currency)
        self.told = (
            f"The budget of {budget} is spent ({money(self.spent, self._currency)}): the calls in flight are the last."
            if known
            else f"The budget of {budget} cannot be kept: the judge's model tells no tokens."
        )
        halt("budget", self.told)
