"""The other styles: scores, gains of likelihood, and answers of one's own. Figures to the digit."""

import math
from pathlib import Path

import pytest
from tests.simulator.bench.personafeedback.made_up import answered, line, opened, shares, write_release

from duologue.bench.personafeedback.score import scored
from duologue.bench.question import Answer, Question

WRITERS = ("model", "judge", "reference")


def place(question: Question) -> tuple[str, ...]:
    """The parts of a question's id behind family and tier."""
    return tuple(question.id.split("/")[3:])


def test_the_larger_score_wins_and_ties_count_half(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 5}), style="score")
    scores = {"1": ("80", "20"), "2": ("20", "80"), "3": ("50", "50"), "4": ("90", "?"), "5": ("90", "fails")}

    def say(question: Question) -> str | None:
        case, which = place(question)
        said = scores[case][which == "rejected"]
        return None if said == "fails" else f'{{"score": {said}}}'

    (table,) = bench.tables(answered(bench, say))
    found = line(table, "general", "easy")
    assert found["accuracy"].value == (1 + 0 + 0.5 + 0) / 4
    assert (found["tie_rate"].value, found["tie_rate"].n) == (1 / 3, 3)
    assert found["unparsed_rate"].value == 1 / 4
    assert (found["mark_chosen"].value, found["mark_rejected"].value) == (50, 50)
    assert found["accuracy"].unscored == 1


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ('{"score": 7}', 7), ('{"score": "70"}', 70), ('{"score": 70.5}', 70.5), ("85", 85), ("85/100", 85),
        ("Score: 12.", 12), ('{"score": 0}', None), ('{"score": 101}', None), ('{"score": true}', None),
        ('{"score": null}', None), ("5 of 6", None), ("1000", None), ("", None), ("-5", None),
    ],
)  # fmt: skip
def test_what_is_read_as_a_score(said: str, read: float | None) -> None:
    assert scored(Answer(id="q", role="model", model="m", text=said)) == read


def test_a_gain_is_what_the_persona_adds(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 5}), style="likelihood")
    told = {"chosen": -10.0, "rejected": -30.0}
    untold = {
        "1": {"chosen": -14.0, "rejected": -31.0},  # 4 and 1
        "2": {"chosen": -11.0, "rejected": -33.0},  # 1 and 3, but 1/2 and 3/12 a token
        "3": {"chosen": -12.0, "rejected": -32.0},  # 2 and 2
        "4": {"chosen": -12.0, "rejected": -32.0},  # cut otherwise
        "5": {"chosen": -12.0, "rejected": -32.0},  # fails
    }

    def say(question: Question) -> dict[str, float] | None:
        case, which, way = place(question)
        if case == "5" and way == "told":
            return None
        tokens = {"chosen": 2.0, "rejected": 12.0}[which] + (case == "4" and way == "told")
        return {"logprob": told[which] if way == "told" else untold[case][which], "tokens": tokens}

    answers = answered(bench, say)
    (table,) = bench.tables(answers)
    found = line(table, "general", "easy")
    assert found["accuracy"].value == pytest.approx((1 + 0 + 0.5) / 3)
    assert found["accuracy_per_token"].value == pytest.approx(3 / 3)
    assert (found["gain_chosen"].value, found["gain_rejected"].value) == (pytest.approx(7 / 3), 2)
    assert (found["accuracy"].n, found["accuracy"].unscored) == (3, 2)
    assert any(note.startswith("1 of 5 cases are unscored") for note in bench.notes(answers))
    assert table.comparable_to_paper["accuracy"] is False


def test_likelihoods_are_asked_with_and_without_the_persona(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1}), style="likelihood")
    asked = {place(question)[1:]: question.request for question in bench.stages[0]({})}
    assert len(asked) == 4
    for which, answer in (("chosen", "Good 0."), ("rejected", "Poor answer 0.")):
        told, untold = asked[which, "told"], asked[which, "untold"]
        assert told.given == untold.given == answer
        assert "Porto" in told.prompt and told.prompt.endswith(untold.prompt) and "Porto" not in untold.prompt
        assert untold.prompt.endswith("\n") and not untold.messages


def duel(question: Question, winner: str) -> str:
    """The place of the winner in the order of the question; `first` and `second` are places."""
    first = place(question)[1].split()[0]
    return {"first": "A", "second": "B"}.get(winner, "A" if winner == first else "B")


