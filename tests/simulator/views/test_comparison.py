from dataclasses import replace
from typing import Any

import pytest
from tests.simulator.comparing.worlds import acted
from tests.simulator.records import dialogue, run
from tests.simulator.views.screens import drawn

from duologue.agents.verdict import Score
from duologue.comparing.comparison import Difference, compare
from duologue.record.run import Dialogue, Run
from duologue.scoring.scorecard import Place
from duologue.views.comparison import draw
from duologue.views.difference import finding
from duologue.views.layout import tallies, whisker


def duel(profiles: int, *, reads: bool = False) -> Run:
    held = []
    for i in range(profiles):
        held.append(dialogue(f"p{i}", assistant="a", scores={"personalisation": 3 + i % 2}))
        reason, role = ("timeout", "assistant") if i == 1 else ("satisfied", "user")
        held.append(dialogue(f"p{i}", assistant="b", scores={"personalisation": 2}, reason=reason, role=role))
    return run(*held, assistants={"a": ("preferences",) if reads else (), "b": ()})


def test_the_paired_table() -> None:
    found = compare([duel(12)])
    shown, personal, none = drawn(draw(found), 120), found.pairings[0].differences[1], "no difference shown"
    for line in (
        "a  against  b   12 pairs · 11 profiles",
        "  a  is told of the user: nothing",
        "  task success           100 %  100 %  0 points  −26 to +26   1.00       11  ░░░░░░░░░░░░ 0/11/0  " + none,
        f"  personalisation         3.45   2.00  +1.45  +{personal.low:.2f} to +{personal.high:.2f}  <0.001     11  "
        "████████████ 11/0/0  a higher",
        "  user coherence          5.00   5.00  0  no spread           1.00       11  ░░░░░░░░░░░░ 0/11/0  " + none,
        "  w/t/l      wins/ties/losses: profiles with which a is higher, equal, lower on average",
        "  intervals  95 %, from a bootstrap over whole profiles",
        "             1 × b: timeout (infrastructure)",
    ):
        assert line in shown.splitlines()
    assert "whatever they had scored, the difference would lie in: task success 0 to +8 points" in shown


def test_few_profiles_have_no_interval_and_it_says_why() -> None:
    shown = drawn(draw(compare([duel(3)])))
    assert "  personalisation         3.00   2.00  +1.00       –  2/0/0  too few profiles" in shown.splitlines()
    assert "none is shown with 2 profiles: below 8 it would be a guess" in shown


def test_who_reads_the_answers_is_marked() -> None:
    shown = drawn(draw(compare([duel(12, reads=True)])), 120)
    assert "  a  is told of the user: preferences  reads the answers" in shown.splitlines()
    assert "not ranked" in shown
    assert "a alone reads the user's preferences" in shown


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


def contest(profiles: int = 12, late: int = 0) -> Run:
    """Four assistants: `reader` reads the preferences, `told` is told the history; `same` and `again` are alike. A
    fifth has been `late`, and talked to so many."""
    held = [dialogue(f"p{i}", assistant="late") for i in range(late)]
    for i in range(profiles):
        for name, score in (("reader", 4), ("told", 3 + i % 2), ("same", 2), ("again", 2)):
            held.append(dialogue(f"p{i}", assistant=name, scores={"personalisation": score}))
    return run(
        *held,
        assistants={
            "reader": ("preferences",),
            "told": ("history",),
            "same": (),
            "again": (),
            **({"late": ()} if late else {}),
        },
    )


def test_of_several_pairings_each_remark_stands_once() -> None:
    shown = drawn(draw(compare([contest()])), 100)
    lines, text = shown.splitlines(), " ".join(shown.split())
    once = (
        "95 %, from a bootstrap over whole profiles",
        "profiles with which the first of the two is higher",
        "3 of 6 comparisons, all with reader: reader alone reads the user's preferences",
    )
    assert [text.count(each) for each in once] == [1, 1, 1]
    assert text.count("reader alone reads") == 1
    assert sum("is told of the user" in line for line in lines) == 4
    assert len(lines) < 70


def test_of_several_pairings_scores_that_are_the_same_share_a_line() -> None:
    lines = drawn(draw(compare([contest()], ["told", "same", "again"])), 200).splitlines()
    at = lines.index("same  against  again   12 pairs · 12 profiles")
    assert lines[at + 1].startswith("  the same  task success 100 % (±24 points) · personalisation 2.00 · ")
    at = lines.index("told  against  same   12 pairs · 12 profiles")
    assert lines[at + 2].split()[:3] == ["personalisation", "3.50", "2.00"]
    assert not any(line.split()[:1] == ["naturalness"] for line in lines[at:])


