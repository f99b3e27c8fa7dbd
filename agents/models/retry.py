"""Trying again: the one place where a call is repeated, and how long to wait before."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from duologue.agents.ending import Failure, Reason
from duologue.agents.models.call import CallLimits, Reply, Request
from duologue.agents.models.gate import Gate, estimate

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Again", "persist", "retry_after", "within"]

Result = TypeVar("Result")


class Again(Exception):
    """A failure that may pass. `after` is how many seconds the endpoint asks to wait, if it does; `busy` that it had
    no room for the call, which it never began."""

    def __init__(self, reason: Reason, detail: str, after: float | None = None, *, busy: bool = False) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail
        self.after = after
        self.busy = busy or reason == "rate_limit"


async def persist(
    call: Callable[[], Awaitable[Result]],
    limits: CallLimits,
    gate: Gate | None = None,
    request: Request | None = None,
) -> tuple[Result, int]:
    """What `call` returns, and how many retries it took. Raises Failure after the last try.

    Each try waits its turn at the `gate`; the waits between them are outside it. `request` tells how large it is.
    """
    try:
        return await _once(call, limits, gate, request), 0
    except Again as failed:
        first = failed
    return await _retry(first, lambda: _once(call, limits, gate, request), limits, gate)


async def within(seconds: float | None, call: Awaitable[Result], what: str, wanted: str = "whole answer") -> Result:
    """What `call` returns. Raises Again(timeout) when that takes longer than `seconds`, if there is such a limit."""
    try:
        async with asyncio.timeout(seconds) as clock:
            return await call
    except TimeoutError as error:
        if not clock.expired():
            raise Again("timeout", f"{what}: {error}" if str(error) else f"{what} timed out") from None
        raise Again("timeout", f"no {wanted} from {what} within {seconds:g} s") from None


def retry_after(value: str | None) -> float | None:
    """A Retry-After header, seconds or HTTP date, as seconds from now. None where it cannot be read."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


async def _once(
    call: Callable[[], Awaitable[Result]], limits: CallLimits, gate: Gate | None, request: Request | None
) -> Result:
    if gate is None:
        return await call()
    async with gate.turn(estimate(request) if request and gate.counts_tokens else 0) as turn:
        try:
            result = await call()
        except Again as failed:
            if failed.busy:
                turn.overloaded(None if failed.after is None else min(failed.after, limits.retry_after_cap))
            raise
        turn.done(_tokens(result))
    return result


async def _retry(
    first: Again, once: Callable[[], Awaitable[Result]], limits: CallLimits, gate: Gate | None
) -> tuple[Result, int]:
    """What `once` returns after its first try failed, and how many more it took."""
    from tenacity import AsyncRetrying, retry_if_exception_type

    known = [first]
    spare = 3 * (limits.tries - 1) if limits.refusals is None else limits.refusals
    refused = 0

    async def again() -> Result:
        if known:
            raise known.pop()
        return await once()

    def enough(state: "RetryCallState") -> bool:
        nonlocal refused
        error = state.outcome.exception() if state.outcome else None
        refused += isinstance(error, Again) and error.busy
        free = min(refused, spare) if gate and gate.answered else 0
        return state.attempt_number - free >= limits.tries

    retrying = AsyncRetrying(
        stop=enough,
        retry=retry_if_exception_type(Again),
        wait=lambda state: _wait(state, limits),
        sleep=asyncio.sleep,
        reraise=True,
    )
    try:
        result: Result = await retrying(again)
    except Again as last:
        tries = int(retrying.statistics["attempt_number"])
        raise Failure(last.reason, last.detail + (f" (tried {tries} times)" if tries > 1 else "")) from None
    return result, int(retrying.statistics["attempt_number"]) - 1


def _wait(state: "RetryCallState", limits: CallLimits) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, Again) and error.after is not None:
        return min(error.after, limits.retry_after_cap)
    longest = min(limits.backoff * 2.0 ** (state.attempt_number - 1), limits.backoff_cap)
    return longest * random.uniform(0.5, 1.0)


def _tokens(result: object) -> int | None:
    """What a call came to, where it says so."""
    if not isinstance(result, Reply) or result.usage.input is None:
        return None
    return result.usage.input + (result.usage.output or 0)
