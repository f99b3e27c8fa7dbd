import io
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from rich.console import Console
from tests.simulator.records import Script, dialogue
from tests.simulator.views.screens import drawn

from duologue.agents.events import ToolAnswered, ToolCalled, UserTurn
from duologue.agents.usage import Usage
from duologue.campaign import Cell
from duologue.profiles.scenario import ScenarioKey
from duologue.record.run import Dialogue
from duologue.tasks.task import Situation
from duologue.views.live import Board


@dataclass
class Clock:
    now: float = 5000.0

    def __call__(self) -> float:
        return self.now


def screen(width: int = 80, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, highlight=False)


def said(console: Console) -> list[str]:
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def play(board: Board, one: Dialogue, upto: int | None = None) -> None:
    for event in one.events[:upto]:
        board.event(event)
    for verdict in one.verdicts if upto is None else ():
        board.verdict(verdict)


def cell(profile: str, assistant: str = "plain") -> Cell:
    return Cell(ScenarioKey(profile, "book-table", ("Restaurants",), Situation()), assistant, 1)


def plan(board: Board, *cells: Cell, looks: int = 1) -> None:
    board.planned(cells, {each.id: looks for each in cells} if looks else {})


def test_a_dialogue_is_finished_by_the_last_look_at_it() -> None:
    console = screen()
    board = Board(console, clock=Clock())
    plan(board, cell("anna"), looks=2)
    one = dialogue("anna", judge="a")
    play(board, one)
    assert said(console) == [] and board.standing.done == 0
    board.verdict(one.verdicts[0].model_copy(update={"look": 2}))
    assert len(said(console)) == 1 and board.standing.done == 1


def test_without_a_terminal_each_finished_dialogue_is_one_line() -> None:
    console = screen()
    with Board(console, clock=Clock()) as board:
        plan(board, cell("anna"), cell("bo"), cell("cy"), cell("di"))
        play(board, dialogue("anna"))
        play(board, dialogue("bo", reason="timeout", role="assistant"))
        play(board, dialogue("cy", unscored="not JSON"))
        board.note("the disk is nearly full\x1b[2J")
        play(board, dialogue("di", judged=False))
    assert said(console) == [
        "1/4  anna × book-table  plain  satisfied in 2 turns  success yes, personalisation 3",
        "2/4  bo × book-table  plain  timeout of the assistant in 2 turns",
        "3/4  cy × book-table  plain  satisfied in 2 turns  unscored: not JSON",
        "the disk is nearly full␛[2J",
        "4/4  di × book-table  plain  satisfied in 2 turns",
    ]


def test_without_a_judge_a_line_follows_each_ending_at_once() -> None:
    console = screen()
    board = Board(console, clock=Clock())
    plan(board, cell("anna"), cell("bo"), looks=0)
    play(board, dialogue("anna", judged=False))
    assert said(console) == ["1/2  anna × book-table  plain  satisfied in 2 turns"]


def test_what_a_judge_never_reached_is_told_at_the_end() -> None:
    console = screen()
    with Board(console, clock=Clock()) as board:
        for profile in ("anna", "bo"):
            play(board, dialogue(profile, judged=False))
        assert said(console) == []
    assert [line.split()[0] for line in said(console)] == ["1", "2"]


def test_a_long_wait_is_told_less_and_less_often() -> None:
    console, clock = screen(), Clock()
    board = Board(console, clock=clock)
    play(board, dialogue("anna"), upto=2)
    for _ in range(130):
        clock.now += 1
        board.tick()
    assert said(console) == [
        f"waiting {seconds} s for the assistant: anna × book-table  plain" for seconds in (30, 60, 120)
    ]


def test_while_a_memory_is_looked_up_the_board_waits_for_that_and_not_for_the_assistant() -> None:
    clock = Clock()
    board = Board(screen(), clock=clock)
    one = dialogue("p0")
    play(board, one, upto=2)

    def waited_for() -> list[str]:
        return drawn(board.draw()).splitlines()[3].split()[:3]

    clock.now += 3
    assert waited_for() == ["assistant", "0:03", "1"]
    board.recalling(one.cell, over=False)
    clock.now += 7
    assert waited_for() == ["memory", "0:07", "1"]
    board.recalling(one.cell, over=True)
    clock.now += 2
    assert waited_for() == ["assistant", "0:02", "1"]


def test_a_memory_may_be_looked_up_before_anything_is_heard_of_a_dialogue() -> None:
    board = Board(screen(), clock=Clock())
    plan(board, cell("p0"))
    board.recalling(cell("p0").id, over=False)
    assert "memory" in drawn(board.draw()) and "p0 × book-table" in drawn(board.draw())


