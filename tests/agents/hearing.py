"""A scenario, a transcript and a whole answer, as the tests of the judge use them."""

import json
from typing import Any

from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Situation, Task

PROFILE = Profile.model_validate({
    "id": "dana",
    "name": "Dana",
    "demographics": {"age": 34, "home_city": "Leeds"},
    "preferences": {
        "Restaurants": {
            "cuisine": [{"value": "Thai", "strength": 0.9}, {"value": "sushi", "polarity": "avoids"}],
            "diet": ["vegetarian"],
            "noise": ["quiet"],
        }
    },
    "history": [
        {
            "domain": "Restaurants",
            "summary": "She used to go for burgers, and said that she has had enough of them.",
            "evidence": [
                {"domain": "Restaurants", "type": "cuisine", "value": "burgers", "kind": "explicit"},
                {"domain": "Restaurants", "type": "cuisine", "value": "Thai", "kind": "update"},
                {"domain": "Restaurants", "type": "cuisine", "value": "pizza", "kind": "distractor"},
            ],
        }
    ],
})  # fmt: skip
TASK = Task.model_validate({
    "id": "table",
    "domains": ["Restaurants"],
    "intent": "Book a table for four on Friday.",
    "goal": "A table for four on Friday is booked at a fitting place.",
    "relevant": [["Restaurants", "cuisine"], ["Restaurants", "diet"]],
    "slots": {"party_size": 4},
    "require": [{"record": "booking", "where": {"day": "Friday"}}],
})  # fmt: skip
SCENARIO = Scenario(PROFILE, TASK, Situation(day="Wednesday", device="phone"))


def spoken(*turns: str) -> Transcript:
    """The user speaks first, then each in turn."""
    script = Transcript()
    for index, text in enumerate(turns):
        script = script.and_then("user" if index % 2 == 0 else "assistant", text)
    return script


SCRIPT = spoken(
    "I need a table for four on Friday.",
    "Do you have a favourite cuisine?",
    "Thai, and I don’t eat meat.",
    "Lotus House is Thai, with a long  vegetarian\nmenu. Booked for four on Friday!",
)


def answer(**changes: Any) -> dict[str, Any]:
    """A whole answer for SCENARIO under the shipped rubric; `changes` are scores by name."""
    judged = {"reason": "It fits.", "turn": 2, "quote": "Booked for four on Friday"}
    scores = {
        "success": "yes",
        "personalisation": 4,
        "user_naturalness": 4,
        "user_coherence": 5,
        "assistant_naturalness": 3,
        "assistant_coherence": 5,
    }
    return {
        "preferences": {
            "p1_cuisine": {**judged, "quote": "Lotus House is Thai", "outcome": "met", "route": "asked"},
            "p2_diet": {**judged, "quote": "I don't eat meat", "outcome": "met", "route": "told"},
        },
        "scores": {name: {**judged, "score": value} for name, value in (scores | changes).items()},
    }


def written(**changes: Any) -> str:
    """The same as text."""
    return json.dumps(answer(**changes))
