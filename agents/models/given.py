"""The log-probability of a given text: of servers that echo a completion's prompt, and of llama.cpp, by forcing it."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.models.answer import count
from duologue.agents.models.call import CallLimits, Given, Reply, Request
from duologue.agents.models.connection import Endpoint, Refused
from duologue.agents.models.fault import brief, fault
from duologue.agents.usage import Usage

__all__ = ["echoed", "forced"]

_BESIDE = "/.."
"""llama.cpp's own paths lie beside /v1."""
_SLACK = 2
"""Letters that a token's own text may lack: leading blanks."""
_TORN = "\ufffd"
"""What stands for a part of a letter."""


async def echoed(endpoint: Endpoint, model: str, request: Request, limits: CallLimits) -> Reply:
    """How likely `given` is behind `prompt`, told by legacy completions with `echo`. Raises Failure or Again."""
    whole = request.prompt + request.given
    asked = {"model": model, "prompt": whole, "echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
    body = await _post(endpoint, "/completions", asked, limits)
    choices = body.get("choices")
    told = choices[0].get("logprobs") if isinstance(choices, list) and choices else None
    tokens, marks = (told.get(name) if isinstance(told, Mapping) else None for name in ("tokens", "token_logprobs"))
    if not isinstance(tokens, list) or not isinstance(marks, list) or len(tokens) != len(marks):
        raise _untold(endpoint, "it tells no probabilities of a prompt that it echoes")
    starts = list(_starts(tokens, whole, endpoint))
    ends = [*starts[1:], len(whole)]
    held = [mark for mark, start, end in zip(marks, starts, ends, strict=False) if _is_given(start, end, request)]
    return Reply("", usage=count(body.get("usage")), given=_sum(held, endpoint))


async def forced(endpoint: Endpoint, request: Request, limits: CallLimits) -> Reply:
    """How likely `given` is behind `prompt` to a llama.cpp server, which is made to say it token by token.

    A grammar of token ids forces a run of them in one call; what is told are the model's own probabilities. Of tokens
    that are parts of a letter, of an emoji's for one, nothing is told: they are not counted. Raises Failure or Again.
    """
    prompt, given = [await _tokens(endpoint, text, limits) for text in (request.prompt, request.given)]
    ids = [token["id"] for token in prompt + given]
    marks: list[Any] = []
    for start, end in _runs(given, len(prompt)):
        wanted = ids[start:end]
        asked = {"prompt": ids[:start], "n_predict": len(wanted), "n_probs": 1, "temperature": 0}
        how = {**request.extra, "grammar": _grammar(wanted), "cache_prompt": start > len(prompt)}
        body = await _post(endpoint, f"{_BESIDE}/completion", {**asked, **how}, limits)
        told = body.get("completion_probabilities")
        found = told if isinstance(told, list) else []
        if [token.get("id") for token in found] != wanted:
            raise _untold(endpoint, "it said something else than it was made to")
        marks += [token.get("logprob") for token in found]
    return Reply("", usage=Usage(input=len(prompt), output=len(given)), given=_sum(marks, endpoint))


async def _tokens(endpoint: Endpoint, text: str, limits: CallLimits) -> list[Any]:
    asked = {"content": text, "with_pieces": True}
    told = (await _post(endpoint, f"{_BESIDE}/tokenize", asked, limits)).get("tokens")
    if not isinstance(told, list) or not all(
        isinstance(token, dict) and {"id", "piece"} <= set(token) for token in told
    ):
        raise _untold(endpoint, "it does not cut a text into tokens")
    return told


def _grammar(ids: Sequence[int]) -> str:
    return "root ::= " + " ".join(f"<[{id}]>" for id in ids)


def _runs(given: Sequence[Mapping[str, Any]], start: int) -> Iterator[tuple[int, int]]:
    """Where runs of tokens begin and end that can be forced at once: those that are no parts of letters."""
    for torn, run in groupby(enumerate(given, start), key=lambda token: isinstance(token[1]["piece"], list)):
        places = [place for place, _ in run]
        if not torn:
            yield places[0], places[-1] + 1


def _starts(tokens: Sequence[Any], text: str, endpoint: Endpoint) -> Iterator[int]:
    """Where each token begins in `text`, up to its end. Raises Failure where they do not spell it."""
    at = torn = 0
    for place, token in enumerate(map(str, tokens)):
        if at >= len(text):
            return
        yield at
        if _TORN in token:
            torn += 1
            continue
        spelt = token.replace("▁", " ")
        bare = spelt.lstrip(" ") or spelt
        found = text.find(bare, at, at + len(spelt) + _SLACK + 4 * torn)
        if found >= 0:
            at, torn = found + len(bare), 0
        elif place and place + 1 < len(tokens):  # the first may be the mark of a beginning, the last is its own
            raise _untold(endpoint, f"its tokens do not spell the text (at {brief(token, 40)!r})")


def _is_given(start: int, end: int, request: Request) -> bool:
    """Whether a token belongs to the given text: one that stands on either side does."""
    return max(start, end - 1) >= len(request.prompt) and start < len(request.prompt) + len(request.given)


def _sum(marks: Sequence[Any], endpoint: Endpoint) -> Given:
    if not marks or not all(isinstance(mark, int | float) and math.isfinite(mark) for mark in marks):
        raise _untold(endpoint, "it leaves out probabilities")
    return Given(math.fsum(marks), len(marks))


async def _post(endpoint: Endpoint, path: str, asked: Mapping[str, Any], limits: CallLimits) -> Mapping[str, Any]:
    try:
        content, _ = await endpoint.post(path, json.dumps(asked).encode(), limits)
        body = json.loads(content)
    except Refused as refused:
        failure = fault(refused.status, refused.text, endpoint.shown, refused.headers)
        if refused.status in (400, 404, 405, 415, 422, 501) and getattr(failure, "reason", "") == "provider_error":
            raise _untold(endpoint, brief(refused.text)) from None
        raise failure from None
    except ValueError:
        raise _untold(endpoint, "it does not answer in JSON") from None
    if not isinstance(body, Mapping):
        raise _untold(endpoint, "it answers with something else than a completion")
    return body


def _untold(endpoint: Endpoint, why: str) -> Failure:
    return Failure("provider_error", f"{endpoint.shown} does not tell how likely a given text is: {why}")
