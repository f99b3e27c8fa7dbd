"""The dialogue files of PersonaLens: `output/dialogue/user7/ASSISTANT/TASK_dialogue.json` in a checkout of it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duologue.profiles.personalens import open_personalens
from duologue.tasks.written import BadInput

__all__ = ["is_capped", "is_theirs", "plainly", "source_above"]

_TASK = re.compile(r"(?:SD-(?P<domain>.+)|MD)-task-\d+")
LONGEST = {"SD": 41, "MD": 61}
"""Messages after which a dialogue is cut off there, by kind of task; it then ends with the user."""
FLOORS = 6
"""How many folders above a dialogue file a checkout may be."""


def is_theirs(record: Mapping[str, Any]) -> bool:
    """Whether an object is the content of such a file."""
    task, user = record.get("task_id"), record.get("user_id")
    named = isinstance(task, str) and _TASK.fullmatch(task) is not None
    return named and isinstance(user, int | str) and isinstance(record.get("dialogue"), list)


def plainly(record: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The same with the user by the name of its folder and the assistant by that of its own, which tells the context
    too; without the model of the user, which such files get wrong."""
    user, task = str(record["user_id"]), str(record["task_id"])
    kept = {key: value for key, value in record.items() if key != "user_model"}
    if path.name == f"{task}_dialogue.json":
        kept["assistant"] = path.parent.name
    domain = _TASK.fullmatch(task)
    if domain and domain["domain"]:
        kept["domain"] = domain["domain"]
    return kept | {"user_id": f"user{user}" if user.isdigit() else user}


def is_capped(record: Mapping[str, Any]) -> bool:
    """Whether the dialogue was cut off at its longest, which the file does not say but shows."""
    said = record["dialogue"]
    last = said[-1] if said and isinstance(said[-1], Mapping) else {}
    return len(said) == LONGEST[str(record["task_id"])[:2]] and last.get("role") == "user"


def source_above(path: Path) -> str:
    """The checkout that a dialogue file lies in, as a campaign names it; empty where it lies in none."""
    for folder in path.absolute().parents[:FLOORS]:
        if (folder / "data" / "task").is_dir():
            try:
                return open_personalens(folder).source
            except BadInput:
                continue
    return ""
