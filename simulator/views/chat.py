"""A chat at the keyboard: what the person is told, hears and is asked."""

from rich.padding import Padding
from rich.text import Text

from duologue.profiles.scenario import Scenario
from duologue.views.console import console
from duologue.views.people import profile_card, task_card
from duologue.views.text import safe

__all__ = ["ask", "show", "told"]


def told(scenario: Scenario, seat: str, context: str) -> None:
    """Show the person in the seat what they play: the user's task and tastes, or what the assistant is told."""
    screen = console()
    if seat == "user":
        held = scenario.profile.preferences
        only = {domain: types for domain, types in held.items() if domain in scenario.task.domains}
        screen.print(profile_card(scenario.profile.model_copy(update={"preferences": only, "history": ()})))
        screen.print(task_card(scenario.task))
        screen.print(Text("You speak first. /stop ends it satisfied, /giveup unsatisfied, /quit breaks it off.", "dim"))
    else:
        known = Text(safe(context)) if context else Text("You are told nothing of the user.", style="dim")
        screen.print(known, Text("The user speaks first; answer as the assistant would. /quit breaks it off.", "dim"))


def ask(prompt: str) -> str:
    """The next line of the person. Raises EOFError where they are gone."""
    return console().input(Text(prompt, style="bold cyan"), markup=False)


def show(seat: str, text: str) -> None:
    """What the other side said; without a seat, a hint."""
    if not seat:
        console().print(Text(safe(text), style="dim"))
        return
    colour = "green" if seat == "assistant" else "cyan"
    console().print(Text(seat, style=f"bold {colour}"), Padding(Text(safe(text)), (0, 0, 1, 2)))
