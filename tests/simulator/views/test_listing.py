import pytest
from rich.cells import cell_len
from tests.simulator.records import dialogue, run
from tests.simulator.views.screens import drawn

from duologue.scores import rows, summary
from duologue.views.listing import draw_dialogues, draw_runs

HELD = run(
    dialogue("anna"),
    dialogue("欧阳", reason="error", role="assistant"),
    dialogue("👩‍👩‍👧 [bold]x", task="a task with a name that goes on and on", reason="timeout", role="user"),
    dialogue("x" * 5000, assistant="y" * 5000),
    dialogue("e\u0301ve", reason=""),
)


def test_the_dialogues_of_a_run() -> None:
    lines = drawn(draw_dialogues(rows(HELD)), 120).splitlines()
    assert lines[0].split() == ["profile", "task", "assistant", "turns", "ending", "success", "pers"]
    assert lines[2].split() == ["1", "anna", "book-table", "plain", "2", "satisfied", "yes", "3"]
    assert lines[3].split() == ["2", "欧阳", "book-table", "plain", "2", "error", "(assistant)", "no", "–"]
    assert lines[6].split()[-5:] == ["2", "not", "ended", "–", "–"]
    assert lines[-1] == "5 dialogues, 3 not scored; pers: personalisation"


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_columns_stand_under_each_other_at_every_width(width: int) -> None:
    lines = drawn(draw_dialogues(rows(HELD)), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    place = lines[0].index("ending")
    for line, ending in zip(lines[2:7], ["satisfied", "error", "timeout", "satisfied", "not ended"], strict=True):
        before = next(
            i for i in range(len(line) + 1) if cell_len(line[:i]) == place and line[i:].startswith(ending[:5])
        )
        assert line[before:].startswith(ending)
    assert lines[2].endswith("3")


def test_the_runs() -> None:
    lines = drawn(draw_runs([(summary(HELD), 0.0), (summary(run(name="empty")), 0.0)]), 120).splitlines()
    assert lines[2].split()[0] == "runs/evening"
    assert lines[0].split()[-4:] == ["success", "met", "judge", "pers"]
    assert lines[2].split()[3:] == ["4/5", "plain", "–", "–", "50", "%", "3"]
    assert lines[4].split()[0] == "runs/empty"


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("name", ["short", "2026-12-01-0420-the-long-way-round", "n" * 52])
def test_the_name_of_a_run_is_never_broken(name: str, width: int) -> None:
    held = run(dialogue("anna"), dialogue("bo", assistant="an-assistant-of-a-long-name"), name=name)
    lines = drawn(draw_runs([(summary(held), 0.0), (summary(run(name="empty")), 0.0)]), width).splitlines()
    assert max(map(len, lines)) <= width and sum(f"runs/{name}" in line for line in lines) == 1
    (plain,) = [line.split() for line in lines if "plain" in line]
    assert "100" in plain and any("an-assistant-of…" in line for line in lines)
    assert any("runs/empty" in line for line in lines)


def test_nothing_to_list() -> None:
    assert drawn(draw_runs([])) == "No runs here yet. Begin one: duologue run"
    assert drawn(draw_dialogues([])) == "No dialogue has begun."


@pytest.mark.parametrize("width", [80, 120])
def test_what_was_found_is_never_cut(width: int) -> None:
    long = run(
        dialogue("a-profile-with-a-long-id", "book-a-table-for-the-whole-family", "informed-by-all"),
        dialogue(
            "bo", "book-a-table-for-the-whole-family", "informed-by-all", reason="context_overflow", role="assistant"
        ),
    )
    lines = drawn(draw_dialogues(rows(long)), width).splitlines()
    assert "informed-by-all" in lines[2] and lines[2].split()[-2:] == ["yes", "3"]
    assert "context overflow" in lines[3]


def test_a_rubric_of_its_own_brings_its_own_columns() -> None:
    held = run(dialogue(scores={"warmth_of_tone": 4.0, "polite": True}))
    lines = drawn(draw_dialogues(rows(held), {"warmth_of_tone": False, "polite": True}), 80).splitlines()
    assert lines[0].split()[-3:] == ["warmth", "of…", "polite"]
    assert lines[2].split()[-2:] == ["4", "yes"]
    assert lines[-1] == "1 dialogue; warmth of…: warmth of tone"