def test_three_or_more_stand_on_a_ladder() -> None:
    lines = drawn(draw(compare([contest()], ["told", "same", "again"]))).splitlines()
    at = lines.index("who stands where")
    assert lines[at + 1 : at + 3] == [
        "  task success  no difference shown   n 12 · 12 profiles".replace("n 12 · 12 p", "n\xa012\xa0·\xa012\xa0p"),
        "    again 100 % · same 100 % · told 100 %",
    ]
    assert lines[at + 3].startswith("  personalisation  told > again, same   n")
    assert lines[at + 5].split()[:3] == ["1", "told", "3.50"]
    assert [line.split()[0] for line in lines[at + 5 : at + 8]] == ["1", "2–3", "2–3"]


@pytest.mark.parametrize("width", [80, 120])
def test_many_pairings_are_a_line_each_and_the_main_scores_alone(width: int) -> None:
    lines = drawn(draw(compare([contest()])), width).splitlines()
    assert max(map(len, lines)) <= width and len(lines) < 60
    (line,) = [line for line in lines if line.strip().startswith("told – same") and "1.50" in line]
    assert line.split()[3:8] == ["+1.50", "+1.17", "to", "+1.83", "<0.001"] and line.endswith("told higher")
    (unfair,) = [line for line in lines if line.strip().startswith("reader – told") and "0.50" in line]
    assert unfair.endswith("not ranked") and " – " in unfair.removeprefix("    reader – told")
    assert not any("user naturalness" in line for line in lines)


@pytest.mark.parametrize("width", [80, 120])
def test_groups_stand_below_with_a_warning_of_small_ones(width: int) -> None:
    held = [
        dialogue(f"p{i}", assistant=name, situation={"device": device}, scores={"personalisation": 2 + (name == "a")})
        for i in range(9)
        for name in ("a", "b")
        for device in ("phone", "watch", *["car"] * (i < 3))
    ]
    lines = drawn(draw(compare([run(*held)], by="device")), width).splitlines()
    at = lines.index("by device")
    assert max(map(len, lines)) <= width
    shown = [line.split() for line in lines[at:]]
    assert ["phone", "9", "+1.00", "no", "spread", "0.008", "a", "higher"] in shown
    assert any("and 1 group of fewer than 8 profiles: --json lists all" in line for line in lines)
    assert any("3 groups of fewer than 30 profiles" in line for line in lines)
    assert not any(line[:1] == ["car"] for line in shown)


def test_a_remark_of_one_pairing_stands_with_it() -> None:
    lines = drawn(draw(compare([contest(8, late=4)], ["reader", "told", "late"])), 250).splitlines()
    (few,) = [line for line in lines if "none is shown with 4 profiles" in line]
    assert few.strip().startswith("intervals  reader against late, told against late: none")
    (many,) = [line for line in lines if "from a bootstrap over whole profiles" in line]
    assert many.strip() == "intervals  95 %, from a bootstrap over whole profiles"
    assert lines.index(many) < lines.index("reader  against  late   4 pairs · 4 profiles") < lines.index(few)


def test_a_table_is_one_line_a_score_as_soon_as_there_is_room() -> None:
    lines = drawn(draw(compare([duel(12)])), 100).splitlines()
    assert any(line.startswith("  personalisation") and line.endswith("11/0/0  a higher") for line in lines)
    assert any(
        line.strip() == "p <0.001  w/t/l 11/0/0  a higher" for line in drawn(draw(compare([duel(12)])), 70).splitlines()
    )


def test_why_nobody_is_placed_by_a_score_stands_once() -> None:
    places = tuple(
        Place(metric=metric, n=40, profiles=40, floor=0.2, ceiling=0.9, mean=0.5, **more)
        for metric, more in (
            ("state_success", {"why": "ceiling and floor are less than 10 points apart"}),
            ("state_preferences_met", {"value": 0.4, "low": 0.3, "high": 0.5}),
        )
    )
    found = compare([contest()])
    sides = [side.model_copy(update={"places": places}) for side in found.sides[:3]]
    shown = drawn(draw(found.model_copy(update={"sides": tuple(sides)})), 200)
    assert shown.count("less than 10 points apart") == 1
    assert "  all     task success by state: withheld, ceiling and floor are less than 10 points apart" in shown
    assert shown.count("preferences met by state 0.40") == 3
    odd = sides[2].model_copy(update={"places": (places[0].model_copy(update={"why": "below 8 profiles"}), places[1])})
    shown = drawn(draw(found.model_copy(update={"sides": (*sides[:2], odd)})), 200)
    assert "reader, told: task success by state: withheld, ceiling and floor" in shown
    assert "same: task success by state: withheld, below 8 profiles" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_what_many_comparisons_left_out_takes_a_line_or_two(width: int) -> None:
    """Names, scores and bounds of all of them would be a page; two assistants have the details."""
    rows = [
        acted(f"p{i}", name, 2, said=True, lost=name in ("c", "d") and i % 3 == 0)
        for i in range(12)
        for name in "abcde"
    ]
    whole = drawn(draw(compare([run(*rows)])), width)
    lines = whole.splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.strip().startswith("left out")]
    told = " ".join(" ".join(lines[at : at + 2]).split())
    assert told.startswith("left out pairs from ") and "of 7 comparisons; most often" in told
    (begin,) = [at for at, line in enumerate(lines) if line.strip().startswith("w/t/l  ")]
    (end,) = [at for at, line in enumerate(lines) if line.strip().startswith("all scores")]
    assert "would lie in" not in whole and end - begin < 12
    two = drawn(draw(compare([run(*rows)], ["a", "c"])), width)
    assert "would lie in" in " ".join(two.split()) and "4 × c: loop (assistant)" in two


