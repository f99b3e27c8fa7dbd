"""A line to a model: the calls that one role makes in one dialogue."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from duologue.agents.models.call import Model, Reply, Request

__all__ = ["Line", "Seed"]

Seed = Callable[[int, int, str], int]
"""From turn, attempt and purpose to the seed of one call."""


@dataclass(frozen=True, slots=True)
class Line:
    """A model, and what is the same in every call of this role."""

    model: Model
    role: str
    conversation: str
    seed: Seed
    temperature: float | None = None
    max_tokens: int | None = None

    async def ask(self, turn: int, attempt: int, purpose: str, **request: Any) -> Reply:
        """The answer to a Request with these fields. Raises Failure where the call failed."""
        own = {"role": self.role, "temperature": self.temperature, "max_tokens": self.max_tokens}
        seed = self.seed(turn, attempt, purpose)
        return await self.model.complete(Request(seed=seed, conversation=self.conversation, **{**own, **request}))
