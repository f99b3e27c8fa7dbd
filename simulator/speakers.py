"""Speakers: who sits in the two seats of one dialogue, what they are told, and the world between them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duologue.agents.assistant import ModelAssistant
from duologue.agents.callables import CallableAssistant, check_signature
from duologue.agents.context import Told
from duologue.agents.endpoint import EndpointAssistant, EndpointSpec
from duologue.agents.events import Event, UserTurn
from duologue.agents.memory import Reminded
from duologue.agents.models.call import Model
from duologue.agents.models.gate import Gates
from duologue.agents.person import Person
from duologue.agents.script import ScriptedSpeaker
from duologue.agents.speaker import Speaker
from duologue.agents.state.judge import state_verdict
from duologue.agents.user import ModelUser
from duologue.agents.verdict import Verdict
from duologue.campaign import AssistantSpec, Campaign, Cell
from duologue.deadline import hurried
from duologue.openers import Openers, SharedOpener
from duologue.profiles.dataset import Dataset
from duologue.profiles.profile import Session
from duologue.profiles.scenario import Scenario
from duologue.record.run import Dialogue
from duologue.staging import Stages, has_world
from duologue.tasks.chance import number
from duologue.tasks.tool import Tool
from duologue.tasks.world import World
from duologue.telling import Telling

__all__ = ["Keyboard", "Opened", "Speakers"]

SMALL_CONTEXT = 1500
"""How many tokens a small model is told of the user; older sessions are left out beyond that, and it is said."""


class Keyboard:
    """How a person at the keyboard is asked and shown things."""

    def __init__(
        self, ask: Callable[[str], str] = input, show: Callable[[str, str], None] = lambda seat, text: None
    ) -> None:
        self.ask, self.show = ask, show


@dataclass(slots=True)
class Opened:
    """What speaks: the user's model, and the assistants' models and functions by name; and what calls wait at."""

    user: Model | None = None
    models: dict[str, Model] = field(default_factory=dict)
    callables: dict[str, Callable[..., Any]] = field(default_factory=dict)
    gates: Gates = field(default_factory=Gates)


class Speakers:
    """Seats a campaign's user and assistants anew for each dialogue."""

    def __init__(self, campaign: Campaign, data: Dataset, keyboard: Keyboard, opened: Opened, telling: Telling) -> None:
        self._campaign, self._data, self._keyboard, self._opened = campaign, data, keyboard, opened
        self._specs: Mapping[str, AssistantSpec] = {spec.name: spec for spec in campaign.assistant}
        self._telling, self._openers = telling, Openers(len(campaign.assistant))
        self._stages = Stages(campaign, data)
        self._recalling: Callable[[str, bool], None] = lambda cell, over: None

    def watch(self, recalling: Callable[[str, bool], None]) -> None:
        """Have `recalling` called with a dialogue's cell before its assistant's memory is looked up, and after."""
        self._recalling = recalling

    def rebuildable(self, assistant: str) -> bool:
        """Whether that assistant can go on from the messages alone."""
        spec = self._specs[assistant]
        return not (spec.stateful or (spec.endpoint is not None and spec.endpoint.session))

    def acts(self, spec: AssistantSpec) -> bool:
        """Whether an assistant uses tools: as it is written, else where it is made to."""
        if spec.tools != "auto" or spec.reference:
            return spec.tools != "off"
        if model := self._opened.models.get(spec.name):
            return model.traits.tools and not model.traits.small
        if spec.callable:
            return "tools" in check_signature(self._opened.callables[spec.name])
        return bool(spec.endpoint and spec.endpoint.calls)

    def takes(self, spec: AssistantSpec) -> tuple[str, ...]:
        """What an assistant's function is given beside the messages."""
        return check_signature(self._opened.callables[spec.name]) if spec.callable else ()

    def world(self, cell: Cell, scenario: Scenario) -> World | None:
        """The world of one dialogue as it is at the start; None where the assistant acts on none."""
        acts = self.acts(self._specs[cell.assistant]) and has_world(self._data, scenario.task)
        return World(self._stages.stage(scenario, cell.trial)) if acts else None

    def seat(
        self, cell: Cell, scenario: Scenario, attempt: int, tools: tuple[Tool, ...] = ()
    ) -> tuple[Speaker, Speaker]:
        """The user and the assistant of one dialogue, who may use `tools`. Their time runs from now on."""
        user, assistant = self._user(cell, scenario), self._assistant(cell, scenario, attempt, tools)
        return hurried(user, assistant, self._campaign.limits.dialogue)

    async def read(self, cell: Cell, scenario: Scenario, events: Sequence[Event], attempt: int) -> Verdict:
        """What the end state of a dialogue that had a world comes to."""
        spec = self._specs[cell.assistant]
        opener = next((event.text for event in events if isinstance(event, UserTurn)), "")
        told = self._told(spec, scenario, await self._telling.recalled(spec, scenario, opener))
        known = self._telling.known(spec, scenario, told)
        stage = self._stages.stage(scenario, cell.trial)
        return state_verdict(scenario, stage, events, cell=cell.id, attempt=attempt, known=known)

    def remember_openers(self, dialogues: Iterable[Dialogue]) -> None:
        """Have dialogues to come open with what the user said first in these, scenario by scenario."""
        for dialogue in dialogues:
            self._openers.remember(dialogue)

    def _user(self, cell: Cell, scenario: Scenario) -> Speaker:
        spec = self._campaign.user
        if spec.person:
            return Person("user", ask=self._keyboard.ask, show=self._keyboard.show)
        if spec.script:
            return ScriptedSpeaker(spec.script, "user")
        seed = self._seed(scenario, "user", cell.trial)
        if spec.agenda:
            from duologue.agents.agenda.user import AgendaUser

            return AgendaUser(scenario, self._data.domains, seed=seed(0, 0, "agenda"), correction=spec.correction)
        assert self._opened.user is not None
        user = ModelUser(
            self._opened.user,
            scenario,
            conversation=cell.id,
            seed=seed,
            domains=self._data.domains,
            temperature=spec.temperature,
            max_tokens=spec.max_tokens,
        )
        return SharedOpener(user, self._openers, (scenario.id, cell.trial))

    def _assistant(self, cell: Cell, scenario: Scenario, attempt: int, tools: tuple[Tool, ...]) -> Speaker:
        spec = self._specs[cell.assistant]
        if spec.person:
            return Person("assistant", ask=self._keyboard.ask, show=self._keyboard.show)
        if spec.script:
            return ScriptedSpeaker(spec.script, "assistant")
        if spec.reference:
            return self._reference(spec, cell, scenario, tools)

        async def reminded(opener: str) -> Speaker:
            self._recalling(cell.id, False)
            recalled = await self._telling.recalled(spec, scenario, opener)
            self._recalling(cell.id, True)
            return self._informed(spec, cell, scenario, attempt, tools, recalled)

        if spec.memory:
            return Reminded(reminded, self.rebuildable(spec.name))
        return self._informed(spec, cell, scenario, attempt, tools, None)

    def _reference(self, spec: AssistantSpec, cell: Cell, scenario: Scenario, tools: tuple[Tool, ...]) -> Speaker:
        from duologue.agents.references.assistant import ReferenceAssistant

        assert spec.reference
        return ReferenceAssistant(
            spec.reference,
            scenario,
            self._data.domains,
            tools,
            self._telling.read(spec, scenario) if spec.reference == "ceiling" else (),
            self._telling.popular(scenario.profile) if spec.reference == "floor" else {},
            seed=self._seed(scenario, "assistant", cell.trial)(0, 0, "reference"),
        )

    def _informed(
        self,
        spec: AssistantSpec,
        cell: Cell,
        scenario: Scenario,
        attempt: int,
        tools: tuple[Tool, ...],
        recalled: Sequence[Session] | None,
    ) -> Speaker:
        """An assistant that is told of the user."""
        context = self._told(spec, scenario, recalled).text
        if spec.callable:
            return CallableAssistant(
                self._opened.callables[spec.name],
                session_id=f"{cell.id}-{attempt}",
                context=context,
                tools=tools,
                timeout=self._campaign.limits.call,
                stateful=spec.stateful,
            )
        if spec.endpoint:
            return self.endpoint(spec.endpoint, f"{cell.id}-{attempt}", context, tools)
        return ModelAssistant(
            self._opened.models[spec.name],
            conversation=cell.id,
            seed=self._seed(scenario, "assistant", cell.trial),
            context=context,
            tools=tools,
            form="text" if spec.tools == "text" else "native",
            temperature=spec.temperature,
            max_tokens=spec.max_tokens,
        )

    def _told(self, spec: AssistantSpec, scenario: Scenario, recalled: Sequence[Session] | None) -> Told:
        model = self._opened.models.get(spec.name)
        budget = SMALL_CONTEXT if model and model.traits.small else None
        return self._telling.told(spec, scenario, recalled).within(budget)

    def endpoint(
        self, spec: EndpointSpec, session: str, context: str = "", tools: tuple[Tool, ...] = ()
    ) -> EndpointAssistant:
        """An assistant behind HTTP. Raises BadInput where a variable that it names is not set."""
        limits = self._campaign.limits
        gate = self._opened.gates.at(spec.url, "", limits)
        return EndpointAssistant(spec, session_id=session, context=context, tools=tools, limits=limits, gate=gate)

    def _seed(self, scenario: Scenario, role: str, trial: int) -> Callable[[int, int, str], int]:
        def seed(turn: int, attempt: int, purpose: str) -> int:
            return number(self._campaign.seed, scenario.id, role, trial, turn, attempt, purpose) % 2**31

        return seed
