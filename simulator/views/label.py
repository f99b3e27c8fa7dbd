"""Labelling at the terminal: a dialogue without its assistant's name, one question after the other, page by page."""

import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from duologue.agents.events import AssistantTurn, CellEnded, ToolAnswered, ToolCalled, UserTurn
from duologue.agents.questions import Asked
from duologue.agents.rubric import Dimension, Scale
from duologue.labelling.desk import spoken
from duologue.labelling.paper import Paper
from duologue.labelling.session import Taken
from duologue.profiles.profile import Preference
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Task
from duologue.views.console import console
from duologue.views.layout import ASSISTANT, JUDGE, QUIET, USER, WARN, command, facts, joined
from duologue.views.text import count, plain, safe
from duologue.views.transcript import Act, Bubble, state

__all__ = ["Terminal", "draw_paper", "farewell", "taken", "welcome"]

KEYS = {
    "[s]kip": "leaves the question without an answer",
    "[b]ack": "goes to the question before, or the dialogue before",
    "[t]ext": "shows the dialogue again",
    "[?]help": "shows this, and what the points mean",
    "[q]uit": "leaves; what is answered is kept, and the same command goes on there",
}
PLAIN = "default not dim"
LEAST = 10
"""Lines of a page, however low the terminal."""


class Terminal:
    """The screen of a desk: shows papers and questions, and reads lines from the keyboard."""

    def __init__(self) -> None:
        self._console = console()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # whatever is typed, it is answered

    def show(self, paper: Paper, number: int, of: int) -> None:
        """Show a dialogue, page by page where it is longer than the terminal is high."""
        head = Rule(Text(f"dialogue {number} of {of}", style=f"bold {JUDGE}"), style=JUDGE)
        _paged(self._console, [Text(), head, *_blocks(paper)])

    def question(self, dimension: Dimension, given: str) -> None:
        """Show a question, with its anchors, and the answer that stands where there is one."""
        self._console.print()
        head = Text.assemble((dimension.name.replace("_", " "), f"bold {JUDGE}"), "  ", safe(dimension.question))
        self._console.print(head)
        self._anchors(dimension)
        if given:
            self._console.print(Text(f"  now: {given}. Enter leaves it so.", style=QUIET))

    def explain(self, dimension: Dimension) -> None:
        """Show what the points mean, and what each key does."""
        self._anchors(dimension)
        self._console.print(facts((key, plain(told)) for key, told in KEYS.items()))

    def ask(self, dimension: Dimension) -> str:
        """The person's next line. Raises EOFError where they are gone."""
        points = (spoken(dimension, "/"), "bold")
        prompt = Text.assemble(points, (f"  {' '.join(KEYS)}", QUIET), (" > ", f"bold {USER}"))
        return self._console.input(prompt, markup=False)

    def hint(self, text: str) -> None:
        """Say why the last line was not taken."""
        self._console.print(plain(text, WARN))

    def _anchors(self, dimension: Dimension) -> None:
        """Show what the points mean; of a scale without anchors, which end is which."""
        ends = {dimension.points[0]: "the lowest", dimension.points[-1]: "the highest"}
        anchors: Mapping[str, str] = dimension.anchors or (ends if isinstance(dimension.scale, Scale) else {})
        width = max(map(len, dimension.points))
        if anchors:
            known = [point for point in dimension.points if point in anchors]
            self._console.print(facts((point.rjust(width), plain(anchors[point])) for point in known))


def welcome(rubric: str, name: str, done: int, drawn: int, of: int | None) -> RenderableType:
    """What there is to label, and how. `of` is how many dialogues were drawn from."""
    lines = [
        Text.assemble(
            (safe(name), f"bold {USER}"), " labels ", count(drawn, "dialogue"),
            (f", drawn at random from {of:,}" if of is not None else "", QUIET),
            (f", under the rubric {safe(rubric)}", QUIET),
        ),
        Text("? at a question tells what the keys do. Leave whenever you like: what is answered is kept.", style=QUIET),
    ]  # fmt: skip
    if done:
        lines.insert(1, Text(f"{done} of them are labelled already; it goes on with the next.", style=QUIET))
    return Group(*lines)


def farewell(now: int, done: int, drawn: int, again: str, then: str, parts: int = 0) -> RenderableType:
    """What is labelled, and what to type next: `again` to go on, `then` to compare. `parts` are begun and no more."""
    told = Text(f"{count(now, 'dialogue')} labelled now, {done} of {drawn} in all.")
    told.append(f" {count(parts, 'dialogue')} begun: what is answered is kept." if parts else "", style=QUIET)
    ways = [("go on", command(again))] if done < drawn else []
    return Group(Text(), told, facts([*ways, ("compare", command(then))]))


def draw_paper(paper: Paper) -> RenderableType:
    """What a judge is shown of the task, the user and the dialogue. Nothing tells which assistant it was."""
    return Group(*_blocks(paper))


def _blocks(paper: Paper) -> Iterator[RenderableType]:
    """The same in parts, at whose ends a page may end: each fact and each turn is one."""
    about = list(_about(paper))
    width = max((len(name) for name, _ in about), default=0)
    yield from (facts([(name.ljust(width), fact)]) for name, fact in about)
    yield Text()
    yield from _said(paper)