def test_duels_and_ratings(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 5}), WRITERS, style="generate")
    winners = {"1": "model", "2": "reference", "3": "first", "4": "second"}

    def say(question: Question) -> str | None:
        kind, case = question.id.split("/")[0], place(question)[0]
        if kind == "answer":
            return None if (case, question.role) == ("5", "reference") else f"{question.role} says {case}"
        if kind == "duel":
            return duel(question, winners[case])
        if place(question)[1] == "reference":
            return '{"helpfulness": 0, "personalisation": 0, "naturalness": 6}'
        return '{"helpfulness": 5, "personalisation": -5, "naturalness": 1}'

    answers = answered(bench, say)
    assert not any(id.startswith(("duel/general/easy/5", "rating/general/easy/5")) for id in answers)
    duels, ratings, _ = bench.tables(answers)
    found = line(duels, "general", "easy")
    assert found["win_rate"].value == (1 + 0 + 0.5 + 0.5) / 4
    assert found["flip_rate"].value == 2 / 4
    assert found["first_position_rate"].value == (1 + 1 + 2 + 0) / 8
    assert found["unparsed_rate"].value == 0
    assert found["win_rate"].unscored == 1
    mine, others = line(ratings, "model", "general"), line(ratings, "reference", "general")
    assert mine["weighted"].value == pytest.approx(0.35 * 5 - 0.40 * 5 + 0.25 * 1)
    assert (mine["weighted"].n, mine["weighted"].unscored) == (4, 1)
    assert (others["weighted"].value, others["weighted"].unscored) == (None, 5)  # 6 is none of -5 to 5
    assert mine["letters"].value == len("model says 1")
    assert others["letters"].n == 4


def test_answers_that_are_cut_or_empty_are_told(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 2}), WRITERS, style="generate", answer_tokens=9)
    assert {question.request.max_tokens for question in bench.stages[0]({})} == {9}
    answers = answered(bench, lambda question: "" if place(question)[0] == "2" else "A")
    cut = "answer/general/easy/1/reference"
    notes = bench.notes(answers | {cut: answers[cut].changed(finish="length")})
    assert "1 of 2 answers of the reference were cut at 9 tokens (answer_tokens)." in notes
    assert "1 of 2 answers of the model are empty: they are not judged." in notes
    duels, *_ = bench.tables(answers)
    assert line(duels, "general", "easy")["win_rate"].unscored == 1


def test_a_choice_that_cannot_be_read_is_no_win_and_no_tie(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 2}), WRITERS, style="generate")

    def say(question: Question) -> str:
        unread = question.id.startswith("duel/general/easy/2/reference")
        return "neither" if unread else duel(question, "model") if question.id.startswith("duel") else "Words."

    duels, *_ = bench.tables(answered(bench, say))
    found = line(duels, "general", "easy")
    assert (found["win_rate"].value, found["win_rate"].n, found["win_rate"].unscored) == (1, 1, 1)
    assert found["unparsed_rate"].value == 1 / 4


def test_wins_at_equal_length(tmp_path: Path) -> None:
    """The model is longer in three of four and wins two of these, and none where it is shorter: longer ones win."""
    bench = opened(write_release(tmp_path, {"general/easy": 8}), WRITERS, style="generate")
    longer = {"1", "2", "3", "5", "6", "7"}
    won = {"1", "2", "5", "6", "8"}

    def say(question: Question) -> str:
        kind, case = question.id.split("/")[0], place(question)[0]
        if kind == "answer":
            return "w" * (20 if (question.role == "model") == (case in longer) else 10)
        return duel(question, "model" if case in won else "reference")

    duels, *_ = bench.tables(answered(bench, say))
    found = shares(duels, "general", "easy")
    assert found["win_rate"] == 5 / 8
    # Lengths differ by d = tanh(10 / s) either way: odds 2 at d, 1 at -d, so that at 0 they are the root of 2.
    assert found["win_rate_at_equal_length"] == pytest.approx(math.sqrt(2) / (1 + math.sqrt(2)), abs=1e-5)


def test_the_judge_sees_the_whole_persona_whatever_the_model_is_told(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1}), WRITERS, style="generate", setting="none")
    answers = answered(bench, lambda question: "Some words.")
    written = list(bench.stages[0](answers))
    judged = list(bench.stages[1](answers))
    assert [question.role for question in written] == ["model", "reference"]
    assert not any("Porto" in message.text for question in written for message in question.request.messages)
    assert [question.role for question in judged] == ["judge"] * 4
    assert all("Porto" in question.request.messages[-1].text for question in judged)
    assert len({question.id for question in (*written, *judged)}) == 6
