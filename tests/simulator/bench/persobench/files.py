"""Hand-made files in the published forms, and answers to them."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duologue.bench.plan import Plan
from duologue.bench.question import Answer
from duologue.tasks.written import parse

BLENDED = {
    "personas": ["I keep bees.", "my sister's a pilot"],
    "previous_utterance": ["Do you work outdoors?", "Most of the day."],
    "context": "empathetic_dialogues",
    "free_messages": ["What do you do there?", "And then?"],
    "guided_messages": ["I look after my hives.", "I sell honey."],
    "suggestions": {},
}
FOCUS = {
    "dialogID": "d1",
    "persona": ["I like bridges.", "I don't fly."],
    "knowledge": ["A bridge of iron."],
    "utterance": [
        {"dialogue1": ["Where's this?", "A bridge."], "persona_grounding": [False, False]},
        {"dialogue2": ["Where's this?", "A bridge.", "How old?", "Very old; you like bridges."]},
    ],
}
SINGLE = {
    "input": "what do you eat ?",
    "full_personas": ["i eat no meat .", "i've two dogs ."],
    "rm_persona": "I eat no meat.",
    "insuf_personas": ["i've two dogs ."],
    "label": "mostly beans .",
}
CSV = ("User 2 persona: I keep bees. I have a sister.", "User1: Hello.\nUser2: Hi.\nUser1: Hobbies?", "User2: My bees.")


def write(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_csv(path: Path, *rows: Sequence[str], head: Sequence[str] = ("personas", "context", "act_response")) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def people(count: int) -> list[dict[str, Any]]:
    """Rows of IT-ConvAI2, each with a persona of its own."""
    names = [f"i eat no meat in month {number} ." for number in range(count)]
    return [{**SINGLE, "full_personas": [name, "i have two dogs ."], "rm_persona": name} for name in names]


def plan(path: Path, judge: bool = False, **changes: Any) -> Plan:
    models = {"model": {"model": "scripted:x"}, **({"judge": {"model": "scripted:x"}} if judge else {})}
    return parse(Plan, {"bench": "persobench", "data": str(path), "models": models, **changes}, "test")


def answer(text: str, id: str = "a", role: str = "model", **changes: Any) -> Answer:
    return Answer(id=id, role=role, model="m", text=text, **changes)


def said(reply: str) -> str:
    return json.dumps({"response": reply})
