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
from duologue.agents.verdict import Verdict
from duologue.record import Dialogue
from duologue.views import verdict as judged
from duologue.views.transcript import (
    LONG,
    Act,
    beginning,
    closing,
    discarded,
    ledger,
    reasoning,
    state,
    turn_bubble,
)

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
    dialogue: Dialogue, verdict: Verdict | None = None, name: str = "", looks: Sequence[Verdict] = ()
) -> Iterator[Step]:
    """The dialogue one event at a time: print each step, and wait between them as you like.

    `name` is the profile's; `looks` are what the verdict is folded from, where there are several. Where the terminal is
    wide the verdict stands beside the turns it rests on, else below the last one.
    """
    answers = {event.call: event for event in dialogue.events if isinstance(event, ToolAnswered)}
    places = judged.by_turn(judged.findings(verdict, looks)) if verdict else {}
    for event in dialogue.events:
        if isinstance(event, CellStarted):
            yield Step(beginning(event, name), [judged.heading(verdict, looks)] if verdict else ())
        elif isinstance(event, UserDraft):
            yield Step(discarded(event), seconds=event.seconds, whole=len(event.text) > LONG)
        elif isinstance(event, UserTurn | AssistantTurn):
            yield _turn(event, places.get((event.turn, event.role), ()))
        elif isinstance(event, ToolCalled):
            yield _act(event, answers.get(event.call))
        elif isinstance(event, LedgerNoted):
            yield Step(ledger(event))
    yield _last(dialogue, verdict, looks, places.get((0, ""), ()))


def _act(called: ToolCalled, answered: ToolAnswered | None) -> Step:
    line = Act(called, answered)
    shown = Group(reasoning(called.reasoning), line) if called.reasoning else line
    return Step(shown, seconds=called.seconds)


def _turn(event: UserTurn | AssistantTurn, findings: Sequence[judged.Finding]) -> Step:
    quotes = [finding.evidence.quote for finding in findings if finding.evidence]
    bubble = turn_bubble(event, [finding.name for finding in findings], quotes)
    shown = Group(reasoning(event.reasoning), bubble) if event.reasoning else bubble
    return Step(shown, findings, seconds=event.seconds, whole=len(event.text) > LONG)


def _last(
    dialogue: Dialogue, verdict: Verdict | None, looks: Sequence[Verdict], homeless: Sequence[judged.Finding]
) -> Step:
    """The ending; beside it the judgements that rest on no turn, or below it the whole verdict."""
    last = dialogue.events[-1]
    held = last.state if isinstance(last, CellEnded) else None
    told = closing(dialogue.ending)
    end: RenderableType = told if held is None else Group(told, state(held))
    if verdict is None:
        unjudged = dialogue.ending is not None and dialogue.ending.scored
        return Step(Group(end, Text("  not judged", style="dim")) if unjudged else end)
    return Step(end, [*judged.remarks(verdict), *homeless], below=Group(Text(), judged.draw(verdict, looks)))
