"""Figures of people and tasks as tables beside their bounds."""

from tests.simulator.views.screens import drawn

from duologue.profiles.figures import Figures, TypeFigures
from duologue.profiles.finding import Bounded
from duologue.views.figures import profile_figures, task_figures

TYPE = TypeFigures(
    domain="Tea", type="leaf", values=4, holders=1200, evenness=0.5, modal="oolong", modal_share=0.75, shown=0.5,
    unheld=("mate",),
)  # fmt: skip
FIGURES = Figures(
    profiles=1500, preferences=3000, changed_types=0.08, sensitive=0.1, avoided=0.2, sessions=(20, 36.5, 60),
    evidence={"implicit": 9000, "update": 80},
    leaked=0.3, contradictions=2, types=(TYPE,), lacking=("no hints in Tea",),
)  # fmt: skip


def test_each_figure_stands_beside_its_bound() -> None:
    lines = drawn(profile_figures(FIGURES), 120).splitlines()
    assert lines[0].split() == [
        "preference",
        "type",
        "values",
        "held",
        "by",
        "evenness",
        "most",
        "liked",
        "shown",
        "by",
        "most",
    ]
    assert lines[1] == "Tea"
    assert lines[2].split() == ["leaf", "4", "1,200", "0.50", "75%", "50%", "oolong"]
    text = "\n".join(lines)
    assert "20 to 60 a person, 36.5 on average" in text
    assert "3,000: 20% avoided, 10% sensitive; 8.0% of the types changed over time" in text
    broken = [line.split("  ")[1].strip() for line in lines if line.startswith("✗")]
    assert broken == ["least evenness", "greatest modal share", "leakage", "contradictions", "missing"]


def test_few_people_are_held_to_no_bound() -> None:
    text = drawn(profile_figures(FIGURES.model_copy(update={"profiles": 12})), 120)
    assert "✗" not in text and "✓" not in text
    assert text.rstrip().endswith("Bounds hold from 100 profiles on.")


def test_tasks_are_shown_with_marks() -> None:
    bounds = [
        Bounded(name="tasks", value="130", bound="at least 130", met=True),
        Bounded(name="[bold]x", value="3", bound="", met=None),
    ]
    assert [line.split() for line in drawn(task_figures(bounds)).splitlines()[:2]] == [
        ["✓", "tasks", "130", "(at", "least", "130)"],
        ["–", "[bold]x", "3"],
    ]
