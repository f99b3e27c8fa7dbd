"""Whether a reply came in the form that was asked for, at three levels of strictness, and why not.

Source: Afzoon et al. 2024, "PersoBench: Benchmarking Personalized Response Generation in Large Language Models",
arXiv 2410.03198: its open models were held to `first_object`, its closed ones to `strict`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from duologue.agents.models.structured import Unreadable, end_of, read_object
from duologue.bench.question import Answer

__all__ = ["CAUSES", "LEVELS", "Cause", "Form", "Level", "form_of"]

Level = Literal["strict", "first_object", "repair"]
Cause = Literal["", "truncated", "no_json", "bad_json", "missing_key", "empty", "api_error"]

LEVELS: tuple[Level, ...] = ("strict", "first_object", "repair")
"""`strict`: the whole text is the object, a code fence around it aside. `first_object`: the first part from a brace to
the next closing one that is an object with the key, prose around it aside. `repair`: either of these, or an object as
`read_object` finds it, with nested braces, or without the comma between its keys."""
CAUSES: tuple[Cause, ...] = ("truncated", "no_json", "bad_json", "missing_key", "empty", "api_error")
"""It ends before its object does; no brace at all; no valid JSON in the form of the level; an object without a text
under the key; nothing there, or nothing under the key; no answer."""
KEY = "response"

_FENCE = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL | re.IGNORECASE)
_CHUNK = re.compile(r"\{.*?\}", re.DOTALL)
_START = re.compile(r'\{(?=\s*(?:"|\Z))')
_NO_COMMA = re.compile(r'(?<=")(\s*)(?="(?:response|reasoning)"\s*:)')


@dataclass(frozen=True, slots=True)
class Form:
    """The reply that was read, or why none was."""

    reply: str = ""
    cause: Cause = ""


def form_of(answer: Answer, level: Level) -> Form:
    """What can be read of `answer` at `level`. A call without an answer is `api_error`."""
    if answer.fault:
        return Form(cause="api_error")
    if not answer.text.strip():
        return Form(cause="truncated" if answer.finish == "length" else "empty")
    found = False
    for held in _objects(answer.text, level):
        found = True
        if isinstance(reply := held.get(KEY), str):
            return Form(reply.strip()) if reply.strip() else Form(cause="empty")
    return Form(cause="missing_key" if found else _cause(answer))


def _objects(text: str, level: Level) -> Iterator[dict[str, Any]]:
    if level != "first_object":
        fenced = _FENCE.fullmatch(text)
        yield from _parsed(fenced[1] if fenced else text)
    if level != "strict":
        for chunk in _CHUNK.findall(text):
            yield from _parsed(chunk)
    if level == "repair":
        yield from _repaired(text)


def _repaired(text: str) -> Iterator[dict[str, Any]]:
    for tried in (text, _NO_COMMA.sub(r",\1", text)):
        try:
            yield read_object(tried, {"properties": {KEY: {}}})
        except Unreadable:
            continue


def _parsed(text: str) -> Iterator[dict[str, Any]]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(held, dict):
        yield held


def _cause(answer: Answer) -> Cause:
    """Why no object was read of a text that is not empty."""
    if "{" not in answer.text:
        return "truncated" if answer.finish == "length" else "no_json"
    closed = answer.text.rstrip("` \t\r\n").endswith("}") and answer.finish != "length"
    return "truncated" if _unclosed(answer.text) and not closed else "bad_json"


def _unclosed(text: str) -> bool:
    """Whether an object begins that never ends."""
    at = 0
    while start := _START.search(text, at):
        end = end_of(text, start.start())
        if end is None:
            return True
        at = end
    return False
