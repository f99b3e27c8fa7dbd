"""The lean path: any OpenAI-compatible endpoint, asked over a connection pool of its own, its answers read by us."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.answer import read_answer
from duologue.agents.models.bodies import Bodies
from duologue.agents.models.call import CallLimits, Reply, Request, Traits
from duologue.agents.models.connection import Endpoint, Refused
from duologue.agents.models.dialect import Dialect
from duologue.agents.models.fault import context_in, fault
from duologue.agents.models.gate import Gate
from duologue.agents.models.given import echoed
from duologue.agents.models.retry import persist, within
from duologue.agents.models.structured import Unreadable, read_object

__all__ = ["OpenAIModel"]


class OpenAIModel:
    """A model behind an endpoint. `defaults` stands in for what a request leaves open."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        limits: CallLimits,
        defaults: Mapping[str, Any] | None = None,
        traits: Traits | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.name = name
        self._endpoint = endpoint
        self._limits, self._gate = limits, gate
        self._defaults = dict(defaults or {})
        self._traits = traits or Traits()
        self._dialect = Dialect(f"{name} at {endpoint.shown}", toolless=not self._traits.tools)
        self._bodies = Bodies(name)
        self._closed = False
        self._context: int | None = None
        endpoint.enter()

    @property
    def traits(self) -> Traits:
        context = self._context or self._traits.context
        return replace(self._traits, schemas=self._traits.schemas and not self._dialect.worded, context=context)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What the endpoint did not take as asked, one sentence each."""
        return tuple(self._dialect.told)

    async def start(self) -> None:
        """Nothing has to be started."""

    async def complete(self, request: Request) -> Reply:
        """The model's answer. Raises Failure."""
        started = time.perf_counter()
        left = {name: value for name, value in self._defaults.items() if getattr(request, name) is None}
        asked = replace(request, **left) if left else request
        reply = await self._persist(asked)
        if request.schema and not self._dialect.worded and _ignores(reply, request):
            self._dialect.word()
            again = await self._persist(asked)
            reply = replace(again, usage=reply.usage + again.usage)
        return replace(reply, seconds=time.perf_counter() - started)

    async def release(self, conversation: str) -> None:
        self._bodies.forget(conversation)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._endpoint.leave()

    async def _persist(self, request: Request) -> Reply:
        reply, retries = await persist(lambda: self._try(request), self._limits, self._gate, request)
        return replace(reply, usage=reply.usage.changed(retries=retries)) if retries else reply

    async def _try(self, request: Request) -> Reply:
        return await within(self._limits.call, self._call(request), self._endpoint.shown)

    async def _call(self, request: Request) -> Reply:
        """One answer, asked for anew as long as the endpoint refuses parameters that can be left out."""
        if request.given:
            return await echoed(self._endpoint, self.name, request, self._limits)
        path = "/completions" if request.prompt else "/chat/completions"
        while True:
            sent = self._dialect.parameters(request), self._dialect.messages(request)
            try:
                content, kind = await self._endpoint.post(path, self._body(request, *sent), self._limits)
            except Refused as refused:
                failure = fault(refused.status, refused.text, self._endpoint.shown, refused.headers)
                if isinstance(failure, Failure) and failure.reason in ("content_filter", "context_overflow"):
                    self._context = context_in(refused.text) or self._context
                    raise failure from None
                self._dialect.learn(sent[0], refused.status, refused.text)
                if (self._dialect.parameters(request), self._dialect.messages(request)) == sent:
                    raise failure from None
                continue
            return read_answer(content, kind, self._endpoint.shown)

    def _body(self, request: Request, parameters: Mapping[str, Any], messages: tuple[Message, ...]) -> bytes:
        if request.prompt:
            return self._bodies.completion(request.prompt, parameters)
        return self._bodies.chat(messages, parameters, request.conversation, request.role)


def _ignores(reply: Reply, request: Request) -> bool:
    """Whether an answer that came whole holds no object at all."""
    if reply.finish == "length" or not reply.text:
        return False
    try:
        read_object(reply.text, request.schema)
    except Unreadable:
        return True
    return False