def test_the_board_says_what_runs_and_whom_it_waits_for() -> None:
    clock = Clock()
    board = Board(screen(), clock=clock)
    plan(board, *(cell(f"p{i}") for i in range(8)))
    play(board, dialogue("p0", scores={"personalisation": 4}))
    play(board, dialogue("p1", assistant="informed", reason="error", role="assistant", detail="ValueError: [boom]"))
    play(board, dialogue("p2"), upto=1)
    clock.now += 5
    play(board, dialogue("p3"), upto=2)
    clock.now += 5
    play(board, dialogue("p4", judged=False))
    clock.now += 50
    lines = drawn(board.draw()).splitlines()
    assert lines[0].endswith("2/8 · 1:00 · 2.00/min · about 3:00 left")
    assert [line.split()[:3] for line in lines[2:6]] == [
        ["waits", "for", "since"],
        ["user", "1:00", "1"],
        ["assistant", "0:55", "1"],
        ["judge", "0:50", "2"],
    ]
    assert lines[4].endswith("p3 × book-table  plain")
    for line in (
        "plain     task success 100 % (n 1) · personalisation 4.00 (n 1)",
        "informed  task success 0 % (n 1)",
        "endings   satisfied 2 · error 1 (assistant)",
        "retries   assistant 6",
        "error     error of the assistant: ValueError: [boom]  p1 × book-table, informed",
    ):
        assert line in lines


def test_equal_errors_are_one_line_and_assistants_stand_in_the_campaigns_order() -> None:
    board = Board(screen(), clock=Clock())
    plan(board, cell("p0", "zed"), cell("p0", "abe"), cell("p1", "zed"))
    play(board, dialogue("p0", assistant="abe"))
    for profile in ("p0", "p1"):
        play(board, dialogue(profile, assistant="zed", reason="provider_error", detail="HTTP 500"))
    play(board, dialogue("p2", assistant="zed"))
    lines = drawn(board.draw()).splitlines()
    assert "error    2 × provider error of the user's model: HTTP 500  last p1 × book-table…" in lines
    assert sum(line.startswith("error") for line in lines) == 1
    heads = [line.split()[0] for line in lines if "task success" in line]
    assert heads == ["zed", "abe"]
    assert any("provider error 2 (infrastructure)" in line for line in lines)


def test_tool_calls_are_counted_and_the_assistant_is_waited_for_after_them() -> None:
    clock = Clock()
    board = Board(screen(), clock=clock)
    script = Script("anna").note(UserTurn, 1, role="user", text="A table.")
    used = Usage(input=1, output=1, retries=3)
    script.note(ToolCalled, 1, role="assistant", call="c1", name="look", arguments={}, usage=used)
    script.note(ToolCalled, 1, role="assistant", call="c2", name="book", arguments={})
    for event in script.events:
        board.event(event)
    clock.now += 40
    board.event(ToolAnswered(cell=script.cell, seq=5, turn=1, time=0, call="c1", ok=True, result={}))
    board.event(ToolAnswered(cell=script.cell, seq=6, turn=1, time=0, call="c2", ok=False, result={"error": "no"}))
    clock.now += 5
    lines = drawn(board.draw()).splitlines()
    assert [line.split()[:3] for line in lines if "book-table" in line] == [["assistant", "0:05", "1"]]
    assert "tool calls  2, 1 of them refused" in lines and "retries     assistant 3" in lines


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_board_fits_every_width_however_much_runs(width: int) -> None:
    from rich.cells import cell_len

    board = Board(screen(), clock=Clock())
    for i in range(40):
        play(board, dialogue(f"欧阳 👩‍👩‍👧 {i} " * 20), upto=2)
    play(board, dialogue("x" * 900, reason="error", role="assistant", detail="\x1b" * 900))
    lines = drawn(board.draw(), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert len(lines) < 20
    assert any("and 32 more" in line for line in lines)


def test_a_terminal_is_drawn_on_when_something_changed_or_a_second_passed() -> None:
    console, clock = screen(terminal=True), Clock()
    board = Board(console, clock=clock)
    board._over.set()  # its own ticker ends at once: this test ticks
    with board:
        board.tick()
        first = len(said(console))
        board.tick()
        assert len(said(console)) == first
        play(board, dialogue("anna"))
        board.tick()
        second = len(said(console))
        assert second > first
        clock.now += 1
        board.tick()
        assert len(said(console)) > second
    assert "task success 100 %" in console.file.getvalue()  # type: ignore[attr-defined]


def test_printing_from_many_threads_does_not_lock_it_up() -> None:
    console = screen(terminal=True)
    with Board(console) as board:

        def chatter(name: str) -> None:
            for i in range(20):
                play(board, dialogue(f"{name}{i}"))
                console.print("from a callable")
                board.tick()

        threads = [threading.Thread(target=chatter, args=(name,), daemon=True) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert not any(thread.is_alive() for thread in threads)
    assert board.standing.done == 60


def test_by_default_it_goes_to_standard_error(capsys: Any) -> None:
    with Board() as board:
        play(board, dialogue("anna"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "anna × book-table" in err


def test_an_endpoint_that_has_no_room_is_shown_as_it_stands() -> None:
    board = Board(screen(), clock=Clock())
    board.strained("h:1", "h:1 had no room for 2 calls: slowed down once, to 48 at once (of 50).")
    board.strained("h:1", "h:1 had no room for 38 calls: slowed down once, to 12 at once (of 50).")
    shown = drawn(board.draw(), 120)
    assert "slowed" in shown and "to 12 at once (of 50)" in shown and "48" not in shown
