"""Many questions at once: bounded, stopped, and every answer handed on."""

import asyncio

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.call import Given, Reply, Request, Traits
from duologue.agents.usage import Usage
from duologue.bench.inquiry import Inquiry
from duologue.bench.question import Answer, Question


class Clerk:
    """A model that answers when it is let, and counts who waits."""

    name = "clerk"
    traits = Traits()
    adaptations: tuple[str, ...] = ()

    def __init__(self, fault: Exception | None = None, figures: dict[str, float] | None = None) -> None:
        self.figures = figures or {}
        self.waiting = self.most = 0
        self.released: list[str] = []
        self.gate = asyncio.Event()
        self._fault = fault

    async def start(self) -> None: ...

    async def complete(self, request: Request) -> Reply:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            await self.gate.wait()
        finally:
            self.waiting -= 1
        if self._fault and request.conversation == "q1":
            raise self._fault
        given = Given(-1.5, 2) if request.given else None
        used = Usage(input=3, output=1)
        return Reply(f"{request.conversation}!", "thought", "length", used, 0.25, given=given, figures=self.figures)

    async def release(self, conversation: str) -> None:
        self.released.append(conversation)

    async def close(self) -> None: ...


def questions(count: int, given: str = "") -> list[Question]:
    said = (Message("user", "Well?"),)
    return [
        Question(f"q{n}", "model", Request(said, given=given, conversation=f"q{n}"), shown=(str(n),))
        for n in range(count)
    ]


def begun(clerk: Clerk, count: int, concurrency: int) -> tuple[Inquiry, list[Answer], "asyncio.Task[None]"]:
    heard: list[Answer] = []
    inquiry = Inquiry({"model": clerk}, heard.append)
    return inquiry, heard, asyncio.create_task(inquiry.ask(questions(count), concurrency))


async def calls(clerk: Clerk, count: int) -> None:
    while clerk.waiting < count:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_so_many_at_once_and_all_in_the_end() -> None:
    clerk = Clerk()
    _, heard, asking = begun(clerk, 7, 3)
    await calls(clerk, 3)
    clerk.gate.set()
    await asking
    assert clerk.most == 3
    assert sorted(answer.id for answer in heard) == sorted(clerk.released) == [f"q{n}" for n in range(7)]
    first = next(answer for answer in heard if answer.id == "q0")
    assert (first.text, first.reasoning, first.finish, first.seconds) == ("q0!", "thought", "length", 0.25)
    assert (first.model, first.role, first.shown, first.figures) == ("clerk", "model", ("0",), {})


async def test_a_likelihood_is_handed_on_as_figures() -> None:
    clerk, heard = Clerk(), []
    clerk.gate.set()
    await Inquiry({"model": clerk}, heard.append).ask(questions(1, given="Soup."), 1)
    assert heard[0].figures == {"logprob": -1.5, "tokens": 2}


async def test_halted_it_waits_for_calls_in_flight_and_asks_no_more() -> None:
    clerk = Clerk()
    inquiry, heard, asking = begun(clerk, 9, 2)
    await calls(clerk, 2)
    inquiry.halt("interrupted", "enough")
    clerk.gate.set()
    await asking
    assert (len(heard), inquiry.halted) == (2, "enough")


async def test_abandoned_it_leaves_at_once_and_releases() -> None:
    clerk = Clerk()
    inquiry, heard, asking = begun(clerk, 9, 2)
    await calls(clerk, 2)
    inquiry.abandon("gone")
    await asking
    assert (heard, inquiry.halted, sorted(clerk.released)) == ([], "gone", ["q0", "q1"])


async def test_a_failure_is_an_answer() -> None:
    clerk = Clerk(Failure("rate_limit", "too many"))
    clerk.gate.set()
    _, heard, asking = begun(clerk, 3, 1)
    await asking
    assert [answer.fault for answer in heard] == ["", "rate_limit", ""]
    assert (heard[1].detail, heard[1].owner, heard[1].settled) == ("too many", "infrastructure", False)
    assert heard[1].usage is None and heard[0].settled


async def test_a_slip_of_our_own_ends_it() -> None:
    clerk = Clerk(KeyError("slip"))
    clerk.gate.set()
    _, _, asking = begun(clerk, 50, 2)
    with pytest.raises(KeyError, match="slip"):
        await asking


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
async def test_a_number_that_is_none_is_a_failure_and_not_recorded(number: float) -> None:
    clerk = Clerk(figures={"score": number})
    clerk.gate.set()
    heard: list[Answer] = []
    await Inquiry({"model": clerk}, heard.append).ask(questions(1), 1)
    assert (heard[0].fault, heard[0].detail, heard[0].figures) == (
        "provider_error", "clerk tells no finite number as score", {},
    )  # fmt: skip
