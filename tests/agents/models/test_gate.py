"""The gate before an endpoint, on a clock of our own and an endpoint with so much room."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable

import pytest

from duologue.agents.message import Message
from duologue.agents.models.call import CallLimits, Request
from duologue.agents.models.gate import Gate, Gates, estimate

from .clock import played

NEVER = 10**6


class Endpoint:
    """Has room for so many calls at once; refuses the others, and a share of all by chance."""

    def __init__(self, room: float, seed: int, faulty: float = 0.0, seconds: float = 1.0) -> None:
        self.room, self.faulty, self.seconds = room, faulty, seconds
        self.chance = random.Random(seed)
        self.inside = self.asked = self.refused = self.answered = 0

    async def takes(self) -> bool:
        self.asked += 1
        if self.inside >= self.room or self.chance.random() < self.faulty:
            self.refused += 1
            await asyncio.sleep(0.02)
            return False
        self.inside += 1
        await asyncio.sleep(self.seconds * self.chance.uniform(0.5, 1.5))
        self.inside -= 1
        self.answered += 1
        return True

    async def call(self, gate: Gate, after: float | None = None) -> None:
        """Ask until it is answered, waiting a little outside the gate."""
        while True:
            async with gate.turn() as turn:
                if await self.takes():
                    turn.done()
                    return
                turn.overloaded(after)
            await asyncio.sleep(self.chance.uniform(0.5, 1.0))


async def at_once(count: int, each: int, call: Callable[[], Awaitable[None]]) -> float:
    """How long it takes `count` callers to make `each` calls."""

    async def caller() -> None:
        for _ in range(each):
            await call()

    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.gather(*(caller() for _ in range(count)))
    return loop.time() - began


async def holding(gate: Gate, seconds: float = NEVER) -> None:
    async with gate.turn():
        await asyncio.sleep(seconds)


async def narrowed(gate: Gate, limit: int) -> None:
    """Make `limit` the gate's."""
    callers = [asyncio.ensure_future(holding(gate)) for _ in range(limit)]
    await asyncio.sleep(0)
    async with gate.turn() as turn:
        turn.overloaded()
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    assert gate.limit == limit


def test_there_is_no_limit_until_the_endpoint_names_one() -> None:
    async def work() -> None:
        gate = Gate()
        await at_once(1000, 2, lambda: Endpoint(math.inf, 1).call(gate))
        assert (gate.limit, gate.least, gate.most, gate.told) == (math.inf, math.inf, 1000, "")

    played(work())