def _about(paper: Paper) -> Iterator[tuple[str, RenderableType]]:
    if "task" in paper.inputs:
        yield from _task(paper.scenario.task)
    if "profile" in paper.inputs:
        who = {**paper.scenario.profile.demographics.model_dump(), **paper.scenario.situation.model_dump()}
        if told := _pairs({name: value for name, value in who.items() if value}):
            yield "user", joined(told)
    if "preferences" in paper.inputs:
        none = Text("none of the user's preferences matters to this task", style=QUIET)
        yield from _listed("likes", [_preference(asked) for asked in paper.preferences] or [none])
    if "tastes" in paper.inputs:
        yield from _listed("all likes", list(_tastes(paper.scenario)))
    if "history" in paper.inputs:
        yield from _listed("before", list(_sessions(paper.scenario)))


def _task(task: Task) -> Iterator[tuple[str, RenderableType]]:
    yield "task", plain(task.intent, "bold")
    for name, text in (("goal", task.goal), ("about", task.description)):
        if text:
            yield name, plain(text)
    if task.slots:
        yield "facts", joined(_pairs(task.slots))


def _listed(name: str, lines: Sequence[Text]) -> Iterator[tuple[str, RenderableType]]:
    """A named fact of several lines."""
    return (("" if place else name, line) for place, line in enumerate(lines))


def _tastes(about: Scenario) -> Iterator[Text]:
    """All that the user likes and avoids in the task's domains."""
    for domain in about.task.domains:
        for type, held in about.profile.preferences.get(domain, {}).items():
            yield _held(domain, type, held, ())


def _sessions(about: Scenario) -> Iterator[Text]:
    """The user's earlier sessions in the task's domains."""
    for session in about.profile.history:
        if session.domain in about.task.domains:
            lead = f"{session.date or 'undated'}, {safe(session.domain)}: "
            said = session.summary or " / ".join(f"{turn.role}: {turn.text}" for turn in session.turns)
            yield Text(lead, style=QUIET).append(safe(said), style=PLAIN)


def _pairs(values: Mapping[str, Any]) -> list[Text | str]:
    named = ((safe(name.replace("_", " ")), safe(str(value))) for name, value in values.items())
    return [Text.assemble((f"{name} ", QUIET), (value, PLAIN)) for name, value in named]


def _preference(asked: Asked) -> Text:
    return _held(asked.domain, asked.type, asked.held, asked.former)


def _held(domain: str, type: str, held: Sequence[Preference], former: Sequence[str]) -> Text:
    """What the user likes and avoids of one type."""
    parts: list[Text | str] = []
    for polarity, lead in (("likes", ""), ("avoids", "avoids ")):
        if values := [_value(each.value, each.strength) for each in held if each.polarity == polarity]:
            parts.append(Text(lead + ", ".join(values), style=PLAIN))
    if former:
        parts.append(Text(f"no longer {', '.join(map(safe, former))}", style=QUIET))
    return Text.assemble((f"{safe(domain)}, {safe(type)}: ", QUIET), joined(parts))


def _value(value: str, strength: float | None) -> str:
    return safe(value) if strength is None else f"{safe(value)} (strength {strength:g} of 1)"


def _said(paper: Paper) -> Iterator[RenderableType]:
    """The turns in order, with what was done between where a judge is shown that, and how it ended."""
    answers = {event.call: event for event in paper.dialogue.events if isinstance(event, ToolAnswered)}
    for event in paper.dialogue.events:
        if isinstance(event, UserTurn):
            yield Bubble(event.text, f"user {event.turn}", USER)
        elif isinstance(event, AssistantTurn):
            yield Bubble(event.text, f"assistant {event.turn}", ASSISTANT, right=True)
        elif isinstance(event, ToolCalled) and "actions" in paper.inputs:
            yield Act(event, answers.get(event.call))
        elif isinstance(event, CellEnded) and event.ending.cut_short:
            yield Text("■ cut short at the limit of turns", style=WARN)
        if isinstance(event, CellEnded) and event.state is not None and "state" in paper.inputs:
            yield state(event.state)


def _paged(screen: Console, blocks: Iterable[RenderableType]) -> None:
    """Print `blocks`, waiting for Enter at the foot of each page but the last."""
    pages = list(_pages([_lines(screen, block) for block in blocks], max(screen.height - 3, LEAST)))
    for place, page in enumerate(pages):
        screen.file.write("\n".join(page) + "\n")
        if left := sum(map(len, pages[place + 1 :])):
            prompt = Text(f"{count(left, 'more line')}: Enter goes on, s skips to the questions > ", style=QUIET)
            if screen.input(prompt, markup=False).strip().lower() == "s":
                return


def _lines(screen: Console, block: RenderableType) -> list[str]:
    with screen.capture() as captured:
        screen.print(block)
    return captured.get().removesuffix("\n").split("\n")


def _pages(blocks: Iterable[Sequence[str]], height: int) -> Iterator[list[str]]:
    """The lines of `blocks` on pages of that `height`. A block that fits on one page never stands on two."""
    page: list[str] = []
    for block in blocks:
        if len(page) + len(block) > height and len(block) <= height and page:
            yield page
            page = []
        page += block
        while len(page) > height:
            yield page[:height]
            page = page[height:]
    yield page


def taken(by: str, found: Taken, then: str) -> RenderableType:
    """What was taken from a file, and what to type next."""
    told = Text.assemble(f"{count(found.new, 'dialogue')} labelled by ", (safe(by), f"bold {USER}"))
    if found.same:
        told.append(f"; {found.same} said what was known already", style=QUIET)
    if found.missing:
        told.append(f"\n{found.missing} of the drawn ones are not labelled: ", style=WARN)
        told.append("estimates take it that chance left them out, so leave none out by choice", style=WARN)
    return Group(told, facts([("compare", command(then))]))
