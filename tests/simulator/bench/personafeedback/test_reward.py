"""Scores of a reward model: what it is told, and what its outputs show."""

import math
from pathlib import Path

import pytest
from tests.simulator.bench.personafeedback.made_up import answered, line, opened, planned, write_release

from duologue.agents.models.call import Reply, Request, Traits
from duologue.bench.inquiry import Inquiry
from duologue.bench.personafeedback.bench import PersonaFeedback, open_bench
from duologue.bench.question import Answer, Question
from duologue.tasks.written import BadInput


def rewarded(folder: Path, **options: str) -> PersonaFeedback:
    plan = planned(folder, options={"style": "score", **options})
    return open_bench(plan.changed(models={"model": {"model": "classifier:reward"}}))


class Longest:
    """A reward model that likes long answers, and people from Porto not at all."""

    name = "classifier:reward"
    traits = Traits(schemas=False, tools=False)
    adaptations = ()

    async def start(self) -> None: ...
    async def release(self, conversation: str) -> None: ...
    async def close(self) -> None: ...

    async def complete(self, request: Request) -> Reply:
        user, assistant = request.messages
        assert (user.role, assistant.role) == ("user", "assistant") and request.schema is None
        return Reply("", figures={"score": len(assistant.text) - 200.5 - 1000 * ("Porto" in user.text)})


async def test_any_number_is_a_score(tmp_path: Path) -> None:
    bench = rewarded(write_release(tmp_path, {"general/easy": 3}))
    held: dict[str, Answer] = {}
    inquiry = Inquiry({"model": Longest()}, lambda answer: held.update({answer.id: answer}))
    await inquiry.ask(bench.stages[0]({}), 2)
    (table,) = bench.tables(held)
    found = line(table, "general", "easy")
    assert (found["accuracy"].value, found["unparsed_rate"].value) == (0, 0)  # the poor answers are longer
    good, poor = len("Good 0.") - 200.5, len("Poor answer 0.") - 200.5
    assert found["mark_chosen"].value == pytest.approx(good - 1000 / 3)
    assert found["mark_rejected"].value == pytest.approx(poor - 1000 / 3)
    assert bench.notes(held)[0].startswith("A score is the reward model's output")


def test_ties_count_half_and_what_is_no_number_is_unread(tmp_path: Path) -> None:
    bench = rewarded(write_release(tmp_path, {"general/easy": 4}))
    scores = {"1": (-3.0, -4.0), "2": (-3.0, -3.0), "3": (math.nan, -3.0), "4": (math.inf, 0.0)}

    def say(question: Question) -> dict[str, float]:
        case, which = question.id.split("/")[3:]
        return {"score": scores[case][which == "rejected"]}

    (table,) = bench.tables(answered(bench, say))
    found = line(table, "general", "easy")
    assert found["accuracy"].value == (1 + 0.5) / 4
    assert (found["tie_rate"].value, found["unparsed_rate"].value) == (1 / 2, 2 / 4)


def test_a_classifier_without_a_score_is_told(tmp_path: Path) -> None:
    bench = rewarded(write_release(tmp_path, {"general/easy": 1}))
    answers = answered(bench, lambda question: {"POSITIVE": 1.0, "NEGATIVE": -1.0})
    assert any("a reward model has a single output" in note for note in bench.notes(answers))
    (table,) = bench.tables(answers)
    assert line(table, "general", "easy")["unparsed_rate"].value == 1


def test_it_is_told_of_the_person_what_the_setting_says(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"general/easy": 1})
    told, untold = (next(iter(rewarded(release, setting=each).stages[0]({}))) for each in ("profile", "none"))
    assert "Porto" in told.request.messages[0].text and "Where shall I eat soup" in told.request.messages[0].text
    assert untold.request.messages[0].text == "Where shall I eat soup tonight? (0)"
    assert told.request.messages[1].text == "Good 0."


@pytest.mark.parametrize(
    ("role", "model", "style", "told"),
    [
        ("model", "classifier:reward", "choice", "it cannot answer as the model. Type: --set style=score"),
        ("model", "encoder:bert", "score", "it cannot answer as the model. Name a model that answers in words"),
        ("judge", "classifier:reward", "generate", "it cannot answer as the judge"),
    ],
)
def test_measures_only_score(tmp_path: Path, role: str, model: str, style: str, told: str) -> None:
    roles = ("model", "judge", "reference") if style == "generate" else ("model",)
    plan = planned(write_release(tmp_path, {"general/easy": 1}), roles, options={"style": style})
    models = {each: {"model": "scripted:A"} for each in roles} | {role: {"model": model}}
    with pytest.raises(BadInput) as caught:
        open_bench(plan.changed(models=models))
    assert f"{model} only measures: {told}" in str(caught.value)


def test_a_text_model_is_asked_for_a_number(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1}), style="score")
    assert all(question.request.schema for question in bench.stages[0]({}))
