"""What was said and done in a dialogue from outside, whichever of the usual spellings it is written in."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from duologue.agents.message import ToolCall, sound
from duologue.agents.models.reasoning import separate
from duologue.agents.wire import arguments_in, call_in, calls_in
from duologue.tasks.written import BadInput, nearest

__all__ = ["TURNS", "Answered", "Part", "Words", "is_said", "parts_of"]

Role = Literal["user", "assistant", "system", "tool", "call"]

_NAMES: dict[Role, tuple[str, ...]] = {
    "user": ("user", "human", "customer", "client"),
    "assistant": ("assistant", "gpt", "chatgpt", "bot", "ai", "model", "agent"),
    "system": ("system", "developer"),
    "tool": ("tool", "function", "observation", "tool_result", "tool_response", "function_response"),
    "call": ("function_call", "tool_call"),
}
ROLES = {name: role for role, names in _NAMES.items() for name in names}
TURNS = ("turns", "messages", "conversation", "conversations", "dialogue", "dialog")
"""The keys under which the turns of a dialogue stand."""
SPEAKERS = ("role", "from", "speaker", "author")
TEXTS = ("content", "value", "text", "message", "utterance", "parts")
_SIDES: tuple[Literal["user"], Literal["assistant"]] = ("user", "assistant")
REASONING = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class Words:
    """Something said. What the system says is only counted."""

    role: Literal["user", "assistant", "system"]
    text: str
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a tool answered to the call of that id or, where it names none, to one of that name."""

    call: str
    name: str
    result: dict[str, Any]


Part = Words | ToolCall | Answered


def is_said(item: Any) -> bool:
    """Whether `item` is said in a dialogue, and is none itself: a text, or a message."""
    if not isinstance(item, Mapping) or any(key in item for key in TURNS):
        return isinstance(item, str)
    return any(isinstance(item.get(key), str) for key in (*SPEAKERS, *_SIDES))


def parts_of(turns: Any, where: str) -> list[Part]:
    """What was said and done, in order. Raises BadInput where `turns` are no dialogue that can be read for certain.

    Texts alternate, the user first, unless every one of them begins with who speaks.
    """
    if not isinstance(turns, Sequence) or isinstance(turns, str) or not turns:
        raise BadInput("has no turns" if turns in ([], "", None) else "its turns are no list", where)
    if all(isinstance(turn, str) for turn in turns):
        return list(_alternating(turns, where))
    found: list[Part] = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, Mapping):
            raise BadInput(f"turn {number} is {_kind(turn)}, not an object", where)
        try:
            found.extend(_message(turn))
        except ValueError as fault:
            raise BadInput(f"turn {number}: {fault}", where) from None
    return found


def _alternating(texts: Sequence[str], where: str) -> Iterator[Part]:
    labels = [_labelled(text) for text in texts]
    if all(labels):
        for role, text in filter(None, labels):
            yield _words(role, text, "")
        return
    if any(labels):
        number = labels.index(None) + 1
        raise BadInput(f"some turns begin with who speaks, turn {number} does not", where)
    for number, text in enumerate(texts):
        yield _words("assistant" if number % 2 else "user", text, "")


def _labelled(text: str) -> tuple[Literal["user", "assistant", "system"], str] | None:
    """Who speaks and what, in a text such as `User: Hello`."""
    name, mark, rest = text.partition(":")
    role = ROLES.get(name.strip(" []*").casefold()) if mark else None
    return (role, rest.lstrip(" *")) if role in ("user", "assistant", "system") else None


