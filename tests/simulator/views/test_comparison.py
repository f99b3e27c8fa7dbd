import pytest
from tests.simulator.records import dialogue, run
from tests.simulator.views.screens import drawn

from duologue.comparison import compare
from duologue.record import Run
from duologue.views.comparison import draw
from duologue.views.layout import tallies, whisker


def duel(profiles: int, *, reads: bool = False) -> Run:
    held = []
    for i in range(profiles):
        held.append(dialogue(f"p{i}", assistant="a", scores={"personalisation": 3 + i % 2}))
        reason, role = ("timeout", "assistant") if i == 1 else ("satisfied", "user")
        held.append(dialogue(f"p{i}", assistant="b", scores={"personalisation": 2}, reason=reason, role=role))
    return run(*held, assistants={"a": ("preferences",) if reads else (), "b": ()})


def test_the_paired_table() -> None:
    shown = drawn(draw(compare([duel(12)])), 120)
    for line in (
        "a  against  b   12 pairs · 11 profiles",
        "  a  is told of the user: nothing",
        "  personalisation         3.45   2.00  +1.45  +1.09 to +1.82     11  ████████████ 11/0/0  a higher",
        "  user coherence          5.00   5.00  0  no spread              11  ░░░░░░░░░░░░ 0/11/0  no difference shown",
        "  w/t/l      wins/ties/losses: profiles with which a is higher, equal, lower on average",
        "  intervals  95 %, from a bootstrap over whole profiles",
        "             1 × b: timeout (infrastructure)",
    ):
        assert line in shown.splitlines()
    assert "whatever they had scored, the difference would lie in: task success 0 to +8 points" in shown


def test_few_profiles_have_no_interval_and_it_says_why() -> None:
    shown = drawn(draw(compare([duel(3)])))
    assert "  personalisation         3.00   2.00  +1.00       2/0/0  too few profiles" in shown.splitlines()
    assert "none is shown with 2 profiles: below 8 it would be a guess" in shown


def test_who_reads_the_answers_is_marked() -> None:
    shown = drawn(draw(compare([duel(12, reads=True)])), 120)
    assert "  a  is told of the user: preferences  reads the answers" in shown.splitlines()
    assert "not ranked" in shown
    assert "a reads the user's preferences and b does not" in shown


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("profiles", [3, 12])
def test_every_width_says_what_was_found(width: int, profiles: int) -> None:
    lines = drawn(draw(compare([duel(profiles)])), width).splitlines()
    assert max(map(len, lines)) <= width
    finding = "a higher" if profiles == 12 else "too few profiles"
    assert any(finding in line for line in lines)


@pytest.mark.parametrize(
    ("counts", "bar"),
    [((6, 0, 6), "████████████"), ((1, 98, 1), "█░░░░░░░░░░█"), ((0, 3, 0), "░░░░░░░░░░░░"), ((0, 0, 0), "")],
)
def test_the_bar_of_wins_ties_and_losses(counts: tuple[int, int, int], bar: str) -> None:
    assert tallies(*counts).plain == bar


@pytest.mark.parametrize(
    ("mean", "low", "high", "bar"),
    [(1, None, None, "●····"), (5, None, None, "····●"), (3, 2, 4, "·━●━·"), (3, 0, 9, "━━●━━")],
)
def test_a_mean_on_its_scale(mean: float, low: float | None, high: float | None, bar: str) -> None:
    assert whisker(mean, low, high, (1, 5), 5).plain == bar


def test_effort_is_more_or_slower_and_never_won() -> None:
    held = []
    for i in range(12):
        held.append(dialogue(f"p{i}", assistant="a", turns=[("Hi", "Which? When? Where?")] * (2 + i % 2)))
        held.append(dialogue(f"p{i}", assistant="b", turns=[("Hi", "Done.")]))
    shown = drawn(draw(compare([run(*held)])), 120)
    (questions,) = [line for line in shown.splitlines() if "questions asked" in line]
    (seconds,) = [line for line in shown.splitlines() if "assistant seconds" in line]
    assert questions.endswith("a asks more") and seconds.endswith("a slower")
    assert "/0/" not in questions


def test_metrics_without_a_pair_are_one_line() -> None:
    shown = drawn(draw(compare([run(dialogue(assistant="a"), dialogue(assistant="b", judged=False))])), 200)
    (line,) = [line for line in shown.splitlines() if line.strip().startswith("no pairs")]
    assert "task success, personalisation" in line and line.endswith("(1 × b: not judged)")
    assert not any(line.strip().startswith("task success") for line in shown.splitlines())


def test_runs_without_a_common_scenario_say_so() -> None:
    shown = drawn(draw(compare([run(dialogue("anna", assistant="a"), dialogue("bo", assistant="b"))])), 200)
    assert "They share no scenario" in shown and "1 not run by b · 1 not run by a" in shown
    assert "difference" not in shown


@pytest.mark.parametrize("width", [80, 120])
def test_assistants_of_several_runs_have_heads_of_their_own(width: int) -> None:
    runs = [run(*(dialogue(f"p{i}") for i in range(3)), name=name) for name in ("monday", "tuesday")]
    lines = drawn(draw(compare(runs)), width).splitlines()
    assert "  A  plain @ monday, is told of the user: nothing" in lines
    assert any(line.split()[:3] == ["score", "A", "B"] for line in lines)
