"""What an HTTP endpoint answered: its reply, and the tools that it wants called."""

import json
from collections.abc import Mapping
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.message import ToolCall
from duologue.agents.models.fault import brief
from duologue.agents.wire import calls_in

__all__ = ["read_reply"]


def read_reply(text: str, kind: str, reply: str, calls: str, where: str) -> tuple[str, tuple[ToolCall, ...]]:
    """What stands at the paths `reply` and `calls` of the JSON `text`, which came as content type `kind`.

    Where there are calls the reply may be missing. Raises Failure that says what stands there instead.
    """
    answer = _object(text, kind, where)
    called = _calls(answer, calls, where) if calls else ()
    return _reply(answer, reply, where, bare=bool(called)), called


def _object(text: str, kind: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        what = "an HTML page" if "html" in kind or text.lstrip()[:1] == "<" else "no JSON"
        raise Failure("provider_error", f"{where} answered with {what}: {brief(text, 80)!r}") from None


def _calls(answer: Any, path: str, where: str) -> tuple[ToolCall, ...]:
    """The tool calls at `path` in the answer, none where nothing stands there. Raises Failure."""
    try:
        found = _at(answer, path)
    except LookupError:
        return ()
    try:
        return calls_in({"tool_calls": found})
    except ValueError as error:
        raise Failure("provider_error", f"{where}: {path!r} holds no tool calls: {error}") from None


def _reply(answer: Any, path: str, where: str, *, bare: bool) -> str:
    """The reply at `path` in the answer; it may be missing where it is `bare`. Raises Failure: what stands there."""
    try:
        found = _at(answer, path)
    except LookupError as missing:
        if bare:
            return ""
        raise Failure("provider_error", f"{where}: {missing.args[0]}{_error(answer)}") from None
    if found is None and bare:
        return ""
    if not isinstance(found, str):
        raise Failure("provider_error", f"{where}: {path!r} holds {type(found).__name__}, not text")
    return found


def _at(answer: Any, path: str) -> Any:
    """What stands at `path`. Raises LookupError that says what stands there instead."""
    found = answer
    for step in path.split("."):
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.lstrip("-").isdigit() and -len(found) <= int(step) < len(found):
            found = found[int(step)]
        else:
            raise LookupError(f"no {step!r} in the answer; {_offered(found)}")
    return found


def _offered(found: Any) -> str:
    if isinstance(found, Mapping):
        return f"keys are {', '.join(map(str, found)) or 'none'}"
    return f"it is a list of {len(found)}" if isinstance(found, list) else f"it is {type(found).__name__}"


def _error(answer: Any) -> str:
    text = json.dumps(answer, ensure_ascii=False)
    return f" ({brief(text, 120)})" if '"error"' in text else ""
