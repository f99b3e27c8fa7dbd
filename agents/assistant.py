"""A model as the assistant under test."""

from collections.abc import Sequence
from typing import Literal

from duologue.agents.line import Line, Seed
from duologue.agents.message import Message
from duologue.agents.models.call import Model
from duologue.agents.prompt import render
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by
from duologue.agents.written_calls import described, in_words, read_calls
from duologue.tasks.tool import Tool

__all__ = ["ModelAssistant"]

SMALL_TEMPERATURE = 0.3
SMALL_TOKENS = 80
SMALL_TOKENS_ACTING = 200


class ModelAssistant:
    """Answers from a neutral system prompt, the same in every context but for the context block itself.

    `seed(turn, attempt, purpose)` gives the seed of one call; `context` is what it is told of the user. `tools` are
    passed to the model as such where they are `native`; in `text` the prompt describes them, and calls are read out
    of its words.
    """

    guarded = False
    rebuildable = True

    def __init__(
        self,
        model: Model,
        *,
        conversation: str,
        seed: Seed,
        context: str = "",
        tools: Sequence[Tool] = (),
        form: Literal["native", "text"] = "native",
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        small = model.traits.small
        if small:
            temperature = SMALL_TEMPERATURE if temperature is None else temperature
            max_tokens = (SMALL_TOKENS_ACTING if tools else SMALL_TOKENS) if max_tokens is None else max_tokens
        self._line = Line(model, "assistant", conversation, seed, temperature, max_tokens)
        self._tools, self._in_text = tuple(tools), bool(tools) and form == "text"
        told = described(self._tools) if self._in_text else ""
        self._system = Message(
            "system", render("assistant.md", context=context, small=small, acts=bool(tools), tools=told)
        )

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The model's reply, as it came; empty where it was. Raises Failure where the call failed."""
        seen = as_seen_by("assistant", script)
        asked = {"messages": (self._system, *(in_words(seen) if self._in_text else seen))}
        native = {} if self._in_text else {"tools": self._tools}
        reply = await self._line.ask(script.turn, script.step - 1, "reply", **asked, **native)
        text, calls = reply.text.strip(), reply.calls
        if self._in_text:
            text, calls = read_calls(text, [tool.name for tool in self._tools])
        return Said(text, reply.reasoning, reply.usage, reply.seconds, calls)

    async def close(self) -> None:
        """Nothing is held: the model belongs to whoever opened it."""