@pytest.mark.parametrize("width", [70, 80, 100, 160])
def test_names_of_scores_are_never_cut(width: int) -> None:
    own = {"answers_in_the_language_of_the_user": 3, "assistant_coherence": 4}
    rows = []
    for i in range(12):
        for name in "ab":
            done = acted(f"p{i}", name, 2, said=True)
            given = {each: value - (name == "b") for each, value in own.items()}
            state, judge = done.verdicts
            scored = judge.model_copy(update={"scores": {n: Score(value=v) for n, v in given.items()}})
            rows.append(Dialogue(done.started, done.events, (state, scored)))
    text = drawn(draw(compare([run(*rows)])), width)
    assert "…" not in text and max(map(len, text.splitlines())) <= width
    assert "judge: assistant coherence" in text
    assert all(word in text for word in ["judge:", "answers", "in", "the", "language", "of", "the", "user"])


def test_by_group_the_groups_alone_are_shown() -> None:
    rows = [
        acted(f"p{i}", name, 1 + (name == "a"), device=("phone", "watch")[i % 2]) for i in range(20) for name in "abc"
    ]
    lines = drawn(draw(compare([run(*rows)], by="device"))).splitlines()
    text = "\n".join(lines)
    assert "who stands where" not in text and "from floor to ceiling" not in text and "wins/ties" not in text
    tables = [line.strip() for line in lines if "against" in line]
    assert tables == ["preferences met by state  a against b", "preferences met by state  a against c"]
    assert "  task success by state  no difference shown in any group" in lines
    assert "  preferences met by state  no difference shown in any group" in lines and "    b – c" in lines


@pytest.mark.parametrize(
    ("select", "advice"),
    [
        ({"sample": 10, "domains": ["Hotels"]}, "--set select.sample=16"),
        ({"profiles": 10, "sample": 20}, "--set select.profiles=16 --set select.sample=32"),
        ({"profiles": ["p1", "p2"]}, "name more in select.profiles"),
        ({}, "take data with more profiles"),
    ],
)
def test_where_no_group_is_large_enough_one_line_says_so_and_what_to_select(select: Any, advice: str) -> None:
    rows = [acted(f"p{i}", name, 2, device=("phone", "watch")[i % 2]) for i in range(10) for name in "abc"]
    held = run(*rows)
    held = replace(held, manifest=held.manifest.changed(campaign={**held.manifest.campaign, "select": select}))
    text = drawn(draw(compare([held], by="device")), 160)
    told = "Nothing can be said: none of 2 groups has 8 profiles, the largest (phone) has 5. For 8 in it: "
    assert text.count("fewer than 8 profiles") == 0 and text.count(told + advice) == 1
    assert len(text.splitlines()) < 10


def result(**fields: Any) -> Difference:
    known: dict[str, Any] = {
        "metric": "success",
        "pairs": 20,
        "profiles": 20,
        "difference": 0.2,
        "wins": 9,
        "losses": 3,
    }
    return Difference(**{**known, "finding": "no difference shown", "adjusted": 0.062, "p": 0.031, **fields})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"low": 0.05, "high": 0.35}, "not shown (p alone 0.031)"),
        ({"low": -0.35, "high": -0.05, "p": 0.4}, "not shown (p alone 0.40)"),
        ({"low": -0.01, "high": 0.35}, "no difference shown"),
        ({"low": -0.01, "high": 0.35, "adjusted": 0.04}, "not shown (interval holds 0)"),
        ({"low": 0.05, "high": 0.35, "adjusted": 0.04, "finding": "a higher"}, "a higher"),
    ],
)
def test_why_a_difference_is_not_shown_where_one_look_alone_would_have_it(fields: Any, told: str) -> None:
    assert finding(result(**fields), ("a", "b")).plain == told


def test_of_many_pairings_one_that_is_nearly_shown_has_a_line_of_its_own() -> None:
    found = compare([contest()])
    first, *others = found.pairings
    nearly = result(low=0.05, high=0.35)
    first = first.model_copy(update={"differences": (nearly, *first.differences[1:])})
    lines = drawn(draw(found.model_copy(update={"pairings": (first, *others)}))).splitlines()
    (line,) = [line for line in lines if "not shown (p alone 0.031)" in line]
    assert line.strip().startswith("reader – told")
