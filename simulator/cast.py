"""The cast: everybody who speaks in a campaign, opened once, and the jury."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from duologue.agents.callables import check_signature, load
from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Request
from duologue.agents.models.door import Models, ModelSpec, bare
from duologue.agents.prompt import render
from duologue.agents.state.judge import NAME, state_rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Verdict
from duologue.campaign import AssistantSpec, Campaign, Cell
from duologue.jury import Jury
from duologue.profiles.dataset import Dataset
from duologue.record.digest import VerdictDigest
from duologue.speakers import Keyboard, Opened, Speakers
from duologue.tasks.written import BadInput
from duologue.telling import Telling

if TYPE_CHECKING:
    from duologue.agents.models.embedding import LocalEmbedding

__all__ = ["Cast", "Keyboard"]

SMALL = (
    "An embedded model of a few hundred million parameters spoke here. It shows the tool at work; "
    "its words and scores prove nothing about any assistant."
)
DELAY = (
    'memory = "embedding": each session is read once by the embedded model, which may take a second or more; until '
    "then an assistant's first turn waits for its memory."
)


class Cast:
    """Opens the models, callables and rubric that a campaign names; its `speakers` seat them, its `jury` judges.

    Entering it raises BadInput for whatever could not work, before any call is made. With `seats` false
    only the judge is opened. `share` is this process's part of what endpoints may be asked a minute.
    """

    def __init__(
        self,
        campaign: Campaign,
        data: Dataset,
        keyboard: Keyboard | None = None,
        *,
        seats: bool = True,
        share: float = 1.0,
    ) -> None:
        self._campaign, self._seats = campaign, seats
        self._beside = Path(campaign.beside)
        self._models = Models(campaign.cache_file, share)
        self._opened = Opened(gates=self._models.gates)
        self._embedding = _embedding(campaign)
        telling = Telling(campaign, data, self._embedding)
        self.jury = Jury(campaign)
        self.speakers = Speakers(campaign, data, keyboard or Keyboard(), self._opened, telling)

    async def __aenter__(self) -> Self:
        try:
            if self._seats:
                self._open_seats()
            self.jury.seat(self._open)
            for model in self._all_models():
                await model.start()
            if self._embedding:
                await self._embedding.start()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._close()

    @property
    def embeds(self) -> bool:
        """Whether a model runs on this machine, in processes of its own."""
        return bool(self._embedding or self._models.pools)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know."""
        return (SMALL,) if any(model.traits.small for model in self._all_models()) else ()

    @property
    def delays(self) -> tuple[str, ...]:
        """What dialogues may wait for, one sentence each."""
        return (DELAY,) if self._embedding else ()

    async def pace(self, text: str) -> float | None:
        """How many seconds the embedded model takes to read `text` for a memory; None where no memory needs it."""
        if self._embedding is None:
            return None
        begun = time.perf_counter()
        await self._embedding.embed([text])
        return time.perf_counter() - begun

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What endpoints did not take as asked, one sentence each."""
        return self._models.adaptations

    @property
    def strains(self) -> tuple[str, ...]:
        """What endpoints had no room for, one sentence each."""
        return self._models.gates.told

    def watch(self, strained: Callable[[str, str], None]) -> None:
        """Have `strained` called with an endpoint's name and that sentence whenever it has no room for a call."""
        self._models.gates.watch(lambda gate: strained(gate.name, gate.told))

    def most_at_once(self, wanted: int) -> int:
        """How many dialogues may go on at once, of `wanted`."""
        return self._models.most_at_once(wanted)

    async def probe(self) -> AsyncIterator[tuple[str, str]]:
        """Ask each model and each endpoint for one word; yields (what was asked, what went wrong or nothing)."""
        roles: dict[str, list[str]] = {}
        for role, model in self._roles():
            roles.setdefault(model.name, []).append(role)
        for model in self._all_models():
            request = Request(messages=(Message("user", render("probe.md")),), max_tokens=16, conversation="probe")
            yield f"{model.name} ({', '.join(roles[model.name])})", await _fault_of(model.complete(request))
            await model.release("probe")
        for spec in self._campaign.assistant:
            if spec.endpoint:
                speaker = self.speakers.endpoint(spec.endpoint, "probe")
                asked = speaker.speak(Transcript().and_then("user", render("probe.md")))
                yield f"{spec.name} (endpoint)", await _fault_of(asked)
                await speaker.close()

    @staticmethod
    def is_read(verdict: VerdictDigest) -> bool:
        """Whether a verdict is the reading of an end state as it is read now, and did not break."""
        return verdict.judge == NAME and verdict.rubric == state_rubric() and verdict.owner != "infrastructure"

    @staticmethod
    def unread(cell: Cell, attempt: int, why: str) -> Verdict:
        """The verdict where reading an end state broke."""
        return Verdict(
            cell=cell.id,
            attempt=attempt,
            rubric=state_rubric(),
            rubric_name=NAME,
            judge=NAME,
            unscored=why,
            owner="infrastructure",
        )

    async def release(self, conversation: str) -> None:
        """Tell every model that a dialogue is done."""
        for model in self._all_models():
            await model.release(conversation)

    async def _close(self) -> None:
        await self._models.close()
        if self._embedding:
            await self._embedding.close()

    def _open_seats(self) -> None:
        campaign = self._campaign
        if campaign.user.model:
            self._opened.user = self._open(campaign.user)
        for spec in campaign.assistant:
            if spec.model:
                self._opened.models[spec.name] = self._open(spec)
                _check_tools(spec, self._opened.models[spec.name])
            if spec.callable:
                self._opened.callables[spec.name] = load(spec.callable, self._beside)
                _check_takes_tools(spec, self._opened.callables[spec.name])
            if spec.endpoint:
                self.speakers.endpoint(spec.endpoint, "")

    def _all_models(self) -> list[Model]:
        return list({id(model): model for _, model in self._roles()}.values())

    def _roles(self) -> list[tuple[str, Model]]:
        """Every role that a model plays."""
        assistants = [(f"assistant {name}", model) for name, model in self._opened.models.items()]
        judges = [("judge", model) for model in self.jury.models]
        return [*([("user", self._opened.user)] if self._opened.user else []), *assistants, *judges]

    def _open(self, spec: ModelSpec) -> Model:
        """The model of a role. Roles that differ only in what else they say of themselves share it."""
        return self._models.open(bare(spec, self._beside, self._campaign.limits.of_calls))


def _embedding(campaign: Campaign) -> "LocalEmbedding | None":
    """What texts are made vectors with, where a memory needs it."""
    if not any(spec.memory.startswith("embedding") for spec in campaign.assistant):
        return None
    from duologue.agents.models.embedding import LocalEmbedding

    return LocalEmbedding()


def _check_tools(spec: AssistantSpec, model: Model) -> None:
    """Raises BadInput where a model is to call tools in a form of its own and has none."""
    if spec.tools == "native" and not model.traits.tools:
        raise BadInput(
            f"{model.name} takes no tools as such", f"assistant {spec.name}", "Write tools = 'text', or leave it out"
        )


def _check_takes_tools(spec: AssistantSpec, function: Callable[..., Any]) -> None:
    """Raises BadInput where a function is to call tools and is never told which there are."""
    if spec.tools == "native" and "tools" not in check_signature(function):
        raise BadInput(
            f"{spec.callable} takes no tools", f"assistant {spec.name}",
            "Add an argument `tools` to the function, or write tools = 'off'",
        )  # fmt: skip


async def _fault_of(call: Awaitable[object]) -> str:
    """What went wrong in a call, or nothing."""
    try:
        await call
    except Failure as failure:
        return str(failure)
    return ""
