"""Trying again, on a clock of our own."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable

import pytest

from duologue.agents.ending import Failure
from duologue.agents.models.call import CallLimits, Reply, Request
from duologue.agents.models.gate import Gate
from duologue.agents.models.retry import Again, persist, within
from duologue.agents.usage import Usage

from .clock import played

BUSY = Again("rate_limit", "busy")
ROOMLESS = Again("provider_error", "overloaded", busy=True)
BROKEN = Again("provider_error", "broken")
GONE = Failure("content_filter", "no")


def telling(*outcomes: Exception | Reply) -> tuple[Callable[[], Awaitable[Reply]], list[float]]:
    """A call that comes out so, the last for ever, and when it was made."""
    made: list[float] = []

    async def call() -> Reply:
        made.append(asyncio.get_running_loop().time())
        outcome = outcomes[min(len(made), len(outcomes)) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return call, made


def tries(limits: CallLimits, gate: Gate | None, *outcomes: Exception | Reply) -> int:
    """How often a call is made that comes out so."""

    async def work() -> int:
        call, made = telling(*outcomes)
        try:
            _, retries = await persist(call, limits, gate)
            assert retries == len(made) - 1
        except Failure as failure:
            assert failure is GONE or len(made) == 1 or f"tried {len(made)} times" in failure.detail
        return len(made)

    return played(work())


def proven() -> Gate:
    """The gate of an endpoint that has answered before."""
    gate = Gate()
    gate.answered = 1
    return gate


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({}, 4), ({"tries": 1}, 1), ({"tries": 2, "refusals": 5}, 2), ({"refusals": 0}, 4)],
)
def test_a_call_that_fails_is_made_so_often(limits: dict[str, int], expected: int) -> None:
    assert tries(CallLimits(**limits), proven(), BROKEN) == expected
    assert tries(CallLimits(**limits), None, BUSY) == expected
    assert tries(CallLimits(**limits), Gate(), BUSY) == expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({}, 13), ({"tries": 1}, 1), ({"tries": 2, "refusals": 5}, 7), ({"refusals": 0}, 4)],
)
def test_an_endpoint_that_has_answered_before_is_only_busy(limits: dict[str, int], expected: int) -> None:
    assert tries(CallLimits(**limits), proven(), BUSY) == expected
    assert tries(CallLimits(**limits), proven(), ROOMLESS) == expected


def test_what_passes_in_the_end_is_returned() -> None:
    assert tries(CallLimits(), proven(), BROKEN, BUSY, BUSY, BUSY, BUSY, BROKEN, BROKEN, Reply("Hello.")) == 8
    assert tries(CallLimits(), proven(), BROKEN, GONE, Reply("Hello.")) == 2


def test_waits_double_up_to_a_cap_unless_the_endpoint_names_one() -> None:
    async def work() -> None:
        call, made = telling(BROKEN)
        with pytest.raises(Failure):
            await persist(call, CallLimits(tries=8, backoff=1, backoff_cap=8))
        waits = [later - earlier for earlier, later in itertools.pairwise(made)]
        for wait, longest in zip(waits, (1, 2, 4, 8, 8, 8, 8), strict=True):
            assert longest / 2 <= wait <= longest
        call, made = telling(Again("rate_limit", "", 3), Again("provider_error", "", 500), Reply("Hello."))
        begun = asyncio.get_running_loop().time()
        await persist(call, CallLimits(retry_after_cap=60))
        assert [time - begun for time in made] == pytest.approx([0, 3, 63])

    played(work())


def test_who_waits_for_another_try_holds_nobody_up() -> None:
    async def work() -> None:
        gate, loop = Gate(), asyncio.get_running_loop()
        async with gate.turn() as turn:
            turn.overloaded()
        assert gate.limit == 1
        waiting, made = telling(BROKEN, Reply("At last."))
        first = asyncio.ensure_future(persist(waiting, CallLimits(backoff=100, backoff_cap=100), gate))
        await asyncio.sleep(1)
        await persist(telling(Reply("Hello."))[0], CallLimits(), gate)
        assert loop.time() < 2
        await first
        assert made[1] >= 50

    played(work())


def test_a_wait_that_an_endpoint_asks_for_is_kept_by_all() -> None:
    async def work() -> None:
        gate, loop = Gate(), asyncio.get_running_loop()
        first, made = telling(Again("rate_limit", "", 500), Reply("At last."))
        asked = asyncio.ensure_future(persist(first, CallLimits(), gate))
        await asyncio.sleep(1)
        await persist(telling(Reply("Hello."))[0], CallLimits(), gate)
        assert loop.time() == 120  # the cap
        await asked
        assert made == [0, 120]

    played(work())


def test_tokens_are_put_right_by_what_the_answer_says() -> None:
    async def work() -> None:
        gate, loop = Gate(), asyncio.get_running_loop()
        gate.pace(CallLimits(tokens_per_minute=60))
        answer = Reply("Hello.", usage=Usage(input=30, output=12))
        for _ in range(2):
            await persist(telling(answer)[0], CallLimits(), gate, Request(prompt="a" * 400, max_tokens=1000))
        assert loop.time() == pytest.approx(42)

    played(work())


def test_a_call_waits_for_its_turn_outside_its_own_time() -> None:
    async def work() -> None:
        gate = Gate()
        async with gate.turn() as turn:
            turn.overloaded(after=50)

        async def call() -> Reply:
            return await within(1, asyncio.sleep(0.5, Reply("Hello.")), "it")

        assert (await persist(call, CallLimits(), gate))[1] == 0

    played(work())


def test_what_takes_too_long_is_told() -> None:
    async def work() -> None:
        with pytest.raises(Again, match="no byte from it within 2 s"):
            await within(2, asyncio.sleep(3), "it", "byte")
        assert await within(None, asyncio.sleep(3, "there"), "it") == "there"

    played(work())
