"""Choosing in both orders: what is asked, what is read, and the figures to the digit."""

from pathlib import Path

import pytest
from tests.simulator.bench.personafeedback.made_up import PERSONAS, answered, line, opened, shares, write_release

from duologue.bench.personafeedback.choice import picked
from duologue.bench.question import Answer, Question


def by_case(choices: dict[str, tuple[str, str]]):
    """The choice in either order, by case."""

    def say(question: Question) -> str | None:
        case, _, order = question.id.removeprefix("choice/").rpartition("/")
        said = choices[case][order == "rejected first"]
        return None if said == "fails" else said

    return say


def test_always_a_shows_its_bias(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 10, "spedific/hard": 30}))
    (table,) = bench.tables(answered(bench, lambda question: "A"))
    found = shares(table, "all", "micro")
    assert found["accuracy_swap_avg"] == 0.5
    assert found["accuracy_consistent"] == 0
    assert found["flip_rate"] == found["first_position_rate"] == 1
    assert found["unparsed_rate"] == 0
    assert 0.25 < (found["accuracy_single"] or 0) < 0.75


def test_figures_follow_from_given_choices(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 5}))
    choices = {
        "general/easy/1": ("A", "B"),  # right, right
        "general/easy/2": ("A", "A"),  # right, wrong
        "general/easy/3": ("B", "A"),  # wrong, wrong
        "general/easy/4": ("A", "neither"),  # right, unread
        "general/easy/5": ("A", "fails"),  # no answer
    }
    (table,) = bench.tables(answered(bench, by_case(choices)))
    found = line(table, "general", "easy")
    assert [each.name for each in table.lines] == [("general", "easy")]
    assert found["accuracy_swap_avg"].value == 4 / 8
    assert found["accuracy_consistent"].value == 1 / 4
    assert found["flip_rate"].value == 1 / 3
    assert found["first_position_rate"].value == 5 / 7
    assert found["unparsed_rate"].value == 1 / 8
    assert {figure.unscored for figure in found.values()} == {1}
    assert [found[name].n for name in ("accuracy_single", "accuracy_swap_avg", "flip_rate")] == [4, 8, 3]


def test_micro_counts_cases_and_macro_strata(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1, "general/hard": 3, "spedific/medium": 4}))
    right = {"general/easy/1", "general/hard/1", "specific/medium/1", "specific/medium/2", "specific/medium/3"}

    def say(question: Question) -> str:
        case, _, order = question.id.removeprefix("choice/").rpartition("/")
        return "A" if (case in right) == (order == "chosen first") else "B"

    (table,) = bench.tables(answered(bench, say))
    got = {each.name: each.figures["accuracy_consistent"].value for each in table.lines}
    assert got == {
        ("general", "easy"): 1.0,
        ("general", "hard"): pytest.approx(1 / 3),
        ("general", "micro"): 2 / 4,
        ("general", "macro"): pytest.approx(2 / 3),
        ("specific", "medium"): 3 / 4,
        ("all", "micro"): 5 / 8,
        ("all", "macro"): pytest.approx((1 + 1 / 3 + 3 / 4) / 3),
    }
    macro = line(table, "all", "macro")["accuracy_consistent"]
    assert (macro.low, macro.n) == (None, 8)


def test_macro_has_no_value_while_a_stratum_has_none(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1, "general/hard": 1}))
    answers = answered(bench, lambda question: None if "/hard/" in question.id else "A")
    (table,) = bench.tables(answers)
    macro = line(table, "general", "macro")["accuracy_swap_avg"]
    assert (macro.value, macro.why, macro.unscored) == (None, "general hard has none", 1)
    assert line(table, "general", "micro")["accuracy_swap_avg"].value == 0.5


def test_intervals_are_clustered_by_persona(tmp_path: Path) -> None:
    personas = [{"Name": f"P{number}"} for number in range(10)]
    bench = opened(write_release(tmp_path, {"general/easy": 40}, personas))
    say = {False: ("A", "B"), True: ("B", "A")}

    def by_persona(question: Question) -> str:
        case, _, order = question.id.removeprefix("choice/").rpartition("/")
        return say[(int(case.rpartition("/")[2]) - 1) % 10 < 5][order == "rejected first"]

    (table,) = bench.tables(answered(bench, by_persona))
    found = line(table, "general", "easy")["accuracy_consistent"]
    assert table.clusters == "persona"
    assert found.value == 0.5
    assert found.high - found.low > 0.5  # of ten personas, not of forty cases
    few = opened(write_release(tmp_path / "few", {"general/easy": 40}))
    (table,) = few.tables(answered(few, by_persona))
    assert line(table, "general", "easy")["accuracy_consistent"].low is None  # of three personas


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ('{"choice": "B"}', "B"),
        ('Sure: {"choice": "a"}', "A"),
        ("B", "B"),
        ("**Answer B.**", "B"),
        ("(A)", "A"),
        ("Option: A", "A"),
        ("A or B", ""),
        ("Both are fine", ""),
        ('{"choice": "C"}', ""),
        ('{"choice": null}', ""),
        ("", ""),
        ('{"choice": "A"', ""),
    ],
)
def test_what_is_read_of_an_answer(said: str, read: str) -> None:
    assert picked(Answer(id="q", role="model", model="m", text=said)) == read


def test_both_orders_are_asked_with_the_whole_persona(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"spedific/easy": 1}))
    first, second = bench.stages[0]({})
    assert (first.id, second.id) == (
        "choice/specific/easy/1/chosen first", "choice/specific/easy/1/rejected first",
    )  # fmt: skip
    one, other = (question.request.messages[-1].text for question in (first, second))
    assert one.index("Good 0.") < one.index("Poor answer 0.") and other.index("Good 0.") > other.index("Poor answer 0.")
    assert all(fact in one for fact in ("Demographics, City: Porto", "Preference, Food: no meat"))
    assert first.shown == ()


def test_without_a_setting_nothing_of_the_person_is_told(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"spedific/easy": 1}), setting="none")
    words = [message.text for question in bench.stages[0]({}) for message in question.request.messages]
    assert not any("Porto" in text or "About the person" in text for text in words)


def test_retrieval_tells_the_facts_that_share_words_and_records_them(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"spedific/easy": 3}, [*PERSONAS[:2], {"Name": "Cem"}])
    bench = opened(release, setting="rag", k=1)
    questions = list(bench.stages[0]({}))
    soup, lake, trains = questions[::2]
    assert "spicy soups" in soup.request.messages[-1].text and "Porto" not in soup.request.messages[-1].text
    assert "lives by a lake" in lake.request.messages[-1].text and "Name: Bo" not in lake.request.messages[-1].text
    assert [question.shown for question in (soup, lake, trains)] == [("5",), ("2",), ()]
    notes = bench.notes(answered(bench, lambda question: "A"))
    assert notes[0].startswith("Of 1 of 3 cases nothing was found")
    (table,) = bench.tables({})
    assert table.comparable_to_paper["accuracy_single"] is False
    assert "our configuration" in bench.options["told"]
