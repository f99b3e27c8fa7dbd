"""Turns as speech bubbles: the user's on the left, the assistant's on the right, what was done between in lines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.segment import Segment
from rich.text import Text

from duologue.agents.ending import Ending
from duologue.agents.events import (
    AssistantTurn,
    CellStarted,
    Disclosure,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.views.layout import ASSISTANT, BAD, GOOD, JUDGE, QUIET, USER, WARN, faulty, joined
from duologue.views.text import clip, count, folded, plain, safe

__all__ = ["Act", "Bubble", "beginning", "closing", "discarded", "ledger", "reasoning", "state", "turn_bubble"]

LONG = 4000
"""Turns of more characters take the whole width."""
HUGE = 40_000
"""Turns of more characters are set plainly between two rules: a frame would take minutes."""
INDENT = "  "
RECORDS = 8
"""Records of the end state that are shown of one kind."""
TOLD = 400
"""Characters of an answer or a record that are looked at: no terminal shows more in a line."""
SOURCES = {
    "agenda": "by agenda",
    "reused": "opener shared",
    "task": "the task's words",
    "script": "scripted",
    "person": "a person",
}


@dataclass(frozen=True, slots=True)
class Bubble:
    """Something said. `marks` are the judgements that rest on it, `quotes` the words that they rest on."""

    text: str
    title: str
    style: str
    right: bool = False
    marks: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if len(self.text) > HUGE:
            yield from self._plainly(options.max_width)
            return
        words = self._words()
        room = options.max_width
        long = len(words) > LONG
        width = room if long else min(max(int(room * 0.85), min(room, 56)), self._snug(words))
        panel = Panel(
            words,
            box=box.ROUNDED,
            border_style=self.style,
            width=width,
            title=Text(clip(self.title, width - 8), style=f"bold {self.style}"),
            title_align="right" if self.right else "left",
            subtitle=Text(clip(self._marked(), width - 8), style=JUDGE) if self.marks else None,
            subtitle_align="right" if self.right else "left",
        )
        yield Padding(panel, (0, 0, 0, room - width)) if self.right else panel

    def _plainly(self, width: int) -> RenderResult:
        align: Literal["left", "right"] = "right" if self.right else "left"
        yield Rule(Text(clip(self.title, width - 8), style=f"bold {self.style}"), style=self.style, align=align)
        for line in folded(safe(self.text), width):
            yield Segment(line + "\n")
        marks = Text(clip(self._marked(), width - 8), style=JUDGE) if self.marks else Text()
        yield Rule(marks, style=self.style, align=align)

    def _words(self) -> Text:
        words = plain(self.text) if self.text.strip() else Text("(said nothing)", style=f"italic {QUIET}")
        for quote in filter(None, map(safe, self.quotes)):
            if (at := words.plain.find(quote)) >= 0:
                words.stylize(f"underline {JUDGE}", at, at + len(quote))
        return words

    def _snug(self, words: Text) -> int:
        widest = max(map(cell_len, words.plain.split("\n")))
        return max(widest, cell_len(self.title) + 4, cell_len(self._marked()) + 4 if self.marks else 0) + 4

    def _marked(self) -> str:
        return f"evidence: {', '.join(self.marks)}"


def beginning(started: CellStarted, name: str = "") -> Text:
    """Who talks to which assistant about what, where and when."""
    who = f"{name} ({started.profile})" if name and name != started.profile else started.profile
    told = Text.assemble((safe(who), f"bold {USER}"), (" × ", QUIET), (safe(started.task), "bold"))
    told.append("  with  ", style=QUIET).append(safe(started.assistant), style=f"bold {ASSISTANT}")
    where = [safe(str(value)) for value in started.situation.model_dump().values() if value]
    more = [f"trial {started.trial}"] if started.trial != 1 else []
    more += [f"attempt {started.attempt}"] if started.attempt != 1 else []
    if where or more:
        told.append("\n").append_text(joined([Text(part, style=QUIET) for part in (*where, *more)]))
    return told


def turn_bubble(event: UserTurn | AssistantTurn, marks: Sequence[str] = (), quotes: Sequence[str] = ()) -> Bubble:
    """A turn as a bubble, with its number and where the words come from."""
    if isinstance(event, AssistantTurn):
        title = f"assistant {event.turn}" + (f" · {event.seconds:.1f} s" if event.seconds else "")
        return Bubble(event.text, title, ASSISTANT, right=True, marks=tuple(marks), quotes=tuple(quotes))
    parts = [f"user {event.turn}"]
    if event.source in SOURCES:
        parts.append(SOURCES[event.source])
    if event.stop:
        parts.append(f"leaves, {event.reason.replace('_', ' ') or 'satisfied'}")
    return Bubble(event.text, " · ".join(parts), USER, marks=tuple(marks), quotes=tuple(quotes))


def discarded(draft: UserDraft) -> RenderableType:
    """A user turn that the guard did not let through, and its faults."""
    faults = Text(f"✗ user {draft.turn}, draft discarded: ", style=WARN).append(safe(", ".join(draft.faults)))
    words = plain(draft.text if draft.text.strip() else "(said nothing)", QUIET)
    return Group(Padding(faults, (0, 0, 0, 2)), Padding(words, (0, 0, 0, 4)))


def reasoning(text: str, full: bool = False) -> RenderableType:
    """Reasoning, folded into one line unless it is wanted in full."""
    lead = f"▸ reasoned, {count(len(text), 'character')}: "
    if full:
        return Padding(Text(lead, style=QUIET).append_text(plain(text, QUIET)), (0, 0, 0, 2))
    told = f"{lead}{clip(text, 200)}"
    return Padding(Text(told, style=QUIET, no_wrap=True, overflow="ellipsis"), (0, 0, 0, 2))


def ledger(noted: LedgerNoted) -> RenderableType:
    """What the user let out with a turn."""
    told = Text("disclosed: ", style=QUIET).append_text(joined([_entry(entry) for entry in noted.entries]))
    return Padding(told, (0, 0, 0, 2))


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call and its answer in one line, or in full in as many as they take, and above it what was said beside."""

    called: ToolCalled
    answered: ToolAnswered | None
    full: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.full:
            yield from self._in_full()
            return
        room = max(options.max_width - len(INDENT), 8)
        if self.called.text:
            yield Text(INDENT + clip(self.called.text, room), style=QUIET)
        name, (answer, style) = clip(self.called.name or "unreadable call", 40), self._answer()
        rest = room - cell_len(name) - 8
        given = clip(self._given(), max(rest // 2, rest - cell_len(answer)))
        line = Text.assemble(f"{INDENT}⚙ ", (name, ASSISTANT), (f"({given}) → ", QUIET), (answer, style))
        line.truncate(room + len(INDENT), overflow="ellipsis")
        yield line

    def _in_full(self) -> Iterator[RenderableType]:
        """What was said, the call, and the answer below it."""
        answer, style = self._answer()
        if self.called.text:
            yield Padding(plain(self.called.text, QUIET), (0, 0, 0, 2))
        name = (safe(self.called.name or "unreadable call"), ASSISTANT)
        yield Padding(Text.assemble("⚙ ", name, (f"({safe(self._given())})", QUIET)), (0, 0, 0, 2))
        yield Padding(Text("→ ", style=QUIET).append_text(plain(answer, style)), (0, 0, 0, 4))

    def _given(self) -> str:
        arguments = self.called.arguments
        return arguments if isinstance(arguments, str) else ", ".join(_pairs(arguments))

    def _answer(self) -> tuple[str, str]:
        if self.answered is None:
            return "no answer", WARN
        if self.answered.ok:
            told, style = ", ".join(_pairs(self.answered.result)), ""
        else:
            told, style = str(self.answered.result.get("error", "refused")), WARN
        return (told if self.full else clip(told, TOLD)), style


def state(records: Mapping[str, Any], full: bool = False) -> RenderableType:
    """What the world holds at the end, a line for each record; in full all of them, and nothing cut."""
    head = f"{INDENT}in the end:" if records else f"{INDENT}in the end: nothing was recorded"
    lines = (line for kind, held in records.items() for line in _records(kind, held, full))
    return Group(Text(head, style=QUIET), *lines)


def _records(kind: str, held: Any, full: bool) -> Iterator[RenderableType]:
    named, listed = f"{clip(kind, 30)}  ", held if isinstance(held, list) else [held]
    for record in listed if full else listed[:RECORDS]:
        if full:
            yield Padding(Text.assemble((named, QUIET), safe(_recorded(record))), (0, 0, 0, 2))
        else:
            told = clip(_recorded(record), TOLD)
            yield Text.assemble((f"{INDENT}{named}", QUIET), told, no_wrap=True, overflow="ellipsis")
    if len(listed) > RECORDS and not full:
        yield Text(f"{INDENT}{named}and {len(listed) - RECORDS} more", style=QUIET)


def _recorded(record: Any) -> str:
    if not isinstance(record, Mapping):
        return _value(record)
    return ", ".join(_pairs({k: v for k, v in record.items() if (k, v) != ("status", "active")}))


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name}={_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def closing(end: Ending | None) -> Text:
    """How it ended, and whose doing that was."""
    if end is None:
        return Text("■ no ending: it is under way, or its run was killed", style=WARN)
    style = {"user": GOOD, "limits": WARN, "assistant": BAD, "outside": QUIET}.get(end.owner, WARN)
    told = Text(f"■ {faulty(end)}", style=f"bold {style}")
    told.append(f"  owner: {end.owner}", style=QUIET)
    if end.cut_short:
        told.append("  cut short", style=WARN)
    if not end.finished:
        told.append("  not finished: resume goes on", style=WARN)
    return told.append("\n  ").append_text(plain(end.detail, QUIET)) if end.detail else told


def _entry(entry: Disclosure) -> Text:
    what = f"{entry.type} = {entry.value}" if entry.type else entry.value
    style = WARN if entry.how in ("invented", "contradicts") else QUIET
    return Text(f"{safe(what)} ({entry.how.replace('contradicts', 'contradicts the profile')})", style=style)
