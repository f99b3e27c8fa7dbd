"""Answers of an OpenAI-compatible endpoint, read tolerantly: into a Reply, or into what went wrong."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from duologue.agents.ending import Failure
from duologue.agents.message import ToolCall
from duologue.agents.models.call import Reply, Token
from duologue.agents.models.fault import brief, error_in, fault, is_filter, is_overflow
from duologue.agents.models.reasoning import separate
from duologue.agents.models.retry import Again
from duologue.agents.usage import Usage
from duologue.agents.wire import calls_in, mended

__all__ = ["count", "likely", "number", "parts", "read_answer"]

_UNLIKELY = 1e-4
"""A probability below which a token is not worth keeping."""
_ABSURD = 10**12
"""Tokens that no call takes."""


def read_answer(content: bytes, kind: str, where: str) -> Reply:
    """The reply in an answer with status 200 and content type `kind`. Raises Failure or Again."""
    text = content.decode("utf-8", "replace")
    body = _json(text, kind, where)
    if error := error_in(body):
        raise _told(error, where)
    choice = _first_choice(body, where)
    usage = count(body.get("usage"))
    finish = str(choice.get("finish_reason") or "")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        message = {"content": choice.get("text")}
    said, thoughts = parts(message.get("content"))
    calls = _calls(message, where)
    refusal = message.get("refusal")
    if finish == "content_filter" or (refusal and not said.strip() and not calls):
        raise Failure("content_filter", f"{where}: {brief(str(refusal)) if refusal else 'the answer was filtered'}")
    if finish == "error":
        raise Again("provider_error", f"{where} broke off its answer with finish reason 'error'")
    said, inline = separate(mended(said))
    fields = (message.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    return Reply(
        text=said.strip(),
        reasoning="\n\n".join(_distinct(mended(t).strip() for t in (*_texts(fields), thoughts, inline))),
        finish=_finish(finish),
        usage=usage,
        calls=calls,
        tokens=likely(choice.get("logprobs")),
    )


def likely(told: Any) -> tuple[Token, ...]:
    """The tokens of an answer with the likeliest in the place of each; nothing where any of it cannot be read."""
    content = told.get("content") if isinstance(told, Mapping) else None
    if not isinstance(content, list):
        return ()
    try:
        return tuple(Token(str(token["token"]), _likeliest(token["top_logprobs"])) for token in content)
    except (KeyError, TypeError, OverflowError):
        return ()


def _likeliest(told: list[Mapping[str, Any]]) -> tuple[tuple[str, float], ...]:
    found = ((str(token["token"]), round(math.exp(token["logprob"]), 5)) for token in told)
    return tuple((text, probability) for text, probability in found if probability >= _UNLIKELY)


def parts(content: Any) -> tuple[str, str]:
    """The words and the reasoning in a message's content: text, nothing, or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list | tuple):
        return "", ""
    said: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, Mapping):
            kind = str(part.get("type", "text"))
            into = thoughts if "think" in kind or "reason" in kind else said
            into.append(_inside(part))
    return "".join(said), "\n\n".join(filter(None, thoughts))


def count(usage: Any) -> Usage:
    """Tokens in any of three conventions: cached inside the input's count, outside it, or not told."""
    if not isinstance(usage, Mapping):
        return Usage()
    cached = number(_at(usage, "prompt_tokens_details", "cached_tokens"), usage.get("prompt_cache_hit_tokens"))
    taken = number(usage.get("prompt_tokens"))
    if taken is None:
        taken = number(usage.get("input_tokens"))
        outside = number(usage.get("cache_read_input_tokens"))
        written = number(usage.get("cache_creation_input_tokens"))
        if taken is not None and (outside is not None or written is not None):
            taken, cached = taken + (outside or 0) + (written or 0), outside
        elif cached is None:
            cached = number(_at(usage, "input_tokens_details", "cached_tokens"))
    return Usage(
        input=taken,
        cached=cached,
        output=number(usage.get("completion_tokens"), usage.get("output_tokens")),
        reasoning=number(
            _at(usage, "completion_tokens_details", "reasoning_tokens"),
            _at(usage, "output_tokens_details", "reasoning_tokens"),
        ),
    )


def _calls(message: Mapping[str, Any], where: str) -> tuple[ToolCall, ...]:
    try:
        return calls_in(message)
    except ValueError as error:
        raise Again("provider_error", f"{where} answered with tool calls that cannot be read: {error}") from None


def _json(text: str, kind: str, where: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise _unreadable(text, kind, where) from None
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        raise Failure("provider_error", f"{where} answered with something else than a chat completion: {brief(text)}")
    return body


def _unreadable(text: str, kind: str, where: str) -> Failure | Again:
    """Cut-off JSON may come whole the next time; a page of HTML or a stream will not."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return Again("provider_error", f"{where} answered with JSON that is cut off or damaged: {brief(text)}")
    if not start:
        return Again("provider_error", f"{where} answered with nothing")
    if start.startswith("<"):
        what = "an HTML page instead of JSON; check the base URL (it mostly ends in /v1) and the proxy"
        return Failure("provider_error", f"{where} answered with {what}: {brief(text)}")
    return Failure(
        "provider_error", f"{where} answered with {kind or 'an unknown type'} instead of JSON: {brief(text)}"
    )


def _told(error: Mapping[str, Any], where: str) -> Failure | Again:
    """An error object inside an answer with status 200."""
    text = json.dumps({"error": dict(error)}, ensure_ascii=False, default=str)
    for key in ("code", "status", "status_code"):
        status = error.get(key)
        if isinstance(status, str) and status.isdigit():
            status = int(status)
        if isinstance(status, int) and 400 <= status < 600:
            return fault(status, text, where)
    message = brief(str(error.get("message") or error.get("detail") or text))
    if is_filter(text):
        return Failure("content_filter", f"{where}: {message}")
    if is_overflow(text):
        return Failure("context_overflow", f"{where}: {message}")
    if "rate_limit" in text or "rate limit" in text.lower():
        return Again("rate_limit", f"{where}: {message}")
    return Failure("provider_error", f"{where} answered with an error: {message}")


def _first_choice(body: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0]
    if isinstance(choices, list):
        raise Again("provider_error", f"{where} answered without any choice")
    shown = brief(json.dumps(body, ensure_ascii=False))
    raise Failure("provider_error", f"{where} answered with something else than a chat completion: {shown}")


def _inside(part: Mapping[str, Any]) -> str:
    for key in ("text", "thinking", "reasoning", "content", "summary", "refusal"):
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(_inside(v) if isinstance(v, Mapping) else str(v) for v in value)
    return ""


def _texts(values: Iterable[Any]) -> list[str]:
    return [value if isinstance(value, str) else "".join(parts(value)) for value in values if value]


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, values)))


def _finish(reason: str) -> Literal["stop", "length"]:
    return "length" if reason.lower() in ("length", "max_tokens", "max_output_tokens", "model_length") else "stop"


def _at(usage: Mapping[str, Any], key: str, inner: str) -> Any:
    details = usage.get(key)
    return details.get(inner) if isinstance(details, Mapping) else None


def number(*values: Any) -> int | None:
    """The first of `values` that can be a number of tokens."""
    return next(
        (int(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v < _ABSURD), None
    )
