"""A small checkout in the layout of PersonaLens: three users, two of them of the paper's fifty."""

import json
from pathlib import Path
from typing import Any

from duologue.bench.plan import Plan

__all__ = ["checkout", "plan"]

SITUATION = {
    "Location": "Turin",
    "Device": "Tablet",
    "Time of Day": "Evening",
    "Day of the Week": "Friday",
    "Environment": "Quiet",
}
SINGLE = {
    "Task Number": 1,
    "Task Description": "A seat on a bus.",
    "User Intent": "A seat on a bus.",
    "Task Goal": "A seat as the user likes it.",
    "Relevant Affinity Types": ["Seat Preference"],
}
MULTI = {**SINGLE, "Relevant Domains": ["Books", "Buses"], "Task Goal": "A seat, and a book for the way."}
TYPES = {"Buses": "Seat Preference", "Books": "Genre"}


def checkout(folder: Path) -> Path:
    for domain, tasks in {"Buses": [SINGLE], "Books": [], "Multi-Domain": [MULTI]}.items():
        _dump(folder / "data" / "task" / domain / "task.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    schema = [
        {
            "domain": domain,
            "description": "",
            "affinities": [
                {
                    "name": name,
                    "description": "",
                    "is_categorical": False,
                    "has_multiple_values": False,
                    "possible_values": [],
                }
            ],
        }
        for domain, name in TYPES.items()
    ]
    _dump(folder / "res" / "schema.json", json.dumps(schema))
    for user in ("user7", "user8", "user53"):
        home = folder / "data" / "profile" / user
        profile = {
            "affinities": {"Buses": {"Seat Preference": "window"}, "Books": {"Genre": "crime"}},
            "demographics": {"user_id": user, "age": "25-34 years old"},
            "interests": {"Buses": 1, "Books": 1},
            "interactions": {"Buses": f"{user} asked for a seat by the window.", "Books": "Read a lot of crime."},
        }
        _dump(home / "profile.json", json.dumps(profile))
        own = {key: value for key, value in SINGLE.items() if key != "Task Number"}
        single = {**own, "task_id": "SD-Buses-task-1", "situations": SITUATION, "Relevant Domains": ["Buses"]}
        multi = {**own, **MULTI, "task_id": "MD-task-1", "situations": SITUATION}
        _dump(home / "tasks.json", json.dumps({"Task 1": single}))
        _dump(home / "tasks_md.json", json.dumps({"Task 1": {k: v for k, v in multi.items() if k != "Task Number"}}))
    return folder


def plan(folder: Path, base_url: str, **changes: Any) -> Plan:
    """The bench over a checkout in `folder`, everybody played by the loopback server."""
    models = {"model": {"model": "openai:helper", "base_url": base_url}}
    options = {"conditions": "base,D+P", **changes.pop("options", {})}
    return Plan.model_validate(
        {"bench": "personalens", "data": str(folder), "models": models, "seed": 1, "options": options, **changes}
    )


def _dump(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
