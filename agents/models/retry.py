"""Trying again: the one place where a call is repeated, and how long to wait before."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from duologue.agents.ending import Failure, Reason
from duologue.agents.models.call import CallLimits

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Again", "persist", "retry_after", "within"]

Result = TypeVar("Result")


class Again(Exception):
    """A failure that may pass. `after` is how many seconds the endpoint asks to wait, if it does."""

    def __init__(self, reason: Reason, detail: str, after: float | None = None) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail
        self.after = after


async def persist(call: Callable[[], Awaitable[Result]], limits: CallLimits) -> tuple[Result, int]:
    """What `call` returns, and how many retries it took. Raises Failure after the last try."""
    from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

    retrying = AsyncRetrying(
        stop=stop_after_attempt(limits.tries),
        retry=retry_if_exception_type(Again),
        wait=lambda state: _wait(state, limits),
        sleep=asyncio.sleep,
        reraise=True,
    )

    async def once() -> Result:
        return await call()

    try:
        result: Result = await retrying(once)
    except Again as last:
        tried = f" (tried {limits.tries} times)" if limits.tries > 1 else ""
        raise Failure(last.reason, last.detail + tried) from None
    return result, int(retrying.statistics["attempt_number"]) - 1


async def within(seconds: float, call: Awaitable[Result], what: str) -> Result:
    """What `call` returns. Raises Again(timeout) when that takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds) as clock:
            return await call
    except TimeoutError as error:
        if not clock.expired():
            raise Again("timeout", f"{what}: {error}" if str(error) else f"{what} timed out") from None
        raise Again("timeout", f"no whole answer from {what} within {seconds:g} s") from None


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


def _wait(state: "RetryCallState", limits: CallLimits) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, Again) and error.after is not None:
        return min(error.after, limits.retry_after_cap)
    longest = min(limits.backoff * 2.0 ** (state.attempt_number - 1), limits.backoff_cap)
    return longest * random.uniform(0.5, 1.0)
