"""A model as the assistant under test."""

from duologue.agents.line import Line, Seed
from duologue.agents.message import Message
from duologue.agents.models.call import Model
from duologue.agents.prompt import render
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by

__all__ = ["ModelAssistant"]

SMALL_TEMPERATURE = 0.3
SMALL_TOKENS = 80


class ModelAssistant:
    """Answers from a neutral system prompt, the same in every context but for the context block itself.

    `seed(turn, attempt, purpose)` gives the seed of one call; `context` is what it is told of the user.
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
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        small = model.traits.small
        if small:
            temperature = SMALL_TEMPERATURE if temperature is None else temperature
            max_tokens = SMALL_TOKENS if max_tokens is None else max_tokens
        self._line = Line(model, "assistant", conversation, seed, temperature, max_tokens)
        self._system = Message("system", render("assistant.md", context=context, small=small))

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The model's reply, as it came; empty where it was. Raises Failure where the call failed."""
        seen = (self._system, *as_seen_by("assistant", script))
        reply = await self._line.ask(script.turn, 0, "reply", messages=seen)
        return Said(reply.text.strip(), reply.reasoning, reply.usage, reply.seconds)

    async def close(self) -> None:
        """Nothing is held: the model belongs to whoever opened it."""
