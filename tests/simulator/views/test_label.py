"""The screens of labelling: all that a judge is shown, and nothing of the assistant."""

from typing import Any

import pytest
from tests.simulator.records import Script
from tests.simulator.views.screens import drawn

from duologue.agents.events import ToolAnswered, ToolCalled
from duologue.agents.questions import pose
from duologue.agents.rubric import read_rubric
from duologue.labelling.paper import Paper
from duologue.labelling.session import Taken
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.record import Dialogue
from duologue.tasks.task import Task
from duologue.tasks.written import parse
from duologue.views.label import draw_paper, farewell, taken, welcome

PROFILE: dict[str, Any] = {
    "id": "anna",
    "demographics": {"age": 41, "home_city": "Zürich"},
    "preferences": {
        "Restaurants": {
            "cuisine": [{"value": "Thai", "strength": 0.8}, {"value": "raw fish", "polarity": "avoids"}],
            "ambience": ["quiet"],
        }
    },
    "history": [{"domain": "Restaurants", "date": "2026-01-02", "summary": "Asked for a Thai place."}],
}
TASK: dict[str, Any] = {
    "id": "book-table",
    "domains": ["Restaurants"],
    "intent": "Eat out.",
    "goal": "A table is booked.",
    "slots": {"party": 2},
    "relevant": [{"domain": "Restaurants", "type": "cuisine"}],
}


def paper(*inputs: str, reason: str = "satisfied") -> Paper:
    script = Script(assistant="zephyr-nine").say(1, "A table, please.", None)
    script.note(ToolCalled, 1, role="assistant", call="c1", name="search_places", arguments={"cuisine": "Thai"})
    script.note(ToolAnswered, 1, call="c1", ok=True, result={"found": 3})
    script.note(
        type(Script().say(1, "", "").events[-1]), 1, role="assistant", text="Booked [bold]\x1b[2J.", seconds=9.5
    )
    script.end(reason, "user")
    about = Scenario(parse(Profile, PROFILE, ""), parse(Task, TASK, ""))
    posed = pose(read_rubric(), about)
    dialogue = Dialogue(script.events[0], tuple(script.events))  # type: ignore[arg-type]
    return Paper(about, posed.preferences, dialogue, posed.dimensions, frozenset(inputs))  # type: ignore[arg-type]


ALL = ("task", "profile", "preferences", "tastes", "history", "actions", "state")


@pytest.mark.parametrize("width", [80, 120])
def test_what_a_judge_is_shown_is_shown(width: int) -> None:
    shown = drawn(draw_paper(paper(*ALL)), width)
    for text in (
        "Eat out.", "A table is booked.", "party 2", "age 41", "home city Zürich", "user 1", "assistant 1",
        "Restaurants, cuisine: Thai (strength 0.8 of 1) · avoids raw fish", "Restaurants, ambience: quiet",
        "2026-01-02, Restaurants: Asked for a Thai place.", "search_places", "Booked [bold]␛[2J.",
    ):  # fmt: skip
        assert text in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize(
    ("hidden", "text"),
    [
        ("task", "Eat out."), ("profile", "Zürich"), ("preferences", "raw fish"),
        ("history", "Asked for"), ("actions", "search_places"),
    ],
)  # fmt: skip
def test_what_a_judge_is_not_shown_is_not(hidden: str, text: str) -> None:
    assert text not in drawn(draw_paper(paper(*(each for each in ALL if each not in (hidden, "tastes")))))


def test_nothing_tells_the_assistant() -> None:
    shown = drawn(draw_paper(paper(*ALL)))
    for text in ("zephyr-nine", "anna", "9.5 s", paper().dialogue.cell):
        assert text not in shown


def test_a_dialogue_that_was_cut_short_says_so() -> None:
    assert "cut short" in drawn(draw_paper(paper(reason="turn_limit")))
    assert "cut short" not in drawn(draw_paper(paper()))


@pytest.mark.parametrize("width", [80, 120])
def test_what_to_type_is_told(width: int) -> None:
    assert "ann labels 100 dialogues, drawn at random from 1,000" in drawn(
        welcome("default", "ann", 0, 100, 1000), width
    )
    assert "7 of them are labelled already" in drawn(welcome("default", "ann", 7, 100, 1000), width)
    half, all = drawn(farewell(3, 10, 20, "AGAIN", "THEN"), width), drawn(farewell(3, 20, 20, "AGAIN", "THEN"), width)
    assert "3 dialogues labelled now, 10 of 20 in all." in half and "AGAIN" in half and "THEN" in half
    assert "AGAIN" not in all and "THEN" in all
    assert "1 dialogue labelled by ann; 2 said what was known already" in drawn(
        taken("ann", Taken(1, 2, 0), "THEN"), width
    )
    assert "4 of the drawn ones are not labelled" in drawn(taken("ann", Taken(1, 0, 4), "THEN"), width)
