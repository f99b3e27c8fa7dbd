"""A gate before an endpoint: how many calls may be under way there at once, how many may begin a minute."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import Self
from urllib.parse import urlsplit

from duologue.agents.models.call import CallLimits, Request
from duologue.agents.secrets import redact
from duologue.agents.usage import LETTERS

__all__ = ["Gate", "Gates", "Turn", "estimate"]

CAREFUL = 0.5
"""How much slower the limit rises each time to where one more was too many."""
SLOWEST = 6
"""How many times running it becomes slower."""
ANSWER = 256
"""Tokens that an answer is taken to have until it is there, where the request does not say."""


class Gate:
    """Lets the calls of an endpoint begin, first come, first served. Whoever calls there shares it.

    How many may be under way has no limit until the endpoint has no room for some. Then the limit falls by these, which
    within a round trip is to as many as there was room for, and rises again by one a round trip while it is used to
    the full; more slowly where one more has been too many each time. Requests and tokens a minute are spread evenly
    over it; `share` is the part of them that this process may have.
    """

    def __init__(self, name: str = "endpoint", *, share: float = 1.0) -> None:
        self.name = name
        self.limit = math.inf
        self.least = math.inf
        """The lowest that the limit has been."""
        self.most = 0
        """The most calls that were under way at once."""
        self.slowed = 0
        """How often the limit fell, once a round trip."""
        self.answered = 0
        """How many calls were answered."""
        self.refused = 0
        """How many calls the endpoint had no room for."""
        self.watch: Callable[[Gate], None] | None = None
        """Called whenever the limit fell."""
        self._share = share
        self._requests, self._tokens = _Pace(), _Pace()
        self._opens = 0.0  # by the loop's clock, as all times here
        self._timed = False
        self._running = 0
        self._waiting: deque[tuple[asyncio.Future[int], int]] = deque()
        self._waker: asyncio.TimerHandle | None = None
        self._proven = self._walls = self._counted = 0

    @property
    def counts_tokens(self) -> bool:
        """Whether there is a pace of tokens to keep, so that an estimate is wanted."""
        return self._tokens.seconds > 0

    @property
    def told(self) -> str:
        """What the endpoint had no room for, as a sentence; empty where it had room for all."""
        if not self.slowed:
            return ""
        calls = "1 call" if self.refused == 1 else f"{self.refused:,} calls"
        times = {1: "once", 2: "twice"}.get(self.slowed, f"{self.slowed:,} times")
        fewest = f", to {self.least:g} at once (of {self.most})" if self.least < self.most else ""
        return f"{self.name} had no room for {calls}: slowed down {times}{fewest}."

    def pace(self, limits: CallLimits) -> None:
        """Keep to the requests and tokens a minute of `limits`; of several, the fewest count."""
        self._requests.keep(limits.requests_per_minute, self._share)
        self._tokens.keep(limits.tokens_per_minute, self._share)
        self._timed = self._timed or bool(self._requests.seconds or self._tokens.seconds)

    def turn(self, tokens: int = 0) -> "Turn":
        """A context around one try of a call that takes about so many tokens. Entering it waits until it may begin."""
        return Turn(self, tokens)

    async def _enter(self, tokens: int) -> int:
        """Wait until a call may begin. How many are under way then, with it."""
        if not self._timed and not self._waiting and self._running + 1 <= self.limit:
            return self._begin()
        admitted: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((admitted, tokens))
        self._admit()
        try:
            return await admitted
        except asyncio.CancelledError:
            if not admitted.cancelled():  # let in, and gone before it could begin
                self._requests.spend(-1)
                self._tokens.spend(-tokens)
                self._leave()
            raise

    def _begin(self) -> int:
        self._running += 1
        if self._running > self.most:
            self.most = self._running
        return self._running

    def _leave(self) -> None:
        self._running -= 1
        if self._waiting:
            self._admit()

    def _admit(self) -> None:
        """Let in all who may begin by now, and look again when the next one may."""
        now = asyncio.get_running_loop().time()
        while self._waiting and self._running + 1 <= self.limit:
            admitted, tokens = self._waiting[0]
            if not admitted.done() and self._closed(now):
                return
            self._waiting.popleft()
            if not admitted.done():
                self._requests.spend(1, now)
                self._tokens.spend(tokens, now)
                admitted.set_result(self._begin())

    def _closed(self, now: float) -> bool:
        """Whether nobody may begin yet; then somebody looks again as soon as one may."""
        opens = max(self._opens, self._requests.opens, self._tokens.opens)
        if opens <= now:
            return False
        if self._waker is not None:
            self._waker.cancel()
        self._waker = asyncio.get_running_loop().call_at(opens, self._admit)
        return True

    def _refuse(self, level: int, refused: int, after: float | None) -> None:
        """There was no room for a call that began as one of `level`, after so many had been `refused`."""
        if after:
            self._timed = True
            self._opens = max(self._opens, asyncio.get_running_loop().time() + after)
        self._walls = self._walls + 1 if level > self._proven else 0
        self._proven = min(self._proven, level - 1)
        self.refused += 1
        if refused >= self._counted:
            self._counted, self.slowed = self.refused, self.slowed + 1
        self.limit = max(1.0, (self._running if self.limit == math.inf else self.limit) - 1)
        self.least = min(self.least, math.floor(self.limit))
        if self.watch is not None:
            self.watch(self)

    def _rise(self, level: int, refused: int) -> None:
        """There was room for a call that began as one of `level`. If all the others were let in too, for that many."""
        if level > self._proven and refused == self.refused:
            self._proven, self._walls = level, 0
        if self._running + 1 > self.limit:  # else there was room left: that it went well says nothing of more
            careful = CAREFUL ** min(self._walls, SLOWEST) if math.floor(self.limit) + 1 > self._proven else 1.0
            self.limit += careful / self.limit


class Gates:
    """The gates of a process, one for each endpoint and key. `share` is its part of what may begin a minute."""

    def __init__(self, share: float = 1.0) -> None:
        self._share = share
        self._known: dict[tuple[str, str], Gate] = {}
        self._watch: Callable[[Gate], None] | None = None

    def at(self, place: str, key: str, limits: CallLimits) -> Gate:
        """The gate before a URL or a provider with that key, which keeps to `limits` from now on."""
        known = (place.rstrip("/"), key)
        if known not in self._known:
            host = urlsplit(place).netloc.rpartition("@")[2]
            self._known[known] = Gate(redact(host or place), share=self._share)
            self._known[known].watch = self._watch
        self._known[known].pace(limits)
        return self._known[known]

    def watch(self, watch: Callable[[Gate], None]) -> None:
        """Have `watch` called with each gate whose limit falls."""
        self._watch = watch
        for gate in self._known.values():
            gate.watch = watch

    @property
    def told(self) -> tuple[str, ...]:
        """What endpoints had no room for, one sentence each."""
        return tuple(gate.told for gate in self._known.values() if gate.told)


class Turn:
    """One try of a call before a gate. Whoever makes it says how it went, where it knows."""

    __slots__ = ("_gate", "_level", "_refused", "_tokens")

    def __init__(self, gate: Gate, tokens: int) -> None:
        self._gate, self._tokens = gate, tokens
        self._level = self._refused = 0

    async def __aenter__(self) -> Self:
        self._level = await self._gate._enter(self._tokens)
        self._refused = self._gate.refused
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gate._leave()

    def done(self, tokens: int | None = None) -> None:
        """It was answered, and took so many tokens; None where that is not known."""
        self._gate.answered += 1
        if self._gate.limit != math.inf:
            self._gate._rise(self._level, self._refused)
        if tokens is not None:
            self._gate._tokens.spend(tokens - self._tokens)

    def overloaded(self, after: float | None = None) -> None:
        """The endpoint had no room for it, and asks to be left alone for `after` seconds, if it does."""
        self._gate._refuse(self._level, self._refused, after)


class _Pace:
    """So many a minute, evenly: the next one may begin at `opens`."""

    def __init__(self) -> None:
        self.seconds = 0.0  # from one to the next
        self.opens = 0.0

    def keep(self, a_minute: float | None, share: float) -> None:
        if a_minute is not None:
            self.seconds = max(self.seconds, 60 / (a_minute * share))

    def spend(self, amount: int, now: float = 0.0) -> None:
        if self.seconds:
            self.opens = max(self.opens, now) + amount * self.seconds


def estimate(request: Request) -> int:
    """About how many tokens a call takes, with the longest answer that is asked for."""
    letters = len(request.prompt) + sum(len(message.text) for message in request.messages)
    return letters // LETTERS + (request.max_tokens or ANSWER)
