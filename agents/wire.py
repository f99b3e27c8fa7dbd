"""Messages and tool calls as the common chat form writes them, on their way out and in."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from duologue.agents.message import Message, ToolCall

__all__ = ["arguments_in", "as_dict", "call_in", "calls_in", "mended"]

DEEPEST = 40
"""Arguments that are nested deeper stay text: no tool wants them, and not every reader of JSON takes them."""
_HUGE = 1 << 63
_NO_NAME = re.compile(r"[^\w-]", re.ASCII)
_NAMES = ("name", "tool", "tool_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def as_dict(message: Message) -> dict[str, Any]:
    """`message` in the common form. Beside tool calls there may be no content; their arguments are JSON text."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call, "content": mended(message.text)}
    if message.calls:
        calls = [_as_dict(call) for call in message.calls]
        return {"role": message.role, "content": mended(message.text) or None, "tool_calls": calls}
    return {"role": message.role, "content": mended(message.text)}


def calls_in(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls in a message of the common form, or of its older one with a single `function_call`.

    Raises ValueError where what stands there are no calls.
    """
    found = message.get("tool_calls")
    if not found:
        found = [message["function_call"]] if message.get("function_call") else []
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ValueError(f"tool_calls holds {type(found).__name__}, not a list")
    return tuple(map(call_in, found))


def call_in(entry: Any) -> ToolCall:
    """One call, its name and arguments inside `function` or beside its id. Raises ValueError."""
    if isinstance(entry, ToolCall):
        return ToolCall(entry.id, entry.name, arguments_in(entry.arguments))
    if not isinstance(entry, Mapping):
        raise ValueError(f"a tool call is {type(entry).__name__}, not an object")
    inner = next((entry[key] for key in ("function", "custom") if isinstance(entry.get(key), Mapping)), entry)
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    if name is None:
        raise ValueError(f"a tool call has no name; its keys are {', '.join(map(str, inner)) or 'none'}")
    given = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    return ToolCall(str(entry.get("id") or ""), mended(name), arguments_in(given))


def arguments_in(given: Any) -> dict[str, Any] | str:
    """Arguments as plain JSON: an object where they are one, or text that holds one, else text as it came."""
    if given is None or given == "":
        return {}
    if isinstance(given, dict) and all(map(_is_plain, given, given.values())):
        return dict(given)
    try:
        text = mended(given if isinstance(given, str) else _WRITER.encode(given))
        value: dict[str, Any] = _READER.decode(text)
        if not _is_tool_like(value):
            return text
        if "\\" in text:  # written out, a character may stand in two halves
            value = _READER.decode(mended(_WRITER.encode(value)))
        return value
    except (TypeError, ValueError, RecursionError):
        return mended(given if isinstance(given, str) else repr(given))


def _is_plain(name: Any, value: Any) -> bool:
    """Whether an argument is as it would be once written as JSON and read again."""
    plain = value is None or type(value) is bool or (type(value) is int and abs(value) < _HUGE)
    plain = plain or (type(value) is str and value.isascii())
    return plain and type(name) is str and name.isascii()


def mended(text: str) -> str:
    """`text` with surrogates joined to the characters they stand for; lone ones become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _as_dict(call: ToolCall) -> dict[str, Any]:
    """Arguments that are no object go out inside one, and a name without what no name may hold: the servers that
    they came from do not always take them back."""
    name = _NO_NAME.sub("_", call.name)[:64] or "unnamed"
    arguments = {"unreadable": call.arguments} if isinstance(call.arguments, str) else dict(call.arguments)
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": call.id, "type": "function", "function": function}


def _plain(value: Any) -> Any:
    return (
        dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, set | frozenset) else str(value)
    )


def _is_tool_like(value: Any) -> bool:
    return isinstance(value, dict) and _depth(value) <= DEEPEST


def _depth(value: Any) -> int:
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0) if isinstance(value, dict | list) else 0


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits)


_WRITER = json.JSONEncoder(default=_plain, ensure_ascii=False)
_READER = json.JSONDecoder(strict=False, parse_constant=_no_number, parse_float=_finite)
