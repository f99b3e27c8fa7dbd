"""A hearing: a judge is asked and what it answers is read; where nothing can be used, it is asked once more."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeVar

from duologue.agents.ending import Failure, Owner
from duologue.agents.fence import disarmed
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Reply, Request, Token
from duologue.agents.models.structured import Unreadable
from duologue.agents.prompt import render
from duologue.agents.usage import Usage

__all__ = ["TOO_LONG", "Hearing"]

TOO_LONG = "too long for the judge"
_SHOWN_AGAIN = 2000
"""Letters of an unreadable answer that its judge is shown when it is asked again."""
_LETTERS = 6
"""To a token at the most, over a long text: whatever has more letters than this allows surely does not fit."""
_SLACK = 8
"""Tokens that a model may leave unused when its context is full."""

Found = TypeVar("Found")


@dataclass(slots=True)
class Hearing(Generic[Found]):
    """One call of a judge, or two. `read` makes something of an answer, or raises Unreadable; `again` is the prompt
    file that complains."""

    read: Callable[[str], Found]
    again: str
    found: Found | None = None
    fault: str = ""
    owner: Owner | Literal["", "judge"] = ""
    text: str = ""
    tokens: tuple[Token, ...] = ()
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0.0
    began: float = field(default_factory=time.time)

    async def ask(self, model: Model, request: Request) -> None:
        """Ask; where nothing at all can be read, ask once more and say why. Never raises Failure.

        What is surely too long for the model's context is not asked at all: nothing is ever cut.
        """
        if beyond := _beyond(model.traits.context, request):
            self._fail(f"{TOO_LONG}: {beyond}", "judge")
            return
        try:
            self._take(await model.complete(request), model.traits.context)
            if self.fault and not self.fault.startswith(TOO_LONG):
                self._take(await model.complete(self._once_more(request)), model.traits.context)
        except Failure as failure:
            long = failure.reason == "context_overflow"
            reason = TOO_LONG if long else failure.reason
            told = f"{reason}: {failure.detail}" if failure.detail else reason
            self._fail(told, "judge" if long else "infrastructure")
        finally:
            await model.release(request.conversation)

    def _fail(self, fault: str, owner: Owner | Literal["judge"]) -> None:
        self.found, self.fault, self.owner = None, fault, owner

    def _take(self, reply: Reply, context: int | None) -> None:
        self.text, self.tokens, self.reasoning = reply.text, reply.tokens, reply.reasoning
        self.usage = self.usage + reply.usage if self.usage else reply.usage
        self.seconds += reply.seconds
        self.found, self.fault = None, ""
        try:
            self.found = self.read(reply.text)
        except Unreadable as why:
            self.fault = _cut(reply, context) if reply.finish == "length" else str(why)
        self.owner = "judge" if self.fault else ""

    def _once_more(self, request: Request) -> Request:
        """The same request with the answer and the complaint after it, and twice the room to answer."""
        answer = Message("assistant", disarmed(self.text)[:_SHOWN_AGAIN] or "-")
        complaint = Message("user", render(self.again, why=self.fault))
        room = 2 * (request.max_tokens or 0)
        return replace(request, messages=(*request.messages, answer, complaint), max_tokens=room)


def _beyond(context: int | None, request: Request) -> str:
    """How far a question is surely beyond the context, if it is; empty where it may fit, or nobody knows."""
    letters = sum(len(message.text) for message in request.messages)
    least = letters // _LETTERS
    if context is None or least <= context:
        return ""
    return f"{letters:,} letters are at least {least:,} tokens, and its context holds {context:,}; name a larger judge"


def _cut(reply: Reply, context: int | None) -> str:
    """Why an answer was cut: the context was full, or the room that it was given."""
    taken, given = reply.usage.input, reply.usage.output
    if context is None or taken is None or given is None or taken + given < context - _SLACK:
        return "it was cut at the limit of tokens"
    return f"{TOO_LONG}: of the {context:,} tokens of its context the question takes {taken:,}, which leaves too few"
