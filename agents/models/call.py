"""A call of a model: what is asked, what comes back, and what a model is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import Field

from duologue.agents.message import Message, ToolCall
from duologue.agents.usage import Usage
from duologue.tasks.tool import Tool
from duologue.tasks.written import Written

__all__ = ["CallLimits", "Given", "Model", "Reply", "Request", "Schema", "Token", "Traits"]


class CallLimits(Written):
    """How long a call may take, in seconds, and how often it is tried."""

    connect: float = Field(default=10, gt=0, allow_inf_nan=False)
    first_byte: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """From asking to the first byte of the answer; no longer than `call` in any case."""
    call: float = Field(default=120, gt=0, allow_inf_nan=False)
    """One try as a whole, from connecting to the last byte of the answer."""
    tries: int = Field(default=4, ge=1)
    refusals: int | None = Field(default=None, ge=0)
    """How often an endpoint that has answered before may have no room for a call (429, 503, 529) without that being
    one of its `tries`; by default three times for each try after the first."""
    backoff: float = Field(default=0.5, ge=0, allow_inf_nan=False)
    """The first wait between two tries; it doubles each time, with jitter."""
    backoff_cap: float = Field(default=30, ge=0, allow_inf_nan=False)
    retry_after_cap: float = Field(default=120, ge=0, allow_inf_nan=False)
    """The longest wait that an endpoint may ask for."""
    requests_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Calls that may begin a minute at one endpoint with one key, evenly spread, whoever makes them."""
    tokens_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Tokens a minute there, questions and answers together, as far as it counts them: estimated when a call begins,
    put right when it is answered. An assistant behind an HTTP endpoint of its own kind counts none."""


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A JSON schema that the answer must meet, and its name. Equal to itself only, so that what is made of it is
    quickly found again."""

    name: str
    schema: Mapping[str, Any]


class Token(NamedTuple):
    """A token of an answer, and the likeliest ones in its place with their probabilities, itself mostly among them."""

    text: str
    likely: tuple[tuple[str, float], ...]


class Given(NamedTuple):
    """How likely a given text is."""

    logprob: float
    """The natural logarithm of its probability."""
    tokens: int
    """Of how many tokens it is made."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. Either `messages`, or `prompt` for raw completion where the model has it.

    With `tools`, a model that takes none fails. `conversation` and `role` say whose call it is: models that
    keep state between the calls of one dialogue (the embedded one) use them, others ignore them.
    """

    messages: tuple[Message, ...] = ()
    prompt: str = ""
    given: str = ""
    """A text behind `prompt`: how likely it is, is asked instead of an answer. Models that cannot tell pass it over
    or fail."""
    texts: tuple[str, ...] = ()
    """What a measure reads, a text or two in the order that it asks for; it answers with `figures`. Only measures
    read them."""
    schema: Schema | None = None
    tools: tuple[Tool, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    likely: int = 0
    """How many of the likeliest tokens to tell for each place of the answer, where the model can."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    conversation: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. `text` holds no reasoning; `finish` is `length` where it was cut.

    `calls` are tools that it wants called, in its own form of calls; their ids may be empty.
    """

    text: str
    reasoning: str = ""
    finish: Literal["stop", "length"] = "stop"
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    calls: tuple[ToolCall, ...] = ()
    tokens: tuple[Token, ...] = ()
    """The answer as it was made, reasoning and all; empty where `likely` was not asked for, or not told."""
    given: Given | None = None
    """How likely the request's `given` is; None where it was not asked for, or cannot be told."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What a measure tells of the request's `texts`, by name, instead of a text."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a caller needs to know about a model before it words its prompt."""

    small: bool = False
    """Too small to hold a role from instructions: wants a script with a worked example and a cue."""
    raw: bool = False
    """Takes `prompt`, a text to go on with."""
    schemas: bool = True
    """Obeys a JSON schema; otherwise the instruction stands in the prompt and the answer is checked."""
    tools: bool = True
    """Takes tools and calls them in a form of its own, as far as can be known before it is asked; an endpoint that
    then refuses them fails."""
    context: int | None = None
    """Tokens that a question and its answer may have together; None where nobody knows."""


class Model(Protocol):
    """Anything that answers a request.

    `complete` raises Failure with reason timeout, rate_limit, provider_error, content_filter or
    context_overflow. Cancelling it ends the call.
    """

    @property
    def name(self) -> str: ...
    @property
    def traits(self) -> Traits: ...
    @property
    def adaptations(self) -> tuple[str, ...]:
        """What it did not take as asked and was changed, one sentence each."""
        ...

    async def start(self) -> None:
        """Get ready. Raises BadInput where this machine cannot run it."""
        ...

    async def complete(self, request: Request) -> Reply: ...
    async def release(self, conversation: str) -> None: ...
    async def close(self) -> None: ...
