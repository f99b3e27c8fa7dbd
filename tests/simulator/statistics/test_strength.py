"""Bradley-Terry strengths, against choix."""

import math

import pytest

from duologue.statistics.strength import Game, bradley_terry

WON = [[0, 7, 9, 11], [5, 0, 8, 6], [2, 4, 0, 9], [1, 3, 5, 0]]
GAMES = [
    Game(cluster=f"p{n}", a="abcd"[i], b="abcd"[j], score=1)
    for i in range(4)
    for j in range(4)
    for n in range(WON[i][j])
]


def games(won: dict[str, int], profiles: int = 10) -> list[Game]:
    """`won` says how often each pair, "ab" for a over b, came out so, in each of the profiles."""
    return [
        Game(cluster=f"p{p}", a=pair[0], b=pair[1], score=1)
        for p in range(profiles)
        for pair, n in won.items()
        for _ in range(n)
    ]


def test_strengths_are_those_of_maximum_likelihood() -> None:
    found = bradley_terry(GAMES, ("k",))
    # choix 0.4.1: ilsr_pairwise(4, data, tol=1e-12)
    wanted = [0.9632446254091342, 0.30712926185451705, -0.38374241685700633, -0.8866314704066449]
    assert [each.name for each in found.strengths] == list("abcd")
    assert [each.strength for each in found.strengths] == pytest.approx(wanted, abs=1e-9)
    assert [(each.wins, each.games) for each in found.strengths] == [(27, 35), (19, 33), (15, 37), (9, 35)]
    assert (found.games, found.profiles, found.method, found.why) == (70, 11, "Bradley-Terry", "")
    for each in found.strengths:
        assert each.low is not None and each.high is not None
        assert each.low < each.strength < each.high


def test_two_alone_are_the_log_odds_of_winning_and_a_tie_is_half_a_win() -> None:
    ties = [Game(cluster="p0", a="b", b="a", score=0.5)] * 4
    found = bradley_terry(games({"ab": 3, "ba": 1}) + ties, ("k",))
    assert found.strengths[0].strength == pytest.approx(math.log(32 / 12) / 2)
    assert found.strengths[0].wins == 32


def test_sides_and_order_do_not_matter() -> None:
    turned = [Game(cluster=g.cluster, a=g.b, b=g.a, score=1 - g.score) for g in reversed(GAMES)]
    assert bradley_terry(turned, ("k",)) == bradley_terry(GAMES, ("k",))


def test_the_interval_is_of_whole_profiles() -> None:
    alone = bradley_terry(GAMES, ("k",)).strengths[0]
    copied = bradley_terry(GAMES * 4, ("k",)).strengths[0]
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))


def test_one_that_always_wins_has_a_strength_without_ends() -> None:
    found = bradley_terry(games({"ab": 1, "ac": 1, "bc": 2, "cb": 1}), ("k",))
    assert found.method == "Bradley-Terry, a draw added to each pair"
    assert "win or lose every duel" in found.why
    assert [each.name for each in found.strengths] == ["a", "b", "c"]
    assert all(math.isfinite(each.strength) and each.low is None for each in found.strengths)


def test_resamples_in_which_one_always_wins_get_a_draw() -> None:
    lost = [Game(cluster="p0", a="b", b="a", score=1)]
    found = bradley_terry(games({"ab": 2}) + lost, ("k",))
    assert found.method == "Bradley-Terry, a draw added to each pair"
    assert found.strengths[0].strength == pytest.approx(math.log(20.5 / 1.5) / 2)
    assert found.strengths[0].low is not None and found.why == ""


def test_what_cannot_be_ranked_says_why() -> None:
    assert bradley_terry([], ("k",)).why == "no duels"
    apart = bradley_terry(games({"ab": 1, "ba": 1, "cd": 1, "dc": 1}), ("k",))
    assert (apart.strengths, apart.why) == ((), "not all have met, directly or by way of others")
    few = bradley_terry(games({"ab": 2, "ba": 1}, profiles=7), ("k",))
    assert few.strengths[0].low is None
    assert few.why == "too few profiles for intervals: 7 of 8"
