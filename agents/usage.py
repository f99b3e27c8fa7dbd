"""What a call cost in tokens. None is unknown, never zero."""

from typing import NamedTuple

from duologue.tasks.written import Written

__all__ = ["LETTERS", "Tokens", "Usage"]

LETTERS = 4
"""To a token, where nobody has counted them."""


class Tokens(NamedTuple):
    """Tokens that went in (cached ones too), those of them that were cached, and those that came out."""

    input: int
    cached: int
    output: int


class Usage(Written):
    """Tokens of one or more calls. `input` counts cached tokens too; `output` counts reasoning too."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None
    reasoning: int | None = None
    calls: int = 1
    retries: int = 0
    stored: int = 0
    """Of `calls`, those that were answered from the cache: nothing is paid for them."""
    spared: Tokens | None = None
    """The tokens of the stored calls, which are among the others as they were told when the answers were made."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=_sum(self.input, other.input),
            cached=_sum(self.cached, other.cached),
            output=_sum(self.output, other.output),
            reasoning=_sum(self.reasoning, other.reasoning),
            calls=self.calls + other.calls,
            retries=self.retries + other.retries,
            stored=self.stored + other.stored,
            spared=_both(self.spared, other.spared),
        )

    @property
    def paid(self) -> Tokens | None:
        """The tokens that are paid for, the stored ones not among them. None where they are unknown."""
        if self.stored and self.stored == self.calls:
            return Tokens(0, 0, 0)
        if self.input is None or self.output is None:
            return None
        spared = self.spared or Tokens(0, 0, 0)
        return Tokens(self.input - spared.input, (self.cached or 0) - spared.cached, self.output - spared.output)

    def from_cache(self) -> "Usage":
        """The same calls, answered from the cache this time."""
        spared = Tokens(self.input or 0, self.cached or 0, self.output or 0)
        return self.model_copy(update={"retries": 0, "stored": self.calls, "spared": spared})


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b


def _both(a: Tokens | None, b: Tokens | None) -> Tokens | None:
    return b if a is None else a if b is None else Tokens(*(x + y for x, y in zip(a, b, strict=True)))
