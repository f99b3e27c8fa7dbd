"""Tool calls in plain text: how tools are told to a model that takes them in words only, and how its calls are read."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from duologue.agents.message import Message, ToolCall
from duologue.agents.models.structured import Unreadable, end_of, parsed
from duologue.agents.prompt import render
from duologue.agents.wire import call_in
from duologue.tasks.tool import Tool
from duologue.tasks.written import canonical

__all__ = ["described", "in_words", "read_calls"]

CANDIDATES = 100
"""How many objects of a text are looked at."""
UNCLOSED = 3
"""How many braces that never close are looked at."""
_BRACE = re.compile(r"\{(?=\s*[\"'“]?\w)")
_NAME = re.compile(r"[\"'“]?\b(?:tool|name|tool_name)\b[\"'”]?\s*[:=]\s*[\"'“]?([\w.-]+)")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_SEVERAL = ("tool_calls", "calls")
_TAGGED = re.compile(r"<tool_calls?>(.*?)(?:</tool_calls?>|\Z)", re.DOTALL | re.IGNORECASE)
_LEFT = re.compile(r"```[\w-]*[\s\[\],;]*(?:```|\Z)|</?tool_calls?>|\A[\s\[\],;]+\Z", re.IGNORECASE)


def described(tools: Sequence[Tool]) -> str:
    """What a model is told of `tools` and of how to call one in words."""
    return render(
        "assistant_tools.md",
        signatures=[(_signature(tool), tool.description) for tool in tools],
        arguments=list(_arguments(tools)),
    )


def in_words(messages: Sequence[Message]) -> tuple[Message, ...]:
    """`messages` with calls as the model itself would write them, and the answers to a step as one message."""
    names = {call.id: call.name for message in messages for call in message.calls}
    told: list[Message] = []
    for is_answer, run in groupby(messages, key=lambda message: message.role == "tool"):
        if is_answer:
            answers = [(names.get(message.call, ""), message.text) for message in run]
            told.append(Message("user", render("assistant_answers.md", answers=answers)))
        else:
            told.extend(Message(message.role, _written(message)) for message in run)
    return tuple(told)


def read_calls(text: str, names: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """The words of `text` without the tool calls in it, and the calls in their order.

    A call is a JSON object with the name of a tool and its arguments: bare, in a fence or in tags, one or several.
    What looks like one and cannot be read is a call whose arguments are its text. `names` are the tools there are.
    """
    found = list(_found(text, names))
    if not found:
        return text, ()
    kept, at = [], 0
    for start, end, _ in found:
        kept.append(text[at:start])
        at = end
    words = "".join([*kept, text[at:]])
    return _LEFT.sub("", _LEFT.sub("", words)).strip(), tuple(call for _, _, calls in found for call in calls)


def _found(text: str, names: Collection[str]) -> Iterator[tuple[int, int, tuple[ToolCall, ...]]]:
    """Where calls stand in `text`, and which."""
    tags = [tag for tag in _TAGGED.finditer(text) if tag[1].strip()]
    at = looked = unclosed = 0
    while (brace := _BRACE.search(text, at)) and looked < CANDIDATES and unclosed < UNCLOSED:
        start, end = brace.start(), end_of(text, brace.start())
        looked, unclosed = looked + 1, unclosed + (end is None)
        tag = next((tag for tag in tags if tag.start() <= start < tag.end()), None)
        calls = _read(text[start:end], names, whole=end is not None, sure=tag is not None)
        yield from _untagged(tags, at, start)
        at = (end or len(text)) if calls else end or start + 1
        if calls:
            tags = [tag for tag in tags if not tag.start() <= start < tag.end()]
            yield start, at, calls
    yield from _untagged(tags, at, len(text))


def _untagged(tags: list[re.Match[str]], start: int, end: int) -> Iterator[tuple[int, int, tuple[ToolCall, ...]]]:
    """Tags from `start` to `end` in which nothing stands that could be read."""
    for tag in [tag for tag in tags if start <= tag.start() and tag.end() <= end]:
        tags.remove(tag)
        yield tag.start(), tag.end(), (_unread(tag[1].strip()),)


def _read(piece: str, names: Collection[str], *, whole: bool, sure: bool) -> tuple[ToolCall, ...]:
    """The calls that a piece of text is, a `whole` object or not, `sure` to be meant as calls or not."""
    try:
        value = parsed(piece) if whole else "cut off"
    except Unreadable as why:
        value = why.why
    if isinstance(value, str):
        named = _NAME.search(piece)
        meant = sure or (named and (named[1] in names or any(key in piece for key in _ARGUMENTS)))
        return (_unread(piece),) if meant else ()
    several = next((value[key] for key in _SEVERAL if isinstance(value.get(key), list)), [value])
    return tuple(call for entry in several if (call := _call(entry, names, sure)) is not None)


def _call(entry: Any, names: Collection[str], sure: bool) -> ToolCall | None:
    inner = entry["function"] if isinstance(entry, Mapping) and isinstance(entry.get("function"), Mapping) else entry
    try:
        call = call_in(inner)
    except ValueError:
        return _unread(json.dumps(entry, ensure_ascii=False)) if sure else None
    if any(key in inner for key in _ARGUMENTS):
        return call
    beside = {key: value for key, value in inner.items() if key not in ("tool", "name", "tool_name", "type", "id")}
    return ToolCall(call.id, call.name, beside) if sure or call.name in names else None


def _unread(piece: str) -> ToolCall:
    named = _NAME.search(piece)
    return ToolCall("", named[1] if named else "", piece)


def _written(message: Message) -> str:
    lines = [message.text] if message.text or not message.calls else []
    return "\n".join([*lines, *map(_line, message.calls)])


def _line(call: ToolCall) -> str:
    if isinstance(call.arguments, str):
        return call.arguments
    return json.dumps({"tool": call.name, "arguments": dict(call.arguments)}, ensure_ascii=False)


def _signature(tool: Tool) -> str:
    required = tool.parameters.get("required", ())
    names = (name if name in required else f"{name}?" for name in tool.parameters["properties"])
    return f"{tool.name}({', '.join(names)})"


def _arguments(tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
    """Every argument with what may stand in it, told once for all tools in which it means the same."""
    same: dict[tuple[str, str], tuple[Mapping[str, Any], list[str]]] = {}
    for tool in tools:
        for name, schema in tool.parameters["properties"].items():
            same.setdefault((name, canonical(schema)), (schema, []))[1].append(tool.name)
    several = [name for name, _ in same]
    for (name, _), (schema, users) in same.items():
        yield f"{name} of {', '.join(users)}" if several.count(name) > 1 else name, _told(schema)


def _told(schema: Mapping[str, Any]) -> str:
    kind = str(schema.get("type", "text"))
    if kind == "array":
        told = f"list, {_told(schema.get('items', {}))}"
    elif "enum" in schema:
        told = f"one of {' | '.join(map(str, schema['enum']))}"
    else:
        told = {"string": "text", "boolean": "true or false", "integer": "whole number"}.get(kind, kind)
    bounds = [f"{word} {schema[key]:g}" for word, key in (("from", "minimum"), ("to", "maximum")) if key in schema]
    return ". ".join(filter(None, (" ".join([told, *bounds]), str(schema.get("description", "")).rstrip("."))))
