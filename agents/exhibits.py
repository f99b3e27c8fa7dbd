"""What a judge may be shown beside the words: what the assistant had done, and what that left. Pure functions."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from duologue.agents.transcript import Transcript

__all__ = ["Called", "calls", "records"]


class Called(NamedTuple):
    """A tool's call in the turn of that number, and its answer, empty where there was none, as texts."""

    turn: int
    asked: str
    answered: str


def calls(script: Transcript) -> list[Called]:
    """The tool calls in order. What the assistant said beside them nobody heard, and is not there."""
    return [
        Called(action.turn, f"{action.call.name} {_written(action.call.arguments)}".strip(), action.result)
        for action in script.actions
    ]


def records(script: Transcript) -> Iterator[str]:
    """The records that the world holds at the end, each as its kind and its fields."""
    for kind, held in (script.state or {}).items():
        for record in held if isinstance(held, list) else [held]:
            yield f"{kind}: {_written(record)}"


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=dict)
