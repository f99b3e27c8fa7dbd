"""The agenda-based user: a speaker without a model, whose every turn follows from the dialogue so far."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from duologue.agents.agenda.acts import Act, Turn, disclosed
from duologue.agents.agenda.agenda import decided
from duologue.agents.agenda.brief import Brief, brief
from duologue.agents.agenda.hearing import hear
from duologue.agents.agenda.standing import Standing, after
from duologue.agents.agenda.wording import opening, worded
from duologue.agents.message import Message
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.profiles.scenario import Scenario
from duologue.tasks.chance import number
from duologue.tasks.domain import Domain

__all__ = ["AgendaUser"]

HEARD = 8_000
"""Letters of an assistant's turn that are read. What comes after them would keep other dialogues waiting."""


class AgendaUser:
    """Talks as the scenario's person, by rule. With `correction` "silent" it takes whatever keeps to its facts; with
    "object" it turns down what its preferences speak against, and says why.

    What it says is a function of the scenario, the dialogue and `seed`; what it keeps is only what it has read before.
    Raises BadInput where the task requires what `domains` do not keep.
    """

    guarded = False
    rebuildable = True

    def __init__(
        self,
        scenario: Scenario,
        domains: Mapping[str, Domain],
        *,
        seed: int,
        correction: Literal["silent", "object"] = "silent",
    ) -> None:
        self._brief, self._seed = brief(scenario, domains, correction), number(seed, scenario.id, "user")
        self._read: tuple[Message, ...] = ()
        self._standing, self._turn = Standing(), Turn(())

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The person's next turn. `faults` are none of its own: what it says follows from the dialogue."""
        if not script.messages:
            return _opened(self._brief, self._seed)
        self._follow(script.messages)
        text = worded(self._brief, self._standing, self._turn, self._seed, script.turn, script.said_by("user"))
        declared = tuple(disclosed(self._turn))
        stop = self._turn.stop
        return Said(text, source="agenda", stop=bool(stop), reason=stop, declared=declared)

    @property
    def turn(self) -> Turn:
        """What the last turn did, before it was put into words."""
        return self._turn

    async def close(self) -> None:
        """Nothing is held."""

    def _follow(self, messages: tuple[Message, ...]) -> None:
        """Read on to the end of the dialogue, from the start where it is not the one read before."""
        if messages[: len(self._read)] != self._read or len(messages) <= len(self._read):
            self._read, self._standing, self._turn = (), Standing(), Turn(())
        for message in messages[len(self._read) :]:
            if message.role == "user":
                if not self._read:
                    first = Turn((Act("open", self._brief.facts_in(message.text)),))
                    self._standing = after(self._standing, first)
            else:
                heard = hear(message.text[:HEARD], self._brief.lexicon)
                self._turn = decided(self._brief, self._standing, heard)
                self._standing = after(self._standing, self._turn)
            self._read = (*self._read, message)


@lru_cache(maxsize=64)
def _opened(brief: Brief, seed: int) -> Said:
    """The person's first words. Kept for a while: it meets several assistants."""
    task = brief.scenario.task
    text = task.opener or opening(brief, seed)
    act = Act("open", brief.facts_in(text), how="unasked")
    source: Literal["task", "agenda"] = "task" if task.opener else "agenda"
    return Said(text, source=source, declared=tuple(disclosed(Turn((act,)))))
