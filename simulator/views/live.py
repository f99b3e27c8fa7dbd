"""The board: a run as it goes on, drawn on a terminal, or told in plain lines elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from duologue.agents.events import Event
from duologue.agents.verdict import Verdict
from duologue.listener import Listener
from duologue.scoring.measures import SHARES, label
from duologue.views.console import console as open_console
from duologue.views.layout import ASSISTANT, BAD, JUDGE, QUIET, USER, WARN, facts, faulty, joined
from duologue.views.standing import Finished, Running, Scores, Standing
from duologue.views.text import clip, duration, number, safe

if TYPE_CHECKING:
    from duologue.campaign import Cell

__all__ = ["Board"]

TICK = 0.25
"""Seconds between two looks at whether something is to be drawn."""
SHARE = 0.02
"""The share of a core that drawing may take; where it takes longer it is done less often."""
SHOWN = 8
"""Running dialogues shown, those waited for longest first."""
PATIENCE = 30.0
"""Seconds of waiting after which a plain line tells of it; then after twice as long, and so on."""
HEADLINE = ("success", "personalisation")
COLOURS = {"user": USER, "assistant": ASSISTANT, "judge": JUDGE}


class Board(Listener):
    """A listener of the engine, and a context manager: what it hears between enter and exit is shown.

    Standard error unless another console is given, so that what a command prints can be piped.
    """

    def __init__(self, console: Console | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self.console = console or open_console(stderr=True)
        self.standing = Standing()
        self._clock, self._begun = clock, clock()
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._watch, name="board", daemon=True)
        self._live: Live | None = None
        self._version, self._drawn = 0, (-1, -1)
        self._told: dict[str, tuple[float, float]] = {}

    def __enter__(self) -> "Board":
        self._begun = self._clock()
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self._live = Live(console=self.console, auto_refresh=False, transient=True, get_renderable=self.draw)
            self._live.start()
        self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._ticker.join()
        if self._live is not None:
            self._live.stop()
            return
        with self._lock:
            for over in self.standing.left():
                self._say(_line(over, self.standing))

    def planned(self, cells: "Sequence[Cell]", judged: Mapping[str, int]) -> None:
        """The dialogues to come, or to go on with, and how many verdicts follow the scored ending of each. What was
        planned before is over."""
        with self._lock:
            self.standing = Standing()
            self.standing.plan(cells, judged)
            self._version += 1

    def event(self, event: Event) -> None:
        with self._lock:
            self._after(self.standing.hear(event, self._clock()))

    def verdict(self, verdict: Verdict) -> None:
        with self._lock:
            self._after(self.standing.judge(verdict, self._clock()))

    def recalling(self, cell: str, *, over: bool) -> None:
        with self._lock:
            self.standing.recall(cell, self._clock(), over=over)
            self._version += 1

    def strained(self, endpoint: str, told: str) -> None:
        with self._lock:
            self.standing.strained[endpoint] = told
            self._version += 1

    def note(self, text: str) -> None:
        """Something to know, above the board."""
        self._say(Text(safe(text), style=WARN))

    def draw(self) -> RenderableType:
        """The board as it stands."""
        with self._lock:
            now = self._clock()
            return Group(*_board(self.standing, now, now - self._begun))

    def tick(self) -> None:
        """Draw, where something changed or a second has passed; elsewhere tell of long waits."""
        with self._lock:
            now = self._clock()
            stamp = (self._version, int(now))
            changed, self._drawn = stamp != self._drawn, stamp
            if self._live is None:
                self._tell_waits(now)
        if self._live is not None and changed:
            self._live.refresh()  # without our lock: it takes its own, and then asks `draw` for ours

    def _watch(self) -> None:
        pause = TICK
        while not self._over.wait(pause):
            begun = time.thread_time()
            self.tick()
            pause = max(TICK, (time.thread_time() - begun) / SHARE)

    def _after(self, over: Finished | None) -> None:
        self._version += 1
        if over is not None and self._live is None:
            self._say(_line(over, self.standing))

    def _say(self, line: Text) -> None:
        self.console.print(line, soft_wrap=True)

    def _tell_waits(self, now: float) -> None:
        self._told = {cell: told for cell, told in self._told.items() if cell in self.standing.running}
        for cell, held in self.standing.running.items():
            since, patience = self._told.get(cell, (held.since, PATIENCE))
            patience = patience if since == held.since else PATIENCE
            if now - held.since >= patience:
                waited = f"waiting {now - held.since:.0f} s for the {held.role}: {held.label}  {held.assistant}"
                self._say(Text(safe(waited), style=QUIET))
                patience *= 2
            self._told[cell] = held.since, patience


def _line(over: Finished, standing: Standing) -> Text:
    """One finished dialogue in one line."""
    place = f"{standing.done}/{standing.total}" if standing.total else str(standing.done)
    turns = f"{over.turns} turn" if over.turns == 1 else f"{over.turns} turns"
    failed = over.end.owner in ("assistant", "simulator", "infrastructure")
    why = [clip(over.end.detail, 160)] if failed and over.end.detail else []
    parts = [place, f"{over.label}", over.assistant, f"{faulty(over.end)} in {turns}", *why, *_scored(over.verdict)]
    return Text(safe("  ".join(parts)).replace("\n", " "))


def _scored(verdict: Verdict | None) -> Iterator[str]:
    if verdict is None:
        return
    if verdict.unscored:
        yield f"unscored: {clip(verdict.unscored, 80)}"
        return
    told = []
    for name in HEADLINE:
        score = verdict.scores.get(name)
        if score is not None and score.value is not None:
            value = ("yes" if score.value else "no") if name in SHARES else f"{score.value:g}"
            told.append(f"{name} {value}")
    yield ", ".join(told) or "nothing scored"


def _board(standing: Standing, now: float, elapsed: float) -> Iterator[RenderableType]:
    yield _progress(standing, elapsed)
    if standing.running:
        yield Text()
        yield _running(standing, now)
    yield Text()
    yield facts(_facts(standing), indent=0)


def _progress(standing: Standing, elapsed: float) -> RenderableType:
    done, total = standing.done, standing.total
    parts = [f"{done}/{total}" if total else f"{done} done", duration(elapsed)]
    if done and elapsed >= 1:
        parts.append(f"{number(60 * done / elapsed)}/min")
        if total > done:
            parts.append(f"about {duration((total - done) * elapsed / done)} left")
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(ratio=1, min_width=8)
    table.add_column(no_wrap=True)
    bar = ProgressBar(total=max(total, 1), completed=done, complete_style="cyan", finished_style="green")
    table.add_row(bar, joined(parts))
    return table


def _running(standing: Standing, now: float) -> RenderableType:
    longest = sorted(standing.running.values(), key=lambda held: held.since)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, show_edge=False, expand=True)
    table.add_column("waits for", no_wrap=True)
    table.add_column("since", justify="right", no_wrap=True)
    table.add_column("turn", justify="right", no_wrap=True)
    table.add_column("dialogue", no_wrap=True, overflow="ellipsis", ratio=1)
    for held in longest[:SHOWN]:
        table.add_row(*_waiting(held, now))
    if (more := len(longest) - SHOWN) > 0:
        table.add_row("", "", "", Text(f"and {more} more", style=QUIET))
    return table


def _waiting(held: Running, now: float) -> tuple[Text, Text, Text, Text]:
    waited = now - held.since
    who = Text.assemble(clip(held.label, 60), ("  " + clip(held.assistant, 24), QUIET))
    return (
        Text(held.role, style=COLOURS.get(held.role, "")),
        Text(duration(max(waited, 0)), style=WARN if waited >= PATIENCE else ""),
        Text(str(held.turns or 1), style=QUIET),
        who,
    )


def _facts(standing: Standing) -> Iterator[tuple[str, RenderableType]]:
    for name in dict.fromkeys((*standing.assistants, *standing.scores)):
        if name in standing.scores:
            yield clip(name, 20), joined(list(_means(standing.scores[name])))
    if standing.endings:
        yield "endings", joined([_ended(*kind, times) for kind, times in standing.endings.most_common()])
    if standing.retries:
        yield "retries", joined([f"{role} {times}" for role, times in standing.retries.most_common()])
    for told in standing.strained.values():
        yield "slowed", Text(clip(told, 120), style=WARN, no_wrap=True, overflow="ellipsis")
    if answered := standing.acts.total():
        refused = standing.acts[False]
        yield "tool calls", Text(f"{answered}, {refused} of them refused" if refused else f"{answered}")
    if standing.discarded:
        yield "discarded", Text(f"{standing.discarded} drafts of the user")
    for error, where in standing.errors.items():
        times = f"{len(where)} × " if len(where) > 1 else ""
        last = f"  {'last ' if times else ''}{clip(where[-1], 80)}"
        yield "error", Text(f"{times}{clip(error, 120)}{last}", style=BAD, no_wrap=True, overflow="ellipsis")


def _ended(reason: str, owner: str, times: int) -> str:
    told = f"{reason.replace('_', ' ')} {times}"
    return told if owner == "user" else f"{told} ({owner})"


def _means(scores: Scores) -> Iterator[str]:
    for name in HEADLINE:
        if n := scores.counts[name]:
            yield f"{label(name)} {number(scores.sums[name] / n, name in SHARES)} (n {n})"
