"""What duels say in numbers, and a judge that is led by order or length."""

import pytest
from tests.simulator.duels.fought import QUESTION, Judge, Shown, fought

from duologue.duels.draw import Meeting
from duologue.duels.figures import Standing, habits, pairings, rankings
from duologue.duels.report import Habit, Result
from duologue.duels.warnings import warnings
from duologue.tasks.chance import unit

ALIKE = [100] * 12


def figures(judge: Judge, *sides: list[int], trials: int = 1) -> tuple[list[Result], Habit]:
    meetings, found = fought(judge, *sides, trials=trials)
    drawn = pairings(meetings, found, [QUESTION], {(m.a, m.b): () for m in meetings})
    return [pairing.results[0] for pairing in drawn], habits(meetings, found, [QUESTION])[0]


def always(said: str) -> Judge:
    return lambda first, second: said


def prefers(name: str) -> Judge:
    return lambda first, second: "first" if first.assistant == name else "second" if second.assistant == name else "tie"


def longer(first: Shown, second: Shown) -> str:
    """The longer the other, the likelier it is to be preferred, whoever it is of: the same in either order."""
    a, b = sorted((first, second), key=lambda each: each.assistant)
    by = (a.letters - b.letters) / (a.letters + b.letters)
    better = a if unit("longer", a.profile, a.assistant, b.assistant) < 0.5 + 2.5 * by else b
    return "first" if better is first else "second"


# 23


def test_a_judge_that_always_prefers_the_first_makes_ties_and_is_found_out() -> None:
    (result,), habit = figures(always("first"), ALIKE, ALIKE)
    assert (result.wins, result.ties, result.losses, result.flips) == (0, 12, 0, 12)
    assert (result.rate.value, result.finding) == (0.5, "no difference shown")
    assert (habit.first.value, habit.first.n, habit.flips) == (1.0, 24, 12)
    assert habit.first.low and habit.first.low > 0.7
    (told,) = warnings("j", (), (), [habit])
    assert told == (
        "overall: in 100 % of the pairs the judge preferred another one once the order was turned; these count as ties"
    )


def test_a_judge_that_prefers_length_is_exposed_by_the_length_figure() -> None:
    """Assistant a says more in four of five dialogues and is no better."""
    a = [100 + 40 * (i % 5 > 0) + i % 7 for i in range(150)]
    b = [100 + 40 * (i % 5 == 0) + i % 3 for i in range(150)]
    (result,), habit = figures(longer, a, b)
    assert result.rate.value and result.rate.value > 0.65
    assert result.finding == "a preferred"
    assert result.level.rate is not None and abs(result.level.rate - 0.5) < 0.1
    assert result.level.low and result.level.high and result.level.low < 0.5 < result.level.high
    assert habit.longer.value and habit.longer.value > 0.75
    (told,) = warnings("j", (), pairings_of(longer, a, b), [habit])
    assert told == "overall: mostly the assistant that said more won; read the win rates at equal length"


def pairings_of(judge: Judge, *sides: list[int]) -> tuple:  # type: ignore[type-arg]
    meetings, found = fought(judge, *sides)
    return pairings(meetings, found, [QUESTION], {(m.a, m.b): () for m in meetings})


def test_where_length_alone_decides_there_is_no_rate_at_equal_length_and_it_says_so() -> None:
    lover: Judge = lambda first, second: "first" if first.letters > second.letters else "second"  # noqa: E731
    (result,), habit = figures(lover, [100 + i for i in range(12)], [105] * 12)
    assert result.level.rate is None
    assert result.level.why
    assert habit.longer.value == 1.0


def test_a_fair_judge_that_prefers_one_says_so_in_both_orders() -> None:
    (result,), habit = figures(prefers("b"), ALIKE, [150, *ALIKE[1:]])
    assert (result.wins, result.ties, result.losses, result.flips) == (0, 0, 12, 0)
    assert (result.rate.value, result.finding) == (0.0, "b preferred")
    assert result.p == pytest.approx(2 / 2**12)
    assert (habit.first.value, habit.flips) == (0.5, 0)
    assert (habit.longer.value, habit.longer.n) == (1.0, 1)
    assert list(warnings("j", (), (), [habit])) == []


