"""The screens of labelling: all that a judge is shown, and nothing of the assistant."""

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from tests.simulator.records import Script
from tests.simulator.views.screens import drawn

from duologue.agents.events import ToolAnswered, ToolCalled
from duologue.agents.questions import pose
from duologue.agents.rubric import Dimension, Scale, read_rubric
from duologue.labelling.desk import spoken
from duologue.labelling.paper import Paper
from duologue.labelling.session import Taken
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.record.run import Dialogue
from duologue.tasks.task import Task
from duologue.tasks.written import parse
from duologue.views.label import Terminal, _blocks, _paged, _pages, draw_paper, farewell, taken, welcome

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


def test_a_page_ends_between_facts_and_turns() -> None:
    blocks = [["a"], ["b 1", "b 2", "b 3"], ["c"]]
    assert list(_pages(blocks, 3)) == [["a"], ["b 1", "b 2", "b 3"], ["c"]]
    assert list(_pages(blocks, 4)) == [["a", "b 1", "b 2", "b 3"], ["c"]]
    assert list(_pages(blocks, 2)) == [["a", "b 1"], ["b 2", "b 3"], ["c"]]  # what is too long for a page


@pytest.mark.parametrize("height", [14, 18, 25])
def test_no_fact_or_turn_stands_on_two_pages(height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "One word after the other, until the line is full and goes on in the next one. " * 3
    shown = paper(*ALL)
    about = replace(shown.scenario, task=shown.scenario.task.model_copy(update={"goal": long, "description": long}))
    screen = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 20))
    console = Console(file=screen, width=60, height=height, color_system=None)
    _paged(console, _blocks(replace(shown, scenario=about)))
    pages = re.split(r"\d+ more lines?: .* > ", screen.getvalue())
    assert len(pages) > 1
    for page in pages:
        assert page.count("╭") == page.count("╰")
        assert page.count("One word") in (0, 3, 6)


def seen(dimension: Dimension) -> str:
    """What the screen shows of a question."""
    terminal, screen = Terminal(), io.StringIO()
    terminal._console = Console(file=screen, width=80, color_system=None)
    terminal.question(dimension, "")
    return screen.getvalue()


def test_a_scale_without_anchors_tells_its_ends_and_nothing_empty() -> None:
    shown = seen(Dimension(name="kept", scale=Scale(low=0, high=1), question="Kept?"))
    assert shown.split() == ["kept", "Kept?", "0", "the", "lowest", "1", "the", "highest"]
    shown = seen(Dimension(name="kept", scale="yes_no", question="Kept?"))
    assert shown == "\nkept  Kept?\n"


def test_a_long_scale_is_told_by_its_ends() -> None:
    long = Dimension(name="kept", scale=Scale(low=0, high=100), question="Kept?")
    assert (spoken(long, "/"), spoken(long, ", ")) == ("0 to 100", "0 to 100")
    assert spoken(Dimension(name="kept", scale=Scale(low=0, high=10), question="?"), "/").endswith("/9/10")
