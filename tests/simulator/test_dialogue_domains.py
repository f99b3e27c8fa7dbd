"""Tool-calling models at a loopback server in the shipped worlds: what they do is what the end state shows."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from duologue.agents.assistant import ModelAssistant
from duologue.agents.events import AssistantTurn, CellEnded, Event, ToolAnswered, ToolCalled
from duologue.agents.models.door import Models, ModelSpec
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.dialogue import Talk, converse
from duologue.profiles.dataset import Dataset, open_dataset
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.aim import shortfalls
from duologue.tasks.stage import set_stage
from duologue.tasks.task import Task
from duologue.tasks.world import World

DORA = Profile(id="dora", name="Dora")


@cache
def shipped() -> Dataset:
    return open_dataset("shipped")


def one_of_each_domain() -> Iterator[Task]:
    """The first task of each domain that asks for one new record and withholds nothing."""
    seen: set[str] = set()
    for task in shipped().tasks():
        (first, *more), (wanted, *others) = task.domains, task.require
        simple = not (more or others or task.withheld or wanted.changes or wanted.gone or wanted.count > 1)
        if simple and first not in seen:
            seen.add(first)
            yield task


class Teller:
    """A user who tells every fact when asked anything, and leaves when told that it is done."""

    guarded = False
    rebuildable = True

    def __init__(self, task: Task) -> None:
        self._task = task

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        if not script.messages:
            return Said(self._task.requests[0].format(**self._task.slots), source="agenda")
        done = script.messages[-1].text.startswith(("It is", "Done", "All", "I have"))
        facts = ", ".join(f"{name} {value}" for name, value in self._task.slots.items())
        text = "Thanks." if done else f"{script.turn}. {facts}."
        return Said(text, stop=done, reason="satisfied" if done else "", source="agenda")

    async def close(self) -> None: ...


async def held(models: Models, server: Any, task: Task, model: str, **form: Any) -> tuple[list[Event], bool]:
    """The events of a dialogue, and whether its end is what the task requires."""
    scenario = Scenario(DORA, task)
    world = World(set_stage(task, shipped().domains, (), 1))
    opened = models.open(ModelSpec(model=model, base_url=server.base_url))
    assistant = ModelAssistant(opened, conversation="c", seed=lambda *_: 1, tools=world.tools, **form)
    talk = Talk("c", 1, scenario, model, 1, Teller(task), assistant, 6, shipped().domains, world=world)
    events = [event async for event in converse(talk)]
    return events, not shortfalls(world.stage.aims, world.records)


async def test_how_well_tools_are_called_shows_in_the_end_state(server: Any) -> None:
    tasks = list(one_of_each_domain())
    assert len(tasks) >= 15
    met: dict[str, int] = {}
    refused: dict[str, int] = {}
    async with Models() as models:
        for style in ("well", "wrong", "badly", "never"):
            some = tasks if style == "well" else tasks[::3]
            dialogues = [await held(models, server, task, f"tools:{style}") for task in some]
            met[style] = sum(success for _, success in dialogues)
            answers = [event for events, _ in dialogues for event in events if isinstance(event, ToolAnswered)]
            refused[style] = sum(not answer.ok for answer in answers)
            ends = [events[-1] for events, _ in dialogues]
            assert all(
                isinstance(end, CellEnded) and end.ending.owner in ("user", "limits", "assistant") for end in ends
            )
    assert met["well"] >= len(tasks) / 2
    assert met["wrong"] <= 1
    assert met["badly"] == met["never"] == refused["never"] == 0
    assert refused["badly"] >= len(tasks)


async def test_a_dialogue_in_text_goes_the_same_way(server: Any, servers: Any) -> None:
    task = next(task for task in one_of_each_domain() if task.domains == ("Restaurants",))
    facts = {name: value for name, value in task.require[0].where.items() if name in ("party", "day")}
    lines = ('{"tool": "search_restaurants", "arguments": {}}', "", "It is done.")

    def behave(call: Any) -> Any:
        if sum(m["role"] == "assistant" for m in call.body["messages"]) != 1:
            return servers.acts(*lines)
        name = next(n for n in call.body["messages"][-1]["content"].split('"name": "')[1:]).split('"')[0]
        booked = {"restaurant": name, **facts}
        return servers.say(f'```json\n{{"tool": "book_table", "arguments": {servers.json.dumps(booked)}}}\n```')

    server.behave = behave
    async with Models() as models:
        events, _ = await held(models, server, task, "any", form="text")
    assert not any("tools" in body for body in server.bodies)
    assert [event.name for event in events if isinstance(event, ToolCalled)] == ["search_restaurants", "book_table"]
    assert next(event.text for event in events if isinstance(event, AssistantTurn)) == "It is done."
    assert isinstance(end := events[-1], CellEnded)
    assert end.state and end.state["table_reservation"][0]["party"] == facts["party"]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([[("set_alarm", {"time": "07:00", "colour": "red"})] * 12], "loop"),
        ([[("set_alarm", '{"time": ')], "Sorry."], "turn_limit"),
        ([[("set_alarm", {})], "Sorry, when?", [("", "{}")], "Which day?", "It is done."], "satisfied"),
    ],
)
async def test_odd_calls_are_answered_each_and_end_no_dialogue(
    server: Any, servers: Any, steps: Any, reason: str
) -> None:
    task = next(task for task in one_of_each_domain() if task.domains == ("Alarm",))
    server.behave = lambda call: servers.acts(*steps)
    async with Models() as models:
        events, success = await held(models, server, task, "any")
    assert isinstance(end := events[-1], CellEnded)
    assert (success, end.ending.reason) == (False, reason)
    calls = [event.call for event in events if isinstance(event, ToolCalled)]
    assert len(set(calls)) == len(calls)
    assert [event.call for event in events if isinstance(event, ToolAnswered)] == calls
