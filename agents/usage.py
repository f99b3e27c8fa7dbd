"""What a call cost in tokens. None is unknown, never zero."""

from duologue.tasks.written import Written

__all__ = ["Usage"]


class Usage(Written):
    """Tokens of one or more calls. `input` counts cached tokens too; `output` counts reasoning too."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None
    reasoning: int | None = None
    calls: int = 1
    retries: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=_sum(self.input, other.input),
            cached=_sum(self.cached, other.cached),
            output=_sum(self.output, other.output),
            reasoning=_sum(self.reasoning, other.reasoning),
            calls=self.calls + other.calls,
            retries=self.retries + other.retries,
        )


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b
