"""A stored dialogue played again, step by step, with the verdict beside it or below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    CellStarted,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.agents.rubric import Rubric
from duologue.agents.verdict import Verdict
from duologue.record.run import Dialogue
from duologue.views import verdict as judged
from duologue.views.reading import beside
from duologue.views.transcript import (
    LONG,
    Act,
    beginning,
    closing,
    discarded,
    ledger,
    reasoning,
    turn_bubble,
)
from duologue.views.transcript import state as state_of

__all__ = ["BESIDE", "Step", "steps"]

BESIDE = 110
"""From this many columns on the verdict stands beside the turns that it rests on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, and what the judge made of it. `seconds` is how long it took then."""

    shown: RenderableType
    beside: Sequence[RenderableType] = ()
    below: RenderableType | None = None
    """What a narrow terminal shows in place of all that stood beside."""
    seconds: float = 0.0
    whole: bool = False
    """Takes the whole width, whatever stands beside it: too long to be set in a column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < BESIDE:
            yield self.shown if self.below is None else Group(self.shown, self.below)
        elif self.whole:
            yield Group(self.shown, *self.beside)
        else:
            right = options.max_width * 2 // 5
            table = Table.grid(padding=(0, 2, 0, 0))
            table.add_column(width=options.max_width - right - 2)
            table.add_column(width=right)
            table.add_row(self.shown, Group(*self.beside))
            yield table


def steps(
    dialogue: Dialogue,
    verdict: Verdict | None = None,
    name: str = "",
    looks: Sequence[Verdict] = (),
    *,
    rubric: Rubric | None = None,
    state: Verdict | None = None,
    full: bool = False,
) -> Iterator[Step]:
    """The dialogue one event at a time: print each step, and wait between them as you like.

    `name` is the profile's; `looks` are what the verdict is folded from, where there are several; `rubric` is what it
    was given under, where that is known; `state` is the reading of the end state that stands beside it. Where the
    terminal is wide the verdict stands beside the turns it rests on, else below the last one. With `full`, tool calls,
    their answers and reasoning are not cut.
    """
    answers = {event.call: event for event in dialogue.events if isinstance(event, ToolAnswered)}
    places = judged.by_turn(judged.findings(verdict, looks, rubric)) if verdict else {}
    for event in dialogue.events:
        if isinstance(event, CellStarted):
            yield Step(beginning(event, name), [judged.heading(verdict, looks)] if verdict else ())
        elif isinstance(event, UserDraft):
            yield Step(discarded(event), seconds=event.seconds, whole=len(event.text) > LONG)
        elif isinstance(event, UserTurn | AssistantTurn):
            yield _turn(event, places.get((event.turn, event.role), ()), full)
        elif isinstance(event, ToolCalled):
            yield _act(event, answers.get(event.call), full)
        elif isinstance(event, LedgerNoted):
            yield Step(ledger(event))
    end = _ended(dialogue, full)
    if verdict is None:
        unjudged = dialogue.ending is not None and dialogue.ending.scored
        yield Step(Group(end, Text("  not judged", style="dim")) if unjudged else end)
        return
    read = [Text(), beside(state, verdict)] if state else []
    homeless = places.get((0, ""), ())
    below = Group(Text(), judged.draw(verdict, looks, rubric), *read)
    yield Step(end, [*judged.remarks(verdict), *homeless, *read], below=below)


def _act(called: ToolCalled, answered: ToolAnswered | None, full: bool) -> Step:
    line = Act(called, answered, full)
    shown = Group(reasoning(called.reasoning, full), line) if called.reasoning else line
    return Step(shown, seconds=called.seconds)


def _turn(event: UserTurn | AssistantTurn, findings: Sequence[judged.Finding], full: bool) -> Step:
    quotes = [finding.evidence.quote for finding in findings if finding.evidence]
    bubble = turn_bubble(event, [finding.name for finding in findings], quotes)
    shown = Group(reasoning(event.reasoning, full), bubble) if event.reasoning else bubble
    return Step(shown, findings, seconds=event.seconds, whole=len(event.text) > LONG)


def _ended(dialogue: Dialogue, full: bool) -> RenderableType:
    """How it ended, and what the world holds then."""
    last = dialogue.events[-1]
    held = last.state if isinstance(last, CellEnded) else None
    told = closing(dialogue.ending)
    return told if held is None else Group(told, state_of(held, full))
