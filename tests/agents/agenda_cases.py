"""The shipped domains and tasks, a person, and talks with scripted assistants, as the tests of the agenda use them."""

from functools import cache
from typing import Any

from duologue.agents.agenda.user import AgendaUser
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains, shipped_tasks
from duologue.tasks.task import Situation, Task

PERSON = Profile.model_validate({
    "id": "mira",
    "name": "Mira Osei",
    "style": {"formality": "neutral", "patience": 3},
    "preferences": {
        "Restaurants": {
            "cuisine": ["Ethiopian", {"value": "Polish", "polarity": "avoids"}],
            "ambience": ["elegant"],
            "price": ["mid-range"],
            "seating": [{"value": "booth", "polarity": "avoids"}],
        },
        "Alarm": {"alarm sound": ["birdsong", "sea waves"], "alarm volume": ["slowly rising"]},
        "Calendar": {"reminder": ["the evening before"], "meeting form": ["video call"], "meeting time": ["midday"]},
        "Flights": {"airline": ["Sundara"], "seat": ["window"], "cabin": ["economy"], "departure time": ["overnight"]},
        "Hotels": {"lodging": ["guesthouse"], "meal plan": ["half board"], "amenity": ["sauna"]},
        "Music": {"music genre": ["bebop"], "mood": ["playful"], "vocals": ["close harmony"]},
    },
})  # fmt: skip


@cache
def domains() -> dict[str, Domain]:
    return {domain.name: domain for domain in certain(shipped_domains()) if domain.records}


@cache
def tasks() -> dict[str, Task]:
    return {task.id: task for task in certain(shipped_tasks())}


def scenario(task: str, *, situation: Situation | None = None, **changes: Any) -> Scenario:
    return Scenario(PERSON.changed(**changes) if changes else PERSON, tasks()[task], situation or Situation())


def user(task: str, *, seed: int = 1, correction: Any = "silent", **changes: Any) -> AgendaUser:
    return AgendaUser(scenario(task, **changes), domains(), seed=seed, correction=correction)


async def talked(speaker: AgendaUser, *heard: str) -> tuple[list[Said], Transcript]:
    """What the user says, its opener first, to an assistant that says these turns in order; until it stops."""
    script, said = Transcript(), [await speaker.speak(Transcript())]
    script = script.and_then("user", said[0].text)
    for text in heard:
        script = script.and_then("assistant", text)
        said.append(await speaker.speak(script))
        script = script.and_then("user", said[-1].text)
        if said[-1].stop:
            break
    return said, script


async def answered(task: str, *heard: str, speaker: AgendaUser | None = None, **kept: Any) -> Said:
    """The user's answer to the last of these turns."""
    said, _ = await talked(speaker or user(task, **kept), *heard)
    assert len(said) == len(heard) + 1
    return said[-1]


def told(said: Said) -> set[tuple[str, str, str]]:
    """What a turn disclosed: type, value, and how."""
    return {(entry.type, entry.value, entry.how) for entry in said.declared}


def kinds(speaker: AgendaUser) -> list[str]:
    """The kinds of act of the user's last turn."""
    return [act.kind for act in speaker.turn.acts]
