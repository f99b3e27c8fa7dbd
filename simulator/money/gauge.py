"""A gauge: stands in for a model where only what it would be asked is of interest."""

import json
from dataclasses import dataclass, field

from duologue.agents.ending import Failure
from duologue.agents.models.call import Reply, Request, Traits
from duologue.agents.models.door import ModelSpec
from duologue.agents.usage import LETTERS
from duologue.tasks.tool import as_function

__all__ = ["LENGTHS", "Gauge", "Tally", "gauge", "length"]

LENGTHS = {"user": (25, 90), "assistant": (40, 300)}
"""Tokens of a turn, at the least and at the most, where no max_tokens says how many."""


@dataclass(slots=True)
class Tally:
    """Of one role: calls, and tokens in and out."""

    calls: int = 0
    input: float = 0.0
    output: float = 0.0


@dataclass
class Gauge:
    """Stands in for a model: counts what it is asked and answers nothing of use."""

    name: str
    traits: Traits
    bound: int
    tally: Tally = field(default_factory=Tally)
    adaptations: tuple[str, ...] = ()

    async def start(self) -> None:
        """Nothing has to be started."""

    async def complete(self, request: Request) -> Reply:
        """A made-up answer. A judge's call fails as if it were too long, so that it is not asked again but goes on."""
        self.tally.calls += 1
        self.tally.input += _letters(request) / LETTERS
        self.tally.output += length(request.role, request.max_tokens, self.bound)
        if request.role == "judge":
            raise Failure("context_overflow")
        return Reply(json.dumps({"message": "Yes.", "stop": False, "reason": "none", "done": False}))

    async def release(self, conversation: str) -> None:
        """Nothing is kept between calls."""

    async def close(self) -> None:
        """Nothing is held."""


def gauge(spec: ModelSpec, bound: int) -> Gauge:
    """A gauge in place of the model of `spec`, for short answers (bound 0) or long ones (bound 1)."""
    embedded = spec.model.partition(":")[0] == "local" and not spec.base_url
    return Gauge(spec.model, Traits(small=True, raw=True, tools=False) if embedded else Traits(), bound)


def length(role: str, room: int | None, bound: int) -> float:
    """Tokens of an answer: a fifth of its room or all of it where it is a judge's, else as is usual."""
    if role in LENGTHS:
        usual = LENGTHS[role][bound]
        return usual if room is None else room if bound else min(usual, room)
    return (room or LENGTHS["user"][1]) / (1 if bound else 5)


def _letters(request: Request) -> int:
    said = sum(len(m.text) + sum(len(str(call.arguments)) for call in m.calls) for m in request.messages)
    forms = [as_function(tool) for tool in request.tools], request.schema.schema if request.schema else ""
    return said + len(request.prompt) + sum(len(json.dumps(form)) for form in forms if form)
