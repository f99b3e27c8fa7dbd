"""Keyed chance: the same on any machine, and even."""

from collections import Counter

import pytest

from duologue.tasks.chance import choose, number, shuffled, unit


def test_draws_are_fixed_for_ever() -> None:
    """Runs are only comparable with older ones while these values stand."""
    assert number("seed", 7, ("a", "b")) == 3230213865298499619
    assert choose(["red", "green", "blue"], "x", 1) == "green"
    assert shuffled([1, 2, 3, 4, 5], "order") == [3, 5, 4, 2, 1]


def test_key_parts_do_not_run_together() -> None:
    assert number("ab", "c") != number("a", "bc")
    assert number("a") != number("a", None)


def test_units_are_even() -> None:
    draws = [unit("even", n) for n in range(4000)]
    assert all(0 <= draw < 1 for draw in draws)
    tenths = Counter(int(draw * 10) for draw in draws)
    assert len(tenths) == 10
    assert all(320 < count < 480 for count in tenths.values())


def test_shuffle_does_not_depend_on_the_order_given() -> None:
    items = [f"task-{n}" for n in range(50)]
    once = shuffled(items, "key")
    assert once == shuffled(list(reversed(items)), "key")
    assert sorted(once) == sorted(items)
    assert once != shuffled(items, "other key")
    assert items[0] == "task-0"


def test_leaving_an_item_out_keeps_the_order_of_the_others() -> None:
    assert [n for n in shuffled(range(20), "k") if n != 3] == shuffled([n for n in range(20) if n != 3], "k")


def test_choice_among_nothing_is_refused() -> None:
    with pytest.raises(IndexError):
        choose([], "key")
