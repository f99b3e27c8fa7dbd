"""Made-up PersonaFeedback data in the layout of the release, and benches over it without any model."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from duologue.agents.usage import Usage
from duologue.bench.personafeedback.bench import PersonaFeedback, open_bench
from duologue.bench.plan import Plan
from duologue.bench.question import Answer, Question
from duologue.bench.report import Table

PERSONAS = (
    {"Name": "Ana", "Demographics": {"Age": 34, "City": "Porto"}, "Preference": {"Food": ["no meat", "spicy soups"]}},
    {"Name": "Bo", "Demographics": "A retired teacher who lives by a lake", "Bias": ["", "distrusts apps"]},
    {"Name": "Cem", "Personality": {"Pace": "always in a hurry"}, "Preference": ["short answers", "trains over cars"]},
)
QUESTIONS = ("Where shall I eat soup tonight?", "How do I get to the lake?", "What shall I read on the trains?")


def row(number: int, persona: int, **changes: Any) -> dict[str, Any]:
    """A case as the release writes it."""
    asked = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"
    written = {"user_id": persona, "question": asked, "chosen": f"Good {number}.", "reject": f"Poor answer {number}."}
    return {**written, **changes}


def write_lines(path: Path, rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows)
    path.write_text(text, encoding="utf-8")
    return path


def write_release(folder: Path, cells: Mapping[str, int] | None = None, personas: Any = PERSONAS) -> Path:
    """A release with so many cases of each `FOLDER/TIER`, one of each stratum by default."""
    write_lines(folder / "persona" / "all_personas.jsonl", personas)
    wanted = cells or {f"{name}/{tier}": 1 for name in ("general", "spedific") for tier in ("easy", "medium", "hard")}
    for place, (cell, count) in enumerate(wanted.items()):
        rows = [row(100 * place + each, each % len(personas) + 1) for each in range(count)]
        write_lines(folder / "data" / f"{cell}.jsonl", rows)
    return folder


def planned(folder: Path, models: tuple[str, ...] = ("model",), **changes: Any) -> Plan:
    options = changes.pop("options", {})
    specs = {role: {"model": "scripted:A"} for role in models}
    return Plan.model_validate({"bench": "personafeedback", "data": str(folder), "models": specs, "options": options,
                                "seed": 1, **changes})  # fmt: skip


def opened(folder: Path, models: tuple[str, ...] = ("model",), sample: int | None = None, **options: Any):
    return open_bench(planned(folder, models, sample=sample, options=options))


Saying = Callable[[Question], str | dict[str, float] | None]


def answered(bench: PersonaFeedback, say: Saying) -> dict[str, Answer]:
    """Answers to all stages; None is a call that the infrastructure spoilt, numbers are figures that came with it."""
    answers: dict[str, Answer] = {}
    for stage in bench.stages:
        for question in list(stage(answers)):
            said = say(question)
            answers[question.id] = Answer(
                id=question.id,
                role=question.role,
                model="m",
                text=said if isinstance(said, str) else "",
                figures=said if isinstance(said, dict) else {},
                usage=Usage(input=1, output=1),
                fault="timeout" if said is None else "",
                shown=question.shown,
            )
    return answers


def shares(table: Table, *name: str) -> dict[str, float | None]:
    """The values of a line by figure."""
    return {kind: figure.value for kind, figure in line(table, *name).items()}


def line(table: Table, *name: str) -> Any:
    return next(each.figures for each in table.lines if each.name == name)
