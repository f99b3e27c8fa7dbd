"""Seating: a campaign narrowed to one dialogue with a person in one of the seats."""

from pathlib import Path
from typing import Literal

from duologue.campaign import AssistantSpec, Campaign, Select, UserSpec
from duologue.profiles.dataset import open_dataset, scenario
from duologue.profiles.scenario import Scenario
from duologue.selection import select
from duologue.tasks.written import BadInput, nearest
from duologue.telling import Telling

__all__ = ["Seating", "known_to", "one_dialogue", "the_scenario"]

Seating = Literal["user", "assistant"]


def one_dialogue(campaign: Campaign, seat: Seating, profile: str = "", task: str = "", assistant: str = "") -> Campaign:
    """`campaign` with you in `seat` and one scenario: the first, or the first of that profile and task.

    In the user's seat you meet `assistant`, by default the first; in the other you are told what it is
    told. Raises BadInput for what is not there.
    """
    wanted = campaign.select
    if profile:
        wanted = wanted.model_copy(update={"profiles": (profile,), "sample": None})
    if task:
        wanted = wanted.model_copy(update={"tasks": (task,), "sample": None})
    narrowed = campaign.model_copy(update={"select": wanted, "trials": 1})
    first = select(narrowed, open_dataset(campaign.data, Path(campaign.beside)))[0]
    only = Select(profiles=(first.profile,), tasks=(first.task,))
    seats = (
        {"user": UserSpec(person=True), "assistant": (_named(campaign, assistant),)}
        if seat == "user"
        else {"assistant": (_in_place_of(_named(campaign, assistant)),)}
    )
    return narrowed.model_copy(update={"name": "chat", "select": only, **seats})


def known_to(campaign: Campaign, case: Scenario) -> str:
    """What the assistant of such a campaign is told of the user before they speak; a memory finds nothing yet."""
    data = open_dataset(campaign.data, Path(campaign.beside))
    return Telling(campaign.model_copy(update={"assistant": ()}), data).told(campaign.assistant[0], case).text


def _in_place_of(spec: AssistantSpec) -> AssistantSpec:
    """A person who is told what the assistant of `spec` is told, but for what a memory would find."""
    whose = "own" if spec.reference or not spec.context else spec.whose
    return AssistantSpec(name="you", person=True, context=spec.context, scope=spec.scope, whose=whose)


def the_scenario(campaign: Campaign) -> Scenario:
    """The scenario of a campaign narrowed by `one_dialogue`."""
    data = open_dataset(campaign.data, Path(campaign.beside))
    return scenario(data, select(campaign, data)[0])


def _named(campaign: Campaign, name: str) -> AssistantSpec:
    specs = {spec.name: spec for spec in campaign.assistant}
    if name and name not in specs:
        raise BadInput(f"no assistant {name!r}{nearest(name, specs)}", campaign.name, f"There are: {', '.join(specs)}")
    return specs[name] if name else campaign.assistant[0]