def _message(turn: Mapping[str, Any]) -> Iterator[Part]:
    """The parts of one message. Raises ValueError, which says what it lacks."""
    speaker = next((turn[key] for key in SPEAKERS if isinstance(turn.get(key), str)), None)
    if speaker is None:
        yield from _pair(turn)
        return
    role = ROLES.get(speaker.strip().casefold())
    if role is None:
        raise ValueError(f"nobody known speaks in it: {_short(speaker)}{nearest(speaker, ROLES)}")
    texts = [turn[key] for key in TEXTS if key in turn]
    acts = bool(turn.get("tool_calls") or turn.get("function_call"))
    if not texts and not acts:
        raise ValueError(f"nothing is said in it; its keys are {', '.join(map(str, turn))}")
    content = texts[0] if texts else None
    if content is None and not acts and role not in ("assistant", "tool"):
        raise ValueError("nothing is said in it")
    if role == "call":
        yield _call(content)
    elif role == "tool":
        yield Answered(_id(turn, "tool_call_id", "id"), _id(turn, "name"), _result(content))
    else:
        yield from _content(role, content, _reasoning(turn))
        yield from (_named(call) for call in calls_in(turn))


def _pair(turn: Mapping[str, Any]) -> Iterator[Part]:
    """An exchange such as `{"user": "Hello", "assistant": "Hello!"}`."""
    said = {role: text for key, text in turn.items() if (role := ROLES.get(str(key).casefold())) in _SIDES}
    if not said or not all(isinstance(text, str) for text in said.values()):
        raise ValueError(f"it does not tell who speaks; its keys are {', '.join(map(str, turn)) or 'none'}")
    yield from (_words(role, said[role], "") for role in _SIDES if role in said)


def _content(role: Any, content: Any, reasoning: str) -> Iterator[Part]:
    """What stands in a content: text, or a list of parts, calls and their results among them."""
    if content is None:
        return
    if isinstance(content, str):
        yield _words(role, content, reasoning)
        return
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence):
        raise ValueError(f"its content is {_kind(content)}, not text")
    texts: list[str] = []
    others: list[Part] = []
    for part in content:
        other = _other(part)
        if other is None:
            texts.append(_text(part))
        else:
            others.append(other)
    yield from (part for part in others if isinstance(part, Answered))
    if texts or not others:
        yield _words(role, "\n".join(texts), reasoning)
    yield from (part for part in others if isinstance(part, ToolCall))


def _other(part: Any) -> Part | None:
    """A part of a content that is no text: a call, or what a tool answered."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "tool_use":
        return _named(call_in(part))
    if kind == "tool_result":
        return Answered(_id(part, "tool_use_id"), "", _result(part.get("content")))
    return None


def _text(part: Any) -> str:
    """The text of a part; what is neither heard nor read is named in brackets."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise ValueError(f"a part of its content is {_kind(part)}, not text")
    for key in ("text", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    kind = part.get("type")
    if not isinstance(kind, str):
        raise ValueError(f"a part of its content has no text; its keys are {', '.join(map(str, part)) or 'none'}")
    return f"({kind.replace('_', ' ')})"


def _words(role: Any, text: str, reasoning: str) -> Words:
    """What was said, reasoning that stood in it taken apart."""
    said, thought = separate(text) if role == "assistant" else (text, "")
    return Words(role, said, "\n\n".join(filter(None, (reasoning, thought))))


def _reasoning(turn: Mapping[str, Any]) -> str:
    return next((str(turn[key]) for key in REASONING if isinstance(turn.get(key), str)), "")


def _call(content: Any) -> ToolCall:
    """A call that stands as JSON in a message of its own."""
    try:
        return _named(call_in(json.loads(content) if isinstance(content, str) else content))
    except json.JSONDecodeError:
        raise ValueError("the call in it is no JSON") from None


def _named(call: ToolCall) -> ToolCall:
    return ToolCall(sound(call.id), sound(call.name), call.arguments)


def _result(content: Any) -> dict[str, Any]:
    """What a tool answered, as an object: text that is none stands under `result`."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = "\n".join(map(_text, content))
    held = arguments_in(content) if content else ""
    return held if isinstance(held, dict) else {"result": held}


def _id(turn: Mapping[str, Any], *keys: str) -> str:
    return next((sound(turn[key]) for key in keys if isinstance(turn.get(key), str)), "")


def _kind(value: Any) -> str:
    names = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
