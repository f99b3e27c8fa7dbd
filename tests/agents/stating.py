"""A small field of tasks with a world, and a way to write down a dialogue in it, as the state judge reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from duologue.agents.ending import Reason, ending
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    Disclosure,
    Event,
    EventBase,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserTurn,
)
from duologue.agents.speaker import Speaker
from duologue.agents.state.judge import state_verdict
from duologue.agents.transcript import Action, Transcript
from duologue.agents.verdict import PreferenceVerdict, Verdict
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wishes
from duologue.tasks.domain import Domain
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Task
from duologue.tasks.world import World

CUISINES = ("Thai", "Polish", "Peruvian", "Korean", "Georgian")
ROOMS = ("quiet", "lively", "candlelit")

SUPPERS = Domain.model_validate({
    "name": "Suppers",
    "preferences": [
        {"name": "cuisine", "values": CUISINES, "ask": "Which cuisine do you like?", "say": "I like {value} food"},
        {"name": "room", "values": ROOMS, "ask": "What should the room be like?", "say": "I like a {value} room"},
        {"name": "hour", "values": ["at six", "at eight"], "ask": "Which hour suits you?", "say": "I dine {value}"},
        {"name": "drink", "values": ["tea", "cider"], "ask": "What do you drink?", "say": "I drink {value}"},
    ],
    "entity": {
        "name": "tavern", "plural": "taverns",
        "attributes": [
            {"name": "cuisine"}, {"name": "room"},
            {"name": "seats", "kind": "number", "search": "at_least"},
            {"name": "hours", "kind": "choices", "values": ["at six", "at eight"], "search": "none"},
        ],
    },
    "records": [{
        "name": "table", "done": "booked",
        "tools": {"create": "book_table", "change": "change_table", "cancel": "cancel_table", "list": "list_tables"},
        "fields": [
            {"name": "tavern", "kind": "entity", "required": True, "ask": "Which tavern is it?", "say": "at {value}"},
            {"name": "day", "values": ["Friday", "Saturday", "Sunday"], "required": True, "ask": "For which day?",
             "say": "on {value}"},
            {"name": "party", "kind": "number", "required": True, "at_most": "seats", "ask": "For how many people?",
             "say": "for {value} people"},
            {"name": "hour", "among": "hours"},
            {"name": "drink", "kind": "choices"},
            {"name": "note", "kind": "text", "ask": "Should they know anything?", "say": "they know of {value}"},
        ],
    }],
    "catalogue": [
        {"name": f"The {word} {sign}", "cuisine": cuisine, "room": room, "seats": seats,
         "hours": ["at six", "at eight"] if seats > 4 else ["at six"]}
        for cuisine, word in zip(CUISINES, ("Amber", "Silver", "Copper", "Ivory", "Velvet"), strict=True)
        for room, sign, seats in zip(ROOMS, ("Goose", "Kettle", "Lantern"), (4, 6, 12), strict=True)
    ],
})  # fmt: skip
DOMAINS = {"Suppers": SUPPERS}
THAI, POLISH, KOREAN = "The Amber Goose", "The Silver Goose", "The Ivory Goose"
"""The quiet tavern of each cuisine, with four seats. Kettles are lively and seat six, lanterns candlelit and twelve."""

PROFILE = Profile.model_validate({
    "id": "ines",
    "preferences": {"Suppers": {
        "cuisine": [{"value": "Thai", "strength": 1.0}, {"value": "Korean", "polarity": "avoids"}],
        "room": [{"value": "quiet", "strength": 0.5}],
        "hour": [{"value": "at six", "strength": 0.5}],
        "drink": ["tea"],
    }},
    "history": [
        {"domain": "Suppers", "summary": "She had enough of Polish food.", "evidence": [
            {"domain": "Suppers", "type": "cuisine", "value": "Polish", "kind": "explicit"},
            {"domain": "Suppers", "type": "cuisine", "value": "Thai", "kind": "update"}]},
    ],
})  # fmt: skip


def task(**changes: Any) -> Task:
    """A table for two on Friday, the day told when asked."""
    return Task.model_validate({
        "id": "supper", "domains": ["Suppers"], "intent": "You want a table for two on Friday.",
        "goal": "A table for two is booked on Friday.",
        "relevant": [["Suppers", "cuisine"], ["Suppers", "room"], ["Suppers", "hour"]],
        "slots": {"party": 2, "day": "Friday"}, "withheld": ["day"],
        "requests": ["A table for {party}, please."],
        "require": [{"record": "table", "where": {"party": 2, "day": "Friday"}}],
        **changes,
    })  # fmt: skip


def told(type: str, value: str, how: str = "asked") -> Disclosure:
    return Disclosure.model_validate(
        {"what": "preference", "domain": "Suppers", "type": type, "value": value, "how": how, "source": "exact"}
    )


@dataclass
class Tale:
    """A dialogue written down as it happens, in a real world."""

    task: Task = field(default_factory=task)
    profile: Profile = PROFILE
    events: list[Event] = field(default_factory=list)
    turn: int = 0
    step: int = 1

    def __post_init__(self) -> None:
        self.scenario = Scenario(self.profile, self.task)
        self.stage = set_stage(self.task, DOMAINS, wishes(self.scenario), "tale")
        self.world = World(self.stage)
        self._note(CellStarted, scenario="s", profile="ines", task="supper", assistant="a", trial=1)

    def user(self, text: str, *entries: Disclosure) -> "Tale":
        self.turn, self.step = self.turn + 1, 1
        self._note(UserTurn, role="user", text=text, source="agenda")
        if entries:
            self._note(LedgerNoted, role="user", entries=entries)
        return self

    def call(self, tool: str, **arguments: Any) -> "Tale":
        id = f"call-{len(self.events)}"
        self._note(ToolCalled, role="assistant", call=id, name=tool, arguments=arguments, step=self.step)
        result = self.world.call(tool, arguments)
        self._note(ToolAnswered, call=id, ok=result.ok, result=result.value)
        self.step += 1
        return self

    def book(self, tavern: str, **fields: Any) -> "Tale":
        return self.call("book_table", **{"tavern": tavern, "party": 2, "day": "Friday", **fields})

    def says(self, text: str) -> "Tale":
        self._note(AssistantTurn, role="assistant", text=text)
        return self

    def judged(self, known: dict[tuple[str, str], str] | None = None, reason: Reason = "satisfied") -> Verdict:
        self._note(CellEnded, ending=ending(reason, "user"), state=self.world.state())
        return state_verdict(self.scenario, self.stage, self.events, cell="c", attempt=1, known=known or {})

    def _note(self, kind: type[EventBase], **fields: Any) -> None:
        seq = len(self.events) + 1
        self.events.append(kind(cell="c", seq=seq, turn=self.turn, time=0.0, **fields))  # type: ignore[arg-type]


def of(verdict: Verdict, type: str) -> PreferenceVerdict:
    """What the verdict says of one preference."""
    return next(each for each in verdict.preferences if each.type == type)


async def hold(assistant: Speaker, world: World, words: Sequence[str]) -> Transcript:
    """A dialogue in which the user says `words` one after the other, whatever comes."""
    script = Transcript()
    for text in words:
        script = await replied_to(assistant, world, script.and_then("user", text))
    return script


async def replied_to(assistant: Speaker, world: World, script: Transcript) -> Transcript:
    """`script` with the assistant's next turn, and what it had done for it."""
    while (said := await assistant.speak(script)).calls:
        step = script.step
        for call in said.calls:
            result = world.call(call.name, call.arguments)
            script = script.and_done(Action(script.turn, step, call, result.value))
    return script.and_then("assistant", said.text)
