"""The estimate: what a campaign may take in calls, tokens and money, without a call.

The prompts of a few scenarios are really rendered, for dialogues of made-up words, and their letters are counted.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from duologue.agents.ending import ending
from duologue.agents.judge import Judge
from duologue.agents.message import ToolCall
from duologue.agents.models.door import ModelSpec
from duologue.agents.rubric import Rubric, read_rubric
from duologue.agents.transcript import Action, Transcript
from duologue.agents.usage import LETTERS
from duologue.campaign import AssistantSpec, Campaign, Cell, UserSpec
from duologue.money.budget import judges, priced
from duologue.money.gauge import LENGTHS, Tally, gauge, length
from duologue.money.prices import Price, price_of
from duologue.preflight import rehearse
from duologue.profiles.dataset import Dataset, open_dataset, scenario
from duologue.profiles.scenario import ScenarioKey
from duologue.selection import select
from duologue.speakers import Keyboard, Opened, Speakers
from duologue.tasks.written import Written
from duologue.telling import Telling

__all__ = ["Estimate", "RoleEstimate", "Span", "estimate"]

SAMPLE = 12
"""How many scenarios are rendered."""
STEPS = 2
"""How often an assistant with tools calls some in each turn, at the most."""
RESULT = 400
"""Tokens of what a tool answers, at the most."""
_BOUNDS = (0, 1)


class Span(Written):
    """From the least to the most."""

    low: int | float
    high: int | float


class RoleEstimate(Written):
    """What one role may take. The cost is None where a price is unknown."""

    role: str
    model: str
    calls: Span
    input: Span
    output: Span
    cost: Span | None = None


class Estimate(Written):
    """What a campaign may take."""

    name: str
    scenarios: int
    sampled: int
    dialogues: int
    turns: int
    roles: tuple[RoleEstimate, ...]
    """Those that a model plays."""
    cost: Span | None = None
    """In all; None where a price is unknown."""
    currency: str
    budget: float | None = None
    assumed: tuple[str, ...]
    """What the figures rest on, one sentence each."""


async def estimate(campaign: Campaign) -> Estimate:
    """What `campaign` may take: at the least one user turn in each dialogue, at the most as many as it allows.

    Raises BadInput where its data or files cannot be used.
    """
    campaign = priced(campaign)
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    rehearse(data, keys)
    sample = [keys[place * len(keys) // SAMPLE] for place in range(SAMPLE)] if len(keys) > SAMPLE else keys
    rubric = read_rubric(campaign.judge.rubric, Path(campaign.beside)) if campaign.judge else None
    bounds = [await _Rehearsal(campaign, data, rubric, bound).hold(sample) for bound in _BOUNDS]
    times = campaign.trials * len(keys) / len(sample)
    roles = tuple(_roles(campaign, bounds[0], bounds[1], times))
    costs = [role.cost for role in roles]
    known = [cost for cost in costs if cost is not None]
    total = Span(low=sum(cost.low for cost in known), high=sum(cost.high for cost in known))
    return Estimate(
        name=campaign.name,
        scenarios=len(keys),
        sampled=len(sample),
        dialogues=len(keys) * campaign.trials * len(campaign.assistant),
        turns=campaign.limits.turns,
        roles=roles,
        cost=total if len(known) == len(costs) else None,
        currency=campaign.prices.currency,
        budget=campaign.limits.budget,
        assumed=tuple(_assumed(campaign, len(sample), len(keys))),
    )


class _Rehearsal:
    """Dialogues of made-up words, short ones (bound 0) or long ones (bound 1), held with gauges."""

    def __init__(self, campaign: Campaign, data: Dataset, rubric: Rubric | None, bound: int) -> None:
        self._campaign, self._data, self._bound = _stood_in(campaign), data, bound
        self._gauges = {role: gauge(spec, bound) for role, spec in _played(campaign)}
        assistants = {spec.name: f"assistant {spec.name}" for spec in campaign.assistant if spec.model}
        opened = Opened(self._gauges.get("user"), {name: self._gauges[role] for name, role in assistants.items()})
        telling = Telling(self._campaign, data)
        self._speakers = Speakers(self._campaign, data, Keyboard(), opened, telling)
        self._judges = [Judge(self._gauges[role], rubric) for role, _ in judges(campaign) if rubric]

    async def hold(self, keys: list[ScenarioKey]) -> dict[str, Tally]:
        """What each role took in the dialogues about `keys`."""
        for key in keys:
            for spec in self._campaign.assistant:
                await self._dialogue(Cell(key, spec.name, 1), spec)
        return {role: gauge.tally for role, gauge in self._gauges.items()}

    async def _dialogue(self, cell: Cell, spec: AssistantSpec) -> None:
        case = scenario(self._data, cell.scenario)
        world = self._speakers.world(cell, case)
        user, assistant = self._speakers.seat(cell, case, 1, world.tools if world else ())
        script = Transcript()
        for turn in range(1, (self._campaign.limits.turns if self._bound else 1) + 1):
            await user.speak(script)
            opener = case.task.intent if turn == 1 else ""
            script = script.and_then("user", opener + self._words("user", self._campaign.user.max_tokens))
            for step in range(1, self._bound * STEPS * bool(world and spec.model) + 1):
                await assistant.speak(script)
                call = ToolCall(f"call-{turn}-{step}", "search", {"what": self._words("user", None)})
                script = script.and_done(Action(turn, step, call, {"found": "its " * RESULT}))
            await assistant.speak(script)
            script = script.and_then("assistant", self._words("assistant", spec.max_tokens))
        for judge in self._judges:
            await judge.judge(case, script, cell=cell.id, attempt=1, seed=0, ending=ending("satisfied", "user"))

    def _words(self, role: str, room: int | None) -> str:
        return "its " * round(length(role, room, self._bound))


def _stood_in(campaign: Campaign) -> Campaign:
    """`campaign` with lines in place of whoever is no model, and memories that need none."""
    lines = ("Yes.",) * campaign.limits.turns
    user = campaign.user if campaign.user.model else UserSpec(script=lines)
    assistants = (
        spec.model_copy(update={"memory": spec.memory.replace("embedding", "bm25")})
        if spec.model
        else AssistantSpec(name=spec.name, script=lines)
        for spec in campaign.assistant
    )
    return campaign.model_copy(update={"user": user, "assistant": tuple(assistants)})


def _played(campaign: Campaign) -> Iterator[tuple[str, ModelSpec]]:
    """The roles that a model plays."""
    if campaign.user.model:
        yield "user", campaign.user
    for spec in campaign.assistant:
        if spec.model:
            yield f"assistant {spec.name}", spec
    yield from judges(campaign)


def _roles(campaign: Campaign, low: dict[str, Tally], high: dict[str, Tally], times: float) -> Iterator[RoleEstimate]:
    looks = campaign.judge.samples if campaign.judge else 1
    judging = {role for role, _ in judges(campaign)}
    for role, spec in _played(campaign):
        many = times * looks if role in judging else times
        price = price_of(spec.model_dump(), campaign.prices)
        ends = low[role], high[role]
        yield RoleEstimate(
            role=role,
            model=spec.model,
            calls=_span(*(round(end.calls * many) for end in ends)),
            input=_span(*(round(end.input * many) for end in ends)),
            output=_span(*(round(end.output * many) for end in ends)),
            cost=_span(*(_cost(end, price) * many for end in ends)) if price else None,
        )


def _span(low: int | float, high: int | float) -> Span:
    return Span(low=low, high=high)


def _cost(tally: Tally, price: Price) -> float:
    return (tally.input * price.input + tally.output * price.output) / 1_000_000


def _assumed(campaign: Campaign, sampled: int, scenarios: int) -> Iterator[str]:
    turns = campaign.limits.turns
    which = "every scenario" if sampled == scenarios else f"{sampled} of {scenarios:,} scenarios"
    yield f"Prompts as rendered for {which}, {LETTERS} letters to a token."
    yield f"At the least 1 user turn in each dialogue, at the most {turns} (limits.turns)."
    user, assistant = LENGTHS["user"], LENGTHS["assistant"]
    yield (
        f"Turns of {user[0]} to {user[1]} tokens (user) and {assistant[0]} to {assistant[1]} (assistant), or up to "
        "max_tokens where that is written; reasoning comes on top."
    )
    if campaign.judge:
        samples = campaign.judge.samples
        looks = f" Each judge looks {samples} times." if samples > 1 else ""
        yield f"An answer of a judge takes a fifth to all of the room that it is given.{looks}"
    if any(spec.model and spec.tools != "off" for spec in campaign.assistant):
        yield f"Assistants with tools call some up to {STEPS} times a turn, answered with up to {RESULT} tokens."
    yield "All input at its full price; drafts asked for again, calls tried again and cached answers are not in it."
    others = defaultdict(list)
    for spec in campaign.assistant:
        others["callable" if spec.callable else "endpoint" if spec.endpoint else ""].append(spec.name)
    if elsewhere := [*others["callable"], *others["endpoint"]]:
        yield f"What {', '.join(elsewhere)} may cost is not known here."
