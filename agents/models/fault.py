"""Faults of an endpoint: which failure an error answer stands for, and whether trying again may help."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.models.retry import Again, retry_after
from duologue.agents.secrets import redact

__all__ = ["brief", "context_in", "error_in", "fault", "is_filter", "is_overflow"]

_FILTER = re.compile(
    r"content[_ ]?filter|content management policy|content[_ ]policy|ResponsibleAIPolicy|safety[_ ]system"
    r"|data_inspection_failed|flagged as potentially|prohibited[_ ]content",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"context_length|context[_ ](?:window|size|length)[_ ]exceeded|maximum context"
    r"|exceeds?\w* (?:the )?(?:available |model'?s? )?(?:maximum )?context|exceed_context"
    r"|(?:prompt|input)(?: length)? (?:is )?too long"
    r"|too many (?:input )?tokens|longer than the (?:model'?s )?context"
    r"|input (?:token count|length)[^.]{0,40}exceed|reduce the length of (?:the|your) (?:messages|prompt|input)",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"(?:maximum context length|context (?:size|length|window)|\bn_ctx\b)\W{1,5}(?:is |of |\()?\s*([\d,]{4,11})",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_CHECK = {
    401: "check the key",
    402: "check the account's credit",
    403: "check what the key may do",
    404: "check the model's name and the base URL",
    413: "the request is too large",
}
_PASSING = {408, 409, 425, 429}
_NO_ROOM = {429, 503, 529}
_FINAL = {501, 505}


def brief(text: str, most: int = 200) -> str:
    """The start of `text` on one line, secrets masked."""
    line = " ".join(redact(text).split())
    line = "".join(c if c.isprintable() else "\ufffd" for c in line)
    return line if len(line) <= most else line[: most - 1] + "…"


def error_in(body: Any) -> Mapping[str, Any]:
    """The error that an answer tells of, in whichever shape; empty where it tells none."""
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error")
    if isinstance(error, Mapping):
        return error
    if error:
        return {"message": str(error)}
    if body.get("object") == "error" or ("choices" not in body and ("message" in body or "detail" in body)):
        return body
    return {}


def is_filter(text: str) -> bool:
    """Whether an error's words say that a content filter stepped in."""
    return bool(_FILTER.search(text))


def is_overflow(text: str) -> bool:
    """Whether an error's words say that the context is too long."""
    return bool(_OVERFLOW.search(text))


def context_in(text: str) -> int | None:
    """How many tokens a model's context holds, where the words of an overflow say so."""
    found = _HOLDS.search(text)
    return int(found[1].replace(",", "")) if found else None


def fault(status: int, text: str, where: str, headers: Mapping[str, str] | None = None) -> Failure | Again:
    """What to raise for an answer of `status` with body `text` from `where`."""
    words = brief(_words(text))
    detail = f"{where} answered {status}: {words}" if words else f"{where} answered {status}"
    if status < 500 and status not in (401, 403, 404, 429) and is_filter(text):
        return Failure("content_filter", detail)
    if status in (400, 413, 422, 500) and is_overflow(text):
        return Failure("context_overflow", detail)
    if status == 429 and _NO_CREDIT.search(text):
        return Failure("provider_error", f"{detail} (check the account's credit)")
    if status in _PASSING or (status >= 500 and status not in _FINAL):
        after = retry_after((headers or {}).get("retry-after"))
        return Again("rate_limit" if status == 429 else "provider_error", detail, after, busy=status in _NO_ROOM)
    check = _CHECK.get(status)
    return Failure("provider_error", f"{detail} ({check})" if check else detail)


def _words(text: str) -> str:
    """The message inside a JSON error body, or the body itself, or the text of an HTML page."""
    try:
        error = error_in(json.loads(text))
    except (ValueError, RecursionError):
        return _without_markup(text)
    found = [str(error[key]) for key in ("message", "detail", "code", "type") if error.get(key)]
    return next(iter(found), text)


def _without_markup(text: str) -> str:
    if "<html" not in text[:500].lower() and "<!doctype" not in text[:100].lower():
        return text
    return " ".join(_texts(text))


def _texts(page: str) -> Iterator[str]:
    page = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", page[:20_000])
    yield "an HTML page:"
    yield from re.sub(r"<[^>]*>", " ", page).split()
