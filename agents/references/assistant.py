"""The reference assistants: what ignoring a user, reading the user's preferences, and asking for each would score.

All three use the same tools as everybody, understand what the task wants, and take a fact only once the user has said
it. They differ in what they know of the user: the floor guesses what most people like, the ceiling has the user's
wishes, the asker asks.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from types import MappingProxyType
from typing import Literal

from duologue.agents.message import ToolCall
from duologue.agents.references.conduct import Conduct, Heard, Steps
from duologue.agents.references.taste import Taste, popular_taste, wished_taste
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.profiles.scenario import Scenario
from duologue.tasks.aim import aims
from duologue.tasks.domain import Domain, key
from duologue.tasks.tool import Tool
from duologue.tasks.wish import Wish

__all__ = ["KINDS", "Kind", "ReferenceAssistant"]

Kind = Literal["floor", "ceiling", "asker"]
Popular = Mapping[tuple[str, str], Sequence[str]]
"""By domain and type what people like, the most popular first."""
KINDS: tuple[Kind, ...] = ("floor", "ceiling", "asker")


class ReferenceAssistant:
    """A reference of one kind in one dialogue. What it says is a function of the scenario and the script.

    `popular` is read by the floor alone, `wishes` by the ceiling alone.
    """

    guarded = False
    rebuildable = True

    def __init__(
        self, kind: Kind, scenario: Scenario, domains: Mapping[str, Domain], tools: Sequence[Tool],
        wishes: Sequence[Wish] = (), popular: Popular = MappingProxyType({}), *, seed: int = 0,
    ) -> None:  # fmt: skip
        self._kind, self._scenario, self._seed = kind, scenario, seed
        self._aims, self._tools = aims(scenario.task, domains), tools
        self._taste = self._brought(wishes, popular)
        self._script, self._taken = Transcript(), 0
        self._steps = self._fresh()
        self._step = next(self._steps)

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The next step: words, or the calls that it wants made before it speaks."""
        if not _goes_on(script, self._script):
            self._script, self._taken, self._steps = Transcript(), 0, self._fresh()
            self._step = next(self._steps)
        for each in _heard(script, self._taken):
            self._step, self._taken = self._steps.send(each), self._taken + 1
        self._script = script
        if isinstance(self._step, str):
            return Said(self._step, source="script")
        first = len(script.actions) + 1
        return Said("", source="script", calls=tuple(
            ToolCall(f"call-{number}", act.name, act.arguments) for number, act in enumerate(self._step, first)
        ))  # fmt: skip

    async def close(self) -> None:
        """Nothing is held."""

    def _brought(self, wishes: Sequence[Wish], popular: Popular) -> Taste:
        """What it knows of tastes from the start."""
        if self._kind == "floor":
            held = {aim.domain.name: aim.domain for aim in self._aims}
            pairs = ((name, type.name) for name, domain in held.items() for type in domain.preferences)
            matters = {(each.domain, key(each.type)) for each in self._scenario.task.relevant}
            liked = {pair: values for pair in pairs if (values := popular.get(pair)) is not None}
            return popular_taste(liked, matters)
        return wished_taste(wishes) if self._kind == "ceiling" else {}

    def _fresh(self) -> Steps:
        seed = (self._seed, self._scenario.id, "reference")
        asks = self._kind == "asker"
        return Conduct(self._scenario, self._aims, self._tools, self._taste, asks=asks, seed=seed).steps()


def _goes_on(script: Transcript, before: Transcript) -> bool:
    """Whether `script` begins with all that was read `before`."""
    messages, actions = len(before.messages), len(before.actions)
    return script.messages[:messages] == before.messages and script.actions[:actions] == before.actions


def _heard(script: Transcript, taken: int) -> Iterator[Heard]:
    """What came back after each step but for the first ones, which are `taken`: the user's words, and the answers to
    calls that were made together. Calls that have no answer yet are as if they had not been made.
    """
    steps: dict[int, list[Heard]] = {}
    for (turn, _), step in groupby(script.actions, key=lambda action: (action.turn, action.step)):
        answers = [action.answer for action in step]
        if None not in answers:
            steps.setdefault(turn, []).append(tuple(answer for answer in answers if answer is not None))
    said = script.said_by("user")
    back = (heard for turn, text in enumerate(said, 1) for heard in (text, *steps.get(turn, ())))
    return islice(back, taken, None)
