"""The cast: everybody who speaks in a campaign, opened once and seated anew for each dialogue."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from duologue.agents.assistant import ModelAssistant
from duologue.agents.callables import CallableAssistant, load
from duologue.agents.context import describe
from duologue.agents.ending import Ending, Failure
from duologue.agents.endpoint import EndpointAssistant, EndpointSpec
from duologue.agents.judge import Judge
from duologue.agents.message import Message
from duologue.agents.models.call import CallLimits, Model, Request
from duologue.agents.models.door import Models, ModelSpec, placed
from duologue.agents.person import Person
from duologue.agents.prompt import render
from duologue.agents.rubric import Rubric, read_rubric
from duologue.agents.script import ScriptedSpeaker
from duologue.agents.speaker import Speaker
from duologue.agents.transcript import Transcript
from duologue.agents.user import ModelUser
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign, Cell
from duologue.openers import Openers, SharedOpener
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import Scenario
from duologue.record import Dialogue
from duologue.tasks.chance import number

__all__ = ["Cast", "Keyboard"]

SMALL = (
    "An embedded model of a few hundred million parameters spoke here. It shows the tool at work; "
    "its words and scores prove nothing about any assistant."
)
SMALL_CONTEXT = 1500
"""How many tokens a small model is told of the user; older sessions are left out beyond that, and it is said."""


class Keyboard:
    """How a person at the keyboard is asked and shown things."""

    def __init__(
        self, ask: Callable[[str], str] = input, show: Callable[[str, str], None] = lambda seat, text: None
    ) -> None:
        self.ask, self.show = ask, show


class Cast:
    """Opens the models, callables and rubric that a campaign names, and seats them.

    Entering it raises BadInput for whatever could not work, before any call is made. With `seats` false
    only the judge is opened.
    """

    def __init__(
        self, campaign: Campaign, data: Dataset, keyboard: Keyboard | None = None, *, seats: bool = True
    ) -> None:
        self._campaign, self._data, self._keyboard, self._seats = campaign, data, keyboard or Keyboard(), seats
        self._beside = Path(campaign.beside)
        written = campaign.limits.model_dump(exclude_unset=True, include=set(CallLimits.model_fields))
        self._limits = CallLimits(**written)
        self._models = Models()
        self._opened: dict[str, Model] = {}
        self._callables: dict[str, Callable[..., Any]] = {}
        self._openers = Openers()
        self._judge: Judge | None = None
        self._specs = {spec.name: spec for spec in campaign.assistant}
        self.rubric: Rubric | None = None

    async def __aenter__(self) -> Self:
        try:
            if self._seats:
                self._open_seats()
            if (judge := self._campaign.judge) is not None:
                self.rubric = read_rubric(judge.rubric, self._beside)
                self._judge = Judge(self._open(judge), self.rubric)
            for model in self._all_models():
                await model.start()
        except BaseException:
            await self._models.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._models.close()

    @property
    def judges(self) -> bool:
        """Whether the campaign has a judge."""
        return self._judge is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know."""
        return (SMALL,) if any(model.traits.small for model in self._all_models()) else ()

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What endpoints did not take as asked, one sentence each."""
        return self._models.adaptations

    def most_at_once(self, wanted: int) -> int:
        """How many dialogues may go on at once, of `wanted`."""
        return self._models.most_at_once(wanted)

    async def probe(self) -> AsyncIterator[tuple[str, str]]:
        """Ask each model and each endpoint for one word; yields (what was asked, what went wrong or nothing)."""
        roles: dict[str, list[str]] = {}
        for role, model in [*self._opened.items(), *([("judge", self._judge.model)] if self._judge else [])]:
            roles.setdefault(model.name, []).append(role)
        for model in self._all_models():
            request = Request(messages=(Message("user", render("probe.md")),), max_tokens=16, conversation="probe")
            yield f"{model.name} ({', '.join(roles[model.name])})", await _fault_of(model.complete(request))
            await model.release("probe")
        for spec in self._campaign.assistant:
            if spec.endpoint:
                speaker = self._endpoint(spec.endpoint, "probe", "")
                asked = speaker.speak(Transcript().and_then("user", render("probe.md")))
                yield f"{spec.name} (endpoint)", await _fault_of(asked)
                await speaker.close()

    def rebuildable(self, assistant: str) -> bool:
        """Whether that assistant can go on from the messages alone."""
        spec = self._specs[assistant]
        return not (spec.stateful or (spec.endpoint is not None and spec.endpoint.session))

    def seat(self, cell: Cell, scenario: Scenario, attempt: int) -> tuple[Speaker, Speaker]:
        """The user and the assistant of one dialogue."""
        return self._user(cell, scenario, attempt), self._assistant(cell, scenario, attempt)

    async def judged(self, cell: Cell, scenario: Scenario, script: Transcript, attempt: int, end: Ending) -> Verdict:
        """The judge's verdict on an ended dialogue."""
        assert self._judge is not None
        spec = self._specs[cell.assistant]
        seed = number(self._campaign.seed, scenario.id, "judge", cell.trial, 0, 0, "verdict") % 2**31
        return await self._judge.judge(
            scenario, script, cell=cell.id, attempt=attempt, seed=seed, ending=end, assistant_model=spec.model
        )

    def unscored(self, cell: Cell, attempt: int, why: str) -> Verdict:
        """The verdict where judging itself broke."""
        assert self._judge is not None
        return Verdict(
            cell=cell.id,
            attempt=attempt,
            rubric=self._judge.fingerprint,
            rubric_name=self._judge.rubric.name,
            judge=self._judge.model.name,
            unscored=why,
            owner="infrastructure",
        )

    def settled(self, verdict: Verdict) -> bool:
        """Whether a verdict is of this judge and rubric, and not one that the infrastructure spoilt."""
        judge = self._judge
        return bool(
            judge
            and verdict.rubric == judge.fingerprint
            and verdict.judge == judge.model.name
            and not (verdict.unscored and verdict.owner == "infrastructure")
        )

    async def release(self, conversation: str) -> None:
        """Tell every model that a dialogue is done."""
        for model in self._all_models():
            await model.release(conversation)

    def remember_openers(self, dialogues: Iterable[Dialogue]) -> None:
        """Have dialogues to come open with what the user said first in these, scenario by scenario."""
        for dialogue in dialogues:
            self._openers.remember(dialogue)

    def _open_seats(self) -> None:
        campaign = self._campaign
        if campaign.user.model:
            self._opened["user"] = self._open(campaign.user)
        for spec in campaign.assistant:
            if spec.model:
                self._opened[f"assistant {spec.name}"] = self._open(spec)
            if spec.callable:
                self._callables[spec.name] = load(spec.callable, self._beside)
            if spec.endpoint:
                self._endpoint(spec.endpoint, "", "")

    def _all_models(self) -> list[Model]:
        judge = [self._judge.model] if self._judge else []
        return list({id(model): model for model in (*self._opened.values(), *judge)}.values())

    def _open(self, spec: ModelSpec) -> Model:
        """The model of a role. Roles that differ only in what else they say of themselves share it."""
        limits = spec.limits if "limits" in spec.model_fields_set else self._limits
        model = placed(spec.model, self._beside)
        return self._models.open(
            ModelSpec(model=model, base_url=spec.base_url, key=spec.key, top_p=spec.top_p, limits=limits)
        )

    def _user(self, cell: Cell, scenario: Scenario, attempt: int) -> Speaker:
        spec = self._campaign.user
        if spec.person:
            return Person("user", ask=self._keyboard.ask, show=self._keyboard.show)
        if spec.script:
            return ScriptedSpeaker(spec.script, "user")
        user = ModelUser(
            self._opened["user"],
            scenario,
            conversation=cell.id,
            seed=self._seed(scenario, "user", cell.trial),
            domains=self._data.domains,
            temperature=spec.temperature,
            max_tokens=spec.max_tokens,
        )
        return SharedOpener(user, self._openers, (scenario.id, cell.trial))

    def _assistant(self, cell: Cell, scenario: Scenario, attempt: int) -> Speaker:
        spec = self._specs[cell.assistant]
        model = self._opened.get(f"assistant {spec.name}")
        budget = SMALL_CONTEXT if model and model.traits.small else None
        context = describe(scenario.profile, scenario.task, scenario.situation, spec.context, spec.scope, budget)
        session = f"{cell.id}-{attempt}"
        if spec.person:
            return Person("assistant", ask=self._keyboard.ask, show=self._keyboard.show)
        if spec.script:
            return ScriptedSpeaker(spec.script, "assistant")
        if spec.callable:
            return CallableAssistant(
                self._callables[spec.name],
                session_id=session,
                context=context,
                timeout=self._campaign.limits.call,
                stateful=spec.stateful,
            )
        if spec.endpoint:
            return self._endpoint(spec.endpoint, session, context)
        assert model is not None
        return ModelAssistant(
            model,
            conversation=cell.id,
            seed=self._seed(scenario, "assistant", cell.trial),
            context=context,
            temperature=spec.temperature,
            max_tokens=spec.max_tokens,
        )

    def _endpoint(self, spec: EndpointSpec, session: str, context: str) -> EndpointAssistant:
        return EndpointAssistant(spec, session_id=session, context=context, limits=self._campaign.limits)

    def _seed(self, scenario: Scenario, role: str, trial: int) -> Callable[[int, int, str], int]:
        def seed(turn: int, attempt: int, purpose: str) -> int:
            return number(self._campaign.seed, scenario.id, role, trial, turn, attempt, purpose) % 2**31

        return seed


async def _fault_of(call: Awaitable[object]) -> str:
    """What went wrong in a call, or nothing."""
    try:
        await call
    except Failure as failure:
        return str(failure)
    return ""