@pytest.mark.parametrize("room", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("seed", range(5))
def test_it_settles_where_the_endpoint_has_room(room: int, seed: int) -> None:
    async def work() -> None:
        gate, endpoint = Gate(), Endpoint(room, seed)
        seconds = await at_once(50, 12, lambda: endpoint.call(gate))
        assert endpoint.answered == 600
        assert endpoint.refused <= 50 - room + 0.05 * 600
        assert gate.least == room
        assert room <= gate.limit <= room + 2
        assert seconds <= 1.1 * 600 / room + 5
        assert (gate.most, gate.refused) == (50, endpoint.refused)

    played(work())


@pytest.mark.parametrize("seed", range(5))
def test_an_endpoint_that_fails_by_chance_is_still_asked_many_things_at_once(seed: int) -> None:
    async def work() -> None:
        gate, endpoint = Gate(), Endpoint(math.inf, seed, faulty=0.02)
        await at_once(100, 20, lambda: endpoint.call(gate))
        assert 20 <= gate.least < 100

    played(work())


def test_the_limit_rises_again_with_the_room() -> None:
    async def work() -> None:
        gate, endpoint = Gate(), Endpoint(3, 1)
        callers = asyncio.ensure_future(at_once(60, 60, lambda: endpoint.call(gate)))
        await asyncio.sleep(60)
        assert gate.limit < 5
        endpoint.room = 50
        await asyncio.sleep(200)
        assert 45 <= gate.limit <= 52
        await callers

    played(work())


def test_a_limit_that_is_not_used_does_not_rise() -> None:
    async def work() -> None:
        gate, endpoint = Gate(), Endpoint(math.inf, 1)
        await narrowed(gate, 8)
        await at_once(2, 100, lambda: endpoint.call(gate))
        assert gate.limit == 8

    played(work())


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_cancelled_leaves_its_place(seed: int) -> None:
    async def work() -> None:
        chance, inside = random.Random(seed), 0
        gate = Gate()
        gate.pace(CallLimits(requests_per_minute=chance.choice([None, 600])))
        await narrowed(gate, 3)

        async def call() -> None:
            nonlocal inside
            async with gate.turn() as turn:
                inside += 1
                assert inside <= gate.limit
                try:
                    await asyncio.sleep(chance.choice([0, 0.1, 1]))
                    if chance.random() < 0.1:
                        turn.overloaded(chance.choice([None, 0.5]))
                finally:
                    inside -= 1

        async def hold() -> None:
            nonlocal inside
            async with gate.turn():
                inside += 1
                await asyncio.sleep(NEVER)

        calls = []
        for _ in range(200):
            calls.append(asyncio.ensure_future(call()))
            if chance.random() < 0.5:
                await asyncio.sleep(chance.choice([0, 0, 0.05]))
            if chance.random() < 0.5:
                chance.choice(calls).cancel()
        await asyncio.wait(calls)
        assert not any(call.exception() for call in calls if not call.cancelled())
        places = [asyncio.ensure_future(hold()) for _ in range(300)]
        await asyncio.sleep(600)
        assert inside == math.floor(gate.limit)
        for place in places:
            place.cancel()
        await asyncio.gather(*places, return_exceptions=True)

    played(work())


def test_first_come_first_served() -> None:
    async def work() -> None:
        gate, served = Gate(), []
        await narrowed(gate, 2)

        async def call(number: int) -> None:
            async with gate.turn():
                served.append(number)
                await asyncio.sleep(1)

        calls = [asyncio.ensure_future(call(number)) for number in range(20)]
        await asyncio.sleep(3.5)
        calls[12].cancel()
        await asyncio.wait(calls)
        assert served == [number for number in range(20) if number != 12]

    played(work())


def test_an_endpoint_that_wants_to_be_left_alone_is_left_alone_by_all() -> None:
    async def work() -> None:
        gate, begun = Gate(), []
        loop = asyncio.get_running_loop()
        async with gate.turn() as turn:
            turn.overloaded(after=7)
        async with gate.turn() as turn:
            begun.append(loop.time())
            turn.done()
        await asyncio.gather(*(holding(gate, 1) for _ in range(3)))
        assert begun == [7]
        assert loop.time() == 9  # one more at once after each round trip that was full

    played(work())


@pytest.mark.parametrize(("share", "seconds"), [(1.0, 9), (0.5, 18)])
def test_requests_a_minute_are_spread_over_it(share: float, seconds: float) -> None:
    async def work() -> None:
        gates = Gates(share)
        gate = gates.at("http://h/v1", "k", CallLimits(requests_per_minute=60))
        assert gates.at("http://h/v1/", "k", CallLimits()) is gate
        assert gates.at("http://h/v1", "k", CallLimits(requests_per_minute=6000)) is gate  # the fewest count
        assert gates.at("http://h/v1", "other", CallLimits()) is not gate
        begun = []

        async def call() -> None:
            async with gate.turn():
                begun.append(asyncio.get_running_loop().time())
                await asyncio.sleep(5)

        await asyncio.gather(*(call() for _ in range(10)))
        assert begun == pytest.approx([seconds / 9 * number for number in range(10)])

    played(work())


def test_tokens_a_minute_are_estimated_and_put_right() -> None:
    async def work() -> None:
        gate, begun = Gate(), []
        gate.pace(CallLimits(tokens_per_minute=6000))
        assert gate.counts_tokens

        async def call(took: int | None) -> None:
            async with gate.turn(100) as turn:
                begun.append(asyncio.get_running_loop().time())
                turn.done(took)

        for took in (None, 300, 0, 100):
            await call(took)
        assert begun == pytest.approx([0, 1, 4, 4])

    played(work())


def test_a_call_is_as_large_as_its_words_and_the_longest_answer() -> None:
    words = (Message("system", "a" * 400), Message("user", "b" * 40))
    assert estimate(Request(words, max_tokens=50)) == 160
    assert estimate(Request(prompt="a" * 40)) > 10


def test_what_there_was_no_room_for_is_told() -> None:
    async def work() -> None:
        gates = Gates()
        heard: list[str] = []
        gates.watch(lambda gate: heard.append(gate.told))
        gate = gates.at("http://name:word@127.0.0.1:8000/v1", "", CallLimits())
        endpoint = Endpoint(12, 1)
        await at_once(50, 1, lambda: endpoint.call(gate))
        assert gates.told == (heard[-1],)
        assert heard[0] == "127.0.0.1:8000 had no room for 1 call: slowed down once, to 49 at once (of 50)."
        assert heard[37] == "127.0.0.1:8000 had no room for 38 calls: slowed down once, to 12 at once (of 50)."

    played(work())
