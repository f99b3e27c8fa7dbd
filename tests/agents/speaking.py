"""A scenario, and models that keep what they were asked, as the tests of the speakers use them."""

from collections.abc import Sequence
from typing import Any

from duologue.agents.models.call import Reply, Request, Traits
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.task import Situation, Task

PROFILE = Profile.model_validate({
    "id": "dana",
    "name": "Dana Kim",
    "demographics": {"age": 34, "gender": "female", "home_city": "Leeds"},
    "style": {"tone": "brisk", "patience": 2},
    "interests": ["pottery"],
    "preferences": {
        "Restaurants": {
            "cuisine": [{"value": "Uzbek", "strength": 0.9}, {"value": "sushi", "polarity": "avoids"}],
            "diet": ["vegetarian"],
        },
        "Movies": {"genre": ["noir"]},
    },
    "history": [
        {"domain": "Restaurants", "date": "2026-01-05", "summary": "She asked for plov and went back twice."},
        {"domain": "Movies", "date": "2026-03-01", "summary": "She saw a black-and-white film."},
    ],
})  # fmt: skip
TASK = Task.model_validate({
    "id": "table",
    "domains": ["Restaurants"],
    "intent": "You want a table on Friday and leave the place to the assistant.",
    "goal": "A secret goal for the judge alone.",
    "relevant": [["Restaurants", "cuisine"], ["Restaurants", "diet"]],
    "slots": {"party": 4, "day": "Friday"},
})  # fmt: skip
SCENARIO = Scenario(PROFILE, TASK, Situation(day="Wednesday", device="phone"))
DOMAINS = {
    "Restaurants": Domain(
        name="Restaurants",
        preferences=(
            PreferenceType(name="cuisine", description="the cooking a person likes", values=("Thai", "Polish")),
            PreferenceType(name="diet", description="what a person does not eat"),
        ),
    )
}


def talk(*turns: str) -> Transcript:
    """The user speaks first, then each in turn."""
    script = Transcript()
    for number, text in enumerate(turns):
        script = script.and_then("assistant" if number % 2 else "user", text)
    return script


def seed(turn: int, attempt: int, purpose: str) -> int:
    return turn * 100 + attempt * 10 + len(purpose)


class Listening:
    """A model that answers in order and keeps the requests."""

    name = "listening"

    def __init__(self, *answers: str, small: bool = False) -> None:
        self.traits = Traits(small=small, raw=small)
        self._answers: Sequence[str] = answers
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self._answers[min(len(self.asked), len(self._answers)) - 1])

    async def release(self, conversation: str) -> None: ...

    async def close(self) -> None: ...


def seated(**changes: Any) -> dict[str, Any]:
    return {"conversation": "c", "seed": seed, **changes}