def test_one_order_a_tie_is_a_tie_and_no_flip() -> None:
    (result,), habit = figures(lambda first, _: "first" if first.assistant == "a" else "tie", ALIKE, ALIKE)
    assert (result.ties, result.flips, habit.wavers) == (12, 0, 12)
    assert (habit.first.value, habit.first.n) == (1.0, 12)
    assert next(warnings("j", (), (), [habit])).startswith("overall: the judge leans to whatever stands first")


def test_below_eight_profiles_nothing_is_called_a_preference() -> None:
    (result,), _ = figures(prefers("a"), ALIKE[:7], ALIKE[:7], trials=4)
    assert (result.pairs, result.profiles, result.rate.value) == (28, 7, 1.0)
    assert (result.p, result.rate.low, result.finding) == (None, None, "too few profiles to tell")


def test_what_was_not_read_in_both_orders_is_left_out_and_could_be_anything() -> None:
    (result,), habit = figures(
        lambda first, second: (
            "is no word" if (first.assistant, first.profile) == ("b", "p3") else prefers("a")(first, second)
        ),
        ALIKE,
        ALIKE,
    )
    assert (result.pairs, result.wins, result.missing) == (11, 11, {"is no word": 1})
    assert result.worst == pytest.approx((11 / 12, 1))
    assert habit.first.n == 22, "the order that was read alone tells nothing of a lean"


def test_what_was_not_asked_yet_is_said_so() -> None:
    meetings, found = fought(prefers("a"), ALIKE, ALIKE)
    kept: Standing = dict(list(found.items())[:-1])
    (pairing,) = pairings(meetings, kept, [QUESTION], {("a", "b"): ()})
    assert pairing.results[0].missing == {"not asked yet": 1}


def test_findings_are_made_good_for_being_several() -> None:
    """With eight profiles a test of sign-flips has p = 2 / 256 at best: three at once are below 5 %, ten are not."""
    few = [100] * 8
    best: Judge = lambda first, second: "first" if first.assistant < second.assistant else "second"  # noqa: E731
    three, _ = figures(best, few, few, few)
    assert [result.finding for result in three] == ["a preferred"] * 3
    ten, _ = figures(best, few, few, few, few, few)
    assert len(ten) == 10
    assert {result.finding for result in ten} == {"no difference shown"}
    assert [result.adjusted for result in ten] == [pytest.approx(10 * 2 / 256)] * 10


def test_three_are_ranked_and_two_are_not() -> None:
    noisy: Judge = lambda first, second: (  # noqa: E731
        "first"
        if (first.assistant < second.assistant)
        == (unit(first.profile, *sorted((first.assistant, second.assistant))) < 0.8)
        else "second"
    )
    meetings, found = fought(noisy, *[[100] * 30] * 3)
    (ranked,) = rankings(meetings, found, [QUESTION])
    assert [each.name for each in ranked.ranking.strengths] == ["a", "b", "c"]
    first, *_, last = ranked.ranking.strengths
    assert first.low is not None and last.high is not None and first.low > last.high
    assert rankings(meetings[:1], found, [QUESTION]) == ()


def test_a_question_that_makes_no_sense_for_a_task_is_not_missing() -> None:
    (result,), _ = figures(always("no relevant preference"), ALIKE, ALIKE)
    assert (result.pairs, result.missing, result.finding, result.worst) == (0, {}, "no pairs", None)


def test_order_of_matches_changes_nothing() -> None:
    meetings, found = fought(longer, [100 + i for i in range(40)], [120] * 40)
    turned = [Meeting(m.a, m.b, tuple(reversed(m.matches)), {}) for m in meetings]
    one, other = (pairings(each, found, [QUESTION], {("a", "b"): ()}) for each in (meetings, turned))
    assert one[0].results[0].rate == other[0].results[0].rate
    assert one[0].results[0].p == other[0].results[0].p
