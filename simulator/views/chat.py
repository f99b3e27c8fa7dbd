"""A chat at the keyboard: what the person is told, hears and is asked."""

from rich.padding import Padding
from rich.text import Text

from duologue.profiles.scenario import Scenario
from duologue.views.console import console
from duologue.views.people import profile_card, task_card
from duologue.views.text import safe

__all__ = ["ask", "show", "told"]


def told(scenario: Scenario, seat: str) -> None:
    """Show the person in the user's seat whom they play and what they want."""
    screen = console()
    if seat == "user":
        screen.print(profile_card(scenario.profile), task_card(scenario.task))
    screen.print(Text("/stop ends it satisfied, /giveup unsatisfied, /quit breaks it off.", style="dim"))


def ask(prompt: str) -> str:
    """The next line of the person. Raises EOFError where they are gone."""
    return console().input(Text(prompt, style="bold cyan"), markup=False)


def show(seat: str, text: str) -> None:
    """What the other side said."""
    colour = "green" if seat == "assistant" else "cyan"
    console().print(Text(seat, style=f"bold {colour}"), Padding(Text(safe(text)), (0, 0, 1, 2)))
